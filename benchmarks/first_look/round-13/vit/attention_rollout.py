# %% wrong: the first layer on the left
# The product runs in the order of the list, A1 A2 ... AL. The last layer reads what the earlier ones mixed, so it
# stands on the left. Shows for two layers or more whose matrices do not commute.


def attention_rollout(weights: list[Tensor]) -> Tensor:
    T = weights[0].shape[-1]
    eye = torch.eye(T, dtype=weights[0].dtype, device=weights[0].device)
    rollout = eye.expand(weights[0].shape[0], T, T)
    for layer in weights:
        rollout = rollout @ (0.5 * layer.mean(dim=1) + 0.5 * eye)
    return rollout


# %% wrong: the layers are taken out of the list
# pop empties the caller's list. The product is right, but "the list and its tensors are left as they were": a second
# call with the same list fails. Shows for every input.


def attention_rollout(weights: list[Tensor]) -> Tensor:
    eye = torch.eye(weights[0].shape[-1], device=weights[0].device, dtype=weights[0].dtype)
    rollout = 0.5 * (weights.pop(0).mean(dim=1) + eye)
    while weights:
        rollout = 0.5 * (weights.pop(0).mean(dim=1) + eye) @ rollout
    return rollout


# %% wrong: the first layer without its residual
# The product starts from the first layer's attention as it is, and only the later ones are mixed with the identity.
# Shows for every input but a first layer that is the identity; with one layer it gives plain attention.


def attention_rollout(weights: list[Tensor]) -> Tensor:
    rollout = weights[0].mean(dim=1)
    eye = torch.eye(rollout.shape[-1], dtype=rollout.dtype, device=rollout.device)
    for layer in weights[1:]:
        rollout = (0.5 * layer.mean(dim=1) + 0.5 * eye) @ rollout
    return rollout


# %% wrong: the heads are averaged at the end
# Each head is followed through the layers by itself, and the mean is taken of the products. The mean belongs into
# each layer. Shows for two heads or more and two layers or more.


def attention_rollout(weights: list[Tensor]) -> Tensor:
    T = weights[0].shape[-1]
    eye = torch.eye(T, dtype=weights[0].dtype, device=weights[0].device)
    rollout = eye
    for layer in weights:  # (B, H, T, T)
        rollout = (0.5 * layer + 0.5 * eye) @ rollout
    return rollout.mean(dim=1)


# %% correct: halfway between what came in and what attention made of it


def attention_rollout(weights: list[Tensor]) -> Tensor:
    first = weights[0]
    batch, _, length, _ = first.shape
    stream = torch.eye(length, dtype=first.dtype, device=first.device).repeat(batch, 1, 1)
    for layer in weights:
        stream = torch.lerp(stream, layer.mean(dim=1) @ stream, 0.5)
    return stream


# %% correct: token by token, from the last layer back to the first


def attention_rollout(weights: list[Tensor]) -> Tensor:
    batch, heads, length, _ = weights[-1].shape
    rows = []
    for t in range(length):
        share = weights[-1].new_zeros(batch, length)
        share[:, t] = 1.0
        for layer in reversed(weights):
            passed = torch.einsum("bt,bhts->bs", share, layer) / heads
            share = (share + passed) / 2
        rows.append(share)
    return torch.stack(rows, dim=1)

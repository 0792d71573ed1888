# %% wrong: the first layer on the left
# The layers are multiplied in the order in which they come.
# Promise: row t says what token t of the LAST layer is made of, R = A_L ... A_1. Shows for L of 2 or more.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    eye = torch.eye(weights[0].shape[-1], dtype=weights[0].dtype, device=weights[0].device)
    result = eye.expand(weights[0].shape[0], -1, -1)
    for layer in weights:
        result = result @ (0.5 * layer.mean(dim=1) + 0.5 * eye)
    return result


# %% wrong: head by head, the mean at the end
# Each head is followed through the layers for itself, and the heads are averaged afterwards.
# Promise: a layer mixes by half the mean over its heads. Shows for H of 2 or more and L of 2 or more.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    stacked = torch.stack(weights)  # (L, B, H, T, T)
    eye = torch.eye(stacked.shape[-1], dtype=stacked.dtype, device=stacked.device)
    mixed = (stacked + eye) / 2
    result = mixed[0]
    for layer in mixed[1:]:
        result = layer @ result
    return result.mean(dim=1)


# %% wrong: the list is turned round and stays so
# weights.reverse() works on the list that was given.
# Promise: weights, the list and its tensors, are left as they were. Shows for L of 2 or more: a second call gives another result.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    weights.reverse()
    product = None
    for layer in weights:
        mean = layer.mean(dim=1)
        mixed = 0.5 * mean + 0.5 * torch.eye(mean.shape[1], dtype=mean.dtype, device=mean.device)
        product = mixed if product is None else product @ mixed
    return product


# %% wrong: the first layer has no residual
# The product starts from the mean of the first layer as it is; the identity comes in from the second on.
# Promise: EACH layer mixes by half the mean and half the identity. Shows for L = 1 already.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    first, *later = [layer.mean(dim=1) for layer in weights]
    eye = torch.eye(first.shape[-1], dtype=first.dtype, device=first.device)
    result = first
    for mean in later:
        result = (mean + eye) / 2 @ result
    return result


# %% correct: no identity is made; half of what was there stays

def attention_rollout(weights: list[Tensor]) -> Tensor:
    num_tokens = weights[0].shape[-1]
    made_of = F.one_hot(torch.arange(num_tokens, device=weights[0].device), num_tokens).to(weights[0].dtype)
    made_of = made_of.repeat(weights[0].shape[0], 1, 1)
    for layer in weights:
        blended = torch.einsum("bhts,bsu->btu", layer, made_of) / layer.shape[1]
        made_of = torch.lerp(made_of, blended, 0.5)
    return made_of


# %% correct: the upper half of the layers times the lower half

def attention_rollout(weights: list[Tensor]) -> Tensor:
    if len(weights) > 1:
        middle = len(weights) // 2
        return torch.bmm(attention_rollout(weights[middle:]), attention_rollout(weights[:middle]))
    (layer,) = weights
    mixed = layer.sum(dim=1) / (2 * layer.shape[1])
    return mixed + torch.diag_embed(torch.full_like(mixed[..., 0], 0.5))

# %% wrong: the first layer on the left
# The layers are multiplied as they come, A_1 A_2 ... A_L, where the last layer stands on the left.
# Shows for two layers that do not commute, that is for nearly all.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    identity = torch.eye(weights[0].shape[-1], device=weights[0].device)
    rollout = identity.expand(weights[0].shape[0], -1, -1)
    for layer in weights:
        rollout = rollout @ (0.5 * layer.mean(dim=1) + 0.5 * identity)
    return rollout


# %% wrong: the identity once, at the end
# The heads' means are multiplied, and only the product is mixed with the identity.
# Shows for two layers or more; with one it is right.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    product = weights[0].mean(dim=1)
    for layer in weights[1:]:
        product = layer.mean(dim=1) @ product
    return 0.5 * product + 0.5 * torch.eye(product.shape[-1], dtype=product.dtype, device=product.device)


# %% wrong: the list is turned round
# weights.reverse() brings the last layer to the front, and changes the list of the caller.
# Shows after the call: weights[0] is the last layer, and a second call multiplies the other way round.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    weights.reverse()
    mixes = []
    for layer in weights:
        mean = layer.mean(dim=1)
        mixes.append(0.5 * mean + 0.5 * torch.eye(mean.shape[-1], dtype=mean.dtype, device=mean.device))
    rollout = mixes[0]
    for mix in mixes[1:]:
        rollout = rollout @ mix
    return rollout


# %% wrong: the mean over the batch
# After stacking the layers axis 1 is the batch, and the heads are axis 2; the mean is over the pictures.
# Shows where B and H differ: (H, T, T) comes out, and with B = H wrong numbers do.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    layers = torch.stack(weights).mean(dim=1)
    layers = 0.5 * layers + 0.5 * torch.eye(layers.shape[-1], dtype=layers.dtype, device=layers.device)
    rollout = layers[0]
    for layer in layers[1:]:
        rollout = layer @ rollout
    return rollout


# %% correct: from the last layer down, without an identity to add

def attention_rollout(weights: list[Tensor]) -> Tensor:
    batch, _, tokens, _ = weights[-1].shape
    rows = torch.zeros_like(weights[-1][:, 0])
    rows.diagonal(dim1=1, dim2=2).fill_(1)
    for layer in reversed(weights):
        through = sum(rows @ head for head in layer.unbind(1)) / layer.shape[1]
        rows = (rows + through) / 2
    return rows


# %% correct: halves of the stack multiplied apart

def attention_rollout(weights: list[Tensor]) -> Tensor:
    if len(weights) > 1:
        half = len(weights) // 2
        return torch.einsum("bij,bjk->bik", attention_rollout(weights[half:]), attention_rollout(weights[:half]))
    (layer,) = weights
    heads = layer.shape[1]
    mixed = layer.sum(dim=1) / (2 * heads)
    return mixed + torch.diag_embed(torch.full_like(mixed[..., 0], 0.5))

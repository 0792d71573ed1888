# %% wrong: the product in the wrong order
# Multiplies the new layer on the right: A1 A2 ... instead of ... A2 A1, which shows from two layers on.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    T = weights[0].shape[-1]
    identity = torch.eye(T, dtype=weights[0].dtype, device=weights[0].device)
    rollout = identity
    for layer in weights:
        rollout = rollout @ (layer.mean(dim=1) + identity) / 2
    return rollout


# %% wrong: the list is emptied on the way
# pop takes the layers out of the caller's list, which must be left as it was.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    identity = torch.eye(weights[0].shape[-1]).to(weights[0])
    rollout = 0.5 * weights.pop(0).mean(dim=1) + 0.5 * identity
    while weights:
        rollout = (0.5 * weights.pop(0).mean(dim=1) + 0.5 * identity) @ rollout
    return rollout


# %% wrong: a rollout for every head, the mean at the end
# Multiplies head by head and averages the products: not the product of the averages, from two layers and two heads on.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    identity = torch.eye(weights[0].shape[-1]).to(weights[0])
    rollout = identity.expand_as(weights[0])
    for layer in weights:
        rollout = (0.5 * layer + 0.5 * identity) @ rollout
    return rollout.mean(dim=1)


# %% wrong: one residual for the whole tower
# Mixes half an identity into the product of the attentions only once, at the end: right for one layer, wrong for two.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    product = weights[0].mean(dim=1)
    for layer in weights[1:]:
        product = layer.mean(dim=1) @ product
    return 0.5 * product + 0.5 * torch.eye(product.shape[-1]).to(product)


# %% correct: half of what was and half of what attention makes of it

def attention_rollout(weights: list[Tensor]) -> Tensor:
    B, H, T, _ = weights[0].shape
    made_of = torch.diag_embed(weights[0].new_ones(B, T))
    for layer in weights:
        by_attention = torch.einsum("bhts,bsi->bti", layer, made_of) / H
        made_of = torch.lerp(made_of, by_attention, 0.5)
    return made_of


# %% correct: rows pulled back from the last layer to the first

def attention_rollout(weights: list[Tensor]) -> Tensor:
    B, _, T, _ = weights[-1].shape
    rows = []
    for t in range(T):
        row = weights[-1].new_zeros(B, T)
        row[:, t] = 1.0
        for layer in reversed(weights):
            spread = sum(head * row.unsqueeze(2) for head in layer.unbind(dim=1)).sum(dim=1)
            row = row / 2 + spread / (2 * layer.shape[1])
        rows.append(row)
    return torch.stack(rows, dim=1)

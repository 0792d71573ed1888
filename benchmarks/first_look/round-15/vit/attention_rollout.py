# %% wrong: each head rolled out alone
# The product is taken for every head, and the heads are averaged at the end. A mean of products is
# not the product of means: shows with two heads and two layers or more.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    eye = torch.eye(weights[0].shape[-1], dtype=weights[0].dtype, device=weights[0].device)
    rollout = eye
    for layer in weights:
        rollout = (0.5 * layer + 0.5 * eye) @ rollout  # (B, H, T, T)
    return rollout.mean(dim=1)

# %% wrong: the list is used up
# The layers are taken from the list by pop, so it is empty afterwards. The result is right; a second
# call with the same list fails.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    def mixture(layer: Tensor) -> Tensor:
        mean = layer.mean(dim=1)
        return 0.5 * mean + 0.5 * torch.eye(mean.shape[-1], dtype=mean.dtype, device=mean.device)

    rollout = mixture(weights.pop())
    while weights:
        rollout = rollout @ mixture(weights.pop())
    return rollout

# %% wrong: one residual at the end
# The attentions are multiplied as they are, and the half identity is mixed in once, with the whole
# product. With one layer it is right.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    rollout = weights[0].mean(dim=1)
    for layer in weights[1:]:
        rollout = layer.mean(dim=1) @ rollout
    eye = torch.eye(rollout.shape[-1], dtype=rollout.dtype, device=rollout.device)
    return 0.5 * rollout + 0.5 * eye

# %% wrong: the first layer stands on the left
# Multiplied in the order of the list, A_1 A_2 ... A_L. Shows with two layers or more; one layer, or
# layers that are all alike, are right.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    stacked = torch.stack([layer.mean(dim=1) for layer in weights])  # (L, B, T, T)
    T = stacked.shape[-1]
    mixtures = (stacked + torch.eye(T, dtype=stacked.dtype, device=stacked.device)) / 2
    rollout = mixtures[0]
    for mixture in mixtures[1:]:
        rollout = rollout @ mixture
    return rollout

# %% correct: half of what was, half of what is read

def attention_rollout(weights: list[Tensor]) -> Tensor:
    B, H, T, _ = weights[0].shape
    rollout = weights[0].new_zeros(B, T, T)
    rollout.diagonal(dim1=1, dim2=2).fill_(1)
    for layer in weights:
        read = torch.einsum("bhts,bsu->btu", layer, rollout) / layer.shape[1]
        rollout = torch.lerp(rollout, read, 0.5)
    return rollout

# %% correct: halved again and again

def attention_rollout(weights: list[Tensor]) -> Tensor:
    if len(weights) > 1:
        half = len(weights) // 2
        return torch.bmm(attention_rollout(weights[half:]), attention_rollout(weights[:half]))
    (layer,) = weights
    mixture = sum(layer.unbind(dim=1)) / (2 * layer.shape[1])
    return torch.diagonal_scatter(
        mixture, mixture.diagonal(dim1=1, dim2=2) + 0.5, dim1=1, dim2=2
    )

# %% wrong: the caller's list is turned round
# reverse() works on the list that was passed: the product is right, but afterwards the last layer
# stands first, and a second call gives another result. Shows with two layers or more.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    weights.reverse()  # the last layer on the left
    identity = torch.eye(weights[0].shape[-1], device=weights[0].device, dtype=weights[0].dtype)
    result = identity
    for layer in weights:
        result = result @ (layer.mean(dim=1) + identity) / 2
    return result


# %% wrong: a rollout for each head, averaged at the end
# The layers' mean over the heads is taken before the product, not after it: head 1 reads what head
# 2 wrote. Right with one head, or with one layer.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    identity = torch.eye(weights[0].shape[-1], device=weights[0].device, dtype=weights[0].dtype)
    result = (weights[0] + identity) / 2  # (B, H, T, T)
    for layer in weights[1:]:
        result = (layer + identity) / 2 @ result
    return result.mean(dim=1)


# %% wrong: the first layer without its residual
# The product starts with the first layer's attention as it is, and only the others are mixed with
# the identity. Shows for any list, even of one layer.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    first, *others = (layer.mean(dim=1) for layer in weights)
    result = first
    for layer in others:
        half = 0.5 * layer + 0.5 * torch.eye(layer.shape[-1], device=layer.device, dtype=layer.dtype)
        result = half @ result
    return result


# %% wrong: one residual around all layers
# The attentions are multiplied, and half of the identity is added to the product once. The rows sum
# to one, and with one layer it is right; with two the ways past a single layer are missing.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    result = weights[0].mean(dim=1)
    for layer in weights[1:]:
        result = layer.mean(dim=1) @ result
    identity = torch.eye(result.shape[-1], device=result.device, dtype=result.dtype)
    return 0.5 * result + 0.5 * identity


# %% correct: halves of the stack, multiplied like a tree

def attention_rollout(weights: list[Tensor]) -> Tensor:
    def mixed(first: int, end: int) -> Tensor:
        """The product of the layers first to end - 1, later ones on the left."""
        if end - first > 1:
            middle = (first + end) // 2
            return mixed(middle, end) @ mixed(first, middle)
        mean = weights[first].mean(dim=1)
        half = mean / 2
        return half + torch.diag_embed(torch.full_like(mean[..., 0], 0.5))

    return mixed(0, len(weights))


# %% correct: from the last layer down, without an identity

def attention_rollout(weights: list[Tensor]) -> Tensor:
    # row t of `made` says what output t is made of, in terms of what enters the layers above
    top = weights[-1].sum(dim=1) / weights[-1].shape[1]
    made = top * 0.5
    made.diagonal(dim1=1, dim2=2).add_(0.5)
    for layer in weights[-2::-1]:
        by_attention = torch.einsum("bts,bhsu->btu", made, layer) / layer.shape[1]
        made = torch.lerp(made, by_attention, 0.5)
    return made

# %% wrong: a rollout for each head, averaged at the end
# Multiplies the layers head by head and averages the products: head 1 of layer 2 is not fed by head 1 of layer 1 alone.
# The same with one layer or one head, wrong for two of each.


def attention_rollout(weights: list[Tensor]) -> Tensor:
    eye = torch.eye(weights[0].shape[-1], dtype=weights[0].dtype, device=weights[0].device)
    product = eye
    for layer in weights:
        product = (layer / 2 + eye / 2) @ product
    return product.mean(dim=1)


# %% wrong: the identity mixed in once, at the end
# Multiplies the attentions alone and mixes half an identity into the product: right for one layer, wrong for two or more,
# each of which has a residual of its own.


def attention_rollout(weights: list[Tensor]) -> Tensor:
    product = weights[0].mean(dim=1)
    for layer in weights[1:]:
        product = layer.mean(dim=1) @ product
    return 0.5 * product + 0.5 * torch.eye(product.shape[-1], dtype=product.dtype, device=product.device)


# %% wrong: the first layer twice
# Starts with the first layer's mixture and then goes through all layers, the first included: wrong for every input, also
# for one layer, which comes out squared.


def attention_rollout(weights: list[Tensor]) -> Tensor:
    def mixture(layer: Tensor) -> Tensor:
        mean = layer.mean(dim=1)
        return (mean + torch.eye(mean.shape[-1], dtype=mean.dtype, device=mean.device)) / 2

    product = mixture(weights[0])
    for layer in weights:
        product = mixture(layer) @ product
    return product


# %% wrong: the caller's list turned round
# The last layer stands on the left, so the list is reversed in place. The first result is right; the caller's list is
# not any more, and a second call with two or more layers multiplies in the wrong order.


def attention_rollout(weights: list[Tensor]) -> Tensor:
    weights.reverse()  # the last layer first, as in the formula
    eye = torch.eye(weights[0].shape[-1], dtype=weights[0].dtype, device=weights[0].device)
    product = eye.expand(weights[0].shape[0], -1, -1)
    for layer in weights:
        product = product @ (0.5 * layer.mean(dim=1) + 0.5 * eye)
    return product


# %% correct: halves of the tower, each rolled out on its own


def attention_rollout(weights: list[Tensor]) -> Tensor:
    if len(weights) == 1:
        mixed = weights[0].mean(dim=1) / 2  # a new tensor
        mixed.diagonal(dim1=1, dim2=2).add_(0.5)
        return mixed
    middle = len(weights) // 2
    return torch.bmm(attention_rollout(weights[middle:]), attention_rollout(weights[:middle]))


# %% correct: from the last layer down, half stays and half is sent on, head by head


def attention_rollout(weights: list[Tensor]) -> Tensor:
    B, H, T, _ = weights[0].shape
    parts = torch.zeros(B, T, T, dtype=weights[0].dtype, device=weights[0].device)
    for t in range(T):
        parts[:, t, t] = 1
    for number in range(len(weights) - 1, -1, -1):
        sent = sum(torch.einsum("bij,bjk->bik", parts, head) for head in weights[number].unbind(dim=1))
        parts = parts / 2 + sent / (2 * H)
    return parts

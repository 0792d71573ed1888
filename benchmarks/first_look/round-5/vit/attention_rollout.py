# %% wrong: each head is rolled out alone
# The product is taken for every head and the mean over heads at the end; the mean belongs into every layer.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    identity = torch.eye(weights[0].shape[-1], dtype=weights[0].dtype, device=weights[0].device)
    rollout = identity.expand_as(weights[0])
    for layer in weights:
        rollout = (0.5 * layer + 0.5 * identity) @ rollout
    return rollout.mean(dim=1)


# %% wrong: the identity is added once, at the end
# The attentions are multiplied without their residuals, and half the identity is added to the product; right for one layer only.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    product = weights[0].mean(dim=1)
    for layer in weights[1:]:
        product = layer.mean(dim=1) @ product
    eye = torch.eye(product.shape[-1], device=product.device)
    return 0.5 * product + 0.5 * eye


# %% wrong: the list of the caller is turned round
# weights.reverse() works in place: the numbers are right, but the list is left in another order.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    T = weights[0].shape[-1]
    eye = torch.eye(T, device=weights[0].device, dtype=weights[0].dtype)
    weights.reverse()
    result = eye.expand(weights[0].shape[0], T, T)
    for layer in weights:
        result = result @ (layer.mean(dim=1) / 2 + eye / 2)
    return result


# %% wrong: columns are normalised
# A plus I is divided by its sums over dim=1, which are those of the columns; the rows do not sum to one any more.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    rollout = None
    for w in weights:
        a = w.mean(dim=1)
        a = a + torch.eye(a.shape[-1], dtype=a.dtype, device=a.device)
        a = a / a.sum(dim=1, keepdim=True)
        rollout = a if rollout is None else torch.bmm(a, rollout)
    return rollout


# %% wrong: the first layer on the left
# Multiplies in the order in which the layers come, A1 A2 ... AL, so row t is not that of the last layer.

from functools import reduce


def attention_rollout(weights: list[Tensor]) -> Tensor:
    def mixed(layer):
        mean = layer.mean(dim=1)
        return (mean + torch.eye(mean.shape[-1]).to(mean)) / 2

    return reduce(torch.matmul, [mixed(layer) for layer in weights])


# %% correct: half stays and half is mixed

def attention_rollout(weights: list[Tensor]) -> Tensor:
    batch, heads, length, _ = weights[0].shape
    made_of = torch.diag_embed(weights[0].new_ones(batch, length))  # each token of itself
    for layer in weights:
        mixed = torch.einsum("bhts,bsr->btr", layer, made_of) / heads
        made_of = torch.lerp(made_of, mixed, 0.5)
    return made_of


# %% correct: by halves, recursively

def attention_rollout(weights: list[Tensor]) -> Tensor:
    count = len(weights)
    if count == 1:
        layer = weights[0].sum(dim=1) / (2 * weights[0].shape[1])
        layer.diagonal(dim1=-2, dim2=-1).add_(0.5)
        return layer
    lower, upper = weights[: count // 2], weights[count // 2 :]
    return torch.bmm(attention_rollout(upper), attention_rollout(lower))

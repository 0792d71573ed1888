# %% wrong: heads are multiplied one by one and averaged last
# Each head is followed through the layers by itself and the mean over the heads is taken at the end. A
# mean of products is not the product of the means; with one head they are the same.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    eye = torch.eye(weights[0].shape[-1], dtype=weights[0].dtype, device=weights[0].device)
    rollout = eye
    for layer in weights:
        rollout = (0.5 * layer + 0.5 * eye) @ rollout
    return rollout.mean(dim=1)


# %% wrong: the layers are taken off the list
# pop takes the layers from the caller's list one after the other: the product is right, but the list is
# empty afterwards and a second call fails.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    def mix(layer):
        mean = layer.mean(dim=1)
        return (mean + torch.eye(mean.shape[-1]).to(mean)) / 2

    rollout = mix(weights.pop(0))
    while weights:
        rollout = mix(weights.pop(0)) @ rollout
    return rollout


# %% wrong: the star in place of the matrix product
# The layers are multiplied entry by entry, as * does for arrays. The shape is right and the rows do not
# sum to one.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    result = None
    for layer in weights:
        mean = layer.mean(dim=1)
        identity = torch.eye(mean.shape[1], dtype=mean.dtype, device=mean.device)
        mixed = 0.5 * mean + 0.5 * identity
        result = mixed if result is None else mixed * result
    return result


# %% wrong: the first layer goes in twice
# The product begins with the first layer and the loop then runs over all layers, the first among them.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    T = weights[0].shape[-1]
    eye = torch.eye(T, dtype=weights[0].dtype, device=weights[0].device)
    mixes = [0.5 * layer.mean(dim=1) + 0.5 * eye for layer in weights]
    rollout = mixes[0]
    for mix in mixes:
        rollout = torch.bmm(mix, rollout)
    return rollout


# %% wrong: the residual is added once at the end
# The mean attentions are multiplied as they are, and half the identity is mixed into the product only,
# where every layer has a residual stream of its own. For one layer it is the same.

from functools import reduce


def attention_rollout(weights: list[Tensor]) -> Tensor:
    means = [layer.mean(dim=1) for layer in weights]
    product = reduce(lambda before, layer: layer @ before, means)
    eye = torch.eye(product.shape[-1], dtype=product.dtype, device=product.device)
    return 0.5 * product + 0.5 * eye


# %% correct: from the last layer back without an identity

def attention_rollout(weights: list[Tensor]) -> Tensor:
    last = weights[-1].mean(dim=1)
    made_of = torch.diag_embed(torch.ones_like(last[:, 0]))
    for layer in weights[::-1]:
        through = torch.einsum("bij,bhjk->bik", made_of, layer) / layer.shape[1]
        made_of = (made_of + through) / 2
    return made_of


# %% correct: halves of the list multiplied by recursion

def mixing(layer: Tensor) -> Tensor:
    mean = layer.sum(dim=1) / layer.size(1)
    mixed = mean.mul(0.5)
    mixed.diagonal(dim1=1, dim2=2).add_(0.5)
    return mixed


def attention_rollout(weights: list[Tensor]) -> Tensor:
    if len(weights) == 1:
        return mixing(weights[0])
    middle = len(weights) // 2
    lower, upper = attention_rollout(weights[:middle]), attention_rollout(weights[middle:])
    return torch.matmul(upper, lower)

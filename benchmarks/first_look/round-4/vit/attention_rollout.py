# %% wrong: each head followed by itself
# Multiplies the layers head by head and takes the mean over the heads at the end. That never mixes head 0 of one layer
# with head 1 of the next; with one head it is the same.
# Hint: at which point does the docstring take the mean over the heads: for a layer, or for the product?

def attention_rollout(weights: list[Tensor]) -> Tensor:
    eye = torch.eye(weights[0].shape[-1], dtype=weights[0].dtype, device=weights[0].device)
    rollout = 0.5 * weights[0] + 0.5 * eye
    for layer in weights[1:]:
        rollout = (0.5 * layer + 0.5 * eye) @ rollout  # (B, H, T, T)
    return rollout.mean(dim=1)


# %% wrong: the caller's list turned round
# The product is built from the last layer to the first, and weights.reverse() turns the caller's own list round for it.
# The result is right; a second call, or a figure of the layers, has them in the wrong order.
# Hint: is weights the same list after the call? What is the difference between reverse() and reversed()?

def attention_rollout(weights: list[Tensor]) -> Tensor:
    size = weights[0].shape[-1]
    eye = torch.eye(size, dtype=weights[0].dtype, device=weights[0].device)
    product = eye.expand(weights[0].shape[0], size, size)
    weights.reverse()
    for layer in weights:
        product = product @ (0.5 * layer.mean(dim=1) + 0.5 * eye)
    return product


# %% wrong: the strongest head in place of the mean
# Takes the maximum over the heads, as some programs for such figures do, and divides the rows by their sum. The rows
# sum to one, and the maps look sharper, but it is another measure.
# Hint: the formula has a bar over A. What does it mean?

def attention_rollout(weights: list[Tensor]) -> Tensor:
    size = weights[0].shape[-1]
    eye = torch.eye(size, dtype=weights[0].dtype, device=weights[0].device)
    rollout = eye.expand(weights[0].shape[0], size, size)
    for layer in weights:
        strongest = layer.amax(dim=1)
        strongest = strongest / strongest.sum(dim=-1, keepdim=True)
        rollout = (0.5 * strongest + 0.5 * eye) @ rollout
    return rollout


# %% wrong: the first layer without its residual
# Starts from the mean attention of the first layer as it is, and mixes in half of the identity from the second layer
# on. With a single layer the result is the attention itself.
# Hint: what should come out for a list of one layer?

def attention_rollout(weights: list[Tensor]) -> Tensor:
    means = [layer.mean(dim=1) for layer in weights]
    eye = torch.eye(means[0].shape[-1], dtype=means[0].dtype, device=means[0].device)
    rollout = means[0]
    for mean in means[1:]:
        rollout = torch.bmm((mean + eye) / 2, rollout)
    return rollout


# %% correct: half of what was read and half of what was there

def attention_rollout(weights: list[Tensor]) -> Tensor:
    first = weights[0].mean(dim=1)
    made_of = torch.diag_embed(torch.ones_like(first[:, 0]))  # every token is made of itself
    for layer in weights:
        read = torch.einsum("bhts,bsu->btu", layer, made_of) / layer.shape[1]
        made_of = torch.lerp(made_of, read, 0.5)
    return made_of


# %% correct: from the last layer down, by reduce

from functools import reduce


def attention_rollout(weights: list[Tensor]) -> Tensor:
    def mixing(layer):
        half = layer.sum(dim=1) / (2 * layer.shape[1])
        half.diagonal(dim1=1, dim2=2).add_(0.5)  # half is a new tensor
        return half

    return reduce(torch.matmul, [mixing(layer) for layer in weights[::-1]])

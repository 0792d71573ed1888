# %% wrong: the first layer stands on the left
# R is multiplied by each new layer from the right, A_1 A_2 ... A_L: shows for two or more layers.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    T = weights[0].shape[-1]
    identity = torch.eye(T, dtype=weights[0].dtype, device=weights[0].device)
    rollout = identity.expand(len(weights[0]), T, T)
    for layer in weights:
        rollout = rollout @ (0.5 * layer.mean(dim=1) + 0.5 * identity)
    return rollout


# %% wrong: attention plus identity, without the halves
# The identity is added whole: the rows of L layers sum to 2^L instead of one.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    eye = torch.eye(weights[0].size(-1), device=weights[0].device, dtype=weights[0].dtype)
    result = weights[0].mean(dim=1) + eye
    for attention in weights[1:]:
        result = (attention.mean(dim=1) + eye) @ result
    return result


# %% wrong: each head rolled out on its own, the mean at the end
# Multiplies head by head and averages the products: differs from the product of the averages for
# two or more heads in two or more layers.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    eye = torch.eye(weights[0].shape[-1]).to(weights[0])
    rollout = 0.5 * weights[0] + 0.5 * eye
    for layer in weights[1:]:
        rollout = (0.5 * layer + 0.5 * eye) @ rollout
    return rollout.mean(dim=1)


# %% wrong: takes the layers out of the list
# pop empties the caller's list; a second call with it fails.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    last = weights.pop()
    tokens = last.shape[-1]
    eye = torch.eye(tokens, dtype=last.dtype, device=last.device)
    product = (last.mean(dim=1) + eye) / 2
    while weights:
        product = product @ ((weights.pop().mean(dim=1) + eye) / 2)
    return product


# %% correct: the upper half of the layers times the lower half
# The product by divide and conquer.
def attention_rollout(weights: list[Tensor]) -> Tensor:
    if len(weights) == 1:
        mixing = weights[0].mean(dim=1) / 2
        mixing.diagonal(dim1=1, dim2=2).add_(0.5)
        return mixing
    middle = len(weights) // 2
    return torch.bmm(attention_rollout(weights[middle:]), attention_rollout(weights[:middle]))


# %% correct: each token is traced back, layer by layer
# Starts at the top with one row for each token; a step back leaves half of the row where it is
# and sends half along the attention, an equal part of it through each head.
def attention_rollout(weights: list[Tensor]) -> Tensor:
    top = weights[-1]
    batch, heads, tokens, _ = top.shape
    traced = torch.zeros(batch, tokens, tokens, dtype=top.dtype, device=top.device)
    traced[:, range(tokens), range(tokens)] = 1
    for layer in reversed(weights):
        sent = torch.einsum("bti,bhij->btj", traced, layer) / layer.shape[1]
        traced = torch.lerp(traced, sent, 0.5)
    return traced

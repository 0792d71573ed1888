# %% wrong: the later layer on the right
# Multiplies in reading order, A_1 A_2 ... A_L. The last layer has to stand on the left. It shows for two layers or more.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    rollout = None
    for layer in weights:
        mean = layer.mean(dim=1)
        mixed = 0.5 * mean + 0.5 * torch.eye(mean.shape[-1])
        rollout = mixed if rollout is None else rollout @ mixed
    return rollout


# %% wrong: each head rolls out alone
# Multiplies head by head and takes the mean over the heads at the end. A product of means is not the mean of products: it shows for
# two heads and two layers or more.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    T = weights[0].shape[-1]
    identity = torch.eye(T, dtype=weights[0].dtype)
    rollout = identity.expand_as(weights[0])
    for layer in weights:
        rollout = (0.5 * layer + 0.5 * identity) @ rollout
    return rollout.mean(dim=1)


# %% wrong: the first layer without its residual
# Starts with the first layer's attention as it is and adds the identity from the second layer on. It shows for two
# tokens or more, with one layer too.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    rollout = weights[0].mean(dim=1)
    for layer in weights[1:]:
        A = layer.mean(dim=1)
        A = (A + torch.eye(A.shape[1], dtype=A.dtype, device=A.device)) / 2
        rollout = torch.bmm(A, rollout)
    return rollout


# %% wrong: turns the caller's list round
# list.reverse puts the last layer first in the list itself. The result is right, but weights is left in another order, and a second
# call gives something else. It shows for two layers or more.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    weights.reverse()
    T = weights[0].size(-1)
    identity = torch.eye(T, dtype=weights[0].dtype, device=weights[0].device)
    product = identity.expand(weights[0].size(0), T, T)
    for layer in weights:
        product = product @ (layer.mean(1) + identity).div(2)
    return product


# %% correct: half of the layers and the other half

def attention_rollout(weights: list[Tensor]) -> Tensor:
    if len(weights) > 1:
        half = len(weights) // 2
        return attention_rollout(weights[half:]) @ attention_rollout(weights[:half])
    mixing = weights[0].mean(dim=1) / 2
    # a new tensor: its diagonal gets the other half
    mixing.diagonal(dim1=-2, dim2=-1).add_(0.5)
    return mixing


# %% correct: the tokens themselves, mixed head by head

def attention_rollout(weights: list[Tensor]) -> Tensor:
    B, H, T, _ = weights[0].shape
    made_of = torch.eye(T, dtype=weights[0].dtype, device=weights[0].device).repeat(B, 1, 1)
    for layer in weights:
        heads = layer.unbind(dim=1)
        read = sum(torch.bmm(head, made_of) for head in heads) / len(heads)
        made_of = torch.lerp(made_of, read, 0.5)
    return made_of

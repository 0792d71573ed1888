# %% wrong: the first layer on the left
# The layers are multiplied in the order in which they come, A_1 A_2 ... A_L. It shows from two layers
# on, wherever the two do not commute.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    T = weights[0].shape[-1]
    rollout = torch.eye(T)
    for layer in weights:
        rollout = rollout @ (0.5 * layer.mean(dim=1) + 0.5 * torch.eye(T))
    return rollout

# %% wrong: the heads are averaged at the end
# Each head is followed through all the layers by itself, and the mean is taken last: the mean of
# products is not the product of means. It shows from two layers and two heads on.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    eye = torch.eye(weights[0].shape[-1])
    rollout = eye
    for layer in weights:
        rollout = (layer + eye) / 2 @ rollout
    return rollout.mean(dim=1)

# %% wrong: the list is turned round for the caller too
# reverse() works in place: afterwards the caller's list has the last layer first, and a second call
# gives another result. It shows for two layers or more.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    weights.reverse()
    T = weights[0].shape[-1]
    mixed = [layer.mean(dim=1) / 2 + torch.eye(T) / 2 for layer in weights]
    rollout = mixed[0]
    for layer in mixed[1:]:
        rollout = rollout @ layer
    return rollout

# %% wrong: the first layer goes in unmixed
# The product starts with the first layer's mean, to which no half identity was added. It shows with
# every number of layers, one included.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    rollout = weights[0].mean(dim=1)
    eye = torch.eye(rollout.shape[-1])
    for layer in weights[1:]:
        rollout = (0.5 * layer.mean(dim=1) + 0.5 * eye) @ rollout
    return rollout

# %% correct: half stays, half is fetched
def attention_rollout(weights: list[Tensor]) -> Tensor:
    B, H, T, _ = weights[0].shape
    made_of = torch.eye(T, dtype=weights[0].dtype, device=weights[0].device).repeat(B, 1, 1)
    for layer in weights:
        fetched = torch.einsum("bhts,bsi->bti", layer, made_of) / H
        made_of = torch.lerp(made_of, fetched, 0.5)
    return made_of

# %% correct: halves of the stack, one after the other
def attention_rollout(weights: list[Tensor]) -> Tensor:
    def product(first: int, end: int) -> Tensor:
        if end - first == 1:
            mixed = weights[first].sum(dim=1).div(2 * weights[first].shape[1])
            mixed.diagonal(dim1=1, dim2=2).add_(0.5)
            return mixed
        middle = (first + end) // 2
        return torch.bmm(product(middle, end), product(first, middle))

    return product(0, len(weights))

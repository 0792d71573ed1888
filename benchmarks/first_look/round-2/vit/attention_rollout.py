# %% wrong: the first layer on the left
# The product is A_1 A_2 ... A_L. With one layer, or two that are alike, it is right. A good message: "row t is to say what the LAST layer's token t is made of: the last layer stands on the left".

def attention_rollout(weights: list[Tensor]) -> Tensor:
    eye = torch.eye(weights[0].shape[-1], dtype=weights[0].dtype, device=weights[0].device)
    rollout = eye.expand(weights[0].shape[0], -1, -1)
    for w in weights:
        rollout = rollout @ (0.5 * w.mean(dim=1) + 0.5 * eye)
    return rollout

# %% wrong: the list is eaten
# weights.pop() empties the caller's list. The product is right. A good message: "the list has lost its tensors".

def attention_rollout(weights: list[Tensor]) -> Tensor:
    T = weights[0].shape[-1]
    eye = torch.eye(T, device=weights[0].device, dtype=weights[0].dtype)
    rollout = (weights.pop().mean(dim=1) + eye) / 2
    while weights:
        rollout = rollout @ ((weights.pop().mean(dim=1) + eye) / 2)
    return rollout

# %% wrong: heads multiplied one by one, the mean at the end
# Each head is followed through all layers by itself and only the products are averaged, as if head h of one layer fed head h of the next. With one head it is right. A good message: "a layer mixes by the MEAN over its heads; take it first".

def attention_rollout(weights: list[Tensor]) -> Tensor:
    eye = torch.eye(weights[0].shape[-1]).to(weights[0])
    rollout = eye
    for layer in weights:
        rollout = (0.5 * layer + 0.5 * eye) @ rollout
    return rollout.mean(dim=1)

# %% correct: what was, and what is mixed in

def attention_rollout(weights: list[Tensor]) -> Tensor:
    def deeper(number: int) -> Tensor:
        mean = torch.einsum("bhts->bts", weights[number]) / weights[number].shape[1]
        below = deeper(number - 1) if number else torch.diag_embed(torch.ones_like(mean[..., 0]))
        return torch.lerp(below, mean @ below, 0.5)

    return deeper(len(weights) - 1)

# %% wrong: the first layer on the left
# A_1 A_2 ... A_L: the order of the list. Shows for two different layers.


def attention_rollout(weights: list[Tensor]) -> Tensor:
    identity = torch.eye(weights[0].shape[-1]).to(weights[0])
    result = identity.expand(len(weights[0]), -1, -1)
    for layer in weights:
        result = result @ (0.5 * layer.mean(dim=1) + 0.5 * identity)
    return result


# %% wrong: each head by itself
# The product is taken for each head and the mean over the heads comes last. Shows for two layers with several heads.


def attention_rollout(weights: list[Tensor]) -> Tensor:
    identity = torch.eye(weights[0].shape[-1], dtype=weights[0].dtype)
    result = identity.expand_as(weights[0])
    for layer in weights:
        result = (0.5 * layer + 0.5 * identity) @ result
    return result.mean(dim=1)


# %% wrong: the largest of the heads
# As in code that is passed around: the maximum over the heads, and the rows made to sum to one again. Shows for more than
# one head.


def attention_rollout(weights: list[Tensor]) -> Tensor:
    result = None
    for layer in weights:
        mixed = layer.amax(dim=1) + torch.eye(layer.shape[-1], dtype=layer.dtype)
        mixed = mixed / mixed.sum(dim=-1, keepdim=True)
        result = mixed if result is None else mixed @ result
    return result


# %% wrong: the list turned round
# weights.reverse() turns the caller's list. The product is right; afterwards the list is in the other order.


def attention_rollout(weights: list[Tensor]) -> Tensor:
    weights.reverse()  # the last layer stands on the left
    identity = torch.eye(weights[0].shape[-1], dtype=weights[0].dtype, device=weights[0].device)
    result = identity.repeat(weights[0].shape[0], 1, 1)
    for layer in weights:
        result = result @ ((layer.mean(dim=1) + identity) / 2)
    return result


# %% correct: from the last layer down, no identity added


def attention_rollout(weights: list[Tensor]) -> Tensor:
    batch, _, length, _ = weights[0].shape
    made_of = torch.diag_embed(weights[0].new_ones(batch, length))
    for layer in weights[::-1]:
        made_of = torch.lerp(made_of, torch.einsum("bij,bhjk->bik", made_of, layer) / layer.shape[1], 0.5)
    return made_of


# %% correct: halves of the stack, multiplied


def attention_rollout(weights: list[Tensor]) -> Tensor:
    def product(low: int, high: int) -> Tensor:
        if high - low == 1:
            mixed = weights[low].sum(dim=1) / (2 * weights[low].shape[1])
            return mixed + torch.full_like(mixed[0, 0], 0.5).diag()
        middle = (low + high) // 2
        return product(middle, high) @ product(low, middle)

    return product(0, len(weights))

# %% wrong: the first layer stands on the left
# The product is A_1 A_2 ... A_L, so row t does not say what the last layer's token t is made of.
# Hint: the last layer reads what the layer before has made; which matrix is applied to the input tokens first?

def attention_rollout(weights: list[Tensor]) -> Tensor:
    T = weights[0].shape[-1]
    identity = torch.eye(T, dtype=weights[0].dtype, device=weights[0].device)
    result = identity.expand(weights[0].shape[0], T, T)
    for layer in weights:
        result = result @ (0.5 * layer.mean(dim=1) + 0.5 * identity)
    return result


# %% wrong: attention plus identity, not halved
# The mean attention and the identity are added without the halves, so the rows sum to 2 for every layer and not to one.
# Hint: what do the rows of the result sum to after two layers?

def attention_rollout(weights: list[Tensor]) -> Tensor:
    result = None
    for layer in weights:
        mixed = layer.mean(dim=1)
        mixed = mixed + torch.eye(mixed.shape[-1], dtype=mixed.dtype, device=mixed.device)
        result = mixed if result is None else mixed @ result
    return result


# %% wrong: the list is turned round in place
# weights.reverse() turns the caller's list round, so a second call gives another result; the list was to be left as it was.
# Hint: look at the list after the call. Is there a function that reads it backwards and leaves it alone?

def attention_rollout(weights: list[Tensor]) -> Tensor:
    weights.reverse()
    result = None
    for layer in weights:  # the last layer first
        mean = layer.mean(dim=1)
        mixed = (mean + torch.eye(mean.shape[-1], dtype=mean.dtype, device=mean.device)) / 2
        result = mixed if result is None else result @ mixed
    return result


# %% wrong: the residual counts once for all layers
# Half the identity is added once to the product of all layers' attention, and not to each layer before multiplying; right for one layer only.
# Hint: every layer has a residual stream: write out the product for two layers.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    product = weights[0].mean(dim=1)
    for layer in weights[1:]:
        product = layer.mean(dim=1) @ product
    identity = torch.eye(product.shape[-1], dtype=product.dtype, device=product.device)
    return 0.5 * product + 0.5 * identity


# %% correct: from the last layer back, by einsum

def attention_rollout(weights: list[Tensor]) -> Tensor:
    last, *earlier = reversed(weights)
    B, H, T, _ = last.shape
    made_of = torch.zeros(B, T, T, dtype=last.dtype, device=last.device)
    made_of.diagonal(dim1=1, dim2=2).fill_(1)
    for layer in (last, *earlier):
        made_of = (made_of + torch.einsum("btu,bhus->bts", made_of, layer) / layer.shape[1]) / 2
    return made_of

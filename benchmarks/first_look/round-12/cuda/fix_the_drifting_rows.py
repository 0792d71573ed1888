# %% wrong: the rounded weights are given back
# The softmax is in float32, but its weights are rounded for the second product and returned like that.
# Shows for keys that are all alike, S = 6: rows are off from one by a thousandth.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = (query.bfloat16() @ key.bfloat16().transpose(-2, -1)).float()
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1).bfloat16()
    return (weights @ value.bfloat16()).float(), weights.float()

# %% wrong: scaled in bfloat16
# Only the softmax is in float32: the division by the root is still made in bfloat16, and rounds once more.
# Shows in the weights wherever the root is no power of two, as for d = 8 or 32; the rows do sum to one.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1, dtype=torch.float32)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights

# %% wrong: rows divided by their sums
# The softmax stays in bfloat16, and the weights, off by up to half a hundredth each, are made to sum to one afterwards.
# Shows in the weights for nearly every input with two keys or more: they are not the float32 softmax's.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1).float()
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights

# %% wrong: the second product in float32
# To save the rows everything behind the first product is kept long, the product with the values too.
# Shows in the output: it is not that of bfloat16 weights and values (value = 1 + 2**-9 comes through unrounded).

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = (query.bfloat16() @ key.bfloat16().transpose(-2, -1)).float()
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1)
    return weights @ value, weights

# %% correct: batched products of flattened axes

# Leading axes become one, both products are bmm, and the softmax is written out with the row's largest score.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    short = [x.to(torch.bfloat16).flatten(0, -3) if x.ndim > 3 else x.to(torch.bfloat16) for x in (query, key, value)]
    q, k, v = [x if x.ndim == 3 else x[None] for x in short]
    scores = torch.bmm(q, k.mT).to(torch.float32).div(query.shape[-1] ** 0.5)
    powers = torch.exp(scores - scores.amax(dim=2, keepdim=True))
    weights = powers / powers.sum(dim=2, keepdim=True)
    output = torch.bmm(weights.to(torch.bfloat16), v).to(torch.float32)
    lead = query.shape[:-2]
    return output.reshape(*lead, *output.shape[1:]), weights.reshape(*lead, *weights.shape[1:])

# %% correct: a head at a time

# A recursion over the leading axes down to plain matrices, whose results are stacked.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    if query.ndim > 2:
        pairs = [low_precision_attention(*one) for one in zip(query, key, value, strict=True)]
        return torch.stack([out for out, _ in pairs]), torch.stack([weight for _, weight in pairs])
    scores = torch.mm(query.type(torch.bfloat16), key.t().type(torch.bfloat16))
    weights = F.softmax(scores.type(torch.float32) / query.size(1) ** 0.5, dim=1)
    output = torch.mm(weights.type(torch.bfloat16), value.type(torch.bfloat16))
    return output.type(torch.float32), weights

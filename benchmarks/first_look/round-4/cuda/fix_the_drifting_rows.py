# %% wrong: the scaling still in bfloat16
# The softmax now runs in float32, and the rows sum to one. But the scores are divided by the root of d before they are
# turned into float32, so they are rounded to bfloat16 once more.
# Hint: which dtype has scores / query.shape[-1] ** 0.5 in your function?

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)  # (..., T, S)
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1, dtype=torch.float32)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights


# %% wrong: the rows divided by their sums afterwards
# The softmax stays in bfloat16, and its rows are divided by their sums in float32. They sum to one now, but each
# weight still carries the rounding of the bfloat16 softmax: the symptom is gone and the cause is not.
# Hint: compare single weights, not sums of rows, with a softmax in float32 of the same scores.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)  # (..., T, S)
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1).float()
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights


# %% wrong: the second product in float32
# Scaling and softmax are right, but the weights then meet the values in float32. That is more exact and not what was
# asked for: this product does not run on 16-bit units.
# Hint: which dtypes do the two operands of your second product have?

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = (query.bfloat16() @ key.bfloat16().transpose(-2, -1)).float()  # (..., T, S)
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1)
    return weights @ value.bfloat16().float(), weights


# %% wrong: a softmax without the maximum
# The softmax is written out in float32, but the largest score is not subtracted. Scores above 88 have an infinite
# exponential, and the row becomes NaN; rows of scores far below zero become 0 / 0.
# Hint: multiply the queries by 1000.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = (query.bfloat16() @ key.bfloat16().transpose(-2, -1)).float()  # (..., T, S)
    exponentials = torch.exp(scores / query.shape[-1] ** 0.5)
    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights


# %% wrong: the rounded weights returned
# The softmax is taken in float32 and its result turned into bfloat16 at once, for the product. It is these rounded
# weights that come back as float32, and their rows drift as before.
# Hint: which numbers do you return, those before or those after the rounding?

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    q, k, v = query.bfloat16(), key.bfloat16(), value.bfloat16()
    scores = (q @ k.transpose(-2, -1)).float() / query.shape[-1] ** 0.5
    weights = torch.softmax(scores, dim=-1).to(torch.bfloat16)
    return (weights @ v).float(), weights.float()


# %% correct: a helper for the short products

def short_product(a: Tensor, b: Tensor) -> Tensor:
    """In with float32, out with float32, and bfloat16 on both sides of the product."""
    return torch.matmul(a.to(torch.bfloat16), b.to(torch.bfloat16)).to(torch.float32)


def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = short_product(query, key.mT) * query.shape[-1] ** -0.5
    weights = F.softmax(scores, dim=-1, dtype=torch.float32)
    return short_product(weights, value), weights


# %% correct: einsum, and the softmax written out with its maximum

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    short = [x.bfloat16() for x in (query, key, value)]
    scores = torch.einsum("...td,...sd->...ts", short[0], short[1]).float()
    scores = scores.div(query.shape[-1] ** 0.5)
    weights = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    weights = weights / weights.sum(dim=-1, keepdim=True)
    blended = torch.einsum("...ts,...sv->...tv", weights.bfloat16(), short[2])
    return blended.float(), weights

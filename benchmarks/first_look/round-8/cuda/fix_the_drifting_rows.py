# %% wrong: the softmax gets float32 after the scaling
# softmax(..., dtype=float32) casts its input, but the division by sqrt(d) before it is still in bfloat16: the
# scores are rounded once more, and the weights are off wherever sqrt(d) is no power of two (d = 5, 8, 32).

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)  # (..., T, S)
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1, dtype=torch.float32)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights

# %% wrong: the bfloat16 rows are divided by their sum
# A repair of what shows only: the rows sum to one again, but scaling and softmax are still made in bfloat16, and
# the weights are off by some thousandths for nearly every input.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)  # (..., T, S)
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1).float()
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights

# %% wrong: the second product in float32
# The weights stay float32 and the value is made float32 for them, so the second product is not of bfloat16 tensors:
# the output differs from that of rounded weights for nearly every input.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = (query.bfloat16() @ key.bfloat16().transpose(-2, -1)).float()  # (..., T, S)
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1)
    return weights @ value.bfloat16().float(), weights

# %% wrong: exponential of score minus logsumexp
# The logsumexp of a row with scores of some thousands is itself rounded, by a ten-thousandth, so all of the row's
# weights are off by the same factor: for large scores (queries times 1000) the rows do not sum to one.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = (query.bfloat16() @ key.bfloat16().transpose(-2, -1)).float() / query.shape[-1] ** 0.5
    weights = (scores - scores.logsumexp(dim=-1, keepdim=True)).exp()
    return (weights.bfloat16() @ value.bfloat16()).float(), weights

# %% correct: einsum and a softmax written out in float32

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    short_query, short_key, short_value = (x.to(torch.bfloat16) for x in (query, key, value))
    scores = torch.einsum("...td,...sd->...ts", short_query, short_key).to(torch.float32)
    scores = scores / query.shape[-1] ** 0.5
    powers = (scores - scores.detach().amax(dim=-1, keepdim=True)).exp()
    weights = powers / powers.sum(dim=-1, keepdim=True)
    output = torch.einsum("...ts,...sv->...tv", weights.to(torch.bfloat16), short_value)
    return output.to(torch.float32), weights

# %% correct: autocast makes the products short

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    where = query.device.type
    with torch.autocast(where, dtype=torch.bfloat16):
        scores = torch.matmul(query, key.mT)
    with torch.autocast(where, enabled=False):
        weights = F.softmax(scores.float().div(query.shape[-1] ** 0.5), dim=-1)
    with torch.autocast(where, dtype=torch.bfloat16):
        output = torch.matmul(weights, value)
    return output.float(), weights

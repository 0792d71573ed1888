# %% wrong: scaled before the change to float32
# The scores are divided in bfloat16 and only then made float32: rounded once more, for any d that
# is not a power of four (32, say). The rows sum to one all the same.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)  # (..., T, S)
    scores = scores / query.shape[-1] ** 0.5
    weights = torch.softmax(scores.float(), dim=-1)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights


# %% wrong: returns the weights of the second product
# The softmax is in float32, but one name holds both weights: those returned were rounded to
# bfloat16 for the product, and do not sum to one (six keys that are alike).

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = (query.bfloat16() @ key.bfloat16().transpose(-2, -1)).float()
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1).bfloat16()
    return (weights @ value.bfloat16()).float(), weights.float()


# %% wrong: the rows are divided by their sums afterwards
# The softmax stays in bfloat16, and the rounded weights are normalized again in float32: the sums
# are one, but the weights keep bfloat16's errors (random queries and keys).

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)  # (..., T, S)
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1).float()
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights


# %% wrong: the second product in float32
# Only the first product is of bfloat16 tensors; weights and values are multiplied in float32.
# Shows in the output for any values with more digits than bfloat16 has.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)  # (..., T, S)
    weights = torch.softmax(scores.float() / query.shape[-1] ** 0.5, dim=-1)
    return weights @ value, weights


# %% correct: the softmax by hand, the products by einsum
# Subtracts each row's largest score, all in float32.
def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    low = torch.bfloat16
    scores = torch.einsum("...td,...sd->...ts", query.to(low), key.to(low)).to(torch.float32)
    scores = scores * (1 / query.shape[-1] ** 0.5)
    above = (scores - scores.detach().amax(dim=-1, keepdim=True)).exp()
    weights = above / above.sum(dim=-1, keepdim=True)
    return torch.einsum("...ts,...sv->...tv", weights.to(low), value.to(low)).to(torch.float32), weights


# %% correct: one matrix after the other
# The leading axes are merged and looped over; F.linear multiplies with the transposed key.
def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    leading = query.shape[:-2]
    flat = [x.bfloat16().reshape(-1, *x.shape[-2:]) for x in (query, key, value)]
    outputs, rows = [], []
    for q, k, v in zip(*flat):
        scores = F.linear(q, k).float().div(query.shape[-1] ** 0.5)
        rows.append(scores.softmax(dim=1))
        outputs.append(F.linear(rows[-1].bfloat16(), v.t()).float())
    output, weights = torch.stack(outputs), torch.stack(rows)
    return output.reshape(*leading, *output.shape[1:]), weights.reshape(*leading, *weights.shape[1:])

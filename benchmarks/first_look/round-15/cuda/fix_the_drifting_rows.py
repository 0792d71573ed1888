# %% wrong: all of it left to autocast
# Autocast runs the products in bfloat16, but the division stays in the format of the scores, bfloat16,
# and on a CPU the softmax too. Rows do not sum to one; on a GPU it shows where sqrt(d) is no power of two.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    with torch.autocast(query.device.type, dtype=torch.bfloat16):
        scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
        weights = torch.softmax(scores, dim=-1)
        output = weights @ value
    return output.float(), weights.float()

# %% wrong: rows divided by their sums afterwards
# The softmax is still taken in bfloat16, and its rows are divided by their sums in float32. They sum to
# one, but each weight is off by up to some thousandths of itself: scaling and softmax are not in float32.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)  # (..., T, S)
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1).float()
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights

# %% wrong: exponentials without the largest score
# A softmax by hand in float32, exp and its sum. Right for small scores; scaled scores above 88
# overflow to inf / inf, and rows whose scores all lie below -104 are 0 / 0.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = (query.bfloat16() @ key.bfloat16().transpose(-2, -1)).float()
    exponentials = (scores / query.shape[-1] ** 0.5).exp()
    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights

# %% wrong: the second product in float32
# All from the scores on is turned to float32, the values too: only one of the two products is of
# bfloat16 numbers. Shows in the output (weights and values are not rounded) for all but tiny inputs.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = (query.bfloat16() @ key.bfloat16().transpose(-2, -1)).float()
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1)
    return weights @ value, weights

# %% correct: products by einsum, a softmax by hand with its largest score

import math


def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    short = torch.bfloat16
    scores = torch.einsum("...td,...sd->...ts", query.to(short), key.to(short)).to(torch.float32)
    scores = scores * (1 / math.sqrt(query.shape[-1]))
    scores = scores - scores.amax(dim=-1, keepdim=True).detach()
    exponentials = torch.exp(scores)
    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)
    output = torch.einsum("...ts,...sv->...tv", weights.to(short), value.to(short))
    return output.to(torch.float32), weights

# %% correct: leading axes in one, batched products, softmax told its format

import math


def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    leading = query.shape[:-2]
    q, k, v = (
        x.reshape(math.prod(leading), *x.shape[-2:]).type(torch.bfloat16)
        for x in (query, key, value)
    )
    scores = torch.bmm(k, q.mT).mT  # (n, T, S)
    divisor = torch.tensor(query.shape[-1], dtype=torch.float32, device=query.device).sqrt()
    weights = F.softmax(torch.div(scores.float(), divisor), dim=-1, dtype=torch.float32)
    output = torch.bmm(v.mT, weights.type(torch.bfloat16).mT).mT.float()
    return output.reshape(*leading, *output.shape[1:]), weights.reshape(*leading, *weights.shape[1:])

# %% wrong: softmax in bfloat16, divided by its sum in float32
# "Scaling and softmax are done in float32": the rows sum to one again, but each weight still has bfloat16's three digits
# (random queries and keys, any S >= 2: weights off by up to some thousandths of themselves).


def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)  # (..., T, S)
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1).float()
    weights = weights / weights.sum(dim=-1, keepdim=True)  # now the rows sum to one
    return (weights.bfloat16() @ value.bfloat16()).float(), weights


# %% wrong: the scaling still in bfloat16
# "Scaling and softmax are done in float32": the scores are divided in bfloat16 and become float32 only afterwards. Shows wherever
# sqrt(d) is not a power of two (d = 32, 8, 5), with scores of some size; the rows do sum to one.


def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1) / query.shape[-1] ** 0.5  # (..., T, S)
    weights = torch.softmax(scores, dim=-1, dtype=torch.float32)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights


# %% wrong: the second product in float32
# "Both matrix products are of tensors in bfloat16": the weights keep float32 and the values, though rounded, are brought back to it,
# so the second product is one of float32 tensors (every input).


def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = (query.bfloat16() @ key.bfloat16().transpose(-2, -1)).float()
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1)
    return weights @ value.bfloat16().float(), weights


# %% wrong: scores held between -80 and 80 so that exp does not overflow
# A softmax without the maximum, made safe by clamping: "however large its scores are". Where a row has two scores above 80 (100 and
# 90) both weigh the same, and a row with all scores below -80 is uniform. Sums of rows are one all the same.


def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = (query.bfloat16() @ key.bfloat16().mT).float() / query.shape[-1] ** 0.5
    exponentials = scores.clamp(-80.0, 80.0).exp()
    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights


# %% correct: einsum for the products and a softmax written out


def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    q, k, v = (x.to(torch.bfloat16) for x in (query, key, value))
    scores = torch.einsum("...td,...sd->...ts", q, k).to(torch.float32)
    scores = scores.div(torch.tensor(float(query.shape[-1]), device=query.device).sqrt())
    grown = (scores - scores.detach().amax(dim=-1, keepdim=True)).exp()
    weights = grown / grown.sum(dim=-1, keepdim=True)
    output = torch.einsum("...ts,...sv->...tv", weights.to(torch.bfloat16), v)
    return output.to(torch.float32), weights


# %% correct: one leading place after the other, with linear maps and a softmin
import math


def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    leading = query.shape[:-2]
    pieces = [x.reshape(math.prod(leading), *x.shape[-2:]).bfloat16().unbind(0) for x in (query, key, value)]
    outputs, rows = [], []
    for q, k, v in zip(*pieces, strict=True):
        against = F.linear(q, k).float() / -math.sqrt(query.shape[-1])  # minus the scores
        rows.append(F.softmin(against, dim=-1))
        outputs.append(torch.mm(rows[-1].bfloat16(), v).float())
    output, weights = torch.stack(outputs), torch.stack(rows)
    return output.reshape(*leading, *output.shape[1:]), weights.reshape(*leading, *weights.shape[1:])

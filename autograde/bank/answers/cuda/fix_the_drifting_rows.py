# %% wrong: the softmax is still in bfloat16
# The weights were rounded to bfloat16, which has three digits, and rounded weights do not sum to one. No digit comes
# back when they are made float32 afterwards: go to float32 before the softmax. See section 9.4.

# --- before
    weights = torch.softmax(scores.float() / query.shape[-1] ** 0.5, dim=-1)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights
# --- after
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1)
    return (weights @ value.bfloat16()).float(), weights.float()

# %% wrong: scaled in bfloat16
# The rows sum to one, but the scores were divided while they were in bfloat16, and rounded once more. Go to float32
# before the division. See section 9.4.

# --- before
    weights = torch.softmax(scores.float() / query.shape[-1] ** 0.5, dim=-1)
# --- after
    weights = torch.softmax((scores / query.shape[-1] ** 0.5).float(), dim=-1)

# %% wrong: the rows divided by their sums afterwards
# The sums are mended, and each weight is as wrong as before: it was rounded in the softmax. Mend the cause: scaling
# and softmax in float32. See section 9.4.

# --- before
    weights = torch.softmax(scores.float() / query.shape[-1] ** 0.5, dim=-1)
# --- after
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1).float()
    weights = weights / weights.sum(dim=-1, keepdim=True)

# %% wrong: everything in float32
# The rows are right, but the matrix products are in float32 now, and their speed is gone. Only scaling and softmax
# need float32. See section 9.4.

# --- before
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)  # (..., T, S)
# --- after
    scores = query @ key.transpose(-2, -1)  # (..., T, S)
# --- before
    return (weights.bfloat16() @ value.bfloat16()).float(), weights
# --- after
    return weights @ value, weights

# %% wrong: the first product in float32
# The first matrix product is in float32 now, and its speed is gone. Only scaling and softmax need float32. See section
# 9.4.

# --- before
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)  # (..., T, S)
# --- after
    scores = query @ key.transpose(-2, -1)  # (..., T, S)

# %% wrong: the second product in float32
# The second matrix product is in float32 now, and its speed is gone. Give it bfloat16 copies of the weights and the
# values. See section 9.4.

# --- before
    return (weights.bfloat16() @ value.bfloat16()).float(), weights
# --- after
    return weights @ value, weights

# %% wrong: the rounded weights come back
# The weights that came back are the ones that were rounded for the second product. Round a copy, and return those that
# the softmax gave. See section 9.4.

# --- before
    return (weights.bfloat16() @ value.bfloat16()).float(), weights
# --- after
    weights = weights.bfloat16()
    return (weights @ value.bfloat16()).float(), weights.float()

# %% wrong: output in bfloat16
# The output came back in bfloat16. Both results are to be float32, as the inputs are. See section 9.4.

# --- before
    return (weights.bfloat16() @ value.bfloat16()).float(), weights
# --- after
    return weights.bfloat16() @ value.bfloat16(), weights

# %% wrong: the scale is lost
# The scores were not divided by the root of d any more. Keep the scaling, in float32. See section 9.4.

# --- before
    weights = torch.softmax(scores.float() / query.shape[-1] ** 0.5, dim=-1)
# --- after
    weights = torch.softmax(scores.float(), dim=-1)

# %% wrong: softmax over the queries
# The columns sum to one now instead of the rows. The softmax runs over the keys, the last axis. See section 9.4.

# --- before
    weights = torch.softmax(scores.float() / query.shape[-1] ** 0.5, dim=-1)
# --- after
    weights = torch.softmax(scores.float() / query.shape[-1] ** 0.5, dim=-2)

# %% wrong: no maximum taken off
# The exponential of a score above 88 is infinite in float32, and far below zero all are 0. Take each row's largest
# score off first, as the softmax of PyTorch does. See section 9.4.

# --- before
    weights = torch.softmax(scores.float() / query.shape[-1] ** 0.5, dim=-1)
# --- after
    exponentials = torch.exp(scores.float() / query.shape[-1] ** 0.5)
    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)

# %% wrong: the output by the fused kernel
# The fused kernel makes scores and weights of its own, so these are made twice, and the output is not that of the
# weights that came back. Multiply them with the values. See section 9.4.

# --- before
    return (weights.bfloat16() @ value.bfloat16()).float(), weights
# --- after
    output = F.scaled_dot_product_attention(query.bfloat16(), key.bfloat16(), value.bfloat16())
    return output.float(), weights

# %% wrong: float16 instead
# The matrix products are of float16 tensors now, which overflow at 65,504. bfloat16 is asked for. See section 9.4.

# --- before
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)  # (..., T, S)
# --- after
    scores = query.half() @ key.half().transpose(-2, -1)  # (..., T, S)
# --- before
    return (weights.bfloat16() @ value.bfloat16()).float(), weights
# --- after
    return (weights.half() @ value.half()).float(), weights

# %% correct: softmax with a dtype

# --- before
    weights = torch.softmax(scores.float() / query.shape[-1] ** 0.5, dim=-1)
# --- after
    weights = F.softmax(scores.float() / query.shape[-1] ** 0.5, dim=-1, dtype=torch.float32)

# %% correct: the softmax by hand

# --- before
    weights = torch.softmax(scores.float() / query.shape[-1] ** 0.5, dim=-1)
# --- after
    scores = scores.to(torch.float32).div(query.shape[-1] ** 0.5)
    exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)

# %% correct: einsum

def low_precision_attention(query, key, value):
    low = torch.bfloat16
    scores = torch.einsum("...td,...sd->...ts", query.to(low), key.to(low)).to(torch.float32)
    weights = (scores * query.size(-1) ** -0.5).softmax(-1)
    output = torch.einsum("...ts,...sv->...tv", weights.to(low), value.to(low))
    return output.to(torch.float32), weights

# %% correct: under autocast

def low_precision_attention(query, key, value):
    with torch.autocast(query.device.type, dtype=torch.bfloat16):
        scores = query @ key.mT
    weights = torch.softmax(scores.float() / query.shape[-1] ** 0.5, dim=-1)
    with torch.autocast(query.device.type, dtype=torch.bfloat16):
        output = weights @ value
    return output.float(), weights

# %% correct: one leading index at a time

def low_precision_attention(query, key, value):
    lead = query.shape[:-2]
    outputs, weights = [], []
    for q, k, v in zip(*(x.reshape(-1, *x.shape[-2:]) for x in (query, key, value))):
        scores = torch.mm(q.bfloat16(), k.bfloat16().t()).float() / q.shape[-1] ** 0.5
        weights.append(scores.softmax(-1))
        outputs.append(torch.mm(weights[-1].bfloat16(), v.bfloat16()).float())
    output, weight = torch.stack(outputs), torch.stack(weights)
    return output.reshape(*lead, *output.shape[-2:]), weight.reshape(*lead, *weight.shape[-2:])

# %% correct: the queries in two halves

def low_precision_attention(query, key, value):
    if query.shape[-2] > 1:
        halves = query.tensor_split(2, dim=-2)
        outputs, weights = zip(*(low_precision_attention(half, key, value) for half in halves))
        return torch.cat(outputs, -2), torch.cat(weights, -2)
    weights = ((query.bfloat16() @ key.bfloat16().mT).float() / query.shape[-1] ** 0.5).softmax(-1)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights

# %% correct: turned on its side

def low_precision_attention(query, key, value):
    scores = (key.bfloat16() @ query.bfloat16().mT).float() / query.shape[-1] ** 0.5
    weights = scores.softmax(-2).mT.contiguous()
    return (value.bfloat16().mT @ weights.bfloat16().mT).mT.float(), weights

# %% correct: through the logarithm

# --- before
    weights = torch.softmax(scores.float() / query.shape[-1] ** 0.5, dim=-1)
# --- after
    scaled = scores.float() * (1 / query.shape[-1] ** 0.5)
    weights = torch.log_softmax(scaled, dim=-1).exp()

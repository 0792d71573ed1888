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
# The output came back in bfloat16. Both results should be float32, as the inputs are. See section 9.4.

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

# %% correct: through the logarithm
# --- before
    weights = torch.softmax(scores.float() / query.shape[-1] ** 0.5, dim=-1)
# --- after
    scaled = scores.float() * (1 / query.shape[-1] ** 0.5)
    weights = torch.log_softmax(scaled, dim=-1).exp()

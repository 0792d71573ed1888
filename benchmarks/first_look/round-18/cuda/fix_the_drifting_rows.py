# %% wrong: softmax in bfloat16, cast after
# Rows do not sum to one as exactly as float32 can.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = (query.bfloat16() @ key.bfloat16().transpose(-2, -1))
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1).float()
    return (weights.bfloat16() @ value.bfloat16()).float(), weights

# %% wrong: rounded weights are returned
# Weights go through bfloat16 before they come back: rows miss one by up to a percent.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = (query.bfloat16() @ key.bfloat16().transpose(-2, -1)).float()
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1).bfloat16()
    return (weights.bfloat16() @ value.bfloat16()).float(), weights.float()

# %% wrong: second product in float32
# The values are multiplied in float32, not in bfloat16.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = (query.bfloat16() @ key.bfloat16().transpose(-2, -1)).float()
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1)
    return weights @ value, weights

# %% wrong: scaled in bfloat16
# The scores are divided before they become float32: one more rounding.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = (query.bfloat16() @ key.bfloat16().transpose(-2, -1) / query.shape[-1] ** 0.5).float()
    weights = torch.softmax(scores, dim=-1)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights

# %% correct: exponentials by hand

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    q, k, v = (x.to(torch.bfloat16) for x in (query, key, value))
    scores = torch.matmul(q, k.mT).to(torch.float32) * query.shape[-1] ** -0.5
    exps = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    weights = exps / exps.sum(dim=-1, keepdim=True)
    return torch.matmul(weights.to(torch.bfloat16), v).to(torch.float32), weights

# %% correct: softmax told its format, einsum

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = torch.einsum("...td,...sd->...ts", query.bfloat16(), key.bfloat16())
    weights = F.softmax(scores.float().div(query.shape[-1] ** 0.5), dim=-1, dtype=torch.float32)
    output = torch.einsum("...ts,...sv->...tv", weights.bfloat16(), value.bfloat16())
    return output.float(), weights


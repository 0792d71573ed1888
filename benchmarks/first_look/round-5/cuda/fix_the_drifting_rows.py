# %% wrong: scaled before the change to float32
# softmax is told to compute in float32, but the scores are divided while they are still bfloat16, and rounded once more.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)  # (..., T, S)
    scores = scores / query.shape[-1] ** 0.5
    weights = torch.softmax(scores, dim=-1, dtype=torch.float32)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights


# %% wrong: rows made to sum to one afterwards
# The softmax is still taken in bfloat16; its rounded weights are divided by their sum in float32. The rows sum to one, and are the wrong ones.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)  # (..., T, S)
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1).float()
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights


# %% wrong: a softmax without its maximum
# Exponentials and their sum are taken in float32, but the largest score is not subtracted: large scores overflow to NaN.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = (query.bfloat16() @ key.bfloat16().transpose(-2, -1)).float()
    exponentials = torch.exp(scores / query.shape[-1] ** 0.5)
    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)
    output = weights.bfloat16() @ value.bfloat16()
    return output.float(), weights


# %% wrong: the second product in float32
# The weights stay in float32 and so does the product with the values, which is to be of bfloat16 tensors.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)  # (..., T, S)
    weights = torch.softmax(scores.float() / query.shape[-1] ** 0.5, dim=-1)
    return weights @ value.bfloat16().float(), weights


# %% wrong: the rounded weights are returned
# The softmax is right, but the name weights is given to its bfloat16 copy, and that is what comes back.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)  # (..., T, S)
    scores = scores.to(torch.float32)
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1).bfloat16()
    return (weights @ value.bfloat16()).float(), weights.float()


# %% correct: the softmax in three lines of float32

def _short_product(equation, *factors):
    return torch.einsum(equation, *(factor.to(torch.bfloat16) for factor in factors)).to(torch.float32)


def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = _short_product("...td,...sd->...ts", query, key)
    scores = scores / torch.tensor(query.shape[-1], dtype=torch.float32, device=query.device).sqrt()
    exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)
    return _short_product("...ts,...sv->...tv", weights, value), weights


# %% correct: leading axes joined, and bmm

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    leading = query.shape[:-2]
    T, d = query.shape[-2:]
    S, d_v = value.shape[-2:]
    count = leading.numel()
    short_query = query.reshape(count, T, d).to(dtype=torch.bfloat16)
    short_key = key.reshape(count, S, d).to(dtype=torch.bfloat16)
    short_value = value.reshape(count, S, d_v).to(dtype=torch.bfloat16)
    scores = torch.bmm(short_query, short_key.mT).to(dtype=torch.float32)
    weights = nn.Softmax(dim=2)(scores.mul(d**-0.5))
    output = torch.bmm(weights.to(dtype=torch.bfloat16), short_value).to(dtype=torch.float32)
    return output.reshape(*leading, T, d_v), weights.reshape(*leading, T, S)

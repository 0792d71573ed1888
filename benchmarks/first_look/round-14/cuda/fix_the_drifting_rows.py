# %% wrong: scaled in bfloat16, then to float32
# The scores are divided by the root while they are still in bfloat16, which rounds them once more.
# The rows sum to one, but scaling was to be in float32. Shows wherever the root is no power of two
# (d = 32, not 16).

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1) / query.shape[-1] ** 0.5
    weights = torch.softmax(scores.float(), dim=-1)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights


# %% wrong: the rows of a bfloat16 softmax divided by their sum
# A repair of what one sees: the sums are one again, but each weight still has bfloat16's two or
# three digits. Shows for random queries and keys, beside a softmax in float32.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)  # (..., T, S)
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1).float()
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights


# %% wrong: the second product in float32
# The weights are float32 now, so the values were made float32 as well. Both products were to take
# bfloat16; the output is that of unrounded weights.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = (query.bfloat16() @ key.bfloat16().transpose(-2, -1)).float()
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1)
    return weights @ value, weights


# %% wrong: exp of the scores less their logsumexp
# In float32 the logsumexp of scores of some thousands has an error of 1e-4 and more, which all
# weights of the row share: with equal keys and queries 1,000 times as large it does not sum to one.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = (query.bfloat16() @ key.bfloat16().transpose(-2, -1)).float()
    scores = scores / query.shape[-1] ** 0.5
    weights = (scores - scores.logsumexp(dim=-1, keepdim=True)).exp()
    return (weights.bfloat16() @ value.bfloat16()).float(), weights


# %% correct: the softmax written out in float32

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    short = torch.bfloat16
    products = torch.matmul(query.to(short), key.to(short).mT).to(torch.float32)
    scaled = products / query.shape[-1] ** 0.5
    powers = torch.exp(scaled - torch.amax(scaled, dim=-1, keepdim=True))
    weights = powers / powers.sum(dim=-1, keepdim=True)
    return torch.matmul(weights.to(short), value.to(short)).to(torch.float32), weights


# %% correct: the leading axes folded into one, and bmm

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    front = query.shape[:-2]
    q, k, v = (x.reshape(-1, *x.shape[-2:]).to(dtype=torch.bfloat16) for x in (query, key, value))
    scores = torch.bmm(q, k.transpose(1, 2))
    weights = F.softmax(scores.to(query.dtype) * query.shape[-1] ** -0.5, dim=2, dtype=torch.float32)
    output = torch.bmm(weights.to(torch.bfloat16), v).to(torch.float32)
    return output.reshape(*front, *output.shape[1:]), weights.reshape(*front, *weights.shape[1:])

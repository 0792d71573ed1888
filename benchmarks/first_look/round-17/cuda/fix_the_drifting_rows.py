# %% wrong: the rows divided by their sums afterwards
# The softmax is still taken in bfloat16, and its rounded weights are then made to sum to one in float32. The sums are
# right, each weight is off by up to a few thousandths of itself, for nearly every input.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:

    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)  # (..., T, S)
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1).float()
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights


# %% wrong: exponentials without the largest score
# A softmax by hand in float32 that overflows: NaN where a scaled score is above 88, and 0 / 0 where all are far below 0.
# Shows for queries of randn times 100.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:

    scores = (query.bfloat16() @ key.bfloat16().transpose(-2, -1)).float() / query.shape[-1] ** 0.5
    powers = scores.exp()
    weights = powers / powers.sum(dim=-1, keepdim=True)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights


# %% wrong: scaled in bfloat16
# The scores are divided before they become float32, and rounded once more. The rows sum to one, the weights are off:
# shows where the root of d is no power of two (d = 32; not for 16).

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:

    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1) / query.shape[-1] ** 0.5
    weights = torch.softmax(scores.float(), dim=-1)
    output = weights.bfloat16() @ value.bfloat16()
    return output.float(), weights


# %% wrong: left to autocast
# On a CPU autocast does not take the softmax of 16-bit numbers in float32, so scaling and softmax stay in bfloat16 and the
# rows do not sum to one, exactly as found. Shows on a CPU for any input.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:

    with torch.autocast(query.device.type, dtype=torch.bfloat16):
        scores = query @ key.transpose(-2, -1)
        weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1)
        output = weights @ value
    return output.float(), weights.float()


# %% correct: leading axes flattened, products by bmm, softmax by hand

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:

    lead, (T, d), (S, d_v) = query.shape[:-2], query.shape[-2:], value.shape[-2:]
    q, k, v = (x.to(torch.bfloat16).reshape(-1, *x.shape[-2:]) for x in (query, key, value))
    scores = torch.bmm(q, k.mT).to(torch.float32).div(d**0.5)
    scores = scores - scores.amax(dim=2, keepdim=True)
    weights = scores.exp()
    weights = weights / weights.sum(dim=2, keepdim=True)
    output = torch.bmm(weights.to(torch.bfloat16), v).to(torch.float32)
    return output.reshape(*lead, T, d_v), weights.reshape(*lead, T, S)


# %% correct: einsum for the products and the softmax over the first axis

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:

    short = [x.type(torch.bfloat16) for x in (query, key, value)]
    scores = torch.einsum("...td,...sd->...ts", short[0], short[1]).type(torch.float32)
    by_key = scores.movedim(-1, 0) * query.shape[-1] ** -0.5
    weights = F.softmax(by_key, dim=0).movedim(0, -1)
    output = torch.einsum("...ts,...sv->...tv", weights.type(torch.bfloat16), short[2])
    return output.type(torch.float32), weights

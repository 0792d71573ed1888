# %% wrong: softmax by the logarithm of the sum
# exp(scores - logsumexp): with large scores the logsumexp itself is rounded coarsely, and rows no longer sum to one as
# exactly as float32 can.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = (query.bfloat16() @ key.bfloat16().transpose(-2, -1)).float()
    scores = scores / query.shape[-1] ** 0.5
    weights = torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))
    output = weights.bfloat16() @ value.bfloat16()
    return output.float(), weights


# %% wrong: only the softmax is told its format
# softmax(dtype=float32) casts after the scores have been scaled, so the scaling is still rounded to bfloat16.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)  # (..., T, S)
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1, dtype=torch.float32)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights


# %% wrong: rounded and widened again before the products
# The numbers are rounded to bfloat16, but then cast back, so both matrix products are of float32 tensors.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    def rounded(x: Tensor) -> Tensor:
        return x.to(torch.bfloat16).to(torch.float32)

    scores = rounded(query) @ rounded(key).transpose(-2, -1)
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1)
    return rounded(weights) @ rounded(value), weights


# %% wrong: the softmax stays short and the rows are mended after
# Scaling and softmax are still done in bfloat16; dividing by the row sums in float32 makes rows sum to one but leaves
# every weight rounded.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)  # (..., T, S)
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1).float()
    weights = weights / weights.sum(dim=-1, keepdim=True)  # so that each row sums to one
    return (weights.bfloat16() @ value.bfloat16()).float(), weights


# %% wrong: axes counted from the front
# The width is read from axis 1 and the softmax goes along axis 1: right for two axes as in the notebook, wrong as soon
# as there is a batch.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    q, k, v = query.bfloat16(), key.bfloat16(), value.bfloat16()
    scores = torch.matmul(q, k.transpose(-2, -1)).float()
    scores = scores / query.shape[1] ** 0.5
    weights = F.softmax(scores, dim=1)
    output = torch.matmul(weights.bfloat16(), v)
    return output.float(), weights


# %% correct: einsum, and a softmax by hand

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    short, long = torch.bfloat16, torch.float32
    scores = torch.einsum("...td,...sd->...ts", query.to(short), key.to(short)).to(long)
    scores = scores * query.size(-1) ** -0.5
    powers = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    weights = powers / powers.sum(dim=-1, keepdim=True)
    output = torch.einsum("...ts,...sv->...tv", weights.to(short), value.to(short))
    return output.to(long), weights


# %% correct: leading axes folded into one, products by bmm

def _short_product(a: Tensor, b: Tensor) -> Tensor:
    """a (..., n, k) times b (..., k, m), both taken as bfloat16; float32 comes back."""
    lead = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    count = 1
    for length in lead:
        count *= length
    a, b = (x.expand(*lead, *x.shape[-2:]).reshape(count, *x.shape[-2:]).bfloat16() for x in (a, b))
    return torch.bmm(a, b).float().reshape(*lead, a.shape[-2], b.shape[-1])


def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = _short_product(query, key.mT)
    weights = nn.Softmax(dim=-1)(scores.div(float(query.shape[-1]) ** 0.5))
    return _short_product(weights, value), weights

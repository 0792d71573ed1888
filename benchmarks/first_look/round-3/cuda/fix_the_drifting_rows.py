# %% wrong: everything in float32
# The rows sum to one, but the two matrix products take float32 numbers; they are to stay in bfloat16, since that is what makes them fast.
# Hint: which numbers may a GPU's matrix units be given here?

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query @ key.transpose(-2, -1)  # (..., T, S)
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1)
    return weights @ value, weights


# %% wrong: the returned weights were rounded
# The softmax is done in float32, but then the weights themselves are put into bfloat16 for the second product and returned like that, so rows drift from one again.
# Hint: the product needs rounded weights; does the caller?

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = (query.bfloat16() @ key.bfloat16().transpose(-2, -1)).float()
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1).bfloat16()
    return (weights @ value.bfloat16()).float(), weights.float()


# %% wrong: only the softmax is mended
# The softmax gets dtype=float32, but the scores are still divided by the root in bfloat16, where they are rounded once more; scaling was to be done in float32 too.
# Hint: at which point do the scores become float32, before or after the division?

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)  # (..., T, S)
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1, dtype=torch.float32)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights


# %% wrong: exp of the scores minus their logsumexp
# The logsumexp of scores of some thousands is itself rounded to float32, at a thousandth, and so the rows do not sum to one where scores are large.
# Hint: how many digits behind the point has a float32 number of 10,000? What if the largest score is subtracted first?

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = (query.bfloat16() @ key.bfloat16().transpose(-2, -1)).float() / query.shape[-1] ** 0.5
    weights = torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))
    return (weights.bfloat16() @ value.bfloat16()).float(), weights


# %% correct: einsum, and the softmax by hand

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    short = torch.bfloat16
    scores = torch.einsum("...td,...sd->...ts", query.to(short), key.to(short)).to(torch.float32)
    scores = scores * query.shape[-1] ** -0.5
    exponentials = (scores - scores.amax(dim=-1, keepdim=True).detach()).exp()
    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)
    output = torch.einsum("...ts,...sv->...tv", weights.to(short), value.to(short))
    return output.to(torch.float32), weights


# %% correct: a helper that multiplies in 16 bits

def _short_product(a: Tensor, b: Tensor) -> Tensor:
    """A product of bfloat16 tensors, handed back in float32."""
    return torch.matmul(a.type(torch.bfloat16), b.type(torch.bfloat16)).type(torch.float32)


def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = _short_product(query, key.mT).div(query.size(-1) ** 0.5)
    weights = F.log_softmax(scores, dim=-1).exp()
    return _short_product(weights, value), weights

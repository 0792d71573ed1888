# %% wrong: rounded again on the way out
# The softmax is in float32 now, but the weights are brought to bfloat16 for the second product and it is these that are returned: the rows drift as before. A good message: "rows off by 0.002: return the weights from before they were rounded".

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)  # (..., T, S)
    weights = torch.softmax(scores.float() / query.shape[-1] ** 0.5, dim=-1).bfloat16()
    return (weights @ value.bfloat16()).float(), weights.float()

# %% wrong: everything in float32
# Exact, and no product is in bfloat16 any more: what made it fast is gone. A good message: "both matrix products must take bfloat16 tensors".

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query @ key.transpose(-2, -1)
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1)
    return weights @ value, weights

# %% wrong: an own softmax without the maximum
# exp of float32 scores overflows above 88: inf / inf. Scaling is in float32, products in bfloat16, all else is right. A good message: "with scores of 1,000 the rows are NaN: however large its scores are".

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = (query.bfloat16() @ key.bfloat16().mT).float() * query.shape[-1] ** -0.5
    powers = scores.exp()
    weights = powers / powers.sum(dim=-1, keepdim=True)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights

# %% wrong: divided while still in bfloat16
# softmax(..., dtype=float32) sums to one, but the division by sqrt(d) before it is in bfloat16 and rounds every score once more. A good message: "scaling is to be done in float32 too; the weights are off by more than the products' rounding".

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1) / query.shape[-1] ** 0.5
    weights = torch.softmax(scores, dim=-1, dtype=torch.float32)
    return (weights.to(torch.bfloat16) @ value.to(torch.bfloat16)).to(torch.float32), weights

# %% correct: the softmax by hand, with its maximum

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    def product(left: Tensor, right: Tensor) -> Tensor:
        return torch.matmul(left.to(torch.bfloat16), right.to(torch.bfloat16)).to(torch.float32)

    scores = product(query, key.mT) / query.shape[-1] ** 0.5
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    weights = powers / powers.sum(dim=-1, keepdim=True)
    return product(weights, value), weights

# %% wrong: softmax still in bfloat16, and its rows divided by their sum afterwards
# The rows sum to one again, but scaling and softmax are as coarse as before: the weights are off by up to 0.4% for any random input.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)  # (..., T, S)
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1).float()
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights


# %% wrong: softmax(dtype=float32), but the scores are scaled before it, in bfloat16
# The division by sqrt(d) rounds once more to bfloat16 (d = 32, 48, ...; not where sqrt(d) is a power of two), which shows in the weights
# where scores are large.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)  # (..., T, S)
    scores = scores / query.shape[-1] ** 0.5
    weights = torch.softmax(scores, dim=-1, dtype=torch.float32)
    output = weights.bfloat16() @ value.bfloat16()
    return output.float(), weights


# %% wrong: the second product is made in float32
# The weights stay float32 and the values are brought up to them: only one of the two products is of tensors in bfloat16.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = (query.bfloat16() @ key.bfloat16().transpose(-2, -1)).float()  # (..., T, S)
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1)
    return weights @ value.bfloat16().float(), weights


# %% wrong: the softmax by hand, with one maximum for the whole tensor
# A row whose scores all lie more than about 100 below the largest score of any row gets only zeros, and 0 / 0.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = (query.bfloat16() @ key.bfloat16().transpose(-2, -1)).float()  # (..., T, S)
    scores = scores / query.shape[-1] ** 0.5
    exponentials = (scores - scores.max()).exp()
    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights


# %% correct: everything lying on its side, keys down and queries across

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    q, k, v = (x.to(torch.bfloat16) for x in (query, key, value))
    on_its_side = torch.matmul(k, q.mT).to(torch.float32)  # (..., S, T)
    on_its_side = F.softmax(on_its_side * query.size(-1) ** -0.5, dim=-2)
    output = torch.matmul(v.mT, on_its_side.to(torch.bfloat16))  # (..., d_v, T)
    return output.mT.contiguous().float(), on_its_side.mT.contiguous()


# %% correct: one matrix of the batch after the other, the softmax by hand

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    import math

    leading = query.shape[:-2]
    count = math.prod(leading)
    root = math.sqrt(query.shape[-1])

    def matrices(x: Tensor) -> Tensor:
        return x.type(torch.bfloat16).reshape(count, *x.shape[-2:])

    outputs, rows = [], []
    for q, k, v in zip(matrices(query), matrices(key), matrices(value), strict=True):
        scores = torch.einsum("td,sd->ts", q, k).type(torch.float32).div(root)
        numerators = torch.sub(scores, scores.amax(dim=1, keepdim=True)).exp()
        share = numerators / numerators.sum(dim=1, keepdim=True)
        rows.append(share)
        outputs.append(torch.mm(share.type(torch.bfloat16), v).type(torch.float32))
    if not rows:
        empty = query.new_zeros(())
        return (
            empty.expand(*leading, query.shape[-2], value.shape[-1]).clone(),
            empty.expand(*leading, query.shape[-2], key.shape[-2]).clone(),
        )
    return (
        torch.stack(outputs).reshape(*leading, *outputs[0].shape),
        torch.stack(rows).reshape(*leading, *rows[0].shape),
    )

# %% wrong: the weights are rounded before they are returned
# The softmax is in float32, but the name `weights` then holds its bfloat16 copy, which goes into the product and is
# returned as float32: the rows do not sum to one. Shows for 48 keys that are all alike.


def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)
    weights = torch.softmax(scores.float() / query.shape[-1] ** 0.5, dim=-1).bfloat16()
    output = weights @ value.bfloat16()
    return output.float(), weights.float()


# %% wrong: the scaling is still in bfloat16
# Only the softmax got float32: the scores are divided before they change their format, and so rounded once more.
# The rows sum to one, but weights and output differ wherever sqrt(d) is no power of two (d = 3, 8, 32).


def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)
    scores = scores / query.shape[-1] ** 0.5
    weights = torch.softmax(scores, dim=-1, dtype=torch.float32)
    output = (weights.bfloat16() @ value.bfloat16()).float()
    return output, weights


# %% wrong: the rows are divided by their sums afterwards
# The softmax stays in bfloat16, and its rounded weights are divided by their sum in float32. The rows sum to one, but
# each weight still has bfloat16's error: shows for any random scores.


def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)  # (..., T, S)
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1).float()
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights


# %% wrong: exponentials without the maximum
# A softmax written out in float32, without subtracting each row's largest score. Scores above 88 overflow and the
# row becomes nan, and where all are below -104 it is 0 / 0. "However large its scores are."


def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = (query.bfloat16() @ key.bfloat16().transpose(-2, -1)).float()
    exponentials = torch.exp(scores / query.shape[-1] ** 0.5)
    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)
    output = weights.bfloat16() @ value.bfloat16()
    return output.float(), weights


# %% correct: einsum and a softmax written out


def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    short = torch.bfloat16
    scores = torch.einsum("...td,...sd->...ts", query.to(short), key.to(short))
    scores = scores.to(torch.float32).mul(query.shape[-1] ** -0.5)
    from_the_top = scores - scores.amax(dim=-1, keepdim=True)
    weights = from_the_top.exp()
    weights = weights / weights.sum(dim=-1, keepdim=True)
    output = torch.einsum("...ts,...sv->...tv", weights.to(short), value.to(short))
    return output.to(torch.float32), weights


# %% correct: one matrix of the leading axes after the other


def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    *leading, length, width = query.shape
    scale = torch.tensor(float(width), device=query.device).sqrt()
    outputs, all_weights = [], []
    for q, k, v in zip(
        query.reshape(-1, length, width),
        key.reshape(-1, *key.shape[-2:]),
        value.reshape(-1, *value.shape[-2:]),
        strict=True,
    ):
        scores = torch.mm(k.bfloat16(), q.bfloat16().t())  # (S, T): the keys are rows
        columns = F.softmax(scores.float().div(scale), dim=0)
        mixed = torch.mm(v.bfloat16().t(), columns.bfloat16())  # (d_v, T)
        outputs.append(mixed.t().float())
        all_weights.append(columns.t())
    return (
        torch.stack(outputs).reshape(*leading, length, value.shape[-1]),
        torch.stack(all_weights).reshape(*leading, length, key.shape[-2]),
    )

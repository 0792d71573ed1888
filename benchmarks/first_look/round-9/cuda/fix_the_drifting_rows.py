# %% wrong: the weights are rounded before they are returned
# The softmax is in float32, but its result goes to bfloat16 for the product and comes back from there. Rows do
# not sum to one: shows for any three keys that are alike (3 times 0.3340).

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = (query.bfloat16() @ key.bfloat16().transpose(-2, -1)).float()
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1).bfloat16()
    return (weights @ value.bfloat16()).float(), weights.float()


# %% wrong: scaled in bfloat16
# The cast comes after the division, so the scores are rounded a second time. Rows sum to one, and the weights are
# others: shows where the root of d is no power of two, as for d = 32, most for large scores.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1) / query.shape[-1] ** 0.5
    weights = torch.softmax(scores, dim=-1, dtype=torch.float32)
    output = weights.bfloat16() @ value.bfloat16()
    return output.float(), weights


# %% wrong: the rows are made to sum to one afterwards
# The softmax is still made in bfloat16, and its rounded weights are divided by their sum. The sums are right, and
# each weight is off by up to a few thousandths, for any input with two keys or more.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query.bfloat16() @ key.bfloat16().transpose(-2, -1)
    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1).float()
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights


# %% wrong: exponentials without the largest score
# The softmax is written out in float32, without subtracting the maximum. Scores above 88 overflow and the row is
# NaN; a row with all scores far below zero is 0 / 0. Shows for queries times 100.

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = (query.bfloat16() @ key.bfloat16().transpose(-2, -1)).float() / query.shape[-1] ** 0.5
    exponentials = scores.exp()
    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights


# %% correct: the products under autocast

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    def short_product(left: Tensor, right: Tensor) -> Tensor:
        with torch.autocast(query.device.type, dtype=torch.bfloat16):
            return torch.matmul(left, right)

    scores = short_product(query, key.mT).to(torch.float32).mul(query.size(-1) ** -0.5)
    scores = scores - scores.detach().amax(dim=-1, keepdim=True)
    exponentials = torch.exp(scores)
    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)
    return short_product(weights, value).to(torch.float32), weights


# %% correct: keys first, the softmax down the columns

def low_precision_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    short_query, short_key, short_value = map(Tensor.bfloat16, (query, key, value))
    scores = torch.einsum("...sd,...td->...st", short_key, short_query)
    columns = F.softmax(scores.float() / torch.tensor(float(query.shape[-1])).sqrt().item(), dim=-2)
    output = torch.einsum("...sv,...st->...tv", short_value, columns.bfloat16())
    return output.float(), columns.mT.contiguous()

"""Wrong and correct answers of chapter 04."""

from autograde.bank import Bank, Correct, Wrong, edit

# ---- scaled_dot_product_attention -----------------------------------------------------------------------------------

_CHECK = "check_scaled_dot_product(query, key, value, mask)"
_SCALED = "scores = scores / query.shape[-1] ** 0.5"
_WEIGHTS = "weights = masked_softmax(scores, mask)"
_HEAD = f"""
def scaled_dot_product_attention(query, key, value, mask=None):
    {_CHECK}
"""

scaled_dot_product_attention = Bank(
    "scaled_dot_product_attention",
    wrong=[
        Wrong(
            "the scores are not scaled",
            edit((f"    {_SCALED}\n", "")),
            "The weights are those of scores that were not divided by the root of d_k. Divide before the softmax. See "
            "section 4.4.",
        ),
        Wrong(
            "divided by d_k instead of its root",
            edit((_SCALED, "scores = scores / query.shape[-1]")),
            "The scores were divided by d_k itself, so the weights are flatter than the equation says. It trains "
            "nearly as well (section 4.4), and is not what everybody else computes: take the root.",
        ),
        Wrong(
            "divided by the root of the number of keys",
            edit((_SCALED, "scores = scores / key.shape[-2] ** 0.5")),
            "The scores were divided by the root of S, the number of keys. The d_k of the equation is the width of a "
            "query, its last axis.",
        ),
        Wrong(
            "divided by the root of the values' width",
            edit((_SCALED, "scores = scores / value.shape[-1] ** 0.5")),
            "The scores were divided by the root of d_v. What makes a score large is how many products are summed in "
            "it, and that is d_k, the width of queries and keys.",
        ),
        Wrong(
            "multiplied by the root of d_k",
            edit((_SCALED, "scores = scores * query.shape[-1] ** 0.5")),
            "The scores were multiplied by the root of d_k, which makes the weights sharper with every feature. Divide "
            "by it. See section 4.4.",
        ),
        Wrong(
            "the weights are divided after the softmax",
            edit(
                (f"    {_SCALED}\n", ""), (_WEIGHTS, "weights = masked_softmax(scores, mask) / query.shape[-1] ** 0.5")
            ),
            "The rows no longer sum to one: the root of d_k divides the weights here, and belongs to the scores, "
            "before the softmax.",
        ),
        Wrong(
            "softmax over the queries",
            edit((_WEIGHTS, "weights = masked_softmax(scores.mT, None if mask is None else mask.mT).mT")),
            "Here the queries compete for each key. A query shares its weight out among the keys, so the softmax runs "
            "over the last axis of the scores. See section 4.3.",
        ),
        Wrong(
            "softmax over the first axis",
            edit(
                (
                    _WEIGHTS,
                    "weights = torch.softmax(scores if mask is None else scores.masked_fill(~mask, -1e9), dim=0)",
                )
            ),
            "The softmax ran over the first axis, so sequences of the batch share weight with one another. It runs "
            "over the keys, the last axis.",
        ),
        Wrong(
            "softmax over the features",
            _HEAD
            + """
    q, k = torch.softmax(query, dim=-1), torch.softmax(key, dim=-1)
    weights = q @ k.transpose(-2, -1)
    if mask is not None:
        weights = weights * mask
    return weights @ value, weights
""",
            "The softmax was taken of queries and keys, over their features. It belongs to the scores: one row for "
            "each query, shared out over the keys. See section 4.3.",
        ),
        Wrong(
            "no softmax",
            edit((_WEIGHTS, "weights = scores if mask is None else scores * mask")),
            "The scores themselves were used as weights: the rows sum to anything. A softmax over the keys comes "
            "between.",
        ),
        Wrong(
            "softmax twice",
            edit((_WEIGHTS, "weights = masked_softmax(masked_softmax(scores, mask), mask)")),
            "The weights are nearly equal, because a softmax was taken of weights. Take it once, of the scores.",
        ),
        Wrong(
            "the mask comes after the softmax",
            edit(
                (
                    _WEIGHTS,
                    "weights = masked_softmax(scores, None) if mask is None else masked_softmax(scores, None) * mask",
                )
            ),
            "The forbidden weights are zero, but they had taken their share before. Mask the scores, as your "
            "masked_softmax of chapter 02 does.",
        ),
        Wrong(
            "the mask is turned round",
            edit((_WEIGHTS, "weights = masked_softmax(scores, None if mask is None else ~mask)")),
            "The forbidden keys got the weight. In this course, and in PyTorch's function of this name, True means "
            "that a query may attend.",
        ),
        Wrong(
            "the mask is not used",
            edit((_WEIGHTS, "weights = masked_softmax(scores, None)")),
            "The mask changes nothing. Hand it on to the softmax.",
        ),
        Wrong(
            "forbidden scores are set to zero",
            edit((_WEIGHTS, "weights = torch.softmax(scores if mask is None else scores * mask, dim=-1)")),
            "A forbidden score was multiplied to 0, and exp(0) is 1: the key takes part like any other. Its score has "
            "to be minus infinity before the softmax.",
        ),
        Wrong(
            "a large negative number in place of minus infinity",
            edit(
                (
                    _WEIGHTS,
                    "weights = torch.softmax(scores if mask is None else scores.masked_fill(~mask, -1e9), dim=-1)",
                )
            ),
            "All scores of that row are one and the same number, so the softmax makes equal shares of them. All else is "
            "right. Set the weights of such rows to zero, as your masked_softmax does.",
        ),
        Wrong(
            "minus infinity, and nothing for a row that allows nothing",
            edit(
                (
                    _WEIGHTS,
                    "weights = torch.softmax(scores if mask is None else scores.masked_fill(~mask, -torch.inf), dim=-1)",
                )
            ),
            "A row of minus infinities has no softmax: it is 0/0. Use your masked_softmax of chapter 02, or set such "
            "rows to zero before and after the softmax.",
        ),
        Wrong(
            "the keys are blended in place of the values",
            edit(("return weights @ value, weights", "return weights @ key, weights")),
            "The output is a mean of the keys. Keys are for finding; what is handed out are the values.",
        ),
        Wrong(
            "the first axis and the last are exchanged",
            edit(("key.transpose(-2, -1)", "key.transpose(0, -1)")),
            "The key's first axis was exchanged with its last. Exchange the last two, counted from the end, so that "
            "any leading axes stay where they are.",
        ),
        Wrong(
            "written for three axes alone",
            edit(
                ("scores = query @ key.transpose(-2, -1)", 'scores = torch.einsum("btd,bsd->bts", query, key)'),
                ("return weights @ value, weights", 'return torch.einsum("bts,bsd->btd", weights, value), weights'),
            ),
            "It is right for (B, T, d) and stops for any other number of axes. Chapter 05 will put an axis for the "
            "heads in between: let the leading axes be whatever they are.",
        ),
        Wrong(
            "weights first, output second",
            edit(("return weights @ value, weights", "return weights, weights @ value")),
            "The two results came back in the other order. The output comes first, then the weights.",
        ),
        Wrong(
            "the output alone",
            edit(("return weights @ value, weights", "return weights @ value")),
            "Only one result came back. Return the output and the weights, so that figures can be drawn of them.",
        ),
        Wrong(
            "the scores in place of the weights",
            edit(("return weights @ value, weights", "return weights @ value, scores")),
            "The output is right, and what came back beside it are the scores. Return the weights that the output was "
            "made with.",
        ),
        Wrong(
            "the weights are cut off from the graph",
            edit(("return weights @ value, weights", "return weights @ value, weights.detach()")),
            "The numbers are right, and the weights that came back carry no gradient (detach, or no_grad). A loss may "
            "be made of them too: return them as they are.",
        ),
        Wrong(
            "no gradient through the weights at all",
            edit((_WEIGHTS, _WEIGHTS + ".detach()")),
            "The numbers are right, and no gradient reaches query and key: the weights were made outside the graph "
            "(detach, or no_grad), so nothing could learn where to look.",
        ),
        Wrong(
            "axes counted from the front",
            edit(("key.transpose(-2, -1)", "key.transpose(1, 2)")),
            "Axes 1 and 2 are the right ones for (B, T, d) alone. Without a batch there is no axis 2, and with two "
            "leading axes they are others: count from the end, -1 and -2.",
        ),
        Wrong(
            "the root is rounded to a whole number",
            edit((_SCALED, "scores = scores / int(query.shape[-1] ** 0.5)")),
            "The scores were divided by the root of d_k without its decimals, so only widths such as 1 and 49 come out "
            "right. math.isqrt and // round.",
        ),
        Wrong(
            "divided by the root of the number of queries",
            edit((_SCALED, "scores = scores / query.shape[-2] ** 0.5")),
            "The scores were divided by the root of T, the number of queries. The d_k of the equation is the width of a "
            "query, its last axis.",
        ),
        Wrong(
            "the keys ask and the queries answer",
            edit(("query @ key.transpose(-2, -1)", "key @ query.transpose(-2, -1)")),
            "The scores stand the other way round: a row for each key, a column for each query. The queries ask, so "
            "they are the rows.",
        ),
        Wrong(
            "reshaped in place of transposed",
            edit(("key.transpose(-2, -1)", "key.reshape(*key.shape[:-2], key.shape[-1], key.shape[-2])")),
            "The key got the right shape by reshape, which reads the numbers in their old order and so mixes different "
            "keys. Exchange two axes instead.",
        ),
        Wrong(
            "the mask is added to the scores",
            edit((_WEIGHTS, "weights = torch.softmax(scores if mask is None else scores + mask, dim=-1)")),
            "Adding a boolean mask gives the allowed scores one more, and lets the others through as they are. The "
            "score of a forbidden key has to become minus infinity.",
        ),
        Wrong(
            "forbidden scores are set to -100",
            edit(
                (
                    _WEIGHTS,
                    """weights = torch.softmax(scores if mask is None else scores.masked_fill(~mask, -100), dim=-1)
    if mask is not None:
        weights = weights * mask.any(-1, keepdim=True)""",
                )
            ),
            "A forbidden score was set to -100, or some such number. Where the allowed ones are lower still, the "
            "forbidden key wins: take minus infinity, or the lowest number that there is.",
        ),
        Wrong(
            "masked after the softmax and divided by what is left",
            edit(
                (
                    _WEIGHTS,
                    """weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
        weights = weights / weights.sum(-1, keepdim=True).clamp_min(1e-12)""",
                )
            ),
            "A forbidden key with a large score takes all the weight in the softmax, and what is left for the others "
            "is rounded to zero, which no division brings back. Mask the scores before.",
        ),
        Wrong(
            "exponentials of the scores as they are",
            edit(
                (
                    _WEIGHTS,
                    """e = torch.exp(scores) if mask is None else torch.exp(scores) * mask
    weights = e / e.sum(-1, keepdim=True).clamp_min(1e-20)""",
                )
            ),
            "In float32 exp overflows above 88. A softmax takes the row's largest allowed score away first (exercise "
            "0.3); so does your masked_softmax.",
        ),
        Wrong(
            "one largest score for all rows",
            edit(
                (
                    _WEIGHTS,
                    """scores = scores if mask is None else scores.masked_fill(~mask, -torch.inf)
    e = torch.exp(scores - scores.max())
    total = e.sum(-1, keepdim=True)
    weights = e / total.masked_fill(total == 0, 1.0)""",
                )
            ),
            "The largest score of all was taken away, and a row that lies far below it comes out as nothing. Take "
            "each row's own largest allowed score.",
        ),
        Wrong(
            "rounded to float32 on the way",
            edit((_WEIGHTS, _WEIGHTS.replace("(scores, mask)", "(scores.float(), mask).to(value.dtype)"))),
            "Somewhere between, numbers are made float32. Section 4.11 compares gradients in float64: compute in the "
            "type that comes in.",
        ),
        Wrong(
            "the first line is gone",
            edit((f"    {_CHECK}\n", "")),
            "All is right where the shapes fit; where they do not, nothing says so. Leave the first line as it was "
            "given.",
        ),
        Wrong(
            "the query is changed in place",
            edit((f"    {_SCALED}\n", ""), (_CHECK, _CHECK + "\n    query /= query.shape[-1] ** 0.5")),
            "The caller's query is changed, by an operator such as /= or a function such as div_. Make a new tensor.",
        ),
        Wrong(
            "the mask gets another axis",
            edit((_WEIGHTS, "weights = masked_softmax(scores, None if mask is None else mask.unsqueeze(1))")),
            "An axis was put into the mask. It already broadcasts to the scores: hand it on as it is.",
        ),
        Wrong(
            "the logarithm of the mask is added",
            edit(
                (
                    _WEIGHTS,
                    "weights = torch.softmax(scores if mask is None else scores + mask.to(scores.dtype).log(), -1)",
                )
            ),
            "Adding log(0) is adding minus infinity, and a row of those has no softmax: it is 0/0. Use your "
            "masked_softmax, or set such rows to zero before and after the softmax.",
        ),
        Wrong(
            "softmax over the features, and divided",
            _HEAD
            + """
    weights = torch.softmax(query, dim=-1) @ torch.softmax(key, dim=-1).mT / query.shape[-1] ** 0.5
    if mask is not None:
        weights = weights * mask
    return weights @ value, weights
""",
            "The softmax was taken of queries and keys, over their features. It belongs to the scores: one row for "
            "each query, shared out over the keys. See section 4.3.",
        ),
    ],
    correct=[
        Correct(
            "a bias for the forbidden keys",
            _HEAD
            + """
    weights = torch.matmul(query, torch.swapaxes(key, -1, -2)) / query.shape[-1] ** 0.5
    if mask is not None:
        lowest = torch.finfo(weights.dtype).min / 2
        weights = weights + torch.zeros(mask.shape, dtype=weights.dtype).masked_fill_(~mask, lowest)
    weights = weights.softmax(-1)
    if mask is not None:
        weights = weights.masked_fill(~mask.any(-1, keepdim=True), 0)
    return weights @ value, weights
""",
        ),
        Correct(
            "broadcast, and one exponential",
            _HEAD
            + """
    s = (query.unsqueeze(-2) * key.unsqueeze(-3)).sum(-1) / query.size(-1) ** 0.5
    if mask is not None:
        s = s.masked_fill(mask.logical_not(), -1e9)
    weights = torch.exp(s - torch.logsumexp(s, dim=-1, keepdim=True))
    if mask is not None:
        weights = weights * mask
    return (weights.unsqueeze(-1) * value.unsqueeze(-3)).sum(-2), weights
""",
        ),
        Correct(
            "einsum with an ellipsis",
            _HEAD
            + """
    scores = torch.einsum("...td,...sd->...ts", query, key) * query.size(-1) ** -0.5
    weights = masked_softmax(scores, mask)
    return torch.einsum("...ts,...sv->...tv", weights, value), weights
""",
        ),
        Correct(
            "both sides scaled by the fourth root",
            _HEAD
            + """
    root = query.shape[-1] ** 0.25
    weights = masked_softmax((query / root) @ (key / root).mT, mask)
    return weights @ value, weights
""",
        ),
        Correct(
            "a large negative number, and empty rows set to zero",
            _HEAD
            + """
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights * mask.any(-1, keepdim=True)
    return weights @ value, weights
""",
        ),
        Correct(
            "minus infinity, and NaN replaced",
            _HEAD
            + """
    scores = torch.matmul(query, key.mT).div(query.size(-1) ** 0.5)
    if mask is not None:
        scores = torch.where(mask, scores, float("-inf"))
    weights = scores.softmax(-1).nan_to_num(0.0)
    return torch.matmul(weights, value), weights
""",
        ),
        Correct(
            "exponentials by hand",
            _HEAD
            + """
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand_as(scores)
    top = scores.masked_fill(~allowed, -torch.inf).amax(-1, keepdim=True).nan_to_num(neginf=0.0)
    parts = torch.where(allowed, torch.exp(torch.where(allowed, scores - top, 0.0)), 0.0)
    total = parts.sum(-1, keepdim=True)
    weights = parts / torch.where(total > 0, total, 1.0)
    return weights @ value, weights
""",
        ),
        Correct(
            "one query at a time",
            _HEAD
            + """
    outputs, rows = [], []
    for t in range(query.shape[-2]):
        scores = (query[..., t, None, :] * key).sum(-1) / query.shape[-1] ** 0.5
        allowed = None if mask is None else mask.expand(*scores.shape[:-1], query.shape[-2], -1)[..., t, :]
        row = masked_softmax(scores, allowed)
        outputs.append((row.unsqueeze(-1) * value).sum(-2))
        rows.append(row)
    return torch.stack(outputs, -2), torch.stack(rows, -2)
""",
        ),
        Correct(
            "all leading axes folded into one",
            _HEAD
            + """
    lead, T, S = query.shape[:-2], query.shape[-2], key.shape[-2]
    q, k, v = (x.reshape(-1, *x.shape[-2:]) for x in (query, key, value))
    scores = torch.bmm(q, k.transpose(1, 2)).view(*lead, T, S) / query.shape[-1] ** 0.5
    weights = masked_softmax(scores, mask)
    return torch.bmm(weights.reshape(-1, T, S), v).view(*lead, T, -1), weights
""",
        ),
    ],
)

# ---- attention_masks ------------------------------------------------------------------------------------------------

_CAUSAL = "return torch.ones(length, length, dtype=torch.bool).tril()"
_PADDING = "return (positions < lengths.unsqueeze(1)).unsqueeze(1)  # (B, S) -> (B, 1, S)"

attention_masks = Bank(
    "attention_masks",
    wrong=[
        Wrong(
            "the mask of what is forbidden",
            edit((_CAUSAL, "return torch.ones(length, length, dtype=torch.bool).triu(1)")),
            "True stands where the future is. That is the mask that other libraries want, True for forbidden; here "
            "True means may attend.",
        ),
        Wrong(
            "no query sees its own place",
            edit((_CAUSAL, "return torch.ones(length, length, dtype=torch.bool).tril(-1)")),
            "The diagonal is left out, so query 0 has nothing at all to attend to. A query may see its own position: "
            "start from the diagonal.",
        ),
        Wrong(
            "one step into the future",
            edit((_CAUSAL, "return torch.ones(length, length, dtype=torch.bool).tril(1)")),
            "Each query sees the key that comes next: a model could copy what it is to predict. Count the diagonals "
            "again: 0 is the queries' own.",
        ),
        Wrong(
            "transposed: the past is forbidden",
            edit((_CAUSAL, "return torch.ones(length, length, dtype=torch.bool).triu()")),
            "Rows are queries and columns are keys; here it is the other way round, and each query sees its own "
            "future. Take the lower triangle.",
        ),
        Wrong(
            "only the position just before",
            edit(
                (_CAUSAL, "return torch.eye(length, dtype=torch.bool) | torch.eye(length, dtype=torch.bool).roll(1, 0)")
            ),
            "A query sees itself and one other. All earlier keys are allowed, not the last of them alone.",
        ),
        Wrong(
            "ones and zeros in place of truth values",
            edit((_CAUSAL, "return torch.ones(length, length).tril()")),
            "The causal mask holds numbers. Masks are boolean here, so that nobody can add one to a score by mistake.",
        ),
        Wrong(
            "zeros and minus infinities",
            edit((_CAUSAL, "return torch.full((length, length), -torch.inf).triu(1)")),
            "This mask is made to be added to the scores, as some libraries want it. Here a mask is boolean, and says "
            "where a query may attend.",
        ),
        Wrong(
            "one padding key too many",
            edit(("positions < lengths", "positions <= lengths")),
            "The first key after the end is allowed too. Positions count from 0, so the last real one is its length "
            "less one.",
        ),
        Wrong(
            "True at the padding",
            edit(("positions < lengths", "positions >= lengths")),
            "True stands at the padding. True means may attend: it belongs to the keys that are there.",
        ),
        Wrong(
            "padding on the left",
            edit(("positions < lengths", "max_length - 1 - positions < lengths")),
            "The allowed keys stand at the end of each row. In this course padding is appended: the first keys are the "
            "real ones.",
        ),
        Wrong(
            "padding without the queries' axis",
            edit((_PADDING, "return positions < lengths.unsqueeze(1)")),
            "The padding mask is (B, S). Against scores (B, T, S) its B would meet the queries: put an axis of length "
            "one where the queries are.",
        ),
        Wrong(
            "padding forbids queries, not keys",
            edit((_PADDING, "return (positions < lengths.unsqueeze(1)).unsqueeze(2)")),
            "The axis of length one came last, so this mask forbids whole queries and lets every key through. The keys "
            "are the last axis.",
        ),
        Wrong(
            "as wide as the longest sequence",
            edit(("torch.arange(max_length, device", "torch.arange(int(lengths.max()), device")),
            "The padding mask is as wide as the longest sequence of the batch. The docstring asks for max_length keys, "
            "whatever the lengths are.",
        ),
        Wrong(
            "whole numbers in place of truth values",
            edit((_CAUSAL, "return torch.ones(length, length, dtype=torch.int64).tril()")),
            "The causal mask holds whole numbers. Masks are boolean here, so that ~ and & do what they say.",
        ),
        Wrong(
            "a causal mask with an axis for the batch",
            edit((_CAUSAL, "return torch.ones(1, length, length, dtype=torch.bool).tril()")),
            "The causal mask has an axis too many. It is the same for all sequences, so (length, length) is enough: it "
            "broadcasts.",
        ),
        Wrong(
            "the padding mask is written out for every query",
            edit((_PADDING, _PADDING.replace(".unsqueeze(1)  #", ".unsqueeze(1).expand(-1, max_length, -1)  #"))),
            "The padding mask is (B, S, S). All queries may attend to the same keys, and how many there are is not "
            "known here: leave their axis at length one, and it broadcasts.",
        ),
        Wrong(
            "the padding mask forbids queries as well",
            edit(
                (_PADDING, "real = positions < lengths.unsqueeze(1)\n    return real.unsqueeze(1) & real.unsqueeze(2)")
            ),
            "The padding mask is (B, S, S), and forbids everything to queries at padding. It is about keys alone; what "
            "comes out at padding is read by nobody.",
        ),
        Wrong(
            "the padding mask with an axis for heads",
            edit((_PADDING, _PADDING.replace(".unsqueeze(1)  #", "[:, None, None]  #"))),
            "The padding mask is (B, 1, 1, S). The heads' axis is chapter 05's; here it is (B, 1, S).",
        ),
        Wrong(
            "both masks made to be added",
            edit(
                (_CAUSAL, "return torch.full((length, length), -torch.inf).triu(1)"),
                (_PADDING, "return torch.where(positions < lengths.unsqueeze(1), 0.0, -torch.inf).unsqueeze(1)"),
            ),
            "These masks are made to be added to the scores, as some libraries want them. Here a mask is boolean, and "
            "says where a query may attend.",
        ),
    ],
    correct=[
        Correct(
            "positions compared with positions",
            """
def causal_mask(length):
    t = torch.arange(length)
    return t[None, :] <= t[:, None]


def padding_mask(lengths, max_length):
    return torch.arange(max_length)[None, None, :] < lengths[:, None, None]
""",
        ),
        Correct(
            "loops",
            """
def causal_mask(length):
    return torch.tensor([[s <= t for s in range(length)] for t in range(length)])


def padding_mask(lengths, max_length):
    return torch.tensor([[[s < n for s in range(max_length)]] for n in lengths.tolist()])
""",
        ),
        Correct(
            "the upper triangle turned round",
            """
def causal_mask(length):
    return ~torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


def padding_mask(lengths, max_length):
    mask = torch.zeros(len(lengths), 1, max_length, dtype=torch.bool)
    for b, n in enumerate(lengths):
        mask[b, 0, :n] = True
    return mask
""",
        ),
        Correct(
            "compared by methods",
            """
def causal_mask(length):
    return torch.triu(torch.ones(length, length), diagonal=1).bool().logical_not()


def padding_mask(lengths, max_length):
    return (lengths.view(-1, 1, 1) - 1).ge(torch.arange(max_length).to(lengths))
""",
        ),
        Correct(
            "cumulative sums",
            """
def causal_mask(length):
    return torch.eye(length).cumsum(0).bool().mT.contiguous().mT


def padding_mask(lengths, max_length):
    ones = torch.ones(len(lengths), max_length, dtype=torch.long)
    return (ones.cumsum(1) <= lengths.view(-1, 1)).view(-1, 1, max_length)
""",
        ),
        Correct(
            "tril_indices and repeat_interleave",
            """
def causal_mask(length):
    mask = torch.zeros(length, length, dtype=torch.bool)
    mask[tuple(torch.tril_indices(length, length))] = True
    return mask


def padding_mask(lengths, max_length):
    table = torch.ones(max_length + 1, max_length, dtype=torch.bool).tril(-1)
    return table[lengths].unsqueeze(1)
""",
        ),
    ],
)

# ---- self_attention -------------------------------------------------------------------------------------------------

_FORWARD = "return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)"
_MAPS = """        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
"""

self_attention = Bank(
    "self_attention",
    wrong=[
        Wrong(
            "the values are not projected",
            edit((_FORWARD, _FORWARD.replace("self.W_V(x)", "x"))),
            "What is handed out is x itself: W_V is there and takes no part. The values have a map of their own.",
        ),
        Wrong(
            "nothing is projected",
            edit((_FORWARD, "return scaled_dot_product_attention(x, x, x, mask)")),
            "The sequence asked itself as it is, and the three maps take no part. Each role has its own map. See "
            "section 4.6.",
        ),
        Wrong(
            "query and key share one map",
            edit((_FORWARD, _FORWARD.replace("self.W_K(x)", "self.W_Q(x)"))),
            "Query and key went through the same map, so the scores are symmetric: t asks s as s asks t. The keys "
            "have a map of their own.",
        ),
        Wrong(
            "keys and values share one map",
            edit((_FORWARD, _FORWARD.replace("self.W_V(x)", "self.W_K(x)"))),
            "The values are the keys. Keys are for finding and values for handing out: let W_V make the values.",
        ),
        Wrong(
            "one map for all three",
            edit((_MAPS, "        self.W_Q = self.W_K = self.W_V = nn.Linear(d_model, d_model, bias=False)\n")),
            "The three names stand for one and the same map, with one weight. Make three maps: they are to learn "
            "three different things.",
        ),
        Wrong(
            "maps with a bias",
            edit(("bias=False", "bias=True")),
            "The maps have a bias. The docstring asks for three maps without one, as in the paper.",
        ),
        Wrong(
            "query and key are exchanged",
            edit((_FORWARD, "return scaled_dot_product_attention(self.W_K(x), self.W_Q(x), self.W_V(x), mask)")),
            "The keys ask and the queries answer: the scores are transposed. The map W_Q makes what asks.",
        ),
        Wrong(
            "the mask is left behind",
            edit((_FORWARD, _FORWARD.replace(", mask)", ")"))),
            "The mask does not arrive: it was taken and not handed on. Padding and future are seen by all.",
        ),
        Wrong(
            "the mask is used in training only",
            edit((_FORWARD, _FORWARD.replace(", mask)", ", mask if self.training else None)"))),
            "The mask does not arrive in evaluation. It says what exists and what may be known, which is the same at "
            "all times.",
        ),
        Wrong(
            "the mask is turned round",
            edit((_FORWARD, _FORWARD.replace(", mask)", ", None if mask is None else ~mask)"))),
            "The mask arrives turned round. True means may attend on both sides: hand it on as it is.",
        ),
        Wrong(
            "scaled twice",
            edit((_FORWARD, _FORWARD.replace("self.W_Q(x)", "self.W_Q(x) / x.shape[-1] ** 0.5"))),
            "The weights are flatter than they should be: the root of the width divides twice. The attention that you "
            "call does it already.",
        ),
        Wrong(
            "x is added to the output",
            edit(
                (
                    _FORWARD,
                    _FORWARD.replace("return", "output, weights =") + "\n        return x + output, weights",
                )
            ),
            "The input was added to the output. That residual connection belongs round the attention, and comes in "
            "chapter 06.",
        ),
        Wrong(
            "batch and sequence are exchanged",
            edit(
                (
                    _FORWARD,
                    "x = x.transpose(0, 1)\n        "
                    + _FORWARD.replace("return", "output, weights =").replace(", mask)", ")")
                    + "\n        return output.transpose(0, 1), weights",
                )
            ),
            "The sequences of a batch asked one another, position by position. The batch comes first here: leave the "
            "axes as they are.",
        ),
        Wrong(
            "a fourth map for the output",
            edit(
                (_MAPS, _MAPS + "        self.W_O = nn.Linear(d_model, d_model, bias=False)\n"),
                (
                    _FORWARD,
                    _FORWARD.replace("return", "output, weights =") + "\n        return self.W_O(output), weights",
                ),
            ),
            "There is a map after the attention too. It belongs to several heads, and comes in chapter 05; here there "
            "are three.",
        ),
        Wrong(
            "maps under other names",
            edit(("self.W_Q", "self.w_q"), ("self.W_K", "self.w_k"), ("self.W_V", "self.w_v")),
            "The maps are there under other names. Names are part of a module: weights are saved and loaded by them. "
            "Call them W_Q, W_K and W_V.",
        ),
        Wrong(
            "matrices in place of maps",
            edit(
                (_MAPS, _MAPS.replace("nn.Linear(d_model, d_model, bias=False)", "nn.Parameter(torch.eye(d_model))")),
                (_FORWARD, "return scaled_dot_product_attention(x @ self.W_Q.T, x @ self.W_K.T, x @ self.W_V.T, mask)"),
            ),
            "W_Q, W_K and W_V are bare matrices. Make them nn.Linear, whose parameter is called W_Q.weight: later "
            "chapters load it under that name, and it begins at a sensible size.",
        ),
        Wrong(
            "maps that the module does not know",
            """
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.maps = [nn.Linear(d_model, d_model, bias=False) for _ in range(3)]

    def forward(self, x, mask=None):
        return scaled_dot_product_attention(*(linear(x) for linear in self.maps), mask)
""",
            "The module has no parameters, so nothing of it would be trained or saved. A map has to be an attribute of "
            "its own, made in the constructor; a plain list hides it.",
        ),
        Wrong(
            "one wide map, cut in three",
            """
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W = nn.Linear(d_model, 3 * d_model, bias=False)

    def forward(self, x, mask=None):
        return scaled_dot_product_attention(*self.W(x).chunk(3, dim=-1), mask)
""",
            "One map of three times the width computes the same, and fast implementations do it so. Here three maps of "
            "their own are asked for, which can be looked at and loaded one by one.",
        ),
        Wrong(
            "the maps' matrices from the wrong side",
            edit(
                (
                    _FORWARD,
                    "return scaled_dot_product_attention(*(x @ m.weight for m in (self.W_Q, self.W_K, self.W_V)), mask)",
                )
            ),
            "x was multiplied by the weights untransposed. nn.Linear holds its matrix as (out, in): call the map "
            "instead, W_Q(x).",
        ),
        Wrong(
            "causal whether asked or not",
            edit(
                (
                    _FORWARD,
                    "past = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()\n        "
                    + _FORWARD.replace(", mask)", ", past if mask is None else mask & past)"),
                )
            ),
            "No position sees a later one, whatever mask is given. Whoever calls decides that: hand the mask on, or "
            "None.",
        ),
        Wrong(
            "not scaled",
            edit(
                (
                    _FORWARD,
                    "weights = masked_softmax(self.W_Q(x) @ self.W_K(x).mT, mask)\n"
                    "        return weights @ self.W_V(x), weights",
                )
            ),
            "The scores are not divided by the root of the width. Your scaled_dot_product_attention does it: call it.",
        ),
        Wrong(
            "divided by the root of the length",
            edit(
                (
                    _FORWARD,
                    "weights = masked_softmax(self.W_Q(x) @ self.W_K(x).mT / x.shape[1] ** 0.5, mask)\n"
                    "        return weights @ self.W_V(x), weights",
                )
            ),
            "The scores were divided by the root of T. Your scaled_dot_product_attention divides by that of the width: "
            "call it.",
        ),
        Wrong(
            "the output alone",
            edit((_FORWARD, _FORWARD + "[0]")),
            "Only one result came back. Return the output and the weights, as the function does that you call.",
        ),
        Wrong(
            "the weights are cut off from the graph",
            edit(
                (
                    _FORWARD,
                    _FORWARD.replace("return", "output, weights =") + "\n        return output, weights.detach()",
                )
            ),
            "The numbers are right, and the weights that came back carry no gradient. Return them as they are.",
        ),
    ],
    correct=[
        Correct(
            "written out",
            """
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.d_model = d_model
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_Q = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        query, key, value = self.W_Q(x), self.W_K(x), self.W_V(x)
        scores = torch.einsum("btd,bsd->bts", query, key) / self.d_model**0.5
        weights = masked_softmax(scores, mask)
        return weights @ value, weights
""",
        ),
        Correct(
            "the score matrix in one: W_Q^T W_K",
            """
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, False)
        self.W_K = nn.Linear(d_model, d_model, False)
        self.W_V = nn.Linear(d_model, d_model, False)

    def forward(self, x, mask=None):
        between = self.W_Q.weight.T @ self.W_K.weight
        scores = x @ between @ x.transpose(1, 2) / x.shape[-1] ** 0.5
        weights = masked_softmax(scores, mask)
        return self.W_V(weights @ x), weights
""",
        ),
        Correct(
            "setattr in a loop",
            """
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        for name in ("W_Q", "W_K", "W_V"):
            setattr(self, name, nn.Linear(d_model, d_model, bias=False))

    def forward(self, x, mask=None):
        query, key, value = (getattr(self, name)(x) for name in ("W_Q", "W_K", "W_V"))
        return scaled_dot_product_attention(query, key, value, mask=mask)
""",
        ),
        Correct(
            "one sequence at a time",
            """
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        B, T, _ = x.shape
        masks = [None] * B if mask is None else mask.expand(B, T, T)
        done = [scaled_dot_product_attention(self.W_Q(s), self.W_K(s), self.W_V(s), m) for s, m in zip(x, masks)]
        return torch.stack([output for output, _ in done]), torch.stack([weights for _, weights in done])
""",
        ),
        Correct(
            "the three weights side by side in one product",
            """
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q, self.W_K, self.W_V = (nn.Linear(d_model, d_model, bias=False) for _ in range(3))

    def forward(self, x, mask=None):
        together = torch.cat([self.W_Q.weight, self.W_K.weight, self.W_V.weight])
        query, key, value = (x @ together.T).chunk(3, dim=-1)
        return scaled_dot_product_attention(query, key, value, mask)
""",
        ),
    ],
)

# ---- hand_set_lookup ------------------------------------------------------------------------------------------------

_NEXT = "to_the_next = codes.roll(-1, dims=0).T @ codes"
_RETURN = "return gain * to_the_next, torch.eye(d, dtype=codes.dtype, device=codes.device)"

hand_set_lookup = Bank(
    "hand_set_lookup",
    wrong=[
        Wrong(
            "each symbol finds itself",
            edit((_NEXT, "to_the_next = codes.T @ codes")),
            "Each symbol finds itself: that is similarity. One of the matrices has to send symbol k to where symbol "
            "k + 1 is. See section 4.8.",
        ),
        Wrong(
            "each symbol finds the one before",
            edit((_NEXT, "to_the_next = codes.T @ codes.roll(-1, dims=0)")),
            "Each symbol finds the one before it. The shift goes the wrong way, or the matrix is transposed (nn.Linear's "
            "stands on the left of the vector), or W_Q and W_K have changed places.",
        ),
        Wrong(
            "the right shift, without strength",
            edit((_RETURN, "return to_the_next, torch.eye(d, dtype=codes.dtype, device=codes.device)")),
            "The right key has the most weight, but not enough: its score is 1 over the root of d, hardly above 0. "
            "Multiply one of the matrices by a number.",
        ),
        Wrong(
            "strength without the root of d",
            edit((_RETURN, "return 12.0 * to_the_next, torch.eye(d, dtype=codes.dtype, device=codes.device)")),
            "The right key has the most weight, but with wide codes not enough of it: the root of d divides the "
            "scores. Let the strength grow with that root.",
        ),
        Wrong(
            "strength with the root of the number of symbols",
            edit(("gain = 12.0 * d**0.5", "gain = 12.0 * len(codes) ** 0.5")),
            "The strength grows with the root of K, the number of symbols. What divides the scores is the root of d, "
            "the width of the codes; with a hundred symbols in wide codes the two are far apart.",
        ),
        Wrong(
            "strength that grows with d itself",
            edit(("gain = 12.0 * d**0.5", "gain = float(d)")),
            "With wide codes it is more than enough, with narrow ones too little: the strength grows with d, and what "
            "is left after the division is the root of d. Use a number times that root.",
        ),
        Wrong(
            "not enough strength",
            edit(("gain = 12.0 * d**0.5", "gain = 5.0 * d**0.5")),
            "The score is the same at every width, which is right, and too small. Each of 99 other keys has a share of "
            "exp(0) = 1, and together they may have a hundredth: how large must exp(score) be, beside 99?",
        ),
        Wrong(
            "the features are shifted, not the symbols",
            edit((_NEXT, "to_the_next = torch.eye(d).roll(1, dims=0)")),
            "It works where the codes are one-hot and nowhere else: features were shifted instead of symbols. Build "
            "the matrix from the codes themselves.",
        ),
        Wrong(
            "the codes are rolled along their features",
            edit((_NEXT, "to_the_next = codes.roll(-1, dims=1).T @ codes")),
            "The codes were rolled along axis 1, within each code. Symbols are rows: roll along axis 0.",
        ),
        Wrong(
            "the last symbol finds nothing",
            edit((_NEXT, "to_the_next = codes[1:].T @ codes[:-1]")),
            "All is right but for the last symbol, which finds no key above the others. After symbol K - 1 comes 0.",
        ),
        Wrong(
            "both matrices shift",
            edit((_RETURN, "return gain * to_the_next, to_the_next.T")),
            "Each symbol finds the one after the next: query and key were both shifted, towards each other. One shift "
            "is enough.",
        ),
        Wrong(
            "matrices as large as the number of symbols",
            """
def hand_set_lookup(codes):
    K = len(codes)
    return 100.0 * torch.eye(K).roll(1, 0), torch.eye(K)
""",
            "A matrix has K rows or columns, the number of symbols. Both map vectors of width d to vectors of width d, "
            "and have to be made from the codes.",
        ),
        Wrong(
            "strength beyond all numbers",
            edit(("gain = 12.0 * d**0.5", "gain = 1e38 * d**0.5 * 100")),
            "The scores are infinite, and a softmax of infinities is NaN. A score of ten or twenty above the rest is "
            "enough.",
        ),
        Wrong(
            "one matrix, already multiplied",
            edit((_RETURN, "return gain * to_the_next")),
            "One matrix came back. Two are asked for, W_Q and W_K, though the scores only know their product.",
        ),
        Wrong(
            "every symbol avoids itself",
            edit((_RETURN, "return -gain * codes.T @ codes, torch.eye(d)")),
            "A negative score keeps a symbol from finding itself, and says nothing on which of the others it is to "
            "find. Send k to k + 1.",
        ),
    ],
    correct=[
        Correct(
            "the keys are shifted back",
            """
def hand_set_lookup(codes):
    d = codes.shape[1]
    back = codes.T @ codes.roll(-1, 0)
    return 20 * d**0.5 * torch.eye(d), back
""",
        ),
        Correct(
            "a sum of outer products",
            """
def hand_set_lookup(codes):
    K, d = codes.shape
    W_Q = torch.zeros(d, d)
    for k in range(K):
        W_Q += torch.outer(codes[(k + 1) % K], codes[k])
    return 15 * d**0.5 * W_Q, torch.eye(d)
""",
        ),
        Correct(
            "queries and keys in one-hot coordinates",
            """
def hand_set_lookup(codes):
    K, d = codes.shape
    W_Q, W_K = torch.zeros(d, d), torch.zeros(d, d)
    W_Q[:K] = codes.roll(1, 0)
    W_K[:K] = codes
    return W_Q * d**0.5 * 30, W_K
""",
        ),
        Correct(
            "solved with a pseudo-inverse",
            """
def hand_set_lookup(codes):
    d = codes.shape[1]
    W = (torch.linalg.pinv(codes) @ codes.roll(-1, 0)).T
    return 5 * W, 5 * d**0.5 * torch.eye(d)
""",
        ),
        Correct(
            "a table of scores between the symbols, as little as is enough",
            """
def hand_set_lookup(codes):
    K, d = codes.shape
    table = torch.zeros(K, K)
    table[(torch.arange(K) + 1) % K, torch.arange(K)] = torch.tensor(99.0 * 99 + 1).log() * d**0.5
    return codes.T @ table @ codes, torch.eye(d)
""",
        ),
        Correct(
            "the strength on both sides",
            """
def hand_set_lookup(codes):
    d = codes.shape[1]
    g = (25 * d**0.5) ** 0.5
    following = torch.cat([codes[1:], codes[:1]])
    return g * torch.einsum("ki,kj->ij", following, codes), g * codes.T @ codes
""",
        ),
    ],
)

# ---- attention_matrix_bytes -----------------------------------------------------------------------------------------

_BYTES = "return num_layers * num_heads * num_tokens**2 * bytes_per_element"

attention_matrix_bytes = Bank(
    "attention_matrix_bytes",
    wrong=[
        Wrong(
            "one weight a token",
            edit(("num_tokens**2", "num_tokens")),
            "The number grows with the tokens, and not with their square. Each token has a weight for each token.",
        ),
        Wrong(
            "the heads are left out",
            edit(("num_heads * ", "")),
            "The heads are not counted. Each has a matrix of its own.",
        ),
        Wrong(
            "the layers are left out",
            edit(("num_layers * ", "")),
            "The layers are not counted. Training keeps the weights of all of them until the backward pass.",
        ),
        Wrong(
            "weights counted, not bytes",
            edit((" * bytes_per_element", "")),
            "That is the number of weights. Multiply it by the bytes of one.",
        ),
        Wrong(
            "bits",
            edit((" * bytes_per_element", " * bytes_per_element * 8")),
            "That is eight times too many: bits. The argument is in bytes, and so is the result.",
        ),
        Wrong(
            "always four bytes",
            edit((" * bytes_per_element", " * 4")),
            "It is right in float32 alone. Use the bytes that are given.",
        ),
        Wrong(
            "half of the matrix",
            edit((_BYTES, "return num_layers * num_heads * num_tokens * (num_tokens + 1) // 2 * bytes_per_element")),
            "One triangle of the matrix was counted. A weight from t to s is another number than that from s to t, "
            "and a masked weight takes its place too.",
        ),
        Wrong(
            "the heads are squared as well",
            edit(("num_heads * num_tokens**2", "(num_heads * num_tokens) ** 2")),
            "The heads were squared together with the tokens. Each head has one matrix of its own, and heads do not "
            "look at one another.",
        ),
        Wrong(
            "heads and layers are added",
            edit(("num_layers * num_heads", "(num_layers + num_heads)")),
            "Heads and layers were added. Each layer has all its heads: multiply.",
        ),
        Wrong(
            "pairs of different tokens",
            edit(("num_tokens**2", "num_tokens * (num_tokens - 1)")),
            "A token's weight for itself was left out. It has one, on the diagonal.",
        ),
        Wrong(
            "pairs without order",
            edit(("num_tokens**2", "(num_tokens * (num_tokens - 1) // 2)")),
            "Pairs were counted once and without the token itself. A weight from t to s is another number than that "
            "from s to t, and each token has one for itself.",
        ),
        Wrong(
            "scores and weights",
            edit((_BYTES, _BYTES.replace("return ", "return 2 * "))),
            "That is twice too many. The weights alone are asked for; scores need not be kept beside them.",
        ),
        Wrong(
            "in MiB",
            edit((_BYTES, _BYTES + " / 2**20")),
            "The result is in MiB. Return bytes, a whole number; whoever prints it may divide.",
        ),
    ],
    correct=[
        Correct(
            "product of a list",
            """
def attention_matrix_bytes(num_tokens, num_heads, num_layers, bytes_per_element=4):
    total = bytes_per_element
    for count in (num_tokens, num_tokens, num_heads, num_layers):
        total *= count
    return total
""",
        ),
        Correct(
            "asked of a tensor that takes no memory",
            """
def attention_matrix_bytes(num_tokens, num_heads, num_layers, bytes_per_element=4):
    return torch.empty(num_layers, num_heads, num_tokens, num_tokens, device="meta").numel() * bytes_per_element
""",
        ),
        Correct(
            "layer by layer",
            """
def attention_matrix_bytes(num_tokens, num_heads, num_layers, bytes_per_element=4):
    return sum(num_heads * num_tokens * num_tokens * bytes_per_element for _ in range(num_layers))
""",
        ),
    ],
)

# ---- attention_backward ---------------------------------------------------------------------------------------------

_MEAN = "mean = (weights * grad_weights).sum(dim=-1, keepdim=True)"
_GRAD_SCORES = "grad_scores = weights * (grad_weights - mean) * scale"
_GRADIENTS = "return grad_scores @ key, grad_scores.transpose(-2, -1) @ query, grad_value"

attention_backward = Bank(
    "attention_backward",
    wrong=[
        Wrong(
            "the row's mean is not taken away",
            edit((_GRAD_SCORES, "grad_scores = weights * grad_weights * scale")),
            "The softmax was treated as if each weight depended on its own score alone. Raising a score takes weight "
            "from the others: the row's weighted mean has to be subtracted.",
        ),
        Wrong(
            "the softmax is skipped",
            edit((_GRAD_SCORES, "grad_scores = grad_weights * scale")),
            "The weights' gradient was used as the scores' gradient. Between them lies the softmax, with a Jacobian of "
            "its own. See section 4.11.",
        ),
        Wrong(
            "the softmax's derivative of one number",
            edit((_GRAD_SCORES, "grad_scores = weights * (1 - weights) * grad_weights * scale")),
            "Only the diagonal of the softmax's Jacobian was used, as for a sigmoid. The other scores of the row move "
            "each weight too.",
        ),
        Wrong(
            "the plain mean in place of the weighted one",
            edit((_MEAN, "mean = grad_weights.mean(dim=-1, keepdim=True)")),
            "The plain mean of the row was subtracted. What the Jacobian gives is the mean under the weights.",
        ),
        Wrong(
            "the mean over the queries",
            edit((_MEAN, "mean = (weights * grad_weights).sum(dim=-2, keepdim=True)")),
            "The sum ran over the queries. Each query's row has a softmax of its own: sum over the keys.",
        ),
        Wrong(
            "the scale is forgotten on the way back",
            edit((_GRAD_SCORES, "grad_scores = weights * (grad_weights - mean)")),
            "Query and key have gradients that are too large by the root of d_k. What multiplies on the way there "
            "multiplies on the way back.",
        ),
        Wrong(
            "the scale counts twice",
            edit((_GRAD_SCORES, _GRAD_SCORES + " * scale")),
            "Query and key have gradients that are too small by the root of d_k: the scale was used twice. The scores "
            "were divided by it once.",
        ),
        Wrong(
            "no scale anywhere",
            edit(("scale = query.shape[-1] ** -0.5", "scale = 1.0")),
            "The weights themselves were made of scores that are not divided by the root of d_k. Begin with the "
            "forward pass as it is.",
        ),
        Wrong(
            "query and key are exchanged",
            edit((_GRADIENTS, "return grad_scores.transpose(-2, -1) @ query, grad_scores @ key, grad_value")),
            "The gradients of query and key have changed places. A gradient has the shape of what it belongs to.",
        ),
        Wrong(
            "the query's gradient is made of queries",
            edit(
                (
                    _GRADIENTS,
                    "return grad_scores @ query[..., :1, :].expand_as(key), "
                    "grad_scores.transpose(-2, -1) @ query, grad_value",
                )
            ),
            "The gradient of a query is a sum of keys: a score is a product, and the derivative of a product by one "
            "factor is the other.",
        ),
        Wrong(
            "the value's gradient from the output's errors alone",
            edit(
                (
                    "grad_value = weights.transpose(-2, -1) @ grad_output",
                    "grad_value = grad_output.mean(dim=-2, keepdim=True).expand_as(value)",
                )
            ),
            "All values got the same gradient. A value is pushed by every query in proportion to the weight that the "
            "query gave it.",
        ),
        Wrong(
            "the sign is turned",
            edit((_GRAD_SCORES, "grad_scores = weights * (mean - grad_weights) * scale")),
            "Query and key have gradients of the wrong sign: they would climb. The weighted mean is subtracted from "
            "the weights' gradient.",
        ),
        Wrong(
            "written for three axes alone",
            edit(("transpose(-2, -1)", "transpose(1, 2)")),
            "It is right for (B, T, d) and for no other number of axes. Count from the end, -1 and -2, and let the "
            "leading axes be whatever they are.",
        ),
        Wrong(
            "the results in another order",
            edit((_GRADIENTS, "return grad_value, grad_scores @ key, grad_scores.transpose(-2, -1) @ query")),
            "The value's gradient came first. The order is that of the arguments: query, key, value.",
        ),
        Wrong(
            "the weights are not transposed for the value",
            edit(("weights.transpose(-2, -1) @ grad_output", "weights @ grad_output")),
            "The weights are (T, S) and the value's gradient is (S, d_v): for this product the weights have to be "
            "transposed. The formulas stand in section 4.11.",
        ),
        Wrong(
            "the scores' gradient is not transposed for the key",
            edit(("grad_scores.transpose(-2, -1) @ query", "grad_scores @ query")),
            "The scores' gradient is (T, S) and the key's is (S, d_k): for this product it has to be transposed. The "
            "formulas stand in section 4.11.",
        ),
        Wrong(
            "the wrong factor for query and key",
            edit((_GRADIENTS, "return grad_scores @ query, grad_scores.transpose(-2, -1) @ key, grad_value")),
            "The query's gradient was made with queries and the key's with keys. A score is a product, and the "
            "derivative by one factor is the other.",
        ),
        Wrong(
            "the weights do not stand before the bracket",
            edit((_GRAD_SCORES, "grad_scores = (grad_weights - mean) * scale")),
            "The mean was taken away, and the weight in front of the bracket is missing: a key that has no weight "
            "passes no gradient on.",
        ),
        Wrong(
            "the bracket closes too early",
            edit((_GRAD_SCORES, "grad_scores = (weights * grad_weights - mean) * scale")),
            "The weights multiply the first part alone. They stand before the bracket, and multiply the row's mean too.",
        ),
        Wrong(
            "a sum without weights",
            edit((_MEAN, "mean = grad_weights.sum(dim=-1, keepdim=True)")),
            "The plain sum of the row was subtracted. What the Jacobian gives is the sum of the weights times it.",
        ),
        Wrong(
            "the root of the values' width",
            edit(("scale = query.shape[-1] ** -0.5", "scale = value.shape[-1] ** -0.5")),
            "The scores were divided by the root of d_v. It is the width of queries and keys that counts.",
        ),
        Wrong(
            "exponentials of the scores as they are",
            edit(
                (
                    "weights = torch.softmax(query @ key.transpose(-2, -1) * scale, dim=-1)  # (..., T, S)",
                    "e = torch.exp(query @ key.transpose(-2, -1) * scale)\n    weights = e / e.sum(-1, keepdim=True)",
                )
            ),
            "In float32 exp overflows above 88. Use torch.softmax for the weights, or take each row's largest score "
            "away first.",
        ),
        Wrong(
            "rounded to float32 on the way",
            edit(
                (
                    "scale = query.shape[-1] ** -0.5",
                    "query, key, value, grad_output = (x.float() for x in (query, key, value, grad_output))\n"
                    "    scale = query.shape[-1] ** -0.5",
                )
            ),
            "The gradients are computed in float32 whatever comes in. gradcheck, below, compares in float64: compute in "
            "the type that is given.",
        ),
        Wrong(
            "the arguments are changed in place",
            edit(
                ("scale = query.shape[-1] ** -0.5", "scale = query.shape[-1] ** -0.5\n    query *= scale"),
                ("query @ key.transpose(-2, -1) * scale", "query @ key.transpose(-2, -1)"),
                (_GRAD_SCORES, "grad_scores = weights * (grad_weights - mean)"),
                ("return grad_scores @ key,", "return scale * grad_scores @ key,"),
            ),
            "The numbers are right, and an argument was changed in place (an operator such as /= or a function such "
            "as mul_). Whoever called still needs it.",
        ),
    ],
    correct=[
        Correct(
            "the whole Jacobian",
            """
def attention_backward(query, key, value, grad_output):
    root = query.shape[-1] ** 0.5
    p = torch.softmax(query @ key.mT / root, dim=-1)
    jacobian = torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)
    grad_p = grad_output @ value.mT
    grad_s = torch.einsum("...ts,...tsr->...tr", grad_p, jacobian) / root
    return grad_s @ key, grad_s.mT @ query, p.mT @ grad_output
""",
        ),
        Correct(
            "the mean from the output: FlashAttention's form",
            """
def attention_backward(query, key, value, grad_output):
    scale = query.shape[-1] ** -0.5
    p = torch.softmax((query * scale) @ key.mT, dim=-1)
    output = p @ value
    delta = (grad_output * output).sum(-1, keepdim=True)
    grad_s = p * (grad_output @ value.mT - delta)
    return scale * (grad_s @ key), scale * (grad_s.mT @ query), p.mT @ grad_output
""",
        ),
        Correct(
            "einsum throughout",
            """
def attention_backward(query, key, value, grad_output):
    c = 1 / query.shape[-1] ** 0.5
    s = c * torch.einsum("...td,...sd->...ts", query, key)
    e = torch.exp(s - s.amax(-1, keepdim=True))
    p = e / e.sum(-1, keepdim=True)
    gp = torch.einsum("...tv,...sv->...ts", grad_output, value)
    gs = c * (p * gp - p * torch.einsum("...ts,...ts->...t", p, gp)[..., None])
    gq, gk = torch.einsum("...ts,...sd->...td", gs, key), torch.einsum("...ts,...td->...sd", gs, query)
    return gq, gk, torch.einsum("...ts,...tv->...sv", p, grad_output)
""",
        ),
        Correct(
            "one query at a time",
            """
def attention_backward(query, key, value, grad_output):
    root = query.shape[-1] ** 0.5
    gq, gk, gv = [], torch.zeros_like(key), torch.zeros_like(value)
    for t in range(query.shape[-2]):
        q, g = query[..., t : t + 1, :], grad_output[..., t : t + 1, :]
        p = torch.softmax((q * key).sum(-1) / root, dim=-1)
        gp = (g * value).sum(-1)
        gs = (p * (gp - (p * gp).sum(-1, keepdim=True)) / root).unsqueeze(-1)
        gq.append((gs * key).sum(-2))
        gk = gk + gs * q
        gv = gv + p.unsqueeze(-1) * g
    return torch.stack(gq, -2), gk, gv
""",
        ),
        Correct(
            "in float64, cast back",
            """
def attention_backward(query, key, value, grad_output):
    q, k, v, g = (x.double() for x in (query, key, value, grad_output))
    root = q.shape[-1] ** 0.5
    p = torch.softmax(q @ k.transpose(-1, -2) / root, dim=-1)
    gp = g @ v.transpose(-1, -2)
    gs = (p * gp - p * (p * gp).sum(-1, keepdim=True)) / root
    found = gs @ k, gs.transpose(-1, -2) @ q, p.transpose(-1, -2) @ g
    return tuple(x.to(query.dtype) for x in found)
""",
        ),
    ],
)

# ---- fix_the_leak ---------------------------------------------------------------------------------------------------

_LATER = "later = torch.triu(ones, diagonal=1)  # True where the key comes after the query"
_FILL = 'scores = scores.masked_fill(later, float("-inf"))'
_SOFTMAX = "weights = torch.softmax(scores, dim=2)"

fix_the_leak = Bank(
    "fix_the_leak",
    wrong=[
        Wrong(
            "as it was found",
            edit((_SOFTMAX, "weights = torch.softmax(scores, dim=1)")),
            "The columns sum to one: each key is shared out among the queries, later ones included, and that is how "
            "the future comes in. Which axis are the keys?",
        ),
        Wrong(
            "the rows are divided by their sums afterwards",
            edit(
                (
                    _SOFTMAX,
                    "weights = torch.softmax(scores, dim=1)\n    weights = weights / weights.sum(dim=2, keepdim=True)",
                )
            ),
            "The rows sum to one now, and the leak is still there: each number was divided by a sum over queries, "
            "later ones included. Take the softmax over the keys instead.",
        ),
        Wrong(
            "the softmax over the batch",
            edit((_SOFTMAX, "weights = torch.softmax(scores, dim=0)")),
            "Now the sequences of the batch share weight with one another. The keys are the last axis of the scores.",
        ),
        Wrong(
            "the mask is sharpened instead",
            edit(
                (_LATER, "later = torch.triu(ones, diagonal=0)"), (_SOFTMAX, "weights = torch.softmax(scores, dim=1)")
            ),
            "A position may no longer see itself, and the leak is still there. The mask was right: look at what comes "
            "after it.",
        ),
        Wrong(
            "a second softmax, over the keys",
            edit((_SOFTMAX, "weights = torch.softmax(torch.softmax(scores, dim=1), dim=2)")),
            "The rows sum to one, and there are weights above the diagonal: a softmax was taken of weights, in which a "
            "forbidden key is a zero like any other. One softmax is enough, over the right axis.",
        ),
        Wrong(
            "the mask is transposed along with the softmax",
            edit((_LATER, "later = torch.tril(ones, diagonal=-1)")),
            "The rows sum to one, and now each position sees its future in place of its past. The mask was right.",
        ),
        Wrong(
            "the scale is lost",
            edit((" / query.shape[2] ** 0.5", "")),
            "The leak is mended, but the scores are no longer divided by the root of d_k. Change one thing at a time.",
        ),
        Wrong(
            "the mask is lost",
            edit((f"    {_FILL}\n", "")),
            "The rows sum to one, and there is no mask any more: every position sees the future. Put the mask back.",
        ),
        Wrong(
            "the mask after the softmax",
            edit((f"    {_FILL}\n", ""), (_SOFTMAX, "weights = torch.softmax(scores, dim=2).masked_fill(later, 0.0)")),
            "The softmax still sums over later keys before they are removed, so the future leaks in by that sum. Mask "
            "the scores first.",
        ),
        Wrong(
            "detached from the graph",
            edit((_SOFTMAX, "weights = torch.softmax(scores, dim=2).detach()")),
            "The numbers are right and no gradient reaches query and key: the weights were cut from the graph.",
        ),
        Wrong(
            "the queries are transposed instead",
            edit(("query @ key.transpose(1, 2)", "key @ query.transpose(1, 2)")),
            "Now keys stand in the rows and queries in the columns, and the mask forbids the past. Leave the product "
            "as it was.",
        ),
        Wrong(
            "the leak is mended and the mask sharpened",
            edit((_LATER, "later = torch.triu(ones, diagonal=0)")),
            "The softmax runs over the keys now, and the mask was changed too: no position may see itself, so the "
            "first has nothing and is NaN. The mask was right.",
        ),
        Wrong(
            "the leak is mended and the mask loosened",
            edit((_LATER, "later = torch.triu(ones, diagonal=2)")),
            "The softmax runs over the keys now, and the mask was changed too: every position sees the one that comes "
            "next. The mask was right.",
        ),
        Wrong(
            "softmax twice",
            edit((_SOFTMAX, "weights = torch.softmax(torch.softmax(scores, dim=2), dim=2)")),
            "The first softmax is right. The second is taken of weights, in which a forbidden key is a zero like any "
            "other: leave it out.",
        ),
        Wrong(
            "the weights are transposed afterwards",
            edit((_SOFTMAX, "weights = torch.softmax(scores, dim=1).transpose(1, 2)")),
            "The rows sum to one because the weights were transposed, and now they point forward: each position sees "
            "its future. Let the softmax run over the other axis instead.",
        ),
        Wrong(
            "one softmax over queries and keys together",
            edit((_SOFTMAX, "weights = torch.softmax(scores.flatten(1), dim=1).view_as(scores)")),
            "All queries share one unit of weight among them, so each depends on all the others. Every query has a "
            "row of its own to share out.",
        ),
        Wrong(
            "divided by the root of the length",
            edit(("query.shape[2] ** 0.5", "query.shape[1] ** 0.5")),
            "The leak is mended, but the scores are divided by the root of T now. Change one thing at a time.",
        ),
        Wrong(
            "later scores are lowered by a hundred",
            edit((_FILL, "scores = scores - 100 * later")),
            "A later score was lowered, and not made minus infinity: if it is large enough, it comes through all the "
            "same. Leave the mask as it was.",
        ),
        Wrong(
            "the largest score of all comes from the future",
            edit(
                (f"    {_FILL}\n", ""),
                (
                    _SOFTMAX,
                    "e = torch.exp(scores - scores.max()).masked_fill(later, 0.0)\n"
                    "    weights = e / (e.sum(dim=2, keepdim=True) + 1e-9)",
                ),
            ),
            "Every row is divided by its own sum, but the largest score, which is taken away first, is looked for "
            "among later ones too: a large one there makes all that is earlier vanish. Mask first.",
        ),
        Wrong(
            "the row's largest score comes from the future",
            edit(
                (f"    {_FILL}\n", ""),
                (
                    _SOFTMAX,
                    "e = torch.exp(scores - scores.amax(dim=2, keepdim=True)).tril()\n"
                    "    weights = e / e.sum(dim=2, keepdim=True)",
                ),
            ),
            "The row's largest score, which is taken away first, is looked for among later keys too. Where one of "
            "those is large, all that is allowed vanishes, and the row is 0/0. Mask first.",
        ),
        Wrong(
            "exponentials of the scores as they are",
            edit((_SOFTMAX, "e = torch.exp(scores)\n    weights = e / e.sum(dim=2, keepdim=True)")),
            "The leak is mended, and exp overflows now where a score is large. torch.softmax takes the row's largest "
            "away first: change its axis alone.",
        ),
    ],
    correct=[
        Correct(
            "your own attention and mask",
            """
def attend_to_the_past(query, key, value):
    return scaled_dot_product_attention(query, key, value, causal_mask(query.shape[1]))
""",
        ),
        Correct("the last axis", edit(("dim=2)", "dim=-1)"))),
        Correct(
            "one position at a time",
            """
def attend_to_the_past(query, key, value):
    outputs, rows = [], []
    for t in range(query.shape[1]):
        output, weights = scaled_dot_product_attention(query[:, t : t + 1], key[:, : t + 1], value[:, : t + 1])
        outputs.append(output)
        rows.append(torch.cat([weights, torch.zeros(len(query), 1, query.shape[1] - t - 1)], dim=2))
    return torch.cat(outputs, dim=1), torch.cat(rows, dim=1)
""",
        ),
        Correct(
            "keys in the rows, and the softmax over them",
            """
def attend_to_the_past(query, key, value):
    scores = key @ query.transpose(1, 2) / query.shape[2] ** 0.5  # (B, S, T)
    allowed = torch.ones(scores.shape[1:]).triu().bool()
    weights = torch.softmax(scores.masked_fill(~allowed, float("-inf")), dim=1)
    return torch.einsum("bst,bsd->btd", weights, value), weights.transpose(1, 2)
""",
        ),
        Correct(
            "exponentials by hand",
            """
def attend_to_the_past(query, key, value):
    scores = torch.einsum("btd,bsd->bts", query, key) * query.shape[2] ** -0.5
    later = torch.ones_like(scores).triu(1).bool()
    e = (scores - scores.masked_fill(later, -torch.inf).amax(2, keepdim=True).detach()).masked_fill(later, -1e30).exp()
    weights = e / e.sum(2, keepdim=True)
    return weights @ value, weights
""",
        ),
    ],
)

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
            "The scores themselves were used as weights: some are negative, and the rows sum to anything. A softmax "
            "over the keys comes between.",
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
            "All scores of that row are the same large negative number, so the softmax makes them equal shares. All "
            "else is right. Set such rows to zero, as your masked_softmax does.",
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
            "transposed over all axes",
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
    ],
    correct=[
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
            "Each symbol finds the one before it. Either the shift goes the wrong way, or the matrix is transposed: "
            "nn.Linear's matrix stands on the left of the vector.",
        ),
        Wrong(
            "the right shift, without strength",
            edit((_RETURN, "return to_the_next, torch.eye(d, dtype=codes.dtype, device=codes.device)")),
            "The right key has the most weight, but not enough: a score of 1 over the root of d is hardly above 0. "
            "Make the scores larger: multiply one of the matrices by a number.",
        ),
        Wrong(
            "strength without the root of d",
            edit((_RETURN, "return 12.0 * to_the_next, torch.eye(d, dtype=codes.dtype, device=codes.device)")),
            "The right key has the most weight, but with wide codes not enough of it: the root of d divides the "
            "scores. Let the strength grow with that root.",
        ),
        Wrong(
            "the features are shifted, not the symbols",
            edit((_NEXT, "to_the_next = torch.eye(d).roll(1, dims=0)")),
            "It works where the codes are one-hot and nowhere else: features were shifted instead of symbols. Build "
            "the matrix from the codes themselves.",
        ),
        Wrong(
            "the last symbol finds nothing",
            edit((_NEXT, "to_the_next = codes[1:].T @ codes[:-1]")),
            "All is right but for the last symbol, which finds no key above the others. After K - 1 comes 0.",
        ),
        Wrong(
            "both matrices shift",
            edit((_RETURN, "return gain * to_the_next, to_the_next.T")),
            "Each symbol finds the one after the next: query and key were both shifted, towards each other. One shift "
            "is enough.",
        ),
        Wrong(
            "a table of symbols by symbols",
            """
def hand_set_lookup(codes):
    K = len(codes)
    return 100.0 * torch.eye(K).roll(1, 0), torch.eye(K)
""",
            "The matrices are (K, K), as if a symbol were its number. They map vectors of width d, and have to be "
            "made from the codes.",
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
            "solved by least squares",
            """
def hand_set_lookup(codes):
    d = codes.shape[1]
    W = torch.linalg.lstsq(codes.double(), codes.roll(-1, 0).double()).solution.T.float()
    return 5 * W, 5 * d**0.5 * torch.eye(d)
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
    e = torch.exp(c * torch.einsum("...td,...sd->...ts", query, key))
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
            edit((_SOFTMAX, "weights = torch.softmax(scores, dim=0).nan_to_num(0.0)")),
            "Now the sequences of the batch share weight with one another. The keys are the last axis of the scores.",
        ),
        Wrong(
            "the mask is sharpened instead",
            edit(
                (_LATER, "later = torch.triu(ones, diagonal=0)"),
                (_SOFTMAX, "weights = torch.softmax(scores, dim=1).nan_to_num(0.0)"),
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
    e = (scores - scores.amax(2, keepdim=True).detach()).exp().tril()
    weights = e / e.sum(2, keepdim=True)
    return weights @ value, weights
""",
        ),
    ],
)

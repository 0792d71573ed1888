"""Wrong and correct answers of chapter 00."""

from autograde.bank import Bank, Correct, Wrong, edit

# ---- 0.1 ------------------------------------------------------------------------------------------------------------

predict_shapes = Bank(
    "predict_shapes",
    wrong=[
        Wrong(
            "the averaged axis stays",
            edit(('"mean_query": (B, D)', '"mean_query": (B, 1, D)')),
            "A mean over an axis takes that axis away, unless keepdim=True asks to keep it with size 1. "
            "Cross the axis off. See section 0.2.",
        ),
        Wrong(
            "the wrong axis averaged",
            edit(('"mean_query": (B, D)', '"mean_query": (B, T)')),
            "Axes are counted from zero, so dim=1 is the second of the three. Count again. See section 0.2.",
        ),
        Wrong(
            "keepdim overlooked",
            edit(('"kept_axis": (B, T, 1)', '"kept_axis": (B, T)')),
            "keepdim=True leaves the axis that was summed in its place, with size 1. See section 0.2.",
        ),
        Wrong(
            "keepdim keeps the size",
            edit(('"kept_axis": (B, T, 1)', '"kept_axis": (B, T, D)')),
            "keepdim=True keeps the axis, not its size: all its entries have become one sum. See section 0.2.",
        ),
        Wrong(
            "a single index keeps its axis",
            edit(('"last_key": (B, D)', '"last_key": (B, 1, D)')),
            "A single number as index takes its axis away; a slice such as -1: would have kept it. See section 0.2.",
        ),
        Wrong(
            "the last of the features",
            edit(('"last_key": (B, D)', '"last_key": (B, S)')),
            "In key[:, -1] the -1 stands in the second place, so it picks along the second axis. See section 0.2.",
        ),
        Wrong(
            "joined along the features",
            edit(('"joined": (B, T + S, D)', '"joined": (B, T, 2 * D)')),
            "torch.cat adds the sizes along the axis it is given, and here that is the second. See section 0.2.",
        ),
        Wrong(
            "joined by broadcasting",
            edit(('"joined": (B, T + S, D)', '"joined": (B, max(T, S), D)')),
            "torch.cat repeats nothing: it lays the two end to end, so their sizes add up along that axis. "
            "See section 0.2.",
        ),
        Wrong(
            "keys before queries",
            edit(('"scores": (B, T, S)', '"scores": (B, S, T)')),
            "A matrix product keeps the rows of the left factor and the columns of the right one, in this order. "
            "Write both shapes down side by side. See section 0.2.",
        ),
        Wrong(
            "a matrix product keeps the features",
            edit(('"scores": (B, T, S)', '"scores": (B, T, S, D)')),
            "A matrix product sums over the axis that the two factors share, so D is gone. See section 0.2.",
        ),
        Wrong(
            "differences summed over the features",
            edit(('"differences": (B, T, S, D)', '"differences": (B, T, S)')),
            "A difference sums nothing: every axis of the two sides is still there. See section 0.2.",
        ),
        Wrong(
            "the axis of size one stays",
            edit(('"differences": (B, T, S, D)', '"differences": (B, T, 1, D)')),
            "Against a larger axis, an axis of size 1 is repeated to that size. Line the two shapes up from the right. "
            "See section 0.2.",
        ),
        Wrong(
            "one truth value a sentence",
            edit(('"is_real": (B, S)', '"is_real": (B,)')),
            "A comparison broadcasts as a sum does: (S,) against (B, 1). See section 0.2.",
        ),
        Wrong(
            "the comparison the other way round",
            edit(('"is_real": (B, S)', '"is_real": (S, B)')),
            "Line (S,) and (B, 1) up from the right: S stands over the 1. See section 0.2.",
        ),
        Wrong(
            "einsum keeps the batch",
            edit(('"summed": (T, S)', '"summed": (B, T, S)')),
            "In an einsum, a letter that does not stand after the arrow is summed over, and b does not. "
            "See section 0.2.",
        ),
        Wrong(
            "the summed axis is another",
            edit(('"kept_axis": (B, T, 1)', '"kept_axis": (B, 1, D)')),
            "dim=-1 is the last axis, and that is the one left with size 1. See section 0.2.",
        ),
        Wrong(
            "joined along the batch",
            edit(('"joined": (B, T + S, D)', '"joined": (2 * B, T, D)')),
            "Axes are counted from zero: dim=1 is the second, and its two sizes are added. See section 0.2.",
        ),
        Wrong(
            "the scores keep the query's shape",
            edit(('"scores": (B, T, S)', '"scores": (B, T, D)')),
            "A matrix product sums over the axis that the two factors share, here D, and keeps the columns of the right "
            "one. See section 0.2.",
        ),
        Wrong(
            "the difference of two tensors of three axes",
            edit(('"differences": (B, T, S, D)', '"differences": (B, T, D)')),
            "Each unsqueeze adds an axis, so four axes meet four. Write both shapes down first. See section 0.2.",
        ),
        Wrong(
            "the batch of the lengths overlooked",
            edit(('"is_real": (B, S)', '"is_real": (S,)')),
            "The right side is (B, 1), and its B is not lost: line the two up from the right. See section 0.2.",
        ),
    ],
    correct=[
        Correct(
            "measured on tensors",
            """
def predict_shapes(B, T, S, D):
    query, key, lengths = torch.zeros(B, T, D), torch.zeros(B, S, D), torch.ones(B, dtype=torch.int64)
    tensors = {
        "mean_query": query.mean(dim=1),
        "kept_axis": query.sum(dim=-1, keepdim=True),
        "last_key": key[:, -1],
        "joined": torch.cat([query, key], dim=1),
        "scores": query @ key.transpose(1, 2),
        "differences": query.unsqueeze(2) - key.unsqueeze(1),
        "is_real": torch.arange(S) < lengths.unsqueeze(1),
        "summed": torch.einsum("btd,bsd->ts", query, key),
    }
    return {name: tensor.shape for name, tensor in tensors.items()}
""",
        ),
        Correct(
            "lists",
            """
def predict_shapes(B, T, S, D):
    return {"mean_query": [B, D], "kept_axis": [B, T, 1], "last_key": [B, D], "joined": [B, T + S, D],
            "scores": [B, T, S], "differences": [B, T, S, D], "is_real": [B, S], "summed": [T, S]}
""",
        ),
        Correct(
            "built step by step",
            """
def predict_shapes(B, T, S, D):
    query, key = (B, T, D), (B, S, D)
    shapes = dict(summed=(T, S), is_real=(B, S))
    shapes["mean_query"] = query[:1] + query[2:]
    shapes["kept_axis"] = query[:-1] + (1,)
    shapes["last_key"] = key[:1] + key[2:]
    shapes["joined"] = (B, query[1] + key[1], D)
    shapes["scores"] = query[:2] + key[1:2]
    shapes["differences"] = (*query[:2], *key[1:])
    return shapes
""",
        ),
    ],
)

# ---- 0.2 ------------------------------------------------------------------------------------------------------------

_EINSUM = 'torch.einsum("btd,bsd->bts", query, key)'
_GUARD = """
def pairwise_scores(query, key):
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
"""

pairwise_scores = Bank(
    "pairwise_scores",
    wrong=[
        Wrong(
            "keys by queries",
            edit(("btd,bsd->bts", "btd,bsd->bst")),
            "The rows are the keys and the columns the queries. Swap the last two letters behind the arrow, or transpose "
            "the other factor. See section 0.3.",
        ),
        Wrong(
            "the key is reshaped, not transposed",
            edit((_EINSUM, "query @ key.reshape(key.shape[0], key.shape[2], key.shape[1])")),
            "The shape is right and the numbers are mixed up: reshape reads the same numbers row after row into another "
            "shape and moves no axis. Transpose, or name the axes in an einsum. See section 0.3.",
        ),
        Wrong(
            "the transpose is missing",
            edit((_EINSUM, "query @ key")),
            "query @ key sums the query's features against the key's positions. The sum must run over d in both. "
            "See section 0.3.",
        ),
        Wrong(
            "all axes turned round",
            edit((_EINSUM, "query @ key.T")),
            ".T turns all axes round, the batch as well. Only the last two should change places. See section 0.3.",
        ),
        Wrong(
            "summed over the batch",
            edit(("btd,bsd->bts", "btd,bsd->ts")),
            "The letter b does not stand behind the arrow, so the scores of all sentences were added up. Keep it. "
            "See section 0.3.",
        ),
        Wrong(
            "every sentence with every other",
            edit(("btd,bsd->bts", "btd,csd->btcs")),
            "Two different letters for the batch pair every sentence with every other one. One letter in both places "
            "pairs each with itself. See section 0.3.",
        ),
        Wrong(
            "the products are not summed",
            edit((_EINSUM, "query.unsqueeze(2) * key.unsqueeze(1)")),
            "These are the products of single features. A dot product is their sum over d. See section 0.3.",
        ),
        Wrong(
            "the mean instead of the sum",
            edit((_EINSUM, "(query.unsqueeze(2) * key.unsqueeze(1)).mean(-1)")),
            "Every score is D times too small: the products were averaged over d, and a dot product adds them up. "
            "See section 0.3.",
        ),
        Wrong(
            "divided by the root of D",
            edit((_EINSUM, _EINSUM + " / query.shape[-1] ** 0.5")),
            "Every score is too small by the root of D. That scaling has its place in chapter 04, not yet here: leave "
            "it out. See section 0.3.",
        ),
        Wrong(
            "no error where sizes disagree",
            """
def pairwise_scores(query, key):
    return torch.einsum("btd,bsd->bts", query, key)
""",
            "A key of batch size 1 was repeated for every sentence without a word, as in section 0.1. Put the guard back "
            "that stood in the first lines of the stub.",
        ),
        Wrong(
            "no guard before the matrix product",
            """
def pairwise_scores(query, key):
    return query @ key.transpose(1, 2)
""",
            "A key of batch size 1 was repeated for every sentence without a word, as in section 0.1; a wrong width "
            "stopped at PyTorch's own error. Put the guard back that stood in the first lines of the stub.",
        ),
        Wrong(
            "summed over the sentences of the key",
            edit(("btd,bsd->bts", "btd,csd->bts")),
            "The key's batch has a letter of its own, which does not stand behind the arrow: the keys of all sentences "
            "were added up. One letter in both places pairs each sentence with itself. See section 0.3.",
        ),
        Wrong(
            "two letters for the width",
            edit(("btd,bsd->bts", "btd,bse->bts")),
            "With two different letters for the width, query and key are summed each by itself and the sums multiplied. "
            "One letter in both places multiplies first. See section 0.3.",
        ),
        Wrong(
            "computed in NumPy",
            edit((_EINSUM, 'torch.einsum("btd,bsd->bts", query, key).detach().numpy()')),
            "Stay with tensors to the end. See section 0.3.",
        ),
        Wrong(
            "cut off from the gradients",
            edit((_EINSUM, _EINSUM + ".detach()")),
            "The scores were cut off from what they were made of, by detach, no_grad or a new tensor made of their "
            "numbers; nothing could be learnt through them. Leave that out. See section 0.6.",
        ),
    ],
    correct=[
        Correct("matrix product", edit((_EINSUM, "query @ key.transpose(1, 2)"))),
        Correct("batched matrix product", edit((_EINSUM, "torch.bmm(query, key.mT)"))),
        Correct("broadcast and sum", edit((_EINSUM, "(query[:, :, None, :] * key[:, None, :, :]).sum(dim=-1)"))),
        Correct(
            "the loop",
            _GUARD
            + """
    scores = torch.zeros(query.shape[0], query.shape[1], key.shape[1])
    for b in range(query.shape[0]):
        for t in range(query.shape[1]):
            for s in range(key.shape[1]):
                scores[b, t, s] = sum(query[b, t, d] * key[b, s, d] for d in range(query.shape[2]))
    return scores
""",
        ),
        Correct(
            "assertions by shape, another spelling of the product",
            """
def pairwise_scores(query, key):
    (B, T, D), (B2, S, D2) = query.shape, key.shape
    if (B, D) != (B2, D2):
        raise ValueError(f"batch {B} and {B2}, width {D} and {D2}")
    return torch.matmul(key, query.transpose(-1, -2)).transpose(-1, -2)
""",
        ),
    ],
)

# ---- 0.3 ------------------------------------------------------------------------------------------------------------

_SHIFT = "scores - scores.amax(dim, keepdim=True)"

safe_softmax = Bank(
    "safe_softmax",
    wrong=[
        Wrong(
            "nothing subtracted",
            edit((_SHIFT, "scores")),
            "exp(10000) is infinity, and infinity divided by infinity is NaN; far below zero every exponential is 0, and "
            "0/0 is NaN too. Take the same number off every score of a row first. See section 0.4.",
        ),
        Wrong(
            "large scores clamped",
            edit((_SHIFT, "scores.clamp(-80, 80)")),
            "Clamping makes all large scores equal, so the weights no longer tell them apart, and the gradient is gone. "
            "Shift the scores instead of cutting them. See section 0.4.",
        ),
        Wrong(
            "NaN painted over",
            edit(
                (_SHIFT, "scores"),
                ("exponentials.sum(dim, keepdim=True)", "exponentials.sum(dim, keepdim=True)).nan_to_num(0.0)"),
                ("return exponentials", "return (exponentials"),
            ),
            "Putting zeros where NaN came out leaves rows that sum to 0. The overflow has to be kept from happening: "
            "shift the scores before the exponential. See section 0.4.",
        ),
        Wrong(
            "one maximum for the whole tensor",
            edit((_SHIFT, "scores - scores.max()")),
            "A row far below the largest score of all still gets only zeros, and 0/0 is NaN. Every row needs the maximum "
            "of its own. See section 0.4.",
        ),
        Wrong(
            "always the last axis",
            edit(("amax(dim,", "amax(-1,"), ("sum(dim,", "sum(-1,")),
            "The weights sum to 1 along the last axis, whichever was asked for. Hand dim on. See section 0.4.",
        ),
        Wrong(
            "shared out over the whole tensor",
            edit(("exponentials.sum(dim, keepdim=True)", "exponentials.sum()")),
            "All weights together sum to 1. The sum below the fraction is to run along dim alone. See section 0.4.",
        ),
        Wrong(
            "the summed axis not kept",
            edit(("amax(dim, keepdim=True)", "amax(dim)"), ("sum(dim, keepdim=True)", "sum(dim)")),
            "Without its axis the maximum lines up with another axis of the scores, or with none. Keep the axis, with "
            "size 1. See section 0.2.",
        ),
        Wrong(
            "max along an axis gives two things",
            edit(("scores.amax(dim, keepdim=True)", "scores.max(dim, keepdim=True)")),
            "Along an axis, max returns the largest values and their places, and the two together cannot be taken off the "
            "scores. Take the values, or use amax. See section 0.4.",
        ),
        Wrong(
            "the mean subtracted",
            edit(("amax(dim,", "mean(dim,")),
            "The mean is not the largest score, so a score can still stand far enough above it to overflow, and with one "
            "score of minus infinity the mean is infinite as well. Take off the maximum. See section 0.4.",
        ),
        Wrong(
            "divided by the maximum",
            edit((_SHIFT, "scores / scores.amax(dim, keepdim=True)")),
            "Dividing the scores changes the differences between them, and with them the weights. Softmax only forgives "
            "a subtraction. See section 0.4.",
        ),
        Wrong(
            "the largest absolute value subtracted",
            edit(("scores.amax(dim,", "scores.abs().amax(dim,")),
            "For scores far below zero this takes them twice as far down, every exponential becomes 0, and 0/0 is NaN. "
            "Take off the maximum itself. See section 0.4.",
        ),
        Wrong(
            "the logarithm of the weights",
            edit(
                (
                    "return exponentials / exponentials.sum(dim, keepdim=True)",
                    "return shifted - exponentials.sum(dim, keepdim=True).log()",
                )
            ),
            "These are the logarithms of the weights: none is above zero. One exponential is still to come. "
            "See section 0.4.",
        ),
        Wrong(
            "the scores shared out without exp",
            edit(("shifted.exp()", "scores")),
            "The scores themselves were divided by their sum, so weights can be negative. Softmax takes the exponential "
            "first. See section 0.4.",
        ),
        Wrong(
            "the caller's scores overwritten",
            edit((_SHIFT, "scores.sub_(scores.amax(dim, keepdim=True))")),
            "The weights are right, but the tensor that was handed in was changed on the way: an operation in place, "
            "such as -= or a method that ends in an underscore. Make a new tensor. See section 0.4.",
        ),
        Wrong(
            "the mean of the finite scores subtracted",
            """
def safe_softmax(scores, dim):
    finite = scores.isfinite()
    mean = scores.masked_fill(~finite, 0).sum(dim, keepdim=True) / finite.sum(dim, keepdim=True)
    e = (scores - mean).exp()
    return e / e.sum(dim, keepdim=True)
""",
            "The mean is not the largest score: one that stands far enough above it still overflows. Take off the "
            "maximum. See section 0.4.",
        ),
        Wrong(
            "the minimum subtracted",
            edit(("amax(dim,", "amin(dim,")),
            "With the least score of the row taken off, all others lie above zero, and one far above it overflows. Take "
            "off the other end, the maximum. See section 0.4.",
        ),
        Wrong(
            "the least finite score subtracted",
            """
def safe_softmax(scores, dim):
    low = scores.masked_fill(scores.isinf(), float("inf")).amin(dim, keepdim=True)
    e = (scores - low).exp()
    return e / e.sum(dim, keepdim=True)
""",
            "With the least score of the row taken off, all others lie above zero, and one far above it overflows. Take "
            "off the other end, the maximum. See section 0.4.",
        ),
        Wrong(
            "the first score subtracted",
            edit(("scores.amax(dim, keepdim=True)", "scores.narrow(dim, 0, 1)")),
            "Each row lost its first score, whichever that is: a score far above it still overflows. Take off the "
            "maximum. See section 0.4.",
        ),
        Wrong(
            "a fixed number subtracted",
            edit((_SHIFT, "scores - 50")),
            "The same number is taken off whatever the scores are, so there are always scores too large for it, or too "
            "small. Let each row choose its own. See section 0.4.",
        ),
        Wrong(
            "100 subtracted from every score",
            edit((_SHIFT, "scores - 100")),
            "The same number is taken off whatever the scores are, so there are always scores too large for it, or too "
            "small. Let each row choose its own. See section 0.4.",
        ),
        Wrong(
            "the maximum's axis not kept",
            edit(("amax(dim, keepdim=True)", "amax(dim)")),
            "Without its axis the maximum lines up with another axis of the scores, or with none. Keep the axis, with "
            "size 1, as the sum does. See section 0.2.",
        ),
        Wrong(
            "the sum's axis not kept",
            edit(("sum(dim, keepdim=True)", "sum(dim)")),
            "Without its axis the sum lines up with another axis of the exponentials, or with none. Keep the axis, with "
            "size 1, as the maximum does. See section 0.2.",
        ),
        Wrong(
            "the axis put back at the end",
            edit(
                ("amax(dim, keepdim=True)", "amax(dim).unsqueeze(-1)"),
                ("sum(dim, keepdim=True)", "sum(dim).unsqueeze(-1)"),
            ),
            "The axis that was taken away came back at the last place, which is right only where it stood there. Put it "
            "back where it was. See section 0.2.",
        ),
        Wrong(
            "nothing subtracted, shared out over the whole tensor",
            edit((_SHIFT, "scores"), ("exponentials.sum(dim, keepdim=True)", "exponentials.sum()")),
            "Two things at once: the sum runs over the whole tensor and not along dim, and nothing keeps the exponential "
            "from overflowing. Begin with the sum. See section 0.4.",
        ),
        Wrong(
            "one maximum and one sum for the whole tensor",
            edit((_SHIFT, "scores - scores.max()"), ("exponentials.sum(dim, keepdim=True)", "exponentials.sum()")),
            "The maximum and the sum were taken over the whole tensor, so all weights together sum to 1. Both are to run "
            "along dim alone. See section 0.4.",
        ),
        Wrong(
            "cut off from the gradients",
            edit((_SHIFT, "scores.detach() - scores.amax(dim, keepdim=True).detach()")),
            "The weights were cut off from the scores, so nothing could be learnt through them. Only the maximum may be "
            "detached. See section 0.4.",
        ),
    ],
    correct=[
        Correct(
            "log-sum-exp",
            """
def safe_softmax(scores, dim):
    return (scores - torch.logsumexp(scores, dim, keepdim=True)).exp()
""",
        ),
        Correct(
            "max instead of amax, detached", edit((_SHIFT, "scores - scores.detach().max(dim, keepdim=True).values"))
        ),
        Correct(
            "the axis moved to the end and back",
            """
def safe_softmax(scores, dim):
    moved = scores.movedim(dim, -1)
    e = torch.exp(moved - moved.max(-1)[0][..., None])
    return (e / e.sum(-1)[..., None]).movedim(-1, dim)
""",
        ),
        Correct(
            "in double precision inside",
            """
def safe_softmax(scores, dim):
    x = scores.double()
    x = x - x.amax(dim, keepdim=True)
    return (torch.exp(x) / torch.exp(x).sum(dim, keepdim=True)).to(scores.dtype)
""",
        ),
        Correct(
            "row by row",
            """
def safe_softmax(scores, dim):
    rows = scores.movedim(dim, -1)
    out = []
    for row in rows.reshape(-1, rows.shape[-1]):
        e = (row - max(row)).exp()
        out.append(e / sum(e))
    return torch.stack(out).reshape(rows.shape).movedim(-1, dim)
""",
        ),
        Correct(
            "in place on a tensor of its own",
            """
def safe_softmax(scores, dim):
    weights = scores.clone()
    weights -= scores.amax(dim, keepdim=True)
    weights = torch.exp(weights)
    return weights / weights.sum(dim=dim, keepdim=True)
""",
        ),
    ],
)

# ---- 0.4 ------------------------------------------------------------------------------------------------------------

_AND = "padding.unsqueeze(1) & pattern"

broadcast_mask = Bank(
    "broadcast_mask",
    wrong=[
        Wrong(
            "either is enough",
            edit((_AND, "padding.unsqueeze(1) | pattern")),
            "A pair passes as soon as one of the two masks lets it. A key must be real and allowed. See section 0.5.",
        ),
        Wrong(
            "True blocks",
            edit((_AND, "~(padding.unsqueeze(1) & pattern)")),
            "Everything is the wrong way round: True stands for what may not attend. In this course True means "
            '"may attend". See section 0.5.',
        ),
        Wrong(
            "only the padding turned round",
            edit((_AND, "~padding.unsqueeze(1) & pattern")),
            "The padding was turned round before it was used, and it is true for real tokens already. Use it as it is. "
            "See section 0.5.",
        ),
        Wrong(
            "no axis for the queries",
            edit((_AND, "padding & pattern")),
            "(B, S) against (T, S) lines sentences up with queries, which is an error, or worse: where B equals T it is "
            "none. Give the padding an axis for the queries. See section 0.5.",
        ),
        Wrong(
            "the padding on the queries",
            edit((_AND, "padding.unsqueeze(2) & pattern")),
            "The new axis stands behind S, so the padding runs along the queries. It belongs to the keys: put the new "
            "axis between the two. See section 0.5.",
        ),
        Wrong(
            "the axis in front of the batch",
            edit((_AND, "padding.unsqueeze(0) & pattern")),
            "An axis in front gives (1, B, S), and now sentences stand where queries should. Put the new axis between "
            "the two. See section 0.5.",
        ),
        Wrong(
            "the pattern forgotten",
            edit((_AND, "padding.unsqueeze(1).expand(-1, pattern.shape[0], -1)")),
            "Every real key is allowed to every query: the pattern plays no part. See section 0.5.",
        ),
        Wrong(
            "the padding forgotten",
            edit((_AND, "pattern.expand(padding.shape[0], -1, -1)")),
            "Padded keys are let in wherever the pattern allows: the padding plays no part. See section 0.5.",
        ),
        Wrong(
            "numbers instead of truth values",
            edit((_AND, "padding.unsqueeze(1).float() * pattern.float()")),
            "The mask came back as numbers. Later chapters fill where a mask is False, and that needs booleans. "
            "See section 0.5.",
        ),
        Wrong(
            "only the pattern turned round",
            edit((_AND, "padding.unsqueeze(1) & ~pattern")),
            "The pattern was turned round before it was used, and it is true already where a query may attend. Use it as "
            "it is. See section 0.5.",
        ),
        Wrong(
            "one or the other, but not both",
            edit((_AND, "padding.unsqueeze(1) ^ pattern")),
            "A pair passes where exactly one of the two masks lets it. Both have to. See section 0.5.",
        ),
        Wrong(
            "where the two agree",
            edit((_AND, "padding.unsqueeze(1) == pattern")),
            "A pair passes where the two masks say the same, so also where both forbid it. Both have to let it. "
            "See section 0.5.",
        ),
        Wrong(
            "one axis too many",
            edit((_AND, "padding[:, None, None, :] & pattern")),
            "The padding got two new axes, and the answer has four. One for the queries is enough; heads come in "
            "chapter 05. See section 0.5.",
        ),
        Wrong(
            "no guard",
            """
def broadcast_mask(padding, pattern):
    return padding.unsqueeze(1) & pattern
""",
            "The mask is right, but the guard is gone that stood in the first lines of the stub. Put it back.",
        ),
    ],
    correct=[
        Correct("indexing with None", edit((_AND, "padding[:, None, :] & pattern[None]"))),
        Correct("logical_and", edit((_AND, "torch.logical_and(padding.reshape(len(padding), 1, -1), pattern)"))),
        Correct("what is not blocked", edit((_AND, "~(~padding[:, None] | ~pattern)"))),
        Correct(
            "einsum on numbers, then back",
            edit((_AND, 'torch.einsum("bs,ts->bts", padding.int(), pattern.int()).bool()')),
        ),
        Correct("the pattern filled with False", edit((_AND, "pattern.masked_fill(~padding.unsqueeze(1), False)"))),
        Correct("torch.where", edit((_AND, "torch.where(padding[:, None], pattern, False)"))),
        Correct("sentence by sentence", edit((_AND, "torch.stack([row & pattern for row in padding])"))),
    ],
)

# ---- 0.5 ------------------------------------------------------------------------------------------------------------

_SLOPE = "float(function(x + nudge) - function(x - nudge)) / (2 * step)"
_NUMERICAL = """
def numerical_gradient(function, x, step=1e-3):
    if not step > 0:
        raise ValueError(f"step must be positive, got {step}")
"""

numerical_gradient = Bank(
    "numerical_gradient",
    wrong=[
        Wrong(
            "forward differences",
            edit((_SLOPE, "float(function(x + nudge) - function(x)) / step")),
            "Only the step forwards was taken. That is a slope too, but its error shrinks with the step and not with the "
            "step's square. Step both ways. See section 0.6.",
        ),
        Wrong(
            "backward differences",
            edit((_SLOPE, "float(function(x) - function(x - nudge)) / step")),
            "Only the step backwards was taken, and its error shrinks with the step and not with the step's square. Step "
            "both ways. See section 0.6.",
        ),
        Wrong(
            "divided by one step",
            edit((_SLOPE, "float(function(x + nudge) - function(x - nudge)) / step")),
            "Every slope is twice as large as it should be: from x - step to x + step it is two steps. See section 0.6.",
        ),
        Wrong(
            "not divided at all",
            edit((_SLOPE, "float(function(x + nudge) - function(x - nudge))")),
            "These are differences, not yet slopes: divide by how far x was moved. See section 0.6.",
        ),
        Wrong(
            "the other sign",
            edit((_SLOPE, "float(function(x - nudge) - function(x + nudge)) / (2 * step)")),
            "Every entry has the other sign: the value behind was taken first, and the value ahead taken off it. "
            "See section 0.6.",
        ),
        Wrong(
            "all entries moved at once",
            edit((_SLOPE, "float(function(x + step) - function(x - step)) / (2 * step)")),
            "All entries are alike: the whole of x was moved each time, which gives the sum of all slopes. Move one entry "
            "and leave the others. See section 0.6.",
        ),
        Wrong(
            "x stays moved",
            _NUMERICAL
            + """
    gradient = torch.zeros_like(x)
    for i in range(x.numel()):
        x.view(-1)[i] += step
        ahead = function(x)
        x.view(-1)[i] -= 2 * step
        behind = function(x)
        gradient.view(-1)[i] = (ahead - behind) / (2 * step)
    return gradient
""",
            "x was moved and not put back, so later slopes were measured somewhere else. Put each entry back, or move a "
            "copy. See section 0.6.",
        ),
        Wrong(
            "only the first axis",
            _NUMERICAL
            + """
    gradient = torch.zeros_like(x)
    for i in range(len(x)):
        nudge = torch.zeros_like(x)
        nudge[i] = step
        gradient[i] = (function(x + nudge) - function(x - nudge)) / (2 * step)
    return gradient
""",
            "The entries of each row are alike: a whole row was moved at once. Go through every single entry. "
            "See section 0.6.",
        ),
        Wrong(
            "a flat gradient",
            edit(
                (
                    "return torch.tensor(slopes, dtype=x.dtype, device=x.device).reshape(x.shape)",
                    "return torch.tensor(slopes, dtype=x.dtype, device=x.device)",
                )
            ),
            "The slopes are right but lie in one long row. Give them the shape of x. See section 0.6.",
        ),
        Wrong(
            "the step is fixed",
            edit((_SLOPE, "float(function(x + nudge / step * 1e-3) - function(x - nudge / step * 1e-3)) / 2e-3")),
            "The default step was used although another was asked for. Use the argument. See section 0.6.",
        ),
        Wrong(
            "multiplied by the step",
            edit((_SLOPE, "float(function(x + nudge) - function(x - nudge)) / 2 * step")),
            "Every slope is too small by the step twice over: / 2 * step divides by 2 and then multiplies by step. Put "
            "the two in parentheses. See section 0.6.",
        ),
        Wrong(
            "one number for all entries",
            edit(
                (
                    "    slopes = []\n",
                    "    return (function(x + step) - function(x - step)) / (2 * step)\n    slopes = []\n",
                )
            ),
            "The whole of x was moved at once, which gives one number, the sum of all slopes. Move one entry at a time. "
            "See section 0.6.",
        ),
        Wrong(
            "two names for one tensor",
            _NUMERICAL
            + """
    gradient = torch.zeros_like(x)
    for i in range(x.numel()):
        up, down = x, x
        up.view(-1)[i] += step
        down.view(-1)[i] -= step
        gradient.view(-1)[i] = (function(up) - function(down)) / (2 * step)
    return gradient
""",
            "All slopes are 0, so the two values were the same. Where two names stand for one tensor, what is added under "
            "the one is taken off again under the other. Clone x for each. See section 0.6.",
        ),
        Wrong(
            "moved back under another name",
            _NUMERICAL
            + """
    gradient = torch.zeros_like(x)
    for i in range(x.numel()):
        up = x
        up.view(-1)[i] += step
        ahead = function(up)
        down = x
        down.view(-1)[i] -= step
        gradient.view(-1)[i] = (ahead - function(down)) / (2 * step)
    return gradient
""",
            "A second name is no second tensor: taking the step off under the second name only undid the first move, so "
            "this is half of a forward step. Clone x for each. See section 0.6.",
        ),
        Wrong(
            "put back up to rounding",
            _NUMERICAL
            + """
    gradient = torch.zeros_like(x)
    for i in range(x.numel()):
        x.view(-1)[i] += step
        ahead = function(x)
        x.view(-1)[i] -= 2 * step
        behind = function(x)
        x.view(-1)[i] += step
        gradient.view(-1)[i] = (ahead - behind) / (2 * step)
    return gradient
""",
            "The slopes are right, and x was put back by adding and taking off the step, which leaves a rounding error in "
            "its last digits. Keep the entry's value and write that back, or move a copy. See section 0.6.",
        ),
        Wrong(
            "rounded to float32",
            edit(("torch.tensor(slopes, dtype=x.dtype, device=x.device)", "torch.tensor(slopes)")),
            "A tensor made of Python numbers, or by torch.zeros, is float32 unless another dtype is asked for. Ask for "
            "that of x. See section 0.6.",
        ),
        Wrong(
            "the step rounded to float32",
            edit(("torch.eye(x.numel(), dtype=x.dtype, device=x.device)", "torch.eye(x.numel())")),
            "The slopes are right to seven digits only. The nudge was made without asking for a dtype, so the step was "
            "rounded to float32 before it was added to x. Make the nudge in the dtype of x. See section 0.6.",
        ),
        Wrong(
            "no guard",
            edit(('    if not step > 0:\n        raise ValueError(f"step must be positive, got {step}")\n', "")),
            "The guard is gone that stood in the first lines of the stub. Put it back.",
        ),
    ],
    correct=[
        Correct(
            "in place and put back",
            _NUMERICAL
            + """
    gradient = torch.zeros_like(x)
    flat = x.view(-1)
    for i in range(x.numel()):
        kept = flat[i].item()
        flat[i] = kept + step
        ahead = function(x)
        flat[i] = kept - step
        behind = function(x)
        flat[i] = kept
        gradient.view(-1)[i] = (ahead - behind) / (2 * step)
    return gradient
""",
        ),
        Correct(
            "a clone for every entry",
            _NUMERICAL
            + """
    gradient = torch.empty_like(x)
    for index in torch.cartesian_prod(*[torch.arange(n) for n in x.shape]).reshape(-1, x.dim()).tolist():
        up, down = x.clone(), x.clone()
        up[tuple(index)] += step
        down[tuple(index)] -= step
        gradient[tuple(index)] = (function(up) - function(down)) / (2 * step)
    return gradient
""",
        ),
        Correct(
            "mean of forwards and backwards",
            edit(
                (
                    _SLOPE,
                    "float((function(x + nudge) - function(x)) / step + (function(x) - function(x - nudge)) / step) / 2",
                )
            ),
        ),
        Correct(
            "one-hot vectors",
            _NUMERICAL
            + """
    n = x.numel()
    slopes = []
    for i in range(n):
        e = torch.nn.functional.one_hot(torch.tensor(i), n).to(x).view_as(x)
        slopes.append((function(x + step * e) - function(x - step * e)) / 2 / step)
    return torch.stack(slopes).view_as(x)
""",
        ),
        Correct(
            "numpy inside",
            _NUMERICAL
            + """
    import numpy as np
    a = x.numpy().copy()
    g = np.zeros_like(a)
    for i in np.ndindex(a.shape):
        up, down = a.copy(), a.copy()
        up[i] += step
        down[i] -= step
        g[i] = (float(function(torch.from_numpy(up))) - float(function(torch.from_numpy(down)))) / (2 * step)
    return torch.from_numpy(g)
""",
        ),
    ],
)

# ---- 0.6 ------------------------------------------------------------------------------------------------------------

_CLEAR = "    optimizer.zero_grad()\n"
_BACKWARD = "    loss.backward()\n"
_STEP = "    optimizer.step()\n"

train_step_cpu = Bank(
    "train_step_cpu",
    wrong=[
        Wrong(
            "gradients never cleared",
            edit((_CLEAR, "")),
            "backward adds to the gradients that are there, and nothing took the old ones away (a name without parentheses "
            "does nothing). Clear them in every step. See section 0.6.",
        ),
        Wrong(
            "gradients cleared before the step",
            edit((_CLEAR, ""), (_BACKWARD, _BACKWARD + _CLEAR)),
            "The gradients were cleared between backward and step, so the optimizer found none and nothing moved. Clear "
            "before backward. See section 0.7.",
        ),
        Wrong(
            "gradients cleared only afterwards",
            edit((_CLEAR, ""), (_STEP, _STEP + _CLEAR)),
            "Clearing at the end works for this function's own steps, but what somebody else left behind still counts in "
            "the first one. Clear before backward. See section 0.7.",
        ),
        Wrong(
            "the step before backward",
            edit((_BACKWARD + _STEP, _STEP + _BACKWARD)),
            "The optimizer moved before this batch's gradients existed. backward comes first. See section 0.7.",
        ),
        Wrong(
            "no backward",
            edit((_BACKWARD, "")),
            "Nothing computed gradients, so the optimizer had none to follow: backward is missing, or stands there without "
            "its parentheses. See section 0.7.",
        ),
        Wrong(
            "no step",
            edit((_STEP, "")),
            "The gradients were computed, but the optimizer that was handed in was never asked to step (a name without "
            "parentheses asks nothing). See section 0.7.",
        ),
        Wrong(
            "the loss after the step",
            edit(("return loss.item()", "return F.cross_entropy(model(inputs), targets).item()")),
            "The loss was computed once more after the parameters had moved. The one from before the step is asked for, "
            "and it is already there. See section 0.7.",
        ),
        Wrong(
            "softmax before cross-entropy",
            edit(
                (
                    "F.cross_entropy(model(inputs), targets)",
                    "F.cross_entropy(torch.softmax(model(inputs), dim=-1), targets)",
                )
            ),
            "cross_entropy takes logits and does the softmax itself. With a softmax before it the loss can never come "
            "near zero. Hand the logits over as they are. See section 0.7.",
        ),
        Wrong(
            "logits taken for logarithms",
            edit(("F.cross_entropy(", "F.nll_loss(")),
            "nll_loss expects logarithms of probabilities and got logits, so the loss has no floor and can be negative. "
            "Use the loss that does the softmax itself. See section 0.7.",
        ),
        Wrong(
            "the sum over the batch",
            edit(
                ("F.cross_entropy(model(inputs), targets)", 'F.cross_entropy(model(inputs), targets, reduction="sum")')
            ),
            "The loss is as many times too large as there are examples: they were summed. Take the mean, so that the step "
            "does not grow with the batch. See section 0.7.",
        ),
        Wrong(
            "the loss as a tensor",
            edit(("return loss.item()", "return loss")),
            "The loss came back as a tensor, and with it the whole graph it was computed by: a list of such losses keeps "
            "every step's graph in memory. Return the plain number. See section 0.7.",
        ),
        Wrong(
            "up the gradient",
            edit((_BACKWARD, "    (-loss).backward()\n")),
            "The loss goes up: the gradient was taken of its negative. An optimizer already walks downhill. "
            "See section 0.7.",
        ),
        Wrong(
            "the loss in bits",
            edit(("return loss.item()", "return loss.item() / 0.6931471805599453")),
            "The loss is 1.44 times too large: it was turned into bits. Nats are asked for, as cross_entropy gives them. "
            "See section 0.7.",
        ),
        Wrong(
            "the arguments of the loss swapped",
            edit(("F.cross_entropy(model(inputs), targets)", "F.cross_entropy(targets, model(inputs))")),
            "cross_entropy takes the logits first and the targets second; here they came the other way round. "
            "See section 0.7.",
        ),
        Wrong(
            "named but not called",
            edit(("loss.backward()", "loss.backward"), ("optimizer.step()", "optimizer.step")),
            "Nothing moved and no gradient was computed. A method's name without parentheses after it calls nothing. "
            "See section 0.7.",
        ),
        Wrong(
            "the loss printed",
            edit(("return loss.item()", "print(loss.item())")),
            "None is what a function gives back that returns nothing. Printing shows a number to people; return hands it "
            "on. See section 0.7.",
        ),
        Wrong(
            "two steps",
            edit((_STEP, _STEP + _STEP)),
            "The optimizer stepped twice along the same gradient. Once is asked for. See section 0.7.",
        ),
        Wrong(
            "no record of the forward pass",
            edit(
                (
                    "    loss = F.cross_entropy(model(inputs), targets)\n",
                    "    with torch.no_grad():\n        loss = F.cross_entropy(model(inputs), targets)\n",
                )
            ),
            "The loss came with no record of how it was made, because of no_grad or detach, so there is nothing for "
            "backward to walk along. See section 0.6.",
        ),
        Wrong(
            "softmax over the batch",
            edit(("F.cross_entropy(model(inputs), targets)", "F.nll_loss(F.log_softmax(model(inputs), 0), targets)")),
            "The softmax ran along the batch, so the examples compete with one another. It is the classes of one example "
            "that share out its probability. See section 0.7.",
        ),
        Wrong(
            "the logarithm of a softmax",
            edit(
                (
                    "F.cross_entropy(model(inputs), targets)",
                    "-torch.softmax(model(inputs), -1)[torch.arange(len(targets)), targets].log().mean()",
                )
            ),
            "The formula is right, but a probability too small for float32 became 0, and its logarithm is minus infinity. "
            "Let cross_entropy, or log_softmax, do both in one go. See section 0.4.",
        ),
        Wrong(
            "the targets not used",
            edit(("F.cross_entropy(model(inputs), targets)", "-torch.log(torch.softmax(model(inputs), -1)).mean()")),
            "The mean runs over all classes, so the targets play no part. Only the probability of the right class counts. "
            "See section 0.7.",
        ),
        Wrong(
            "smoothed labels",
            edit(
                (
                    "F.cross_entropy(model(inputs), targets)",
                    "F.cross_entropy(model(inputs), targets, label_smoothing=0.1)",
                )
            ),
            "This is the loss with smoothed labels, which comes in chapter 06. Leave the smoothing out. See section 0.7.",
        ),
        Wrong(
            "an optimizer of its own",
            edit((_CLEAR, "    optimizer = torch.optim.Adam(model.parameters())\n" + _CLEAR)),
            "Another optimizer than the one handed in took the step, made anew each time. Use the argument. "
            "See section 0.7.",
        ),
        Wrong(
            "the parameters moved by hand",
            edit(
                (
                    _STEP,
                    "    with torch.no_grad():\n        for p in model.parameters():\n            p -= 0.1 * p.grad\n",
                )
            ),
            "The parameters were moved by hand, past the optimizer, which knows the learning rate and more. Ask it to "
            "step. See section 0.7.",
        ),
    ],
    correct=[
        Correct("cleared through the model", edit((_CLEAR, "    model.zero_grad()\n"))),
        Correct("cleared just before backward", edit((_CLEAR, ""), (_BACKWARD, _CLEAR + _BACKWARD))),
        Correct("cleared before and after", edit((_STEP, _STEP + _CLEAR))),
        Correct(
            "gradients set to None by hand", edit((_CLEAR, "    for p in model.parameters():\n        p.grad = None\n"))
        ),
        Correct(
            "cross-entropy by hand",
            edit(
                (
                    "F.cross_entropy(model(inputs), targets)",
                    "-model(inputs).log_softmax(-1)[torch.arange(len(targets)), targets].mean()",
                )
            ),
        ),
        Correct(
            "one-hot targets",
            edit(
                (
                    "F.cross_entropy(model(inputs), targets)",
                    "-(F.one_hot(targets, model(inputs).shape[-1]) * model(inputs).log_softmax(-1)).sum(-1).mean()",
                )
            ),
        ),
        Correct(
            "log-sum-exp minus the right logit",
            """
def train_step_cpu(model, optimizer, inputs, targets):
    def closure():
        optimizer.zero_grad(set_to_none=False)
        logits = model(inputs)
        right = logits.gather(1, targets[:, None]).squeeze(1)
        loss = (logits.logsumexp(dim=1) - right).mean()
        loss.backward()
        return loss
    return optimizer.step(closure).item()
""",
        ),
        Correct(
            "autograd.grad",
            """
def train_step_cpu(model, optimizer, inputs, targets):
    parameters = list(model.parameters())
    criterion = nn.CrossEntropyLoss()
    loss = criterion(model(inputs), targets)
    for parameter, gradient in zip(parameters, torch.autograd.grad(loss, parameters)):
        parameter.grad = gradient
    optimizer.step()
    return float(loss.detach())
""",
        ),
    ],
)

# ---- 0.7: the first wrong answer is the one that the notebook hands out ---------------------------------------------------

_STEP_CALL = "train_step_cpu(model, optimizer, inputs[chosen], targets[chosen])"

_LOOP_GUARD = """
def train_epoch(model, optimizer, inputs, targets, order, batch_size):
    if len(inputs) != len(targets) or batch_size < 1:
        raise ValueError(f"got {len(inputs)} inputs, {len(targets)} targets, batch_size {batch_size}")
"""

fix_the_training_loop = Bank(
    "fix_the_training_loop",
    wrong=[
        Wrong(
            "the targets stay in their old order",
            edit(
                (
                    "chosen = order[start : start + batch_size]",
                    "batch = slice(start, start + batch_size)\n        chosen = order[batch]",
                ),
                (_STEP_CALL, "train_step_cpu(model, optimizer, inputs[chosen], targets[batch])"),
            ),
            "Every input is trained with some other example's target, so all that can be learnt is how often each class "
            "comes. Print one batch and read it: which target belongs to its first input? See section 0.9.",
        ),
        Wrong(
            "nothing is shuffled any more",
            edit(
                (
                    _STEP_CALL,
                    "train_step_cpu(model, optimizer, inputs[start : start + batch_size], "
                    "targets[start : start + batch_size])",
                )
            ),
            "Inputs and targets fit together again, but the order that was handed in plays no part: examples come as they "
            "lie in memory. See section 0.9.",
        ),
        Wrong(
            "shuffled twice",
            edit(("    total = 0.0\n", "    inputs, targets = inputs[order], targets[order]\n    total = 0.0\n")),
            "Inputs and targets were put into the order before the loop, and are indexed with it again inside. Once is "
            "right. See section 0.9.",
        ),
        Wrong(
            "the targets put back by the inverse order",
            edit(
                (
                    _STEP_CALL,
                    "train_step_cpu(model, optimizer, inputs[chosen], "
                    "targets[order.argsort()[start : start + batch_size]])",
                )
            ),
            "The inverse of the order undoes a shuffling, and the targets were never shuffled. They need the very indices "
            "that the inputs get. See section 0.9.",
        ),
        Wrong(
            "the targets turned to fit, but not the inputs",
            edit((_STEP_CALL, "train_step_cpu(model, optimizer, inputs[start : start + batch_size], targets[chosen])")),
            "Now the targets move and the inputs stay: the same mistake the other way round. Both need the same indices. "
            "See section 0.9.",
        ),
        Wrong(
            "the last batch left out",
            edit(("range(0, len(order), batch_size)", "range(0, len(order) - batch_size + 1, batch_size)")),
            "The last examples, too few for a whole batch, are never trained on. See section 0.9.",
        ),
        Wrong(
            "a last batch of one left out",
            edit(("range(0, len(order), batch_size)", "range(0, len(order) - 1, batch_size)")),
            "Where a single example is left over for the last batch, it is never trained on: the loop ends one place too "
            "early. See section 0.9.",
        ),
        Wrong(
            "the mean of the batches' means",
            edit(
                ("total += loss * len(chosen)", "total += loss"),
                ("return total / len(order)", "return total / -(-len(order) // batch_size)"),
            ),
            "A small last batch counts as much as a full one, so its examples count more than the others. Weight each "
            "batch by its size. See section 0.9.",
        ),
        Wrong(
            "losses added, divided by examples",
            edit(("total += loss * len(chosen)", "total += loss")),
            "Each batch's loss is a mean already; added up and divided by the number of examples it is far too small. "
            "Weight each batch by its size. See section 0.9.",
        ),
        Wrong(
            "the loss summed",
            edit(("return total / len(order)", "return total")),
            "The sum over all examples came back, and the mean is asked for. See section 0.9.",
        ),
        Wrong(
            "the last batch's loss",
            edit(("return total / len(order)", "return loss")),
            "What came back is the loss of the last batch alone, and the mean over all examples is asked for. "
            "See section 0.9.",
        ),
        Wrong(
            "divided by the whole data set",
            edit(("return total / len(order)", "return total / len(inputs)")),
            "The sum was divided by the number of examples there are, not of those in the order. See section 0.9.",
        ),
        Wrong(
            "as many batches as there are data",
            edit(("range(0, len(order), batch_size)", "range(0, len(inputs), batch_size)")),
            "The loop runs on past the end of the order, and the mean over an empty batch is NaN. Let the order say how "
            "many there are. See section 0.9.",
        ),
        Wrong(
            "the first batch again and again",
            edit(("order[start : start + batch_size]", "order[:batch_size]")),
            "Every batch is the first one. See section 0.9.",
        ),
        Wrong(
            "the targets put into the order twice",
            edit(("    total = 0.0\n", "    targets = targets[order]\n    total = 0.0\n")),
            "The inputs are taken by the order once, and the targets twice: before the loop, and again inside. Once is "
            "right for both. See section 0.9.",
        ),
        Wrong(
            "the inputs put back by the inverse order",
            edit(
                (
                    _STEP_CALL,
                    "train_step_cpu(model, optimizer, inputs[order.argsort()[start : start + batch_size]], "
                    "targets[start : start + batch_size])",
                )
            ),
            "The inputs were taken by the inverse of the order, and the targets lie as they were. Neither needs an "
            "inverse: both need the same indices out of the order. See section 0.9.",
        ),
        Wrong(
            "the last batch counted as a full one",
            edit(("total += loss * len(chosen)", "total += loss * batch_size")),
            "The last batch may be smaller, and its loss was counted as if it were full. Count the examples that are in "
            "it. See section 0.9.",
        ),
        Wrong(
            "a batch from every place",
            edit(("range(0, len(order), batch_size)", "range(len(order))")),
            "A batch begins at every single place, so the batches overlap and examples are trained on many times. Let "
            "the places lie a batch apart. See section 0.9.",
        ),
        Wrong(
            "the loss after the epoch",
            edit(
                (
                    "    return total / len(order)",
                    "    with torch.no_grad():\n        return F.cross_entropy(model(inputs[order]), targets[order]).item()",
                )
            ),
            "The loss was computed once more at the end, with the parameters as they are then. Asked for is each batch's "
            "loss as it was when that batch was trained on. See section 0.9.",
        ),
        Wrong(
            "no guard",
            edit(
                (
                    "    if len(inputs) != len(targets) or batch_size < 1:\n"
                    '        raise ValueError(f"got {len(inputs)} inputs, {len(targets)} targets, batch_size {batch_size}")\n',
                    "",
                )
            ),
            "The loop is right, but the guard is gone that stood before it. Put it back.",
        ),
        Wrong(
            "a batch size below zero",
            edit(("batch_size < 1:", "batch_size == 0:")),
            "A batch size of 0 is refused, and with one below zero the loop has no turns and a loss of 0 comes back. "
            "Refuse whatever is below 1.",
        ),
    ],
    correct=[
        Correct(
            "both put into the order first",
            edit(
                ("    total = 0.0\n", "    inputs, targets = inputs[order], targets[order]\n    total = 0.0\n"),
                (
                    _STEP_CALL,
                    "train_step_cpu(model, optimizer, inputs[start : start + batch_size], "
                    "targets[start : start + batch_size])",
                ),
            ),
        ),
        Correct(
            "split",
            _LOOP_GUARD
            + """
    losses = []
    for chosen in order.split(batch_size):
        loss = train_step_cpu(model, optimizer, inputs[chosen], targets[chosen])
        losses += [loss] * len(chosen)
    return sum(losses) / len(losses)
""",
        ),
        Correct(
            "a data loader",
            _LOOP_GUARD
            + """
    from torch.utils.data import DataLoader, TensorDataset
    loader = DataLoader(TensorDataset(inputs[order], targets[order]), batch_size=batch_size)
    return sum(train_step_cpu(model, optimizer, x, y) * len(x) for x, y in loader) / len(order)
""",
        ),
        Correct(
            "lists of indices",
            _LOOP_GUARD
            + """
    total, seen, left = 0.0, 0, order.tolist()
    while left:
        now, left = left[:batch_size], left[batch_size:]
        loss = train_step_cpu(model, optimizer, inputs[now], targets[now])
        total, seen = total + len(now) * loss, seen + len(now)
    return total / seen
""",
        ),
        Correct(
            "a running mean, the step written out",
            _LOOP_GUARD
            + """
    mean = seen = 0
    for chosen in torch.split(order, batch_size):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(inputs.index_select(0, chosen)), targets.index_select(0, chosen))
        loss.backward()
        optimizer.step()
        seen += len(chosen)
        mean += (loss.item() - mean) * len(chosen) / seen
    return mean
""",
        ),
    ],
)

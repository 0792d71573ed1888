"""Wrong and correct answers of chapter 02."""

from autograde.bank import Bank, Correct, Wrong, edit

# ---- context_by_hand ------------------------------------------------------------------------------------------------

context_by_hand = Bank(
    "context_by_hand",
    wrong=[
        Wrong(
            "the scores themselves are the weights",
            edit(("torch.exp(score)", "score")),
            "The scores were divided by their sum without an exponential, so a negative score gives a negative weight. "
            "Take the exponential of each score first. See section 2.2.",
        ),
        Wrong(
            "the exponentials are not divided by their sum",
            edit(("exponential / total * state", "exponential * state")),
            "The weights do not sum to one, so the context grows with the sentence. Divide each exponential by the sum "
            "of all of them. See section 2.2.",
        ),
        Wrong(
            "the plain mean of the states",
            edit(("exponential / total * state", "state / len(scores)")),
            "Every state counts the same whatever its score. Multiply each state by its own weight. See section 2.2.",
        ),
        Wrong(
            "the best state alone",
            """
def context_by_hand(scores, states):
    return states[scores.argmax()]
""",
            "Only the state with the highest score is in the context: that is the hard choice. Let the others have "
            "their weights too. See sections 2.2 and 2.6.",
        ),
        Wrong(
            "the weights multiply features instead of states",
            """
def context_by_hand(scores, states):
    weights = torch.softmax(scores, dim=0)
    return (weights * states).sum(dim=0)
""",
            "The weights (S,) lie along the last axis of states (S, d), which is the features'. One weight belongs to"
            " one state: give the weights an axis of length one at the end.",
        ),
        Wrong(
            "the features are summed instead of the states",
            """
def context_by_hand(scores, states):
    weights = torch.softmax(scores, dim=0)
    return (weights.unsqueeze(1) * states).sum(dim=1)
""",
            "The sum runs over the features, which leaves one number a state. Sum over the states: the context is as "
            "wide as one state.",
        ),
        Wrong(
            "a sum that starts from zeros of width two",
            edit(("torch.zeros_like(states[0])", "torch.zeros(2)")),
            "The sum starts from two zeros, which fits the example's states only. Start from zeros as wide as one "
            "state, whatever its width.",
        ),
        Wrong(
            "the mean of the weighted states instead of their sum",
            edit(("return context", "return context / len(states)")),
            "The weights sum to one already, so the weighted states are summed; a mean divides by S once more.",
        ),
        Wrong(
            "the weights alone",
            """
def context_by_hand(scores, states):
    return torch.softmax(scores, dim=0)
""",
            "What came back are the weights, one number a state. The last column of the table is still to come: each "
            "state times its weight, and their sum.",
        ),
        Wrong(
            "the weighted states are not summed",
            """
def context_by_hand(scores, states):
    return torch.softmax(scores, dim=0).unsqueeze(1) * states
""",
            "What came back are all the states, each times its weight, as in the table's last column. The context is "
            "their sum, one vector as wide as a state.",
        ),
    ],
    correct=[
        Correct(
            "torch.softmax and a matrix product",
            """
def context_by_hand(scores, states):
    return torch.softmax(scores, dim=0) @ states
""",
        ),
        Correct(
            "plain floats",
            """
def context_by_hand(scores, states):
    exps = [2.718281828459045 ** s for s in scores.tolist()]
    total = sum(exps)
    columns = range(states.shape[1])
    return torch.tensor([sum(e / total * states[j, i].item() for j, e in enumerate(exps)) for i in columns])
""",
        ),
        Correct(
            "the highest score taken away first",
            """
def context_by_hand(scores, states):
    e = torch.exp(scores - scores.max())
    return (e[:, None] * states).sum(0) / e.sum()
""",
        ),
    ],
)

# ---- masked_softmax -------------------------------------------------------------------------------------------------

_MINUS_INFINITY = 'scores = scores.masked_fill(~mask, float("-inf"))'
_EMPTY_ROWS = "    scores = scores.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)\n"
_LAST = "return torch.softmax(scores, dim=-1).masked_fill(~mask, 0.0)"

masked_softmax = Bank(
    "masked_softmax",
    wrong=[
        # First, because a row of NaN is told by the first answer that gives one, and what this one is told fits most.
        Wrong(
            "a large number is subtracted from forbidden scores",
            """
def masked_softmax(scores, mask):
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    return torch.softmax(scores - 1e9 * (~mask).float(), dim=-1) * mask
""",
            "A forbidden score was lowered by a number, so a larger score wins all the same, and infinity stays "
            "infinity. What stands there must not matter: replace it.",
        ),
        Wrong(
            "the mask comes after the softmax",
            edit((f"    {_MINUS_INFINITY}\n", ""), (_EMPTY_ROWS, "")),
            "The forbidden weights are zero, but softmax had already shared weight out to them, so the rest of the "
            "row no longer sums to one. Mask the scores before the softmax. See section 2.3.",
        ),
        Wrong(
            "forbidden scores are set to zero",
            edit(
                (_MINUS_INFINITY, "scores = scores.masked_fill(~mask, 0.0)"),
                (_LAST, "return torch.softmax(scores, dim=-1)"),
            ),
            "A score of 0, or of 1e-9, is a score like any other: its exponential is 1. A forbidden score must vanish"
            " under the exponential. See section 2.3.",
        ),
        Wrong(
            "the mask is turned round",
            edit(
                ("masked_fill(~mask, float", "masked_fill(mask, float"),
                (_EMPTY_ROWS, ""),
                (_LAST, "return torch.softmax(scores, dim=-1)"),
            ),
            "The allowed keys got nothing and the forbidden ones shared the weight. In this course True means that a "
            "key may be attended to. See section 2.3.",
        ),
        Wrong(
            "the mask is not used",
            """
def masked_softmax(scores, mask):
    check_mask(scores, mask)
    return torch.softmax(scores, dim=-1)
""",
            "The weights are those of a plain softmax: the mask changes nothing. Use it before the softmax. See "
            "section 2.3.",
        ),
        Wrong(
            "the mask is added as a number",
            """
def masked_softmax(scores, mask):
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    return torch.softmax(scores + mask.float(), dim=-1)
""",
            "Added to the scores, True raises a score by one and False leaves it, so a forbidden key still gets "
            "weight. Replace the forbidden scores instead.",
        ),
        Wrong(
            "the scores are multiplied by the mask",
            """
def masked_softmax(scores, mask):
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    return torch.softmax(scores * mask, dim=-1) * mask
""",
            "Multiplying by the mask makes forbidden scores 0, and exp(0) is 1: they take their share before they are "
            "removed. Replace them by minus infinity before the softmax.",
        ),
        Wrong(
            "a fully masked row is NaN",
            edit((_EMPTY_ROWS, ""), (_LAST, "return torch.softmax(scores, dim=-1)")),
            "A row of minus infinities has no softmax: it is 0/0. The docstring says what comes back for a row that "
            "allows nothing. See section 2.3.",
        ),
        Wrong(
            "a fully masked row is uniform",
            edit(
                (_MINUS_INFINITY, "scores = scores.masked_fill(~mask, -1e9)"),
                (_EMPTY_ROWS, ""),
                (_LAST, "return torch.softmax(scores, dim=-1)"),
            ),
            "With a large negative number a row that allows nothing comes out uniform, 1/S for every forbidden key. "
            "Set such a row to zero at the end. See section 2.3.",
        ),
        Wrong(
            "softmax over the rows instead of the keys",
            """
def masked_softmax(scores, mask):
    check_mask(scores, mask)
    axis = max(scores.ndim - 2, 0)
    if mask is None:
        return torch.softmax(scores, dim=axis)
    scores = scores.masked_fill(~mask, float("-inf"))
    return torch.softmax(scores, dim=axis).nan_to_num(0.0).masked_fill(~mask, 0.0)
""",
            "The columns sum to one and not the rows: the softmax ran over the axis before the last. The keys are the "
            "last axis.",
        ),
        Wrong(
            "softmax twice",
            edit(
                (
                    _LAST,
                    "scores = torch.softmax(scores, dim=-1).masked_fill(~mask, -1e9)\n    " + _LAST,
                )
            ),
            "The weights are nearly equal: what went into the last softmax were weights already, all between 0 and 1."
            " One softmax is enough.",
        ),
        Wrong(
            "divided by the sum without an exponential",
            """
def masked_softmax(scores, mask):
    check_mask(scores, mask)
    if mask is not None:
        scores = scores.masked_fill(~mask, 0.0)
    return scores / scores.sum(dim=-1, keepdim=True)
""",
            "The scores were divided by their sum, so negative scores give negative weights. Softmax takes "
            "exponentials first.",
        ),
        Wrong(
            "the caller's scores are overwritten",
            edit((_MINUS_INFINITY, 'scores.masked_fill_(~mask, float("-inf"))')),
            "Your function wrote into the tensor it was given; whoever called it may need the scores again, and "
            "autograd refuses it where they carry a gradient. Use the form without the underscore, which makes a new tensor.",
        ),
        Wrong(
            "a forbidden score takes part before it is removed",
            """
def masked_softmax(scores, mask):
    check_mask(scores, mask)
    mask = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
    e = torch.exp(scores - scores.max(dim=-1, keepdim=True).values) * mask
    return e / e.sum(dim=-1, keepdim=True).clamp(min=1e-30)
""",
            "The forbidden scores were still there when the exponentials were made. Softmax measures every score "
            "against the highest, so beside a huge forbidden one all the allowed exponentials become 0, and dividing "
            "by the sum afterwards cannot bring them back. Put the forbidden scores out of the way first.",
        ),
        Wrong(
            "the mask is turned round, and rows without keys are zero",
            """
def masked_softmax(scores, mask):
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    return torch.softmax(scores.masked_fill(mask, float("-inf")), dim=-1) * mask.any(dim=-1, keepdim=True)
""",
            "The allowed keys got nothing and the forbidden ones shared the weight. In this course True means that a "
            "key may be attended to. See section 2.3.",
        ),
        Wrong(
            "the formula as it reads",
            """
def masked_softmax(scores, mask):
    check_mask(scores, mask)
    mask = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
    e = torch.exp(scores) * mask
    return e / e.sum(dim=-1, keepdim=True)
""",
            "The exponential of a large score overflows to infinity, and infinity times 0 is NaN; that of a very low "
            "one is 0, and 0/0 is NaN too. Take forbidden scores out of the way first, and let torch.softmax, which "
            "subtracts the highest score, do the rest. See exercise 0.3 on the safe softmax.",
        ),
        Wrong(
            "the formula as it reads, with a floor under the sum",
            """
def masked_softmax(scores, mask):
    check_mask(scores, mask)
    mask = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
    e = torch.exp(scores) * mask
    return e / e.sum(dim=-1, keepdim=True).clamp(min=1e-30)
""",
            "The floor saves a row that allows nothing. But the exponential of a large score still overflows, and that "
            "of a very low one is 0. Take forbidden scores out of the way first, and let torch.softmax, which "
            "subtracts the highest score, do the rest.",
        ),
        Wrong(
            "a large negative number is added, and NaN replaced",
            """
def masked_softmax(scores, mask):
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    return torch.nan_to_num(torch.softmax(scores + torch.where(mask, 0.0, -1e9), dim=-1)) * mask
""",
            "A forbidden score was lowered by a number, so a larger score wins all the same, and infinity stays "
            "infinity. What stands there must not matter: replace it.",
        ),
        Wrong(
            "minus infinity is added, and NaN replaced",
            """
def masked_softmax(scores, mask):
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    return torch.nan_to_num(torch.softmax(scores + torch.log(mask.float()), dim=-1))
""",
            "The weights look right, but minus infinity was added to the scores, and a sum hands every gradient on: "
            "the NaN of a row without keys goes back through it. Replacing the scores (masked_fill, where) stops the "
            "gradient there; adding does not.",
        ),
        Wrong(
            "forbidden scores are set to -20",
            edit((_MINUS_INFINITY, "scores = scores.masked_fill(~mask, -20.0)")),
            "Minus twenty is low beside scores near 0 and high beside scores near -30: there the forbidden keys take "
            "the weight. Use a number that no score reaches; minus infinity is one.",
        ),
        Wrong(
            "forbidden scores are set to -100",
            edit((_MINUS_INFINITY, "scores = scores.masked_fill(~mask, -100.0)")),
            "Minus a hundred is low beside most scores and high beside scores near -130: there the forbidden keys take "
            "the weight. Use a number that no score reaches; minus infinity is one.",
        ),
        Wrong(
            "the check of the mask is left out",
            edit(("    check_mask(scores, mask)\n", "")),
            "A mask of numbers, or of another shape, does not raise what the docstring promises. The first line of the "
            "stub, which is given, does it: put it back.",
        ),
        Wrong(
            "the second axis where there is no mask",
            edit(("        return torch.softmax(scores, dim=-1)\n", "        return torch.softmax(scores, dim=1)\n")),
            "Without a mask, weight is shared out along the second axis, which is the last only where there are two. Count "
            "the axis of the keys from the back, with a mask and without.",
        ),
        Wrong(
            "the mask is turned round, and NaN replaced",
            """
def masked_softmax(scores, mask):
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    return torch.nan_to_num(torch.softmax(scores.masked_fill(mask, float("-inf")), dim=-1))
""",
            "The allowed keys got nothing and the forbidden ones shared the weight. In this course True means that a "
            "key may be attended to. See section 2.3.",
        ),
        Wrong(
            "the mask comes after the softmax, and the rest is divided again",
            """
def masked_softmax(scores, mask):
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    weights = torch.softmax(scores, dim=-1) * mask
    return weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-9)
""",
            "Dividing again makes ordinary rows right. But a forbidden score that is far above the others had taken "
            "all the weight in the softmax, and nothing is left to divide. Mask the scores before the softmax. See "
            "section 2.3.",
        ),
        Wrong(
            "minus infinity is added",
            """
def masked_softmax(scores, mask):
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    return torch.softmax(scores + torch.log(mask.float()), dim=-1)
""",
            "Minus infinity was added to the scores: a row without keys is 0/0, forwards and backwards, and infinity "
            "minus infinity is NaN too. Replace forbidden scores, and see to a row that allows nothing. See section "
            "2.3.",
        ),
        Wrong(
            "forbidden scores are set to -20, and nothing is zeroed",
            """
def masked_softmax(scores, mask):
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    return torch.softmax(scores.masked_fill(~mask, -20.0), dim=-1)
""",
            "Minus twenty is low beside scores near 0 and high beside scores near -30, and a row that allows nothing "
            "comes out uniform. Use minus infinity, and set forbidden weights to zero at the end.",
        ),
    ],
    correct=[
        Correct(
            "torch.where and nan_to_num",
            """
def masked_softmax(scores, mask):
    check_mask(scores, mask)
    if mask is None:
        return scores.softmax(-1)
    return torch.where(mask, scores, float("-inf")).softmax(-1).nan_to_num(0.0)
""",
        ),
        Correct(
            "a large negative number, empty rows zeroed",
            """
def masked_softmax(scores, mask):
    check_mask(scores, mask)
    if mask is None:
        mask = torch.ones(scores.shape[-1], dtype=torch.bool)
    weights = torch.softmax(scores.masked_fill(mask == False, -1e9), dim=-1)
    return weights * mask.any(dim=-1, keepdim=True)
""",
        ),
        Correct(
            "exponentials by hand",
            """
def masked_softmax(scores, mask):
    check_mask(scores, mask)
    if mask is None:
        mask = torch.ones_like(scores).bool()
    scores = torch.where(mask, scores, torch.full_like(scores, -1e30))
    e = torch.exp(scores - scores.amax(-1, keepdim=True)) * mask
    return e / (e.sum(-1, keepdim=True) + 1e-20)
""",
        ),
        Correct(
            "row by row, over the allowed keys alone",
            """
def masked_softmax(scores, mask):
    check_mask(scores, mask)
    if mask is None:
        return torch.softmax(scores, dim=-1)
    mask = mask.expand(scores.shape)
    flat_scores, flat_mask = scores.reshape(-1, scores.shape[-1]), mask.reshape(-1, scores.shape[-1])
    rows = []
    for row, keep in zip(flat_scores, flat_mask):
        weights = torch.zeros_like(row)
        weights[keep] = torch.softmax(row[keep], dim=0)
        rows.append(weights)
    return torch.stack(rows).reshape(scores.shape)
""",
        ),
        Correct(
            "log_softmax, in float64",
            """
def masked_softmax(scores, mask):
    check_mask(scores, mask)
    if mask is None:
        return torch.exp(torch.log_softmax(scores, -1))
    wide = scores.double().masked_fill(mask.logical_not(), -1e12)
    weights = torch.exp(torch.log_softmax(wide, dim=-1))
    return torch.where(mask, weights, torch.zeros_like(weights)).to(scores.dtype)
""",
        ),
    ],
)

# ---- additive_attention ---------------------------------------------------------------------------------------------

_HIDDEN = "torch.tanh(self.W_a(query).unsqueeze(1) + self.U_a(keys))"
_SCORES = "self.v_a(hidden).squeeze(2)"
_WEIGHTS = "masked_softmax(scores, mask)"
_RESULT = 'return torch.einsum("bs,bsd->bd", weights, values), weights'

_ADDITIVE = """
class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, keys, values, mask=None):
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
"""

additive_attention = Bank(
    "additive_attention",
    wrong=[
        Wrong(
            "no tanh",
            edit(("torch.tanh(", "(")),
            "Without the tanh the query adds the same amount to every score of a row, and softmax takes it away again: "
            "the weights no longer depend on the query at all. See section 2.4.",
        ),
        Wrong(
            "the query's new axis is missing or in front",
            edit(("self.W_a(query).unsqueeze(1)", "self.W_a(query)")),
            "(B, d_hidden) met (B, S, d_hidden) with its B against the S: an error, or where B equals S another "
            "sentence's query for every position, and nothing complains. Give the query an axis for the keys, after "
            "the batch.",
        ),
        Wrong(
            "a tanh for each side before they are added",
            edit((_HIDDEN, "torch.tanh(self.W_a(query)).unsqueeze(1) + torch.tanh(self.U_a(keys))")),
            "Query and key went through a tanh of their own and were added afterwards; the query's part is then the "
            "same for all keys, and softmax takes it away. Add first, then the tanh.",
        ),
        Wrong(
            "the tanh comes last",
            edit((_HIDDEN, _HIDDEN.replace("torch.tanh", "")), (_SCORES, f"torch.tanh({_SCORES})")),
            "The tanh was put on the scores, which keeps them between -1 and 1, so that no key can stand out. It "
            "belongs inside, between the two layers of the small network.",
        ),
        Wrong(
            "query and key are multiplied",
            edit(("unsqueeze(1) + self", "unsqueeze(1) * self")),
            "The projected query and key were multiplied. The name says what happens to them here: they are added.",
        ),
        Wrong(
            "the mask is not used",
            edit((_WEIGHTS, "masked_softmax(scores, None)")),
            "Padding gets weight as if it were a word. Hand the mask on to masked_softmax.",
        ),
        Wrong(
            "softmax over the batch",
            edit((_WEIGHTS, "masked_softmax(scores.T, None if mask is None else mask.T).T")),
            "The columns of the weights sum to one: sentences of the batch compete with each other for one position. "
            "The positions of one sentence are what share the weight.",
        ),
        Wrong(
            "the mask comes after the softmax",
            edit(
                (
                    _WEIGHTS,
                    "torch.softmax(scores, dim=1)\n        weights = weights if mask is None else weights * mask",
                )
            ),
            "Padding has no weight, but the rows no longer sum to one: softmax had shared weight out to the padding. "
            "Use masked_softmax.",
        ),
        Wrong(
            "the scores are returned in the weights' place",
            edit(('bd", weights, values), weights', 'bd", weights, values), scores')),
            "The second thing that came back are scores: they do not sum to one. Return the weights.",
        ),
        Wrong(
            "weights and output in the other order",
            edit((_RESULT, 'return weights, torch.einsum("bs,bsd->bd", weights, values)')),
            "The two came back in the other order. Attention returns (output, weights) all through the course.",
        ),
        Wrong(
            "the keys are averaged instead of the values",
            edit(('"bs,bsd->bd", weights, values', '"bs,bsd->bd", weights, keys')),
            "The output is a mean of the keys. Keys say where to look; values are what is taken from there.",
        ),
        Wrong(
            "a bare squeeze of the scores",
            edit((_SCORES, "self.v_a(hidden).squeeze()")),
            "A squeeze without an axis removes every axis of length one: with one sentence, or one position, that is "
            "one too many. Name the axis that is to go.",
        ),
        Wrong(
            "a bare squeeze of the output",
            edit((_RESULT, "return (weights.unsqueeze(1) @ values).squeeze(), weights")),
            "A squeeze without an axis removes every axis of length one: with one sentence, the batch's too. Name the "
            "axis that is to go.",
        ),
        Wrong(
            "the output keeps an axis of length one",
            edit((_RESULT, "return weights.unsqueeze(1) @ values, weights")),
            "The product of (B, 1, S) and (B, S, d_v) is (B, 1, d_v): the axis that was put in for it is still there. "
            "Take it out again, by its number.",
        ),
        Wrong(
            "v_a's last axis is left on the scores",
            edit((_SCORES, "self.v_a(hidden)")),
            "v_a gives (B, S, 1), and the scores are to be (B, S). Softmax and mask then meet an axis of length one. "
            "Remove the last axis first.",
        ),
        Wrong(
            "v_a's last axis is left on the scores, and every weight is 1",
            edit((_SCORES, "self.v_a(hidden)"), (_RESULT, "return (weights * values).sum(dim=1), weights")),
            "v_a gives (B, S, 1), so the softmax ran over a last axis of length one, where every share is 1. Remove "
            "that axis first: the scores are (B, S).",
        ),
        Wrong(
            "a sentence without keys is NaN",
            edit(
                (
                    _WEIGHTS,
                    "scores if mask is None else scores.masked_fill(~mask, -torch.inf)\n"
                    "        weights = torch.softmax(weights, dim=1)",
                )
            ),
            "A softmax of its own was written here, and a sentence without keys comes out NaN. Your masked_softmax "
            "knows what to do with it: use that.",
        ),
        Wrong(
            "a ReLU in the place of the tanh",
            edit(("torch.tanh(", "torch.relu(")),
            "A ReLU stands between the two layers of the small network. The equation has a tanh there.",
        ),
        Wrong(
            "the mean of the weighted values instead of their sum",
            edit((_RESULT, "return (weights.unsqueeze(2) * values).mean(dim=1), weights")),
            "The weights sum to one already, so the weighted values are summed; a mean divides by S once more.",
        ),
        Wrong(
            "softmax over the features",
            edit((_SCORES, "torch.softmax(self.v_a.weight * hidden, dim=2).sum(dim=2)")),
            "The softmax ran over the features of the hidden layer, where every sum is 1, so all keys come out equal. "
            "Scores first, one for each key; then softmax over the keys.",
        ),
        Wrong(
            "softmax over an axis of length one",
            edit(
                (_SCORES, "self.v_a(hidden)"),
                (_RESULT, "return (weights * values).sum(dim=1), weights.squeeze(2)"),
            ),
            "Every weight is 1: v_a gives (B, S, 1), and the softmax ran over its last axis. Remove that axis before "
            "the softmax and not after it.",
        ),
    ],
    correct=[
        Correct(
            "broadcast with None, weighted sum by hand",
            _ADDITIVE
            + """
        e = self.v_a((self.W_a(query)[:, None, :] + self.U_a(keys)).tanh())[..., 0]
        a = masked_softmax(e, mask)
        return (a[..., None] * values).sum(1), a
""",
        ),
        Correct(
            "query and key side by side through one matrix",
            _ADDITIVE
            + """
        S = keys.shape[1]
        pairs = torch.cat([query.unsqueeze(1).expand(-1, S, -1), keys], dim=2)
        both = torch.cat([self.W_a.weight, self.U_a.weight], dim=1)
        scores = torch.tanh(pairs @ both.T) @ self.v_a.weight[0]
        weights = masked_softmax(scores, mask)
        return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights
""",
        ),
        Correct(
            "loops as the equation reads",
            _ADDITIVE
            + """
        rows = []
        for b in range(len(query)):
            asked = self.W_a(query[b])
            rows.append(torch.stack([self.v_a(torch.tanh(asked + self.U_a(h)))[0] for h in keys[b]]))
        weights = masked_softmax(torch.stack(rows), mask)
        return torch.stack([w @ v for w, v in zip(weights, values)]), weights
""",
        ),
        Correct(
            "einsum throughout",
            _ADDITIVE
            + """
        asked = torch.einsum("bq,hq->bh", query, self.W_a.weight)
        kept = torch.einsum("bsk,hk->bsh", keys, self.U_a.weight)
        scores = torch.einsum("h,bsh->bs", self.v_a.weight.squeeze(0), torch.tanh(asked.unsqueeze(1) + kept))
        weights = masked_softmax(scores, mask)
        return torch.einsum("bsd,bs->bd", values, weights), weights
""",
        ),
        Correct(
            "keys first along the axes, and a helper",
            _ADDITIVE
            + """
        weights = masked_softmax(self.scores(query, keys), mask)
        return (values.transpose(1, 2) @ weights.unsqueeze(2)).squeeze(2), weights

    def scores(self, query, keys):
        by_position = self.U_a(keys).transpose(0, 1) + self.W_a(query)
        return self.v_a(torch.tanh(by_position)).squeeze(-1).transpose(0, 1)
""",
        ),
    ],
)

# ---- multiplicative_attention ---------------------------------------------------------------------------------------

_DOT = 'masked_softmax(torch.einsum("bd,bsd->bs", query, keys), mask)'
_BILINEAR = 'torch.einsum("bd,bsd->bs", self.W_a(query), keys)'

_HEADS = """
class DotProductAttention(nn.Module):
    def forward(self, query, keys, values, mask=None):
        check_attention(query, keys, values, mask, d_key=query.shape[-1])
{dot}

class BilinearAttention(nn.Module):
    def __init__(self, d_query, d_key):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query, keys, values, mask=None):
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
{bilinear}
"""

multiplicative_attention = Bank(
    "multiplicative_attention",
    wrong=[
        Wrong(
            "the dot product is divided by the root of the width",
            edit((_DOT, _DOT.replace("keys)", "keys) / keys.shape[2] ** 0.5"))),
            "The scores are divided by the root of d. That is chapter 04's attention and has its reasons there; the "
            "dot product of Luong et al. is left as it is.",
        ),
        Wrong(
            "cosine in place of the dot product",
            edit((_DOT, "masked_softmax(torch.cosine_similarity(query.unsqueeze(1), keys, dim=2), mask)")),
            "The scores lie between -1 and 1: query and key were scaled to length one. A dot product keeps their "
            "lengths.",
        ),
        Wrong(
            "products are not summed over the features, but averaged",
            edit((_DOT, "masked_softmax((query.unsqueeze(1) * keys).mean(dim=2), mask)")),
            "The products were averaged over the features; a dot product sums them.",
        ),
        Wrong(
            "the dot product ignores the mask",
            edit((_DOT, _DOT.replace("mask)", "None)"))),
            "The dot product gives weight to padding. Hand the mask on to masked_softmax, in both classes.",
        ),
        Wrong(
            "the bilinear score ignores the mask",
            edit(("weights = masked_softmax(scores, mask)", "weights = masked_softmax(scores, None)")),
            "The bilinear attention gives weight to padding. Hand the mask on to masked_softmax, in both classes.",
        ),
        Wrong(
            "W_a is left out",
            edit((_BILINEAR, 'torch.einsum("bd,bsd->bs", query, keys)')),
            "The bilinear score is a plain dot product: W_a is never used, and unequal widths cannot meet. Project the "
            "query first.",
        ),
        Wrong(
            "W_a the wrong way round",
            edit((_BILINEAR, 'torch.einsum("bd,bsd->bs", query @ self.W_a.weight, keys)')),
            "W_a stands on the wrong side: either the keys went through it, or the query was multiplied by its weight "
            "untransposed, which comes to the same and fits only where the widths are equal. Let the query go through "
            "the map, by calling it.",
        ),
        Wrong(
            "W_a for the keys, and for the query too",
            edit((_BILINEAR, 'torch.einsum("bd,bsd->bs", self.W_a(query), self.W_a(keys))')),
            "The map was used on the keys as well. It takes the query into the keys' space; the keys are there "
            "already.",
        ),
        Wrong(
            "a tanh round the bilinear score",
            edit((_BILINEAR, f"torch.tanh({_BILINEAR})")),
            "A tanh holds the scores between -1 and 1. It belongs to the additive score; this one is a plain product.",
        ),
        Wrong(
            "the keys are averaged instead of the values",
            edit(('"bs,bsd->bd", weights, values', '"bs,bsd->bd", weights, keys')),
            "The output is a mean of the keys. Keys say where to look; values are what is taken from there.",
        ),
        Wrong(
            "the scores weigh the values without a softmax",
            edit(
                (_DOT, _DOT.replace("masked_softmax(", "(").replace(", mask)", ")")),
                ("masked_softmax(scores, mask)", "scores"),
            ),
            "What multiplies the values are scores: they can be negative and do not sum to one. Softmax comes between.",
        ),
        Wrong(
            "softmax over the batch",
            edit(
                (_DOT, _DOT.replace("keys), mask)", "keys).T, None if mask is None else mask.T).T")),
                ("masked_softmax(scores, mask)", "masked_softmax(scores.T, None if mask is None else mask.T).T"),
            ),
            "The columns of the weights sum to one: sentences of the batch compete with each other for one position. "
            "The positions of one sentence are what share the weight.",
        ),
        Wrong(
            "the query's new axis is missing",
            edit(
                (_DOT, "masked_softmax((query * keys).sum(dim=-1), mask)"),
                (_BILINEAR, "(self.W_a(query) * keys).sum(dim=-1)"),
            ),
            "(B, d) met (B, S, d) with its B against the S: an error, or where B equals S another sentence's query for "
            "every position. Give the query an axis for the keys, after the batch.",
        ),
        Wrong(
            "a bare squeeze of the scores",
            edit(
                (_DOT, "masked_softmax((keys @ query.unsqueeze(2)).squeeze(), mask)"),
                (_BILINEAR, "(keys @ self.W_a(query).unsqueeze(2)).squeeze()"),
            ),
            "A squeeze without an axis removes every axis of length one: with one sentence, or one position, that is "
            "one too many. Name the axis that is to go.",
        ),
        Wrong(
            "a bare squeeze of the output",
            edit((_RESULT, "return (weights.unsqueeze(1) @ values).squeeze(), weights")),
            "A squeeze without an axis removes every axis of length one: with one sentence, the batch's too. Name the "
            "axis that is to go.",
        ),
        Wrong(
            "the mask comes after the softmax",
            edit(
                (
                    _DOT,
                    'torch.softmax(torch.einsum("bd,bsd->bs", query, keys), dim=1)\n'
                    "        weights = weights if mask is None else weights * mask",
                ),
                (
                    "masked_softmax(scores, mask)",
                    "torch.softmax(scores, dim=1)\n        weights = weights if mask is None else weights * mask",
                ),
            ),
            "Padding has no weight, but the rows no longer sum to one: softmax had shared weight out to the padding. "
            "Use masked_softmax, in both classes.",
        ),
        Wrong(
            "a query of any width, against the keys",
            edit(
                (
                    "check_attention(query, keys, values, mask, d_key=query.shape[-1])",
                    "check_attention(query, keys, values, mask)",
                )
            ),
            "A dot product wants a query as wide as the keys, and nobody looks whether it is: a query of one number is "
            "spread over all of a key's without a word. Leave the stub's check as it is given.",
        ),
    ],
    correct=[
        Correct(
            "matrix products",
            _HEADS.format(
                dot="""        weights = masked_softmax((keys @ query.unsqueeze(2)).squeeze(2), mask)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights
""",
                bilinear="""        weights = masked_softmax((keys @ self.W_a(query).unsqueeze(2)).squeeze(2), mask)
        return (weights.unsqueeze(1) @ values).squeeze(1), weights
""",
            ),
        ),
        Correct(
            "products and sums",
            _HEADS.format(
                dot="""        a = masked_softmax((query[:, None] * keys).sum(-1), mask)
        return (a[..., None] * values).sum(1), a
""",
                bilinear="""        a = masked_softmax((self.W_a(query)[:, None] * keys).sum(-1), mask)
        return (a[..., None] * values).sum(1), a
""",
            ),
        ),
        Correct(
            "bilinear by way of the dot product",
            _HEADS.format(
                dot="""        weights = masked_softmax(torch.einsum("bd,bsd->bs", query, keys), mask)
        return torch.einsum("bs,bsv->bv", weights, values), weights
""",
                bilinear="        return DotProductAttention()(self.W_a(query), keys, values, mask)\n",
            ),
        ),
        Correct(
            "the keys are taken to the query instead",
            _HEADS.format(
                dot="""        weights = masked_softmax(torch.bmm(query.unsqueeze(1), keys.mT).squeeze(1), mask)
        return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights
""",
                bilinear="""        taken = keys @ self.W_a.weight
        weights = masked_softmax((taken * query.unsqueeze(1)).sum(2), mask)
        return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights
""",
            ),
        ),
        Correct(
            "sentence by sentence",
            _HEADS.format(
                dot="""        weights = masked_softmax(torch.stack([k @ q for q, k in zip(query, keys)]), mask)
        return torch.stack([w @ v for w, v in zip(weights, values)]), weights
""",
                bilinear="""        scores = torch.stack([k @ self.W_a.weight @ q for q, k in zip(query, keys)])
        weights = masked_softmax(scores, mask)
        return torch.stack([w @ v for w, v in zip(weights, values)]), weights
""",
            ),
        ),
    ],
)

# ---- attention_decoder ----------------------------------------------------------------------------------------------

_CONTEXT = "context, weights = self.attention(hidden, keys, values, mask)\n"
_CELL = "hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)\n"
_OUTPUT = "return self.output(torch.cat([hidden, context], dim=1)), hidden, weights"
_ADVANCE = "logits_t, hidden, weights_t = self._advance(token, hidden, keys, values, mask)"

_DECODER = """
class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = {cell}(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)
"""

attention_decoder = Bank(
    "attention_decoder",
    wrong=[
        Wrong(
            "the new state asks",
            """
class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_value, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.attention = attention
        self.cell = GRUCell(embedding_size + d_value, hidden_size)
        self.output = nn.Linear(hidden_size + d_value, vocab_size)

    def forward(self, tokens, hidden, keys, values, mask=None):
        logits, weights = [], []
        for token in tokens.unbind(dim=1):
            logits_t, hidden, weights_t = self.advance(token, hidden, keys, values, mask)
            logits.append(logits_t)
            weights.append(weights_t)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def step(self, token, state):
        hidden, keys, values, mask = state
        logits, hidden, _ = self.advance(token, hidden, keys, values, mask)
        return logits, (hidden, keys, values, mask)

    def advance(self, token, hidden, keys, values, mask):
        context, _ = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        context, weights = self.attention(hidden, keys, values, mask)
        return self.output(torch.cat([hidden, context], dim=1)), hidden, weights
""",
            "The weights and the output's context come from the state after the cell. That is Luong's order; Bahdanau"
            " asks with the old state, once, and uses that context twice. See section 2.5.",
        ),
        Wrong(
            "one context for the whole sentence",
            edit(
                (
                    "logits, weights = [], []\n",
                    "logits, weights = [], []\n        first = self.attention(hidden, keys, values, mask)\n",
                ),
                (
                    _ADVANCE,
                    "context, weights_t = first\n"
                    "            hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)\n"
                    "            logits_t = self.output(torch.cat([hidden, context], dim=1))",
                ),
            ),
            "The attention was asked once, before the loop, which makes it chapter 01's fixed vector again. Ask inside "
            "the loop. See section 2.5.",
        ),
        Wrong(
            "every step starts from the first state",
            edit((_ADVANCE, _ADVANCE.replace("logits_t, hidden, weights_t", "logits_t, _, weights_t"))),
            "The hidden state was not carried from one step to the next, so every step asks the same question. Keep "
            "what the cell returns.",
        ),
        Wrong(
            "the context does not reach the cell",
            edit((_CELL, _CELL.replace("context]", "torch.zeros_like(context)]"))),
            "The cell never sees what the attention found. Its input is the token's embedding and the context, side by "
            "side.",
        ),
        Wrong(
            "the context does not reach the output",
            edit((_OUTPUT, _OUTPUT.replace("context]", "torch.zeros_like(context)]"))),
            "The logits are made without the context. The output reads the new state and the context, side by side.",
        ),
        Wrong(
            "the output reads the old state",
            edit(
                (_CELL, "new = " + _CELL.removeprefix("hidden = ")),
                (_OUTPUT, _OUTPUT.replace("dim=1)), hidden", "dim=1)), new")),
            ),
            "The logits were made with the state before the cell, so the token that just went in is not in them. Use "
            "the new state for the output.",
        ),
        Wrong(
            "embedding and context in the other order",
            edit(("[self.embedding(token), context]", "[context, self.embedding(token)]")),
            "The cell's input is [embedding; context], in this order, or weights that were trained elsewhere do not "
            "fit.",
        ),
        Wrong(
            "state and context in the other order",
            edit(("torch.cat([hidden, context], dim=1)), hidden", "torch.cat([context, hidden], dim=1)), hidden")),
            "The output's input is [state; context], in this order, or weights that were trained elsewhere do not fit.",
        ),
        Wrong(
            "the mask is lost",
            edit((_CONTEXT, _CONTEXT.replace("values, mask", "values"))),
            "The attention looks at padding: the mask was not handed on to it. Hand it on at every step.",
        ),
        Wrong(
            "step forgets the mask",
            edit(
                (
                    "hidden, _ = self._advance(token, hidden, keys, values, mask)",
                    "hidden, _ = self._advance(token, hidden, keys, values, None)",
                )
            ),
            "Only forward uses the mask: `step`, with which sentences are written, lets the attention look at "
            "padding. It is the fourth thing in the state.",
        ),
        Wrong(
            "step returns the old state",
            edit(("logits, hidden, _ = self._advance", "logits, _, _ = self._advance")),
            "`step` gave back the hidden state it was given, so greedy decoding would write one word for ever. Return"
            " the new one.",
        ),
        Wrong(
            "the attention gets the values as keys",
            edit((_CONTEXT, _CONTEXT.replace("keys, values", "values, values"))),
            "The scores are made from the values. The attention takes keys and values apart: hand on both.",
        ),
        Wrong(
            "the weights carry no gradient",
            edit(
                (
                    _CONTEXT,
                    "weights = self.attention(hidden, keys, values, mask)[1].detach()\n"
                    "        context = torch.einsum('bs,bsd->bd', weights, values)\n",
                )
            ),
            "Nothing is learned about where to look: the gradient stops before the scores. Leave detach out; an "
            "optimiser needs the whole path.",
        ),
        Wrong(
            "the tokens are shifted once more",
            edit(
                (
                    "for token in tokens.unbind(dim=1):",
                    "for token in torch.cat([tokens[:, :1], tokens[:, :-1]], dim=1).unbind(dim=1):",
                )
            ),
            "The tokens that came in were moved one place to the right, but they had been shifted by the caller "
            "already. Feed token t at step t.",
        ),
        Wrong(
            "the new state asks, after a cell without a context",
            edit(
                (_CONTEXT, "nothing = values.new_zeros(len(values), values.shape[2])\n"),
                (
                    _CELL,
                    _CELL.replace("context]", "nothing]")
                    + "        context, weights = self.attention(hidden, keys, values, mask)\n",
                ),
            ),
            "The cell ran first, without a context, and its new state asked. That is Luong's order; in Bahdanau's the "
            "old state asks, and what it finds goes into the cell. See section 2.5.",
        ),
        Wrong(
            "the output's context is the new state's",
            edit((_OUTPUT, "context = self.attention(hidden, keys, values, mask)[0]\n        " + _OUTPUT)),
            "The attention was asked a second time, with the new state, and the output read what it found then. One "
            "context a step: the old state's, for the cell and for the output.",
        ),
        Wrong(
            "the attention gets the keys as values",
            edit((_CONTEXT, _CONTEXT.replace("keys, values", "keys, keys"))),
            "The context was made from the keys, which need not be as wide as the values: the cell's input does not "
            "fit. The attention takes keys and values apart: hand on both.",
        ),
        Wrong(
            "the decoder's own word goes in",
            edit(
                (
                    f"            {_ADVANCE}\n",
                    f"            token = logits[-1].argmax(dim=1) if logits else token\n            {_ADVANCE}\n",
                )
            ),
            "From the second step on, the most probable word of the step before went in. That is how a sentence is "
            "written; forward is for training, and feeds the tokens it was given.",
        ),
        Wrong(
            "the tokens are shifted behind a begin token again",
            edit(
                (
                    "for token in tokens.unbind(dim=1):",
                    "for token in torch.cat([torch.ones_like(tokens[:, :1]), tokens[:, :-1]], dim=1).unbind(dim=1):",
                )
            ),
            "The tokens that came in were shifted behind a begin token, but the caller has done that already: the "
            "docstring says so. Feed token t at step t.",
        ),
        Wrong(
            "the cell does not get the state",
            edit((_CELL, _CELL.replace("dim=1), hidden)", "dim=1))"))),
            "Your cell was called with its input alone. It needs the old hidden state as well, as its second argument.",
        ),
        Wrong(
            "the hidden state is kept for the next sentence",
            edit(
                (
                    "        logits, weights = [], []\n",
                    "        logits, weights = [], []\n        hidden = getattr(self, '_h', hidden)\n",
                ),
                (
                    "        return torch.stack(logits",
                    "        self._h = hidden.detach()\n        return torch.stack(logits",
                ),
            ),
            "A second batch started from the state in which the first one ended, because it was kept on the module. "
            "Start from the hidden state that is given, every time.",
        ),
        Wrong(
            "step returns the hidden state alone",
            edit(("return logits, (hidden, keys, values, mask)", "return logits, hidden")),
            "`step` gave back the hidden state alone, and the next step cannot take keys, values and mask out of it. "
            "Return all four, as they came in, with the new hidden state in front.",
        ),
        Wrong(
            "step returns probabilities",
            edit(("return logits, (hidden", "return torch.softmax(logits, dim=1), (hidden")),
            "`step` gave probabilities, and logits are asked for: the caller takes the softmax, or the largest. Leave "
            "the softmax out.",
        ),
        Wrong(
            "step returns the word",
            edit(("return logits, (hidden", "return logits.argmax(dim=1), (hidden")),
            "`step` gave the most probable word, and logits are asked for: greedy_decode chooses the word itself. "
            "Leave the argmax out.",
        ),
        Wrong(
            "the tokens are shifted behind padding again",
            edit(
                (
                    "for token in tokens.unbind(dim=1):",
                    "for token in torch.cat([torch.zeros_like(tokens[:, :1]), tokens[:, :-1]], dim=1).unbind(dim=1):",
                )
            ),
            "The tokens that came in were moved one place to the right, but the caller has done that already: the "
            "docstring says so. Feed token t at step t.",
        ),
    ],
    correct=[
        Correct(
            "torch's own cell, the output after the loop",
            _DECODER.format(cell="nn.GRUCell")
            + """
    def forward(self, tokens, hidden, keys, values, mask=None):
        embedded, states, contexts, weights = self.embedding(tokens), [], [], []
        for t in range(tokens.shape[1]):
            context, w = self.attention(hidden, keys, values, mask)
            hidden = self.cell(torch.cat([embedded[:, t], context], -1), hidden)
            states.append(hidden)
            contexts.append(context)
            weights.append(w)
        read = torch.cat([torch.stack(states, 1), torch.stack(contexts, 1)], dim=2)
        return self.output(read), torch.stack(weights, 1)

    def step(self, token, state):
        hidden, keys, values, mask = state
        context, _ = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(token), context], -1), hidden)
        return self.output(torch.cat([hidden, context], -1)), (hidden, keys, values, mask)
""",
        ),
        Correct(
            "forward by way of step, which asks twice",
            _DECODER.format(cell="GRUCell")
            + """
    def forward(self, tokens, hidden, keys, values, mask=None):
        state, logits, weights = (hidden, keys, values, mask), [], []
        for token in tokens.T:
            weights.append(self.attention(*state)[1])
            column, state = self.step(token, state)
            logits.append(column)
        return torch.stack(logits, 1), torch.stack(weights, 1)

    def step(self, token, state):
        context = self.attention(*state)[0]
        hidden = self.cell(torch.cat((self.embedding(token), context), 1), state[0])
        return self.output(torch.cat((hidden, context), 1)), (hidden, *state[1:])
""",
        ),
        Correct(
            "step by way of forward",
            _DECODER.format(cell="GRUCell")
            + """
    def forward(self, tokens, hidden, keys, values, mask=None):
        logits, weights, _ = self.run(tokens, hidden, keys, values, mask)
        return logits, weights

    def step(self, token, state):
        logits, _, hidden = self.run(token.unsqueeze(1), *state)
        return logits.squeeze(1), (hidden,) + tuple(state)[1:]

    def run(self, tokens, hidden, keys, values, mask):
        B, T = tokens.shape
        logits = hidden.new_zeros(B, T, self.output.out_features)
        weights = hidden.new_zeros(B, T, keys.shape[1])
        for t in range(T):
            context, weights[:, t] = self.attention(query=hidden, keys=keys, values=values, mask=mask)
            hidden = self.cell(torch.cat([self.embedding(tokens[:, t]), context], dim=1), hidden)
            logits[:, t] = self.output(torch.cat([hidden, context], dim=1))
        return logits, weights, hidden
""",
        ),
        Correct(
            "the output's two halves apart",
            _DECODER.format(cell="GRUCell")
            + """
    def forward(self, tokens, hidden, keys, values, mask=None):
        results = []
        for t in range(tokens.size(1)):
            logits, hidden, weights = self.one(tokens[:, t], hidden, keys, values, mask)
            results.append((logits, weights))
        return tuple(torch.stack(column, dim=1) for column in zip(*results))

    def step(self, token, state):
        logits, hidden, _ = self.one(token, *state)
        return logits, (hidden, state[1], state[2], state[3])

    def one(self, token, hidden, keys, values, mask):
        context, weights = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.hstack([self.embedding(token), context]), hidden)
        H = hidden.shape[1]
        logits = hidden @ self.output.weight[:, :H].T + context @ self.output.weight[:, H:].T + self.output.bias
        return logits, hidden, weights
""",
        ),
        Correct(
            "by recursion over the tokens",
            _DECODER.format(cell="GRUCell")
            + """
    def forward(self, tokens, hidden, keys, values, mask=None):
        context, weights = self.attention(hidden, keys, values, mask)
        hidden = self.cell(torch.cat([self.embedding(tokens[:, 0]), context], 1), hidden)
        logits, weights = self.output(torch.cat([hidden, context], 1)).unsqueeze(1), weights.unsqueeze(1)
        if tokens.shape[1] == 1:
            return logits, weights
        later = self(tokens[:, 1:], hidden, keys, values, mask)
        return torch.cat([logits, later[0]], 1), torch.cat([weights, later[1]], 1)

    def step(self, token, state):
        hidden, keys, values, mask = state
        context = self.attention(hidden, keys, values, mask)[0]
        new = self.cell(torch.cat([self.embedding(token), context], 1), hidden)
        return self.output(torch.cat([new, context], 1)), (new, keys, values, mask)
""",
        ),
    ],
)

# ---- alignment_accuracy ---------------------------------------------------------------------------------------------

_RIGHT = "right = weights.argmax(dim=2) == alignment"
_SHARE = "return (right & aligned).sum().item() / aligned.sum().item()"

alignment_accuracy = Bank(
    "alignment_accuracy",
    wrong=[
        Wrong(
            "tokens without a counterpart count as misses",
            edit((_SHARE, "return right.float().mean().item()")),
            "All B times T tokens were counted, padding and words without a counterpart too, and none of those can be "
            "hit. Count only where the alignment is not -1.",
        ),
        Wrong(
            "source position 0 counts as none",
            edit(("aligned = alignment >= 0", "aligned = alignment > 0")),
            "Tokens that render the first source word were left out: position 0 is a place, -1 means none.",
        ),
        Wrong(
            "the largest weight over the target axis",
            edit((_RIGHT, "right = weights.argmax(dim=1) == alignment")),
            "The argmax ran over the target tokens. The question is, for each target token, which source position has "
            "most: the last axis.",
        ),
        Wrong(
            "the weight on the right word instead of a hit",
            edit(
                (
                    _SHARE,
                    "return weights.gather(2, alignment.clamp(min=0).unsqueeze(2)).squeeze(2)[aligned].mean().item()",
                )
            ),
            "What came back is the mean weight on the right word. Asked for is how often that word has the largest "
            "weight.",
        ),
        Wrong(
            "one place off counts as a hit",
            edit((_RIGHT, "right = (weights.argmax(dim=2) - alignment).abs() <= 1")),
            "Neighbouring positions were counted as hits. Only the very position counts.",
        ),
        Wrong(
            "a mean of the sentences' shares",
            edit((_SHARE, "return ((right & aligned).sum(1) / aligned.sum(1).clamp(min=1)).mean().item()")),
            "Each sentence's share was averaged, so a short sentence counts as much as a long one. Divide all hits by "
            "all tokens that count.",
        ),
        Wrong(
            "misses instead of hits",
            edit((_SHARE, "return (~right & aligned).sum().item() / aligned.sum().item()")),
            "That is the share of misses. An accuracy counts hits.",
        ),
        Wrong(
            "a tensor instead of a float",
            edit((_SHARE, "return (right & aligned).sum() / aligned.sum()")),
            "The number is right but came back as a tensor. The docstring asks for a Python float.",
        ),
        Wrong(
            "nothing to measure gives zero",
            edit(
                (
                    'raise ValueError(f"none of the {alignment.numel()} target tokens has a counterpart in the source")',
                    "return 0.0",
                )
            ),
            "Where no token has a counterpart there is nothing to measure, and 0 would read as a measurement. The "
            "docstring says what to raise.",
        ),
        Wrong(
            "a weight above one half counts as a hit",
            edit(
                (
                    _RIGHT,
                    "right = weights.gather(2, alignment.clamp(min=0).unsqueeze(2)).squeeze(2) > 0.5",
                )
            ),
            "A hit was counted where the right word has more than half of the weight. The largest weight may well be "
            "smaller than that: compare its place with the alignment.",
        ),
        Wrong(
            "per cent instead of a share",
            edit((_SHARE, _SHARE.replace("return ", "return 100 * "))),
            "The number is in per cent. A share lies between 0 and 1.",
        ),
        Wrong(
            "a count instead of a share",
            edit((_SHARE, "return float((right & aligned).sum())")),
            "That is how many hits there are. Divide by the number of tokens that count.",
        ),
        Wrong(
            "an alignment of another shape is reshaped",
            edit(
                (
                    "    if alignment.shape != weights.shape[:2]:",
                    "    alignment = alignment.reshape(weights.shape[:2])\n"
                    "    if alignment.shape != weights.shape[:2]:",
                )
            ),
            "An alignment of another shape was reshaped until it fitted, and then belongs to other words. The "
            "docstring says what to raise.",
        ),
        Wrong(
            "the largest weight over the target axis, selected by the mask",
            edit(
                (_SHARE, "return (right[aligned] == alignment[aligned]).float().mean().item()"),
                (_RIGHT, "right = weights.argmax(dim=1)"),
            ),
            "The argmax ran over the target tokens, and left one number for each source position. The question is, for "
            "each target token, which source position has most: the last axis.",
        ),
    ],
    correct=[
        Correct(
            "selected by the mask",
            """
def alignment_accuracy(weights, alignment):
    if weights.shape[:2] != alignment.shape:
        raise ValueError(f"{weights.shape} {alignment.shape}")
    real = alignment != -1
    if real.sum() == 0:
        raise ValueError("nothing is aligned")
    return (weights.argmax(-1)[real] == alignment[real]).float().mean().item()
""",
        ),
        Correct(
            "loops",
            """
def alignment_accuracy(weights, alignment):
    B, T, S = weights.shape
    if tuple(alignment.shape) != (B, T):
        raise ValueError(f"alignment {tuple(alignment.shape)} is not {(B, T)}")
    hits = count = 0
    for b in range(B):
        for t in range(T):
            j = int(alignment[b, t])
            if j < 0:
                continue
            count += 1
            hits += int(torch.argmax(weights[b, t])) == j
    if not count:
        raise ValueError("no token has a counterpart")
    return hits / count
""",
        ),
        Correct(
            "a mean over NaN for what does not count",
            """
def alignment_accuracy(weights, alignment):
    if alignment.shape != weights.shape[:-1] or bool((alignment < 0).all()):
        raise ValueError(f"nothing to measure for {tuple(weights.shape)} and {tuple(alignment.shape)}")
    hit = (weights.max(dim=2).indices == alignment).double()
    hit[alignment < 0] = float("nan")
    return float(hit.nanmean())
""",
        ),
        Correct(
            "the right word's weight is the maximum",
            """
def alignment_accuracy(weights, alignment):
    if alignment.shape != weights.shape[:2]:
        raise ValueError("shapes differ")
    aligned = alignment.ge(0)
    if not aligned.any():
        raise ValueError("no counterparts")
    there = weights.gather(2, alignment.clamp(min=0)[..., None])[..., 0]
    return int(((there >= weights.amax(2)) & aligned).sum()) / int(aligned.sum())
""",
        ),
        Correct(
            "flattened, with a weighted sum",
            """
def alignment_accuracy(weights, alignment):
    if alignment.shape != weights.shape[:2]:
        raise ValueError("shapes differ")
    best, truth = weights.flatten(0, 1).argmax(dim=1), alignment.flatten()
    counts = (truth >= 0).double()
    if counts.sum() == 0:
        raise ValueError("no counterparts")
    return ((best == truth).double() @ counts / counts.sum()).item()
""",
        ),
    ],
)

# ---- fix_the_sorted_batch -------------------------------------------------------------------------------------------

_RUN = "outputs, state = encoder(source[order], lengths[order])"
_BACK = "back = order.argsort()  # the inverse permutation: order[back] is 0, 1, 2, ..."

fix_the_sorted_batch = Bank(
    "fix_the_sorted_batch",
    wrong=[
        Wrong(
            "the sorting order is applied a second time",
            edit((_BACK, "back = order")),
            "Sorting was done once more instead of being undone: some sentences got another sentence's outputs. With "
            "two sentences a second swap undoes the first; with more it does not. What undoes an order is its "
            "inverse.",
        ),
        Wrong(
            "the sorted order is left",
            edit(("return outputs[back], state[back]", "return outputs, state")),
            "The rows came back sorted, the longest first. Row b must belong to row b of what the caller gave.",
        ),
        Wrong(
            "only the outputs are put back",
            edit(("state[back]", "state")),
            "The outputs are in their rows, but the states are still sorted: a decoder would start from another "
            "sentence's state.",
        ),
        Wrong(
            "only the states are put back",
            edit(("outputs[back]", "outputs")),
            "The states are in their rows, but the outputs are still sorted: the attention would look at another "
            "sentence.",
        ),
        Wrong(
            "the states are put back by the sorting order",
            edit(("state[back]", "state[order]")),
            "The outputs are right, but the states were sorted a second time. Put both back by the same inverse.",
        ),
        Wrong(
            "put back by sorting the lengths the other way",
            edit((_BACK, "back = lengths.argsort()")),
            "Sorting the lengths upwards gives the reversed order, not the inverse one. The inverse says, for each of"
            " the caller's rows, where it went.",
        ),
        Wrong(
            "the inverse is sorted downwards",
            edit((_BACK, "back = order.argsort(descending=True)")),
            "The inverse of an order comes from sorting it upwards; downwards turns the batch round.",
        ),
        Wrong(
            "turned round to undo the sorting",
            edit((_BACK, "back = torch.arange(len(order) - 1, -1, -1)")),
            "Turning the rows round undoes the sorting only where they came in shortest first. Use the inverse of the "
            "order.",
        ),
        Wrong(
            "the lengths are not sorted with the sentences",
            edit((_RUN, "outputs, state = encoder(source[order], lengths)")),
            "The sentences were sorted but their lengths were not, so the encoder stops in the wrong places. Sort "
            "both by the same order.",
        ),
        Wrong(
            "nothing is sorted",
            edit(
                (_RUN, "outputs, state = encoder(source, lengths)"),
                ("return outputs[back], state[back]", "return outputs, state"),
            ),
            "The outputs are right, but the encoder did not get the longest sentence first, which is what this "
            "function is for.",
        ),
        Wrong(
            "the shortest comes first",
            edit(("lengths.argsort(descending=True)", "lengths.argsort()")),
            "The rows are back in their places, but the encoder got the shortest sentence first. It wants the longest "
            "first.",
        ),
        Wrong(
            "one sentence at a time",
            """
def encode_longest_first(encoder, source, lengths):
    results = [encoder(source[b : b + 1], lengths[b : b + 1]) for b in range(len(source))]
    return torch.cat([r[0] for r in results]), torch.cat([r[1] for r in results])
""",
            "The encoder was called for each sentence. That hides the bug and costs the batch: call it once, sorted, "
            "and put the rows back.",
        ),
        Wrong(
            "the order with a minus sign",
            edit((_BACK, "back = -order")),
            "A negative index counts from the end of the batch; that is another order and not the inverse one. The "
            "inverse says, for each of the caller's rows, where it went.",
        ),
        Wrong(
            "no gradient goes through the encoder",
            edit((f"    {_RUN}\n", f"    with torch.no_grad():\n        {_RUN}\n")),
            "The encoder ran without keeping what a gradient needs, so it would never learn. Call it plainly, without "
            "no_grad or detach.",
        ),
    ],
    correct=[
        Correct(
            "written into their places",
            """
def encode_longest_first(encoder, source, lengths):
    order = lengths.argsort(descending=True)
    sorted_outputs, sorted_state = encoder(source[order], lengths[order])
    outputs, state = torch.empty_like(sorted_outputs), torch.empty_like(sorted_state)
    outputs[order] = sorted_outputs
    state[order] = sorted_state
    return outputs, state
""",
        ),
        Correct(
            "the inverse by counting",
            """
def encode_longest_first(encoder, source, lengths):
    order = torch.sort(lengths, descending=True, stable=True).indices
    back = torch.empty_like(order)
    back[order] = torch.arange(len(order))
    outputs, state = encoder(source.index_select(0, order), lengths.index_select(0, order))
    return outputs.index_select(0, back), state.index_select(0, back)
""",
        ),
        Correct(
            "Python's sorted and list.index",
            """
def encode_longest_first(encoder, source, lengths):
    order = sorted(range(len(lengths)), key=lambda b: -int(lengths[b]))
    outputs, state = encoder(source[order], lengths[order])
    back = [order.index(b) for b in range(len(order))]
    return outputs[back], state[back]
""",
        ),
        Correct(
            "negated lengths, numpy",
            """
def encode_longest_first(encoder, source, lengths):
    order = (-lengths).argsort()
    outputs, state = encoder(source[order], lengths[order])
    undo = torch.from_numpy(order.numpy().argsort())
    return outputs[undo], state[undo]
""",
        ),
        Correct(
            "a permutation matrix and its transpose",
            """
def encode_longest_first(encoder, source, lengths):
    order = torch.argsort(lengths, descending=True)
    outputs, state = encoder(source[order], lengths[order])
    P = torch.eye(len(order))[order]
    return torch.einsum("ib,isd->bsd", P, outputs), P.T @ state
""",
        ),
    ],
)

"""Wrong and correct answers of chapter 06."""

from autograde.bank import Bank, Correct, Wrong, edit

# ---- token_uniformity -----------------------------------------------------------------------------------------------

_MEAN = "x.mean(dim=1, keepdim=True)"
_RETURN_SPREAD = "return differences.flatten(1).norm(dim=1) / x.flatten(1).norm(dim=1)"

token_uniformity = Bank(
    "token_uniformity",
    wrong=[
        Wrong(
            "the mean runs over the features",
            edit((_MEAN, "x.mean(dim=2, keepdim=True)")),
            "The mean was taken over each token's features. The question is how tokens differ from one another: average over the tokens, the axis of length T.",
        ),
        Wrong(
            "the mean runs over the batch",
            edit((_MEAN, "x.mean(dim=0, keepdim=True)")),
            "The mean was taken over the sentences of the batch. Each sequence is measured by itself: average over its own tokens.",
        ),
        Wrong(
            "the mean of everything",
            edit((_MEAN, "x.mean(dim=(1, 2), keepdim=True)")),
            "One number was taken away from everything. The mean of the tokens is a vector: average over the tokens and keep the features apart.",
        ),
        Wrong(
            "not divided by the length of x",
            edit((_RETURN_SPREAD, "return differences.flatten(1).norm(dim=1)")),
            "The result grows with x: twice the numbers, twice the spread. Divide by the length of x itself.",
        ),
        Wrong(
            "squares without the root",
            edit((_RETURN_SPREAD, "return differences.square().sum(dim=(1, 2)) / x.square().sum(dim=(1, 2))")),
            "This is the square of the spread: both lengths are sums of squares whose root was not taken.",
        ),
        Wrong(
            "a mean over tokens of each token's ratio",
            edit((_RETURN_SPREAD, "return (differences.norm(dim=2) / x.norm(dim=2)).mean(dim=1)")),
            "Each token was measured by itself and the ratios were averaged, so a short token counts as much as a long one. Both norms run over all T * D numbers of a sequence.",
        ),
        Wrong(
            "divided by the length of the mean",
            edit(
                (
                    _RETURN_SPREAD,
                    f"return differences.flatten(1).norm(dim=1) / {_MEAN}.expand_as(x).flatten(1).norm(dim=1)",
                )
            ),
            "The differences were measured against what the tokens share, which makes tokens that cancel infinitely spread. Divide by the length of x.",
        ),
        Wrong(
            "uniformity instead of spread",
            edit((_RETURN_SPREAD, _RETURN_SPREAD.replace("return ", "return 1 - "))),
            "The result is turned round: tokens that are all alike have spread 0 here, not 1. A number this close to 1 would also hide how close.",
        ),
        Wrong(
            "one number for the batch",
            edit((_RETURN_SPREAD, _RETURN_SPREAD.replace("flatten(1).norm(dim=1)", "norm()"))),
            "All the sequences came out as one number. Keep the batch: one spread for each sequence, (B,).",
        ),
        Wrong(
            "the mean is not taken away",
            edit((f"x - {_MEAN}", "x")),
            "Every sequence has spread 1: the length of x was divided by itself. Take the mean of the tokens away first.",
        ),
        Wrong(
            "the mean runs over batch and tokens",
            edit((_MEAN, "x.mean(dim=(0, 1), keepdim=True)")),
            "One mean was taken of all the sequences' tokens together. Each sequence has a mean of its own: average over dim 1 alone.",
        ),
        Wrong(
            "lengths of tokens, averaged, then divided",
            edit((_RETURN_SPREAD, "return differences.norm(dim=2).mean(dim=1) / x.norm(dim=2).mean(dim=1)")),
            "The tokens' lengths were averaged. The norm is one for the whole sequence: the root of the sum of all T * D squares.",
        ),
        Wrong(
            "sums of absolute values",
            edit((_RETURN_SPREAD, "return differences.abs().sum(dim=(1, 2)) / x.abs().sum(dim=(1, 2))")),
            "Absolute values were added up. The length of a vector is the root of the sum of its squares.",
        ),
        Wrong(
            "the largest singular values",
            edit(
                (
                    _RETURN_SPREAD,
                    "return torch.linalg.matrix_norm(differences, ord=2) / torch.linalg.matrix_norm(x, ord=2)",
                )
            ),
            "The matrix norm here is its largest singular value. Meant is the length of all T * D numbers as one vector (the Frobenius norm).",
        ),
        Wrong(
            "the mean loses its axis",
            edit((_MEAN, "x.mean(dim=1)")),
            "The mean over the tokens has lost their axis, so (B, D) cannot be taken away from (B, T, D). Keep the axis, of length 1.",
        ),
        Wrong(
            "x is overwritten",
            """
def token_spread(x):
    size = x.norm(dim=(1, 2))
    x -= x.mean(dim=1, keepdim=True)
    return x.norm(dim=(1, 2)) / size
""",
            "The right number comes back, but the mean was taken away inside the caller's x, which then goes on without it. Make a new tensor.",
        ),
    ],
    correct=[
        Correct(
            "a loop over the sequences",
            """
def token_spread(x):
    spreads = []
    for sequence in x:
        differences = sequence - sequence.mean(0)
        spreads.append(torch.linalg.norm(differences) / torch.linalg.norm(sequence))
    return torch.stack(spreads)
""",
        ),
        Correct(
            "standard deviations",
            """
def token_spread(x):
    return (x.var(dim=1, unbiased=False).sum(dim=1) / x.square().mean(dim=1).sum(dim=1)).sqrt()
""",
        ),
        Correct(
            "an einsum",
            """
def token_spread(x):
    d = x - torch.einsum("btd->bd", x).unsqueeze(1) / x.shape[1]
    return torch.sqrt(torch.einsum("btd,btd->b", d, d) / torch.einsum("btd,btd->b", x, x))
""",
        ),
        Correct(
            "matrix norms",
            """
def token_spread(x):
    mean = x.sum(dim=-2, keepdim=True) / x.size(-2)
    return torch.linalg.matrix_norm(x - mean) / torch.linalg.matrix_norm(x)
""",
        ),
        Correct(
            "the centring matrix",
            """
def token_spread(x):
    T = x.shape[1]
    centre = torch.eye(T) - torch.ones(T, T) / T
    return (centre @ x).norm(dim=(1, 2)) / x.norm(dim=(1, 2))
""",
        ),
        Correct(
            "Pythagoras: what is not the mean",
            """
def token_spread(x):
    m = x.mean(1)
    return (1 - x.shape[1] * (m * m).sum(-1) / (x * x).sum((1, 2))).clamp(min=0).sqrt()
""",
        ),
    ],
)

# ---- feed_forward ---------------------------------------------------------------------------------------------------

_FF = "self.linear2(self.activation(self.linear1(x)))"
_INIT_FF = """
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, activation=F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation
"""

feed_forward = Bank(
    "feed_forward",
    wrong=[
        Wrong(
            "no activation",
            edit((_FF, "self.linear2(self.linear1(x))")),
            "Two linear maps in a row are one linear map. Put the activation between them.",
        ),
        Wrong(
            "the activation comes last",
            edit((_FF, "self.activation(self.linear2(self.linear1(x)))")),
            "The activation stands behind the second map, so what is added to the stream could never be negative. It belongs between the two.",
        ),
        Wrong(
            "an activation behind each map",
            edit((_FF, "self.activation(self.linear2(self.activation(self.linear1(x))))")),
            "There is a second activation behind linear2. What is added to the stream has to be free to have either sign: only one, between the maps.",
        ),
        Wrong(
            "x is added here already",
            edit((_FF, f"x + {_FF}")),
            "The input was added to the output. That is the layer's business, around this part; added here it comes in twice.",
        ),
        Wrong(
            "relu, whatever was asked for",
            edit(("self.activation(", "F.relu(")),
            "With relu it is right, with another activation not. Use the one that the constructor was given.",
        ),
        Wrong(
            "the activation comes first",
            edit((_FF, "self.linear2(self.linear1(self.activation(x)))")),
            "The activation was used on the input, before the first map; what follows is then linear. It belongs between the maps.",
        ),
        Wrong(
            "a softmax as the activation",
            edit((_FF, "self.linear2(torch.softmax(self.linear1(x), dim=-1))")),
            "The hidden numbers were made to sum to one. The activation that the constructor was given belongs there, and nothing else.",
        ),
        Wrong(
            "a layer norm at the end",
            edit((_FF, f"F.layer_norm({_FF}, (x.shape[-1],))")),
            "The output was normed. Norms are the layer's business; here it is two maps and an activation.",
        ),
        Wrong(
            "the two maps are exchanged",
            edit((_FF, "self.linear1(self.activation(self.linear2(x)))")),
            "linear2 was used first, and it takes d_ff numbers. linear1 comes first: it makes d_ff of d_model.",
        ),
        Wrong(
            "three axes and no other number",
            edit(
                (
                    f"return {_FF}",
                    f"B, T, D = x.shape\n        x = x.reshape(B * T, D)\n        return {_FF}.reshape(B, T, D)",
                )
            ),
            "With (B, T, D) it is right, with more or fewer axes it fails. nn.Linear works on the last axis whatever stands before it: do not unpack the shape.",
        ),
    ],
    correct=[
        Correct(
            "step by step",
            _INIT_FF
            + """
    def forward(self, x):
        hidden = self.linear1(x)
        hidden = self.activation(hidden)
        return self.linear2(hidden)
""",
        ),
        Correct(
            "functional",
            _INIT_FF
            + """
    def forward(self, x):
        hidden = self.activation(F.linear(x, self.linear1.weight, self.linear1.bias))
        return F.linear(hidden, self.linear2.weight, self.linear2.bias)
""",
        ),
        Correct(
            "matrix products",
            _INIT_FF
            + """
    def forward(self, x):
        hidden = self.activation(x @ self.linear1.weight.T + self.linear1.bias)
        return torch.einsum("...f,df->...d", hidden, self.linear2.weight) + self.linear2.bias
""",
        ),
    ],
)

# ---- encoder_layer --------------------------------------------------------------------------------------------------

_INIT_LAYER = """
class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, activation=F.relu, layer_norm_eps=1e-5, norm_first=False):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff, activation)
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first
"""
_PRE1 = "x = x + self.dropout(self.self_attention(normed, normed, normed, mask)[0])"
_PRE2 = "return x + self.dropout(self.feed_forward(self.norm2(x)))"
_POST1 = "x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))"
_POST2 = "return self.norm2(x + self.dropout(self.feed_forward(x)))"

encoder_layer = Bank(
    "encoder_layer",
    wrong=[
        Wrong(
            "the sum starts from the normed stream",
            edit(("            normed = self.norm1(x)\n", "            x = normed = self.norm1(x)\n")),
            "With norm_first the norm is for the part alone: the part reads norm(x), and its output is added to x as it was. Here the normed x took the stream's place.",
        ),
        Wrong(
            "nothing is added, attention replaces the stream",
            edit(
                (_PRE1, _PRE1.replace("x + ", "")),
                (_POST1, _POST1.replace("x + ", "")),
            ),
            "What the attention gives took the place of the stream. Each part reads the stream and adds to it; see section 6.1 for what becomes of a tower without that.",
        ),
        Wrong(
            "feed-forward replaces the stream",
            edit((_PRE2, _PRE2.replace("x + ", "")), (_POST2, _POST2.replace("x + ", ""))),
            "The attention adds to the stream, the feed-forward network replaces it. Both read and add.",
        ),
        Wrong(
            "always the norm after",
            edit(("if self.norm_first:", "if False:")),
            "norm_first=True gives what norm_first=False should. There are two orders to write.",
        ),
        Wrong(
            "always the norm before",
            edit(("if self.norm_first:", "if True:")),
            "norm_first=False gives what norm_first=True should. In the paper's order the norm comes after the sum.",
        ),
        Wrong(
            "the two orders are exchanged",
            edit(("if self.norm_first:", "if not self.norm_first:")),
            "Both orders are there, and each stands where the other should: norm_first=True means that a part reads norm(x).",
        ),
        Wrong(
            "the mask is not handed on",
            edit((", mask)[0]", ")[0]")),
            "Without a mask the output is right, with one it is that of no mask. Hand it on to the attention.",
        ),
        Wrong(
            "norm1 is used twice",
            edit(("self.norm2", "self.norm1")),
            "The feed-forward network's norm has weights of its own, norm2; norm1 was used for both.",
        ),
        Wrong(
            "keys and values are not normed",
            edit(("self.self_attention(normed, normed, normed, mask)", "self.self_attention(normed, x, x, mask)")),
            "With norm_first only the queries were normed. In self-attention query, key and value are the same tensor: norm it once and give it three times.",
        ),
        Wrong(
            "both parts read the layer's input",
            edit(
                (_PRE2, "return x + self.dropout(self.feed_forward(self.norm2(before)))"),
                (
                    "            normed = self.norm1(x)\n",
                    "            before = x\n            normed = self.norm1(x)\n",
                ),
                (_POST1, "before = x\n        " + _POST1),
                (_POST2, _POST2.replace("feed_forward(x)", "feed_forward(before)")),
            ),
            "The feed-forward network read the stream as it was before the attention added to it. The parts come one after the other.",
        ),
        Wrong(
            "dropout falls on the stream",
            edit(
                (_PRE1, "x = self.dropout(x + self.self_attention(normed, normed, normed, mask)[0])"),
                (_PRE2, "return self.dropout(x + self.feed_forward(self.norm2(x)))"),
                (_POST1, "x = self.norm1(self.dropout(x + self.self_attention(x, x, x, mask)[0]))"),
                (_POST2, "return self.norm2(self.dropout(x + self.feed_forward(x)))"),
            ),
            "In training dropout was applied to the sum, which drops parts of the stream itself. Apply it to what a part adds, before it is added.",
        ),
        Wrong(
            "no dropout",
            edit(
                (_PRE1, "x = x + self.self_attention(normed, normed, normed, mask)[0]"),
                (_PRE2, "return x + self.feed_forward(self.norm2(x))"),
                (_POST1, "x = self.norm1(x + self.self_attention(x, x, x, mask)[0])"),
                (_POST2, "return self.norm2(x + self.feed_forward(x))"),
            ),
            "In evaluation all is right, in training nothing is dropped: self.dropout is not used.",
        ),
        Wrong(
            "dropout in evaluation too",
            edit(("self.dropout(", "F.dropout(p=self.dropout.p, input=")),
            "Numbers are dropped after eval() as well: F.dropout drops unless it is told not to. Use the module self.dropout, which knows its mode.",
        ),
        Wrong(
            "the norm before, and once more behind the layer",
            edit((_PRE2, "return self.norm2(x + self.dropout(self.feed_forward(self.norm2(x))))")),
            "With norm_first something norms the end of the layer, and the stream no longer runs through it untouched. The tower has one norm for that, at its very end.",
        ),
        Wrong(
            "both sums start from the normed stream",
            _INIT_LAYER
            + """
    def forward(self, x, mask=None):
        if self.norm_first:
            x = self.norm1(x)
            x = x + self.dropout(self.self_attention(x, x, x, mask)[0])
            x = self.norm2(x)
            return x + self.dropout(self.feed_forward(x))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        return self.norm2(x + self.dropout(self.feed_forward(x)))
""",
            "With norm_first the norm is for the part alone: the part reads norm(x), and its output is added to x as it was. Here in both halves the normed x took the stream's place: give the normed tensor a name of its own.",
        ),
        Wrong(
            "the second sum starts from the normed stream",
            _INIT_LAYER
            + """
    def forward(self, x, mask=None):
        if self.norm_first:
            n = self.norm1(x)
            x = x + self.dropout(self.self_attention(n, n, n, mask)[0])
            x = self.norm2(x)
            return x + self.dropout(self.feed_forward(x))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        return self.norm2(x + self.dropout(self.feed_forward(x)))
""",
            "With norm_first the norm is for the part alone: the part reads norm(x), and its output is added to x as it was. Here in the second half the normed x took the stream's place: give the normed tensor a name of its own.",
        ),
        Wrong(
            "dropout on what the parts read, too",
            _INIT_LAYER
            + """
    def forward(self, x, mask=None):
        if self.norm_first:
            n = self.dropout(self.norm1(x))
            x = x + self.dropout(self.self_attention(n, n, n, mask)[0])
            return x + self.dropout(self.feed_forward(self.dropout(self.norm2(x))))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        return self.norm2(x + self.dropout(self.feed_forward(x)))
""",
            "In training numbers are dropped from what a part reads, as well. dropout is for what a part adds, and for nothing else.",
        ),
        Wrong(
            "dropout on what the parts read instead",
            _INIT_LAYER
            + """
    def forward(self, x, mask=None):
        if self.norm_first:
            n = self.dropout(self.norm1(x))
            x = x + self.self_attention(n, n, n, mask)[0]
            return x + self.feed_forward(self.dropout(self.norm2(x)))
        n = self.dropout(x)
        x = self.norm1(x + self.self_attention(n, n, n, mask)[0])
        return self.norm2(x + self.feed_forward(self.dropout(x)))
""",
            "dropout fell on what a part reads. Apply it to what the part gives, before that is added.",
        ),
        Wrong(
            "dropout twice",
            _INIT_LAYER
            + """
    def forward(self, x, mask=None):
        if self.norm_first:
            n = self.norm1(x)
            x = x + self.dropout(self.dropout(self.self_attention(n, n, n, mask)[0]))
            return x + self.dropout(self.dropout(self.feed_forward(self.norm2(x))))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        return self.norm2(x + self.dropout(self.feed_forward(x)))
""",
            "dropout was applied twice to the same numbers: three quarters are gone where half should be. Once is enough.",
        ),
        Wrong(
            "dropout on the attention alone",
            _INIT_LAYER
            + """
    def forward(self, x, mask=None):
        if self.norm_first:
            n = self.norm1(x)
            x = x + self.dropout(self.self_attention(n, n, n, mask)[0])
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        return self.norm2(x + self.feed_forward(x))
""",
            "What the attention adds is dropped in training, what the feed-forward network adds is not. Both are.",
        ),
        Wrong(
            "dropout on the feed-forward network alone",
            _INIT_LAYER
            + """
    def forward(self, x, mask=None):
        if self.norm_first:
            n = self.norm1(x)
            x = x + self.self_attention(n, n, n, mask)[0]
            return x + self.dropout(self.feed_forward(self.norm2(x)))
        x = self.norm1(x + self.self_attention(x, x, x, mask)[0])
        return self.norm2(x + self.dropout(self.feed_forward(x)))
""",
            "What the feed-forward network adds is dropped in training, what the attention adds is not. Both are.",
        ),
        Wrong(
            "dropout behind the norm",
            _INIT_LAYER
            + """
    def forward(self, x, mask=None):
        if self.norm_first:
            n = self.norm1(x)
            x = x + self.dropout(self.self_attention(n, n, n, mask)[0])
            return x + self.dropout(self.feed_forward(self.norm2(x)))
        x = self.dropout(self.norm1(x + self.self_attention(x, x, x, mask)[0]))
        return self.dropout(self.norm2(x + self.feed_forward(x)))
""",
            "With norm_first=False dropout came behind the norm and falls on the stream. Apply it to what the part gives, before the sum.",
        ),
        Wrong(
            "values are not normed",
            edit(("self.self_attention(normed, normed, normed, mask)", "self.self_attention(normed, normed, x, mask)")),
            "With norm_first queries and keys were normed and the values were not. In self-attention all three are the same tensor.",
        ),
        Wrong(
            "norm1 and norm2 are exchanged",
            _INIT_LAYER
            + """
    def forward(self, x, mask=None):
        if self.norm_first:
            n = self.norm2(x)
            x = x + self.dropout(self.self_attention(n, n, n, mask)[0])
            return x + self.dropout(self.feed_forward(self.norm1(x)))
        x = self.norm2(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        return self.norm1(x + self.dropout(self.feed_forward(x)))
""",
            "norm2 went to the attention and norm1 to the feed-forward network: each has its own, in the order of the parts.",
        ),
        Wrong(
            "the feed-forward network reads the bare stream",
            _INIT_LAYER
            + """
    def forward(self, x, mask=None):
        if self.norm_first:
            n = self.norm1(x)
            x = x + self.dropout(self.self_attention(n, n, n, mask)[0])
            return x + self.dropout(self.feed_forward(x))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        return self.norm2(x + self.dropout(self.feed_forward(x)))
""",
            "With norm_first the feed-forward network read x without its norm. It reads norm2(x).",
        ),
        Wrong(
            "the second sum starts from the layer's input",
            _INIT_LAYER
            + """
    def forward(self, x, mask=None):
        if self.norm_first:
            n = self.norm1(x)
            a = x + self.dropout(self.self_attention(n, n, n, mask)[0])
            return x + self.dropout(self.feed_forward(self.norm2(a)))
        a = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        return self.norm2(x + self.dropout(self.feed_forward(a)))
""",
            "The last sum starts from the layer's input, so what the attention added is lost. It starts from the stream as the attention left it.",
        ),
        Wrong(
            "norm of the part instead of the sum",
            _INIT_LAYER
            + """
    def forward(self, x, mask=None):
        if self.norm_first:
            n = self.norm1(x)
            x = x + self.dropout(self.self_attention(n, n, n, mask)[0])
            return x + self.dropout(self.feed_forward(self.norm2(x)))
        x = x + self.norm1(self.dropout(self.self_attention(x, x, x, mask)[0]))
        return x + self.norm2(self.dropout(self.feed_forward(x)))
""",
            "With norm_first=False the norm was put around what a part gives. In the paper's order it is around the sum.",
        ),
        Wrong(
            "the feed-forward network comes first",
            _INIT_LAYER
            + """
    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.dropout(self.feed_forward(self.norm2(x)))
            n = self.norm1(x)
            return x + self.dropout(self.self_attention(n, n, n, mask)[0])
        x = self.norm2(x + self.dropout(self.feed_forward(x)))
        return self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
""",
            "The two parts stand in the wrong order: attention first, then the feed-forward network.",
        ),
        Wrong(
            "the attention's pair is used whole",
            edit((", mask)[0]", ", mask)")),
            "The attention gives a pair, its output and its weights. Only the output is added.",
        ),
        Wrong(
            "the mask is turned round",
            edit((", mask)[0]", ", None if mask is None else ~mask)[0]")),
            "What the mask allows was hidden and what it hides was read. True means may attend, in your attention too: hand the mask on as it is.",
        ),
        Wrong(
            "causal where no mask is given",
            edit(
                (
                    ", mask)[0]",
                    ", torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril() if mask is None else mask)[0]",
                )
            ),
            "Without a mask later positions are hidden. None means that everything may be read; the caller makes masks.",
        ),
        Wrong(
            "eps does not reach the norms",
            edit(("nn.LayerNorm(d_model, eps=layer_norm_eps)", "nn.LayerNorm(d_model)")),
            "With another layer_norm_eps nothing changes: both norms keep PyTorch's own. Hand it on to them.",
        ),
        Wrong(
            "the activation does not reach the network",
            edit(("FeedForward(d_model, d_ff, activation)", "FeedForward(d_model, d_ff)")),
            "With another activation nothing changes: the feed-forward network keeps its own relu. Hand it on.",
        ),
    ],
    correct=[
        Correct(
            "one function around each part",
            _INIT_LAYER
            + """
    def around(self, x, norm, part):
        return x + self.dropout(part(norm(x))) if self.norm_first else norm(x + self.dropout(part(x)))

    def forward(self, x, mask=None):
        x = self.around(x, self.norm1, lambda y: self.self_attention(y, y, y, mask)[0])
        return self.around(x, self.norm2, self.feed_forward)
""",
        ),
        Correct(
            "one line after the other",
            _INIT_LAYER
            + """
    def forward(self, x, mask=None):
        y = self.norm1(x) if self.norm_first else x
        attended, _ = self.self_attention(query=y, key=y, value=y, mask=mask)
        x = x + self.dropout(attended)
        if not self.norm_first:
            x = self.norm1(x)
        y = self.norm2(x) if self.norm_first else x
        x = x + self.dropout(self.feed_forward(y))
        if not self.norm_first:
            x = self.norm2(x)
        return x
""",
        ),
        Correct(
            "added at the end",
            _INIT_LAYER
            + """
    def forward(self, x, mask=None):
        same = nn.Identity()
        before1, after1 = (self.norm1, same) if self.norm_first else (same, self.norm1)
        before2, after2 = (self.norm2, same) if self.norm_first else (same, self.norm2)
        y = before1(x)
        x = after1(torch.add(x, self.dropout(self.self_attention(y, y, y, mask)[0])))
        return after2(torch.add(x, self.dropout(self.feed_forward(before2(x)))))
""",
        ),
        Correct(
            "F.dropout that knows the mode",
            _INIT_LAYER
            + """
    def forward(self, x, mask=None):
        drop = lambda y: F.dropout(y, self.dropout.p, self.training)
        if self.norm_first:
            n = self.norm1(x)
            a, _weights = self.self_attention(n, n, n, mask)
            h = x + drop(a)
            return h + drop(self.feed_forward(self.norm2(h)))
        a, _weights = self.self_attention(x, x, x, mask)
        h = self.norm1(x + drop(a))
        return self.norm2(h + drop(self.feed_forward(h)))
""",
        ),
        Correct(
            "two methods",
            _INIT_LAYER
            + """
    def pre(self, x, mask):
        normed = self.norm1(x)
        x = x + self.dropout(self.self_attention(normed, normed, normed, mask)[0])
        return x + self.dropout(self.feed_forward(self.norm2(x)))

    def post(self, x, mask):
        x = self.norm1(self.dropout(self.self_attention(x, x, x, mask)[0]) + x)
        return self.norm2(self.dropout(self.feed_forward(x)) + x)

    def forward(self, x, mask=None):
        return (self.pre if self.norm_first else self.post)(x, mask)
""",
        ),
    ],
)

# ---- transformer_encoder --------------------------------------------------------------------------------------------

_ENCODER = """
class TransformerEncoder(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, num_layers, dropout=0.0, activation=F.relu, layer_norm_eps=1e-5, norm_first=True):
        super().__init__()
"""
_MAKE = "EncoderLayer(d_model, num_heads, d_ff, dropout, activation, layer_norm_eps, norm_first)"
_LIST = f"""nn.ModuleList(
            {_MAKE}
            for _ in range(num_layers)
        )"""
_NORM = "nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()"
_LOOP = "        for layer in self.layers:\n            x = layer(x, mask)\n        return self.norm(x)"

transformer_encoder = Bank(
    "transformer_encoder",
    wrong=[
        Wrong(
            "the same layer many times",
            edit((_LIST, f"nn.ModuleList([{_MAKE}] * num_layers)")),
            "A list times a number repeats the same object: the layers share one set of weights. Make each layer anew.",
        ),
        Wrong(
            "the layers in a plain list",
            edit((_LIST, f"[{_MAKE} for _ in range(num_layers)]")),
            "The module does not know its layers: a plain list hides their parameters from the optimiser. Use nn.ModuleList.",
        ),
        Wrong(
            "no norm at the end",
            edit((_LOOP, _LOOP.replace("self.norm(x)", "x"))),
            "With norm_first nothing has normed the end of the stream. Give it self.norm at the very end.",
        ),
        Wrong(
            "a norm at the end in both placements",
            edit((_NORM, "nn.LayerNorm(d_model, eps=layer_norm_eps)")),
            "With norm_first=False the last layer has normed its output already; here it is done twice. self.norm is nn.Identity() then.",
        ),
        Wrong(
            "the norm at the end is for the wrong placement",
            edit((_NORM, _NORM.replace("if norm_first", "if not norm_first"))),
            "The last norm is missing with norm_first=True and done twice with norm_first=False: the condition is turned round.",
        ),
        Wrong(
            "the norm comes after every layer",
            edit(
                (
                    _LOOP,
                    "        for layer in self.layers:\n            x = self.norm(layer(x, mask))\n        return x",
                )
            ),
            "The stream is normed behind every layer. self.norm is for the end of the tower alone.",
        ),
        Wrong(
            "the mask is not handed on",
            edit(("layer(x, mask)", "layer(x)")),
            "The mask changes nothing. Hand it to every layer.",
        ),
        Wrong(
            "the mask for the first layer alone",
            edit(
                (
                    _LOOP,
                    "        for i, layer in enumerate(self.layers):\n            x = layer(x, mask if i == 0 else None)\n        return self.norm(x)",
                )
            ),
            "With one layer the mask works, with two it does not: only the first got it. What is forbidden is forbidden in every layer.",
        ),
        Wrong(
            "every layer reads the tower's input",
            edit(
                (
                    _LOOP,
                    "        start = x\n        for layer in self.layers:\n            x = layer(start, mask)\n        return self.norm(x)",
                )
            ),
            "Each layer was given the tower's input, so only the last one counts. A layer reads what the one before has left.",
        ),
        Wrong(
            "norm_first does not reach the layers",
            edit((_MAKE, _MAKE.replace(", norm_first)", ")"))),
            "The layers were built without norm_first and use their own default. Hand it on.",
        ),
        Wrong(
            "the dropout does not reach the layers",
            edit((_MAKE, "EncoderLayer(d_model, num_heads, d_ff, 0.0, activation, layer_norm_eps, norm_first)")),
            "In training nothing is dropped: the layers were built without the tower's dropout.",
        ),
        Wrong(
            "the activation does not reach the layers",
            edit(
                (
                    _MAKE,
                    "EncoderLayer(d_model, num_heads, d_ff, dropout, layer_norm_eps=layer_norm_eps, norm_first=norm_first)",
                )
            ),
            "The layers were built without the tower's activation and use relu. Hand it on.",
        ),
        Wrong(
            "eps does not reach the layers",
            edit((_MAKE, "EncoderLayer(d_model, num_heads, d_ff, dropout, activation, norm_first=norm_first)")),
            "The layers were built without layer_norm_eps and use their own default. Hand it on.",
        ),
        Wrong(
            "eps does not reach the last norm",
            edit((_NORM, "nn.LayerNorm(d_model) if norm_first else nn.Identity()")),
            "The last norm was built without layer_norm_eps. Hand it on.",
        ),
        Wrong(
            "norm_first lands in eps",
            edit((_MAKE, "EncoderLayer(d_model, num_heads, d_ff, dropout, activation, norm_first)")),
            "The settings were given by position with one left out, so norm_first was taken for layer_norm_eps. Count the constructor's arguments, or name them.",
        ),
        Wrong(
            "the norm comes first",
            edit(
                (
                    _LOOP,
                    "        x = self.norm(x)\n        for layer in self.layers:\n            x = layer(x, mask)\n        return x",
                )
            ),
            "The norm stands before the first layer. It belongs behind the last one.",
        ),
        Wrong(
            "x is added once more",
            edit(("x = layer(x, mask)", "x = x + layer(x, mask)")),
            "The tower added the stream to what a layer gives. The layer has done that: its output is the stream.",
        ),
        Wrong(
            "the layers in reverse",
            edit(("for layer in self.layers:", "for layer in reversed(self.layers):")),
            "The last layer came first. Go through them in the order in which they stand.",
        ),
        Wrong(
            "one layer too many",
            edit(("range(num_layers)", "range(num_layers + 1)")),
            "There is a layer more than num_layers asks for. Count what range gives.",
        ),
    ],
    correct=[
        Correct(
            "append in a loop",
            _ENCODER
            + """
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(
                EncoderLayer(d_model, num_heads, d_ff, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first)
            )
        self.norm = nn.LayerNorm(d_model, layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x, mask=None):
        for i in range(len(self.layers)):
            x = self.layers[i](x, mask)
        return self.norm(x)
""",
        ),
        Correct(
            "copies of one layer",
            _ENCODER
            + """
        import copy

        layer = EncoderLayer(d_model, num_heads, d_ff, dropout, activation, layer_norm_eps, norm_first)
        self.layers = nn.ModuleList([copy.deepcopy(layer) for _ in range(num_layers)])
        self.norm = nn.Identity() if not norm_first else nn.LayerNorm(d_model, eps=layer_norm_eps)

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask=mask)
        return self.norm(x)
""",
        ),
        Correct(
            "functools.reduce",
            _ENCODER
            + """
        one = lambda: EncoderLayer(d_model, num_heads, d_ff, dropout, activation, layer_norm_eps, norm_first)
        self.layers = nn.ModuleList(one() for _ in range(num_layers))
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x, mask=None):
        from functools import reduce

        return self.norm(reduce(lambda stream, layer: layer(stream, mask), self.layers, x))
""",
        ),
        Correct(
            "nn.Sequential as the list",
            _ENCODER
            + """
        self.layers = nn.Sequential(*[EncoderLayer(d_model, num_heads, d_ff, dropout, activation, layer_norm_eps, norm_first) for _ in range(num_layers)])
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x, mask=None):
        stream = x
        for layer in self.layers:
            stream = layer(stream, mask)
        return self.norm(stream)
""",
        ),
        Correct(
            "the norm in forward where it is wanted",
            _ENCODER
            + """
        layers = []
        while len(layers) < num_layers:
            layers.append(EncoderLayer(d_model, num_heads, d_ff, dropout, activation, layer_norm_eps, norm_first))
        self.layers, self.norm = nn.ModuleList(layers), nn.Identity()
        if norm_first:
            self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)

    def forward(self, x, mask=None):
        for layer in self.layers.children():
            x = layer(x, mask)
        return self.norm(x)
""",
        ),
    ],
)

# ---- decoder_layer --------------------------------------------------------------------------------------------------

_INIT_DECODER = """
class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, activation=F.relu, layer_norm_eps=1e-5, norm_first=False):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.cross_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff, activation)
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm3 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first
"""
_SELF_PRE = "x = x + self.dropout(self.self_attention(normed, normed, normed, mask)[0])"
_CROSS_PRE = "x = x + self.dropout(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0])"
_CROSS_POST = "x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))"
_FF_PRE = "return x + self.dropout(self.feed_forward(self.norm3(x)))"
_FF_POST = "return self.norm3(x + self.dropout(self.feed_forward(x)))"
_SELF_POST = "x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))"
_PRE_SELF_BLOCK = f"            normed = self.norm1(x)\n            {_SELF_PRE}\n"


def _forward_of(source: str, *replacements: tuple[str, str]) -> str:
    """The reference with text replaced in `forward` alone."""
    at = source.index("    def forward(")
    return source[:at] + edit(*replacements)(source[at:])


decoder_layer = Bank(
    "decoder_layer",
    wrong=[
        Wrong(
            "cross-attention asks the stream",
            edit(
                (
                    "self.cross_attention(self.norm2(x), memory, memory, memory_mask)",
                    "self.cross_attention(self.norm2(x), self.norm2(x), self.norm2(x), None)",
                ),
                ("self.cross_attention(x, memory, memory, memory_mask)", "self.cross_attention(x, x, x, None)"),
            ),
            "Another source leaves the output as it was: the cross-attention took keys and values from the stream. They come from the memory.",
        ),
        Wrong(
            "the memory asks the stream",
            edit(
                (
                    "self.cross_attention(self.norm2(x), memory, memory, memory_mask)",
                    "self.cross_attention(memory, self.norm2(x), self.norm2(x), None)",
                ),
                ("self.cross_attention(x, memory, memory, memory_mask)", "self.cross_attention(memory, x, x, None)"),
            ),
            "The roles are exchanged: the memory asked and the stream answered. The queries come from the stream; keys and values are the memory.",
        ),
        Wrong(
            "values from the stream",
            edit(
                ("self.norm2(x), memory, memory, memory_mask", "self.norm2(x), memory, x, memory_mask"),
                ("(x, memory, memory, memory_mask)", "(x, memory, x, memory_mask)"),
            ),
            "The weights were computed with the memory's keys, and then shared out values of the stream. What is fetched comes from the memory, too.",
        ),
        Wrong(
            "the memory is normed once more",
            edit(
                (
                    "self.norm2(x), memory, memory, memory_mask",
                    "self.norm2(x), self.norm2(memory), self.norm2(memory), memory_mask",
                )
            ),
            "With norm_first the memory went through norm2. That norm is the stream's; the memory comes normed from its own tower and is used as it is.",
        ),
        Wrong(
            "the queries of the cross-attention are not normed",
            edit(("self.cross_attention(self.norm2(x), memory", "self.cross_attention(x, memory")),
            "With norm_first every part reads norm(x), the cross-attention too: norm2 was not used.",
        ),
        Wrong(
            "the two masks are exchanged",
            edit(
                (", memory_mask)[0]", ", SWAP)[0]"), (", mask)[0]", ", memory_mask)[0]"), (", SWAP)[0]", ", mask)[0]")
            ),
            "mask went to the cross-attention and memory_mask to the self-attention. The first is for the stream itself (T, T), the second for the memory (T, S).",
        ),
        Wrong(
            "the memory's mask is lost",
            edit((", memory_mask)[0]", ")[0]")),
            "memory_mask changes nothing: the source's padding would be read. Hand it to the cross-attention.",
        ),
        Wrong(
            "the stream's mask is lost",
            edit((", mask)[0]", ")[0]")),
            "mask changes nothing: every word could read the words that come after it. Hand it to the self-attention.",
        ),
        Wrong(
            "the cross-attention comes first",
            edit(
                (f"{_PRE_SELF_BLOCK}            {_CROSS_PRE}\n", f"            {_CROSS_PRE}\n{_PRE_SELF_BLOCK}"),
                ("x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))", "FIRST"),
                (_CROSS_POST, "x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))"),
                ("FIRST", _CROSS_POST),
            ),
            "The memory was asked before the stream had read itself. The order is self-attention, cross-attention, feed-forward.",
        ),
        Wrong(
            "cross-attention replaces the stream",
            edit((_CROSS_PRE, _CROSS_PRE.replace("x + ", "")), (_CROSS_POST, _CROSS_POST.replace("x + ", ""))),
            "What the cross-attention gives took the place of the stream. All three parts read and add.",
        ),
        Wrong(
            "one attention for both",
            edit(("self.cross_attention(", "self.self_attention(")),
            "The same attention read the stream and the memory; cross_attention and its weights were never used.",
        ),
        Wrong(
            "always the norm after",
            edit(("if self.norm_first:", "if False:")),
            "norm_first=True gives what norm_first=False should. There are two orders to write.",
        ),
        Wrong(
            "dropout falls on the stream",
            edit(
                (
                    "x + self.dropout(self.self_attention(normed, normed, normed, mask)[0])",
                    "self.dropout(x + self.self_attention(normed, normed, normed, mask)[0])",
                ),
                (
                    "x + self.dropout(self.feed_forward(self.norm3(x)))",
                    "self.dropout(x + self.feed_forward(self.norm3(x)))",
                ),
            ),
            "In training dropout was applied to the sum, which drops parts of the stream itself. Apply it to what a part adds, before it is added.",
        ),
        Wrong(
            "the stream attends causally whatever the mask says",
            edit(
                (
                    "normed, normed, normed, mask)",
                    "normed, normed, normed, torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril())",
                ),
                (
                    "self.self_attention(x, x, x, mask)",
                    "self.self_attention(x, x, x, torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril())",
                ),
            ),
            "Without a mask the layer still hides later positions. The caller says what is allowed: use mask as it was given, None included.",
        ),
        Wrong(
            "every sum starts from the normed stream",
            edit(
                ("normed = self.norm1(x)", "x = normed = self.norm1(x)"),
                (_CROSS_PRE, "x = self.norm2(x)\n            " + _CROSS_PRE.replace("self.norm2(x)", "x")),
                (_FF_PRE, "x = self.norm3(x)\n            " + _FF_PRE.replace("self.norm3(x)", "x")),
            ),
            "With norm_first the norm is for the part alone: the part reads norm(x), and its output is added to x as it was. Here in all three parts the normed x took the stream's place: give the normed tensor a name of its own.",
        ),
        Wrong(
            "the first sum starts from the normed stream",
            edit(("normed = self.norm1(x)", "x = normed = self.norm1(x)")),
            "With norm_first the norm is for the part alone: the part reads norm(x), and its output is added to x as it was. Here at the self-attention the normed x took the stream's place: give the normed tensor a name of its own.",
        ),
        Wrong(
            "the cross-attention's sum starts from the normed stream",
            edit((_CROSS_PRE, "x = self.norm2(x)\n            " + _CROSS_PRE.replace("self.norm2(x)", "x"))),
            "With norm_first the norm is for the part alone: the part reads norm(x), and its output is added to x as it was. Here at the cross-attention the normed x took the stream's place: give the normed tensor a name of its own.",
        ),
        Wrong(
            "the last sum starts from the normed stream",
            edit((_FF_PRE, "x = self.norm3(x)\n            " + _FF_PRE.replace("self.norm3(x)", "x"))),
            "With norm_first the norm is for the part alone: the part reads norm(x), and its output is added to x as it was. Here at the feed-forward network the normed x took the stream's place: give the normed tensor a name of its own.",
        ),
        Wrong(
            "keys from the stream",
            edit(
                ("self.norm2(x), memory, memory, memory_mask", "self.norm2(x), self.norm2(x), memory, memory_mask"),
                ("(x, memory, memory, memory_mask)", "(x, x, memory, memory_mask)"),
            ),
            "The values are the memory's, but the keys were made from the stream: the scores compare the stream with itself. Keys and values both come from the memory.",
        ),
        Wrong(
            "the sum starts from the memory",
            edit(
                (_CROSS_PRE, _CROSS_PRE.replace("x + ", "memory + ")),
                (_CROSS_POST, _CROSS_POST.replace("x + ", "memory + ")),
            ),
            "What the cross-attention gives was added to the memory. It is the stream that reads and adds: the sum starts from x.",
        ),
        Wrong(
            "mask for both attentions",
            edit((", memory_mask)[0]", ", mask)[0]")),
            "The cross-attention got mask, and memory_mask was not used at all. mask is for the stream itself, memory_mask for the memory.",
        ),
        Wrong(
            "memory_mask for both attentions",
            edit((", mask)[0]", ", memory_mask)[0]")),
            "The self-attention got memory_mask, and mask was not used at all. mask is for the stream itself, memory_mask for the memory.",
        ),
        Wrong(
            "dropout on the queries, too",
            edit(
                (
                    "self.cross_attention(self.norm2(x), memory",
                    "self.cross_attention(self.dropout(self.norm2(x)), memory",
                )
            ),
            "In training numbers are dropped from what the cross-attention asks with. dropout is for what a part adds, and for nothing else.",
        ),
        Wrong(
            "dropout on the memory",
            edit((", memory, memory, memory_mask", ", self.dropout(memory), self.dropout(memory), memory_mask")),
            "In training numbers are dropped from the memory. dropout is for what a part adds, and for nothing else.",
        ),
        Wrong(
            "no dropout",
            lambda source: source.replace("self.dropout(self.", "(self."),
            "In evaluation all is right, in training nothing is dropped: self.dropout is not used.",
        ),
        Wrong(
            "the cross-attention asks with norm1",
            edit((_CROSS_PRE, _CROSS_PRE.replace("self.norm2(x)", "normed"))),
            "The queries of the cross-attention were made of the stream as it was before the self-attention. Norm the stream anew, with norm2.",
        ),
        Wrong(
            "norm2 and norm3 are exchanged",
            lambda source: _forward_of(
                source, ("self.norm2(", "self.SWAP("), ("self.norm3(", "self.norm2("), ("self.SWAP(", "self.norm3(")
            ),
            "norm3 went to the cross-attention and norm2 to the feed-forward network: the norms stand in the order of the parts.",
        ),
        Wrong(
            "norm2 is used twice",
            lambda source: _forward_of(source, ("self.norm3(", "self.norm2(")),
            "The feed-forward network's norm is norm3; norm2 was used for it, too.",
        ),
        Wrong(
            "always the norm before",
            edit(("if self.norm_first:", "if True:")),
            "norm_first=False gives what norm_first=True should. In the paper's order the norm comes after the sum.",
        ),
        Wrong(
            "the two orders are exchanged",
            edit(("if self.norm_first:", "if not self.norm_first:")),
            "Both orders are there, and each stands where the other should: norm_first=True means that a part reads norm(x).",
        ),
        Wrong(
            "the memory's mask is turned round",
            edit((", memory_mask)[0]", ", None if memory_mask is None else ~memory_mask)[0]")),
            "The padding of the source was read and its words were hidden. True means may attend: hand memory_mask on as it is.",
        ),
        Wrong(
            "the attention's pair is used whole",
            edit((")[0]", ")")),
            "The attention gives a pair, its output and its weights. Only the output is added.",
        ),
        Wrong(
            "no dropout where the norm comes after",
            edit(*((line, line.replace("self.dropout(", "(")) for line in (_SELF_POST, _CROSS_POST, _FF_POST))),
            "With norm_first dropout falls as it should; in the paper's order nothing is dropped. There, too, it is for "
            "what a part adds, before the sum and its norm.",
        ),
        Wrong(
            "the masks are lost where the norm comes after",
            edit(("(x, x, x, mask)", "(x, x, x)"), ("(x, memory, memory, memory_mask)", "(x, memory, memory)")),
            "With norm_first both masks do their work; in the paper's order neither changes anything. Hand them on to the "
            "two attentions there, too.",
        ),
        Wrong(
            "eps does not reach the norms",
            edit(("nn.LayerNorm(d_model, eps=layer_norm_eps)", "nn.LayerNorm(d_model)")),
            "With another layer_norm_eps nothing changes: the three norms keep PyTorch's own. Hand it on to them.",
        ),
        Wrong(
            "the activation does not reach the network",
            edit(("FeedForward(d_model, d_ff, activation)", "FeedForward(d_model, d_ff)")),
            "With another activation nothing changes: the feed-forward network keeps its own relu. Hand it on.",
        ),
    ],
    correct=[
        Correct(
            "one function around each part",
            _INIT_DECODER
            + """
    def around(self, x, norm, part):
        return x + self.dropout(part(norm(x))) if self.norm_first else norm(x + self.dropout(part(x)))

    def forward(self, x, memory, mask=None, memory_mask=None):
        x = self.around(x, self.norm1, lambda y: self.self_attention(y, y, y, mask)[0])
        x = self.around(x, self.norm2, lambda y: self.cross_attention(y, memory, memory, memory_mask)[0])
        return self.around(x, self.norm3, self.feed_forward)
""",
        ),
        Correct(
            "one line after the other",
            _INIT_DECODER
            + """
    def forward(self, x, memory, mask=None, memory_mask=None):
        pre = self.norm_first
        y = self.norm1(x) if pre else x
        x = x + self.dropout(self.self_attention(y, y, y, mask)[0])
        x = x if pre else self.norm1(x)
        y = self.norm2(x) if pre else x
        x = x + self.dropout(self.cross_attention(query=y, key=memory, value=memory, mask=memory_mask)[0])
        x = x if pre else self.norm2(x)
        y = self.norm3(x) if pre else x
        x = x + self.dropout(self.feed_forward(y))
        return x if pre else self.norm3(x)
""",
        ),
        Correct(
            "a loop over the parts",
            _INIT_DECODER
            + """
    def forward(self, x, memory, mask=None, memory_mask=None):
        parts = [
            (self.norm1, lambda y: self.self_attention(y, y, y, mask)[0]),
            (self.norm2, lambda y: self.cross_attention(y, memory, memory, memory_mask)[0]),
            (self.norm3, self.feed_forward),
        ]
        for norm, part in parts:
            if self.norm_first:
                x = x + self.dropout(part(norm(x)))
            else:
                x = norm(x + self.dropout(part(x)))
        return x
""",
        ),
        Correct(
            "two methods",
            _INIT_DECODER
            + """
    def pre(self, x, memory, mask, memory_mask):
        n = self.norm1(x)
        a = x + self.dropout(self.self_attention(n, n, n, mask)[0])
        c = a + self.dropout(self.cross_attention(self.norm2(a), memory, memory, memory_mask)[0])
        return c + self.dropout(self.feed_forward(self.norm3(c)))

    def post(self, x, memory, mask, memory_mask):
        a = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        c = self.norm2(a + self.dropout(self.cross_attention(a, memory, memory, memory_mask)[0]))
        return self.norm3(c + self.dropout(self.feed_forward(c)))

    def forward(self, x, memory, mask=None, memory_mask=None):
        return (self.pre if self.norm_first else self.post)(x, memory, mask, memory_mask)
""",
        ),
        Correct(
            "F.dropout that knows the mode",
            _INIT_DECODER
            + """
    def forward(self, x, memory, mask=None, memory_mask=None):
        def drop(y):
            return F.dropout(y, p=self.dropout.p, training=self.training)

        if not self.norm_first:
            x = self.norm1(torch.add(x, drop(self.self_attention(x, x, x, mask)[0])))
            x = self.norm2(torch.add(x, drop(self.cross_attention(x, memory, memory, memory_mask)[0])))
            return self.norm3(torch.add(x, drop(self.feed_forward(x))))
        query = self.norm1(x)
        x = torch.add(x, drop(self.self_attention(query, query, query, mask)[0]))
        x = torch.add(x, drop(self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0]))
        return torch.add(x, drop(self.feed_forward(self.norm3(x))))
""",
        ),
    ],
)

# ---- transformer ----------------------------------------------------------------------------------------------------

_SHIFT = "tokens = torch.cat([begin, targets[:, :-1]], dim=1)  # (B, T), the last target never goes in"
_CAUSAL = "causal_mask(tokens.shape[1]).to(tokens.device)"
_SUM = "return self.dropout(vectors + positions.to(vectors))"
_APPEND = "tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)  # (B, t) -> (B, t + 1)"


def _methods(source: str, methods: str) -> str:
    """The reference's classes with the learner's part of Transformer, all its methods behind __init__, replaced."""
    return source[: source.index("    def embed(")] + methods.strip("\n") + "\n"


def _rewritten(methods: str):
    return lambda source: _methods(source, methods)


transformer = Bank(
    "transformer",
    wrong=[
        Wrong(
            "the targets go in unshifted",
            edit((_SHIFT, "tokens = targets")),
            "Each place was given the very word it has to say, which makes training easy and writing impossible. Shift right: the word before, and bos_id at first.",
        ),
        Wrong(
            "shifted by two",
            edit((_SHIFT, "tokens = torch.cat([begin, begin, targets[:, :-2]], dim=1)")),
            "Each place was given the word before the last, so a word is missing between what goes in and what comes out. Shift by one.",
        ),
        Wrong(
            "the last target goes in too",
            edit((_SHIFT, "tokens = torch.cat([begin, targets], dim=1)")),
            "There is one more column of logits than of targets: the last target went in, and nothing comes after it. Leave it out.",
        ),
        Wrong(
            "the first place gets zero instead of bos_id",
            edit(("torch.full_like(targets[:, :1], self.bos_id)", "torch.zeros_like(targets[:, :1])")),
            "The first word that goes in is token 0. It is bos_id, the id that the constructor was given.",
        ),
        Wrong(
            "the embeddings are not scaled",
            edit((" * self.d_model**0.5", "")),
            "The token's vector went in as it stands in the table. It is multiplied by the root of d_model before the positions are added.",
        ),
        Wrong(
            "the positions are scaled too",
            edit(
                (" * self.d_model**0.5", ""),
                (_SUM, "return self.dropout((vectors + positions.to(vectors)) * self.d_model**0.5)"),
            ),
            "The root of d_model multiplied the sum. Scale the token's vector alone and add the positions after that.",
        ),
        Wrong(
            "scaled by d_model",
            edit((" * self.d_model**0.5", " * self.d_model")),
            "The token's vector was multiplied by d_model, not by its root.",
        ),
        Wrong(
            "no positions",
            edit((_SUM, "return self.dropout(vectors)")),
            "The positions are missing: to this model a sentence is a bag of words. Add sinusoidal_encoding.",
        ),
        Wrong(
            "positions by the batch",
            edit(
                (
                    "sinusoidal_encoding(tokens.shape[1], self.d_model)",
                    "sinusoidal_encoding(tokens.shape[0], self.d_model).unsqueeze(1)",
                )
            ),
            "Every word of a sentence got the same position, its row in the batch. Positions run along the sentence.",
        ),
        Wrong(
            "no causal mask",
            edit((_CAUSAL, "None")),
            "The logits of a place move when a later word changes: the decoder reads ahead. Give its self-attention the causal mask.",
        ),
        Wrong(
            "a causal mask that hides the word itself",
            edit((_CAUSAL, f"{_CAUSAL}.tril(-1)")),
            "No place may read the word that goes in at that very place: the diagonal of the mask is missing. After the shift that word is the one before.",
        ),
        Wrong(
            "the source's padding is read",
            edit(
                (
                    "self.embed(self.source_embedding, source), memory_mask), memory_mask",
                    "self.embed(self.source_embedding, source)), memory_mask",
                )
            ),
            "A sentence's memory changes with the company it is padded for: the encoder was run without its mask.",
        ),
        Wrong(
            "the memory's padding is read",
            edit(
                (
                    ", memory, mask, memory_mask)\n        return self.output",
                    ", memory, mask)\n        return self.output",
                )
            ),
            "memory_mask does not reach the decoder's layers, so they read the source's padding. Hand it on.",
        ),
        Wrong(
            "one embedding for both languages",
            edit(("self.embed(self.target_embedding, tokens)", "self.embed(self.source_embedding, tokens)")),
            "The words that go in were looked up in the source's table. The target has one of its own.",
        ),
        Wrong(
            "step sees the last word alone",
            edit(
                (
                    "logits = self.decode(tokens, memory, memory_mask)[:, -1]",
                    "logits = self.decode(token.unsqueeze(1), memory, memory_mask)[:, -1]",
                )
            ),
            "`step` decoded the newest word without those before it: nothing is remembered, and every word stands at position 0. Decode all tokens so far, and keep the last column.",
        ),
        Wrong(
            "step forgets the new word",
            edit(("return logits, (tokens, memory, memory_mask)", "return logits, state")),
            "The state that comes back is the one that came in, so the next step does not know the word. Return the longer tokens.",
        ),
        Wrong(
            "only the first layer sees the memory's mask",
            edit(
                (
                    "x = layer(x, memory, mask, memory_mask)",
                    "x, memory_mask = layer(x, memory, mask, memory_mask), None",
                )
            ),
            "Behind the first layer the memory's mask is gone. Every layer of the decoder's tower gets all of its arguments.",
        ),
        Wrong(
            "the decoder's tower without its last norm",
            edit(
                (
                    "            x = layer(x, memory, mask, memory_mask)\n        return self.norm(x)",
                    "            x = layer(x, memory, mask, memory_mask)\n        return x",
                )
            ),
            "The end of the decoder's stream is not normed: self.norm is not used.",
        ),
        Wrong(
            "dropout is not applied to the embeddings",
            edit((_SUM, "return vectors + positions.to(vectors)")),
            "In training nothing is dropped from the sum of vectors and positions. Apply self.dropout to it.",
        ),
        Wrong(
            "the caller's targets are overwritten",
            edit(
                (
                    f"        {_SHIFT}\n",
                    "        targets[:, 1:] = targets[:, :-1].clone()\n        targets[:, :1] = begin\n        tokens = targets\n",
                )
            ),
            "The shift was made inside the tensor that was given, and the loss will be computed with that. Make a new one.",
        ),
        Wrong(
            "dropout in evaluation too",
            edit((_SUM, "return F.dropout(vectors + positions.to(vectors), self.dropout.p)")),
            "Numbers are dropped after eval() as well: F.dropout drops unless it is told not to. Use the module self.dropout, which knows its mode.",
        ),
        Wrong(
            "bos_id is taken to be 1",
            edit(("torch.full_like(targets[:, :1], self.bos_id)", "torch.full_like(targets[:, :1], 1)")),
            "The first word that goes in is token 1, whatever the model was told. Use self.bos_id: another vocabulary has it elsewhere.",
        ),
        Wrong(
            "dropout is not applied to the source's embeddings",
            edit(
                (
                    "self.encoder(self.embed(self.source_embedding, source), memory_mask)",
                    "self.encoder(self.source_embedding(source) * self.d_model**0.5 + sinusoidal_encoding(source.shape[1], self.d_model), memory_mask)",
                )
            ),
            "In training nothing is dropped from what the encoder reads. Both towers read what embed gives.",
        ),
        Wrong(
            "the first token goes in twice",
            edit(
                (
                    "return source[:, :0], memory, memory_mask",
                    "return torch.full_like(source[:, :1], self.bos_id), memory, memory_mask",
                )
            ),
            "start has put bos_id into the state, and step, which is fed with it, has appended it again. start begins with no tokens, (B, 0).",
        ),
        Wrong(
            "start holds bos_id, and step passes over it",
            edit(
                (
                    "return source[:, :0], memory, memory_mask",
                    "return torch.full_like(source[:, :1], self.bos_id), memory, memory_mask",
                ),
                (
                    _APPEND,
                    "if tokens.shape[1] > 1 or bool((token != self.bos_id).any()):\n            tokens = torch.cat([tokens, token.unsqueeze(1)], dim=1)",
                ),
            ),
            "The logits are right, but the state begins with bos_id and step then passes over it. start holds no tokens, (B, 0): step is fed with bos_id like with any other.",
        ),
        Wrong(
            "no output layer",
            edit(("return self.output(states)", "return states")),
            "decode gave back the tower's states, d_model wide. The output layer makes logits of them, one for each word.",
        ),
        Wrong(
            "positions as many as sentences",
            edit(
                (
                    "sinusoidal_encoding(tokens.shape[1], self.d_model)",
                    "sinusoidal_encoding(tokens.shape[0], self.d_model)",
                )
            ),
            "The number of positions was taken from the batch. It is the length of the sentences, T.",
        ),
        Wrong(
            "a softmax on the logits",
            edit(("return self.output(states)", "return torch.softmax(self.output(states), dim=-1)")),
            "Probabilities came back. The loss and the decoding want the logits as the output layer gives them.",
        ),
        Wrong(
            "a log-softmax on the logits",
            edit(("return self.output(states)", "return F.log_softmax(self.output(states), dim=-1)")),
            "Log-probabilities came back. The output layer's numbers are asked for, as they are.",
        ),
        Wrong(
            "the masks are exchanged in the decoder's tower",
            edit(("x = layer(x, memory, mask, memory_mask)", "x = layer(x, memory, memory_mask, mask)")),
            "The tower has handed the two masks to its layers in the wrong order: first that of the stream, then that of the memory.",
        ),
        Wrong(
            "the memory is replaced by the stream",
            edit(("x = layer(x, memory, mask, memory_mask)", "x = memory = layer(x, memory, mask, memory_mask)")),
            "Behind the first layer of the decoder's tower the memory is the stream itself. Every layer reads the encoder's outputs.",
        ),
        Wrong(
            "shifted to the left",
            edit((_SHIFT, "tokens = torch.cat([targets[:, 1:], begin], dim=1)")),
            "Each place was given the word that comes after the one it has to say. Shift to the right: the word before.",
        ),
        Wrong(
            "shifted in a circle",
            edit((_SHIFT, "tokens = targets.roll(1, dims=1)")),
            "The last target went in at the first place. There is bos_id to stand.",
        ),
        Wrong(
            "positions from 1",
            edit(
                (
                    "sinusoidal_encoding(tokens.shape[1], self.d_model)",
                    "sinusoidal_encoding(tokens.shape[1] + 1, self.d_model)[1:]",
                )
            ),
            "The first word has the sines of position 1. Positions count from 0.",
        ),
        Wrong(
            "divided by the root",
            edit((" * self.d_model**0.5", " / self.d_model**0.5")),
            "The token's vector was divided by the root of d_model. Multiply.",
        ),
        Wrong(
            "dropout before the positions",
            edit((_SUM, "return self.dropout(vectors) + positions.to(vectors)")),
            "In training only the tokens' vectors were dropped. dropout is for their sum with the positions.",
        ),
        Wrong(
            "step keeps all columns",
            edit(
                (
                    "logits = self.decode(tokens, memory, memory_mask)[:, -1]",
                    "logits = self.decode(tokens, memory, memory_mask)",
                )
            ),
            "step gave back the logits of all the words so far. Only those of the newest are asked for, (B, V): the last column.",
        ),
        Wrong(
            "norm_first does not reach the decoder",
            edit(
                (
                    "TransformerDecoder(*sizes, dropout, norm_first=norm_first)",
                    "TransformerDecoder(*sizes, dropout)",
                )
            ),
            "With norm_first=False the encoder changes and the decoder stays as it was. Both towers are to hear of it.",
        ),
    ],
    correct=[
        Correct(
            "F.pad for the shift",
            edit(
                (
                    f"        begin = torch.full_like(targets[:, :1], self.bos_id)\n        {_SHIFT}\n",
                    "        tokens = F.pad(targets[:, :-1], (1, 0), value=self.bos_id)\n",
                )
            ),
        ),
        Correct(
            "roll and overwrite a copy",
            edit(
                (
                    f"        begin = torch.full_like(targets[:, :1], self.bos_id)\n        {_SHIFT}\n",
                    "        tokens = targets.roll(1, dims=1)\n        tokens[:, 0] = self.bos_id\n",
                )
            ),
        ),
        Correct(
            "math.sqrt and steps of its own",
            _rewritten("""
    def embed(self, embedding, tokens):
        import math

        B, T = tokens.shape
        x = embedding(tokens).mul(math.sqrt(embedding.embedding_dim))
        x = x + sinusoidal_encoding(T, embedding.embedding_dim).unsqueeze(0)
        return self.dropout(x)

    def encode(self, source, lengths):
        real = torch.arange(source.shape[1])[None, None, :] < lengths[:, None, None]
        embedded = self.embed(self.source_embedding, source)
        return self.encoder(embedded, mask=real), real

    def decode(self, tokens, memory, memory_mask=None):
        T = tokens.shape[1]
        past = torch.arange(T)[:, None] >= torch.arange(T)[None, :]
        x = self.decoder(self.embed(self.target_embedding, tokens), memory, mask=past, memory_mask=memory_mask)
        return F.linear(x, self.output.weight, self.output.bias)

    def forward(self, source, lengths, targets):
        tokens = torch.empty_like(targets)
        tokens[:, 0] = self.bos_id
        tokens[:, 1:] = targets[:, :-1]
        memory, real = self.encode(source, lengths)
        return self.decode(tokens, memory, real)

    def start(self, source, lengths):
        memory, real = self.encode(source, lengths)
        return torch.zeros(len(source), 0, dtype=torch.long), memory, real

    def step(self, token, state):
        tokens, memory, real = state
        tokens = torch.cat((tokens, token[:, None]), 1)
        return self.decode(tokens, memory, real)[:, -1, :], (tokens, memory, real)
"""),
        ),
        Correct(
            "the mask of every sentence's own",
            edit((_CAUSAL, f"{_CAUSAL}.expand(len(tokens), -1, -1)")),
        ),
        Correct(
            "only the last state goes through the output",
            edit(
                (
                    "logits = self.decode(tokens, memory, memory_mask)[:, -1]",
                    "mask = causal_mask(tokens.shape[1])\n        states = self.decoder(self.embed(self.target_embedding, tokens), memory, mask, memory_mask)\n        logits = self.output(states[:, -1])",
                ),
            ),
        ),
    ],
)

# ---- warmup_schedule ------------------------------------------------------------------------------------------------

_RATE = "d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)"
_STEP0 = "    if step == 0:\n        return 0.0\n"

warmup_schedule = Bank(
    "warmup_schedule",
    wrong=[
        Wrong(
            "step 0 divides by zero",
            edit((_STEP0, "")),
            "At step 0 the root of the step stands under a one. The docstring says what comes back there.",
        ),
        Wrong(
            "the larger of the two",
            edit(("* min(", "* max(")),
            "The rate starts huge and never falls as it should: of the two expressions the smaller one counts.",
        ),
        Wrong(
            "steps are counted from 0",
            edit((f"{_STEP0}    return", "    step = step + 1\n    return")),
            "Every rate is that of the next step: the highest comes one step early. Steps count from 1 here.",
        ),
        Wrong(
            "the root of d_model on top",
            edit(("d_model**-0.5", "d_model**0.5")),
            "The rate was multiplied by the root of d_model and has to be divided by it.",
        ),
        Wrong(
            "no d_model",
            edit(("d_model**-0.5 * ", "")),
            "The width of the model does not come in. The rate is divided by its root.",
        ),
        Wrong(
            "the warm-up's exponent is -0.5",
            edit(("warmup_steps**-1.5", "warmup_steps**-0.5")),
            "The line rises too steeply: the two expressions have to meet at step == warmup_steps, where both are warmup_steps^-0.5.",
        ),
        Wrong(
            "it stays at its height",
            edit((_RATE, "d_model**-0.5 * min(warmup_steps**-0.5, step * warmup_steps**-1.5)")),
            "The way up is right; behind the warm-up the rate stays where it is. It falls with the root of the step.",
        ),
        Wrong(
            "step 0 gets the rate of step 1",
            edit((f"{_STEP0}    return", "    step = max(step, 1)\n    return")),
            "Only step 0 is wrong: it was given the rate of step 1. The docstring says what comes back there.",
        ),
        Wrong(
            "the peak is one",
            edit((_RATE, "min((step / warmup_steps)**-0.5, step / warmup_steps)")),
            "The shape is right and the size is not: the highest rate is 1. It is (d_model * warmup_steps)^-0.5.",
        ),
        Wrong(
            "the step is forgotten on the way up",
            edit(("step * warmup_steps**-1.5", "warmup_steps**-1.5")),
            "The rate does not rise: the second expression is the step times warmup_steps^-1.5.",
        ),
        Wrong(
            "it falls in a line",
            edit(
                (_RATE, "(d_model * warmup_steps)**-0.5 * min(step / warmup_steps, max(0.0, 2 - step / warmup_steps))")
            ),
            "The way up is right; then the rate falls in a line. It falls with the root of the step.",
        ),
        Wrong(
            "a rate of 1 at step 0",
            edit(("return 0.0", "return 1.0")),
            "At step 0 the rate is 1. The docstring says what comes back there.",
        ),
    ],
    correct=[
        Correct(
            "two cases",
            """
def warmup_schedule(step, d_model, warmup_steps):
    if step < warmup_steps:
        return step / (d_model**0.5 * warmup_steps**1.5)
    return 1 / (d_model * step) ** 0.5
""",
        ),
        Correct(
            "relative to the peak",
            """
def warmup_schedule(step, d_model, warmup_steps):
    peak = (d_model * warmup_steps) ** -0.5
    return peak * min(step / warmup_steps, (warmup_steps / max(step, 1)) ** 0.5)
""",
        ),
        Correct(
            "no root of zero",
            """
def warmup_schedule(step, d_model, warmup_steps):
    if not step:
        return 0.0
    falling, rising = step ** (-1 / 2), step / warmup_steps ** (3 / 2)
    return (falling if falling < rising else rising) / d_model ** (1 / 2)
""",
        ),
    ],
)

# ---- fix_the_layer_norm ---------------------------------------------------------------------------------------------

_LN_MEAN = "x.mean(dim=2, keepdim=True)"
_LN_VARIANCE = "(x - mean).square().mean(dim=2, keepdim=True)"
_LN_RETURN = "return (x - mean) / torch.sqrt(variance + eps) * weight + bias"

fix_the_layer_norm = Bank(
    "fix_the_layer_norm",
    wrong=[
        Wrong(
            "mean and variance run over the positions too",
            edit(
                (_LN_MEAN, "x.mean(dim=(1, 2), keepdim=True)"),
                (_LN_VARIANCE, "(x - mean).square().mean(dim=(1, 2), keepdim=True)"),
            ),
            "Mean and variance were taken over all of a sequence, so every position knows a little of all the others, of later ones too. Each position has statistics of its own.",
        ),
        Wrong(
            "only the mean is the position's own",
            edit((_LN_VARIANCE, "(x - mean).square().mean(dim=(1, 2), keepdim=True)")),
            "The mean is each position's own now; the variance still runs over the whole sequence.",
        ),
        Wrong(
            "only the variance is the position's own",
            edit((_LN_MEAN, "x.mean(dim=(1, 2), keepdim=True)")),
            "The variance is taken within each position now; the mean still runs over the whole sequence.",
        ),
        Wrong(
            "over the positions instead of the features",
            edit(
                (_LN_MEAN, "x.mean(dim=1, keepdim=True)"),
                (_LN_VARIANCE, "(x - mean).square().mean(dim=1, keepdim=True)"),
            ),
            "Each feature was normed along the sequence. It is the other way round: each position, over its features.",
        ),
        Wrong(
            "over the batch",
            edit(
                (_LN_MEAN, "x.mean(dim=(0, 1), keepdim=True)"),
                (_LN_VARIANCE, "(x - mean).square().mean(dim=(0, 1), keepdim=True)"),
            ),
            "Each feature was normed over sentences and positions: that is batch normalisation. Here each position is normed by itself.",
        ),
        Wrong(
            "the variance is divided by D - 1",
            edit((_LN_VARIANCE, "x.var(dim=2, keepdim=True)")),
            "The variance is a little too large, by D / (D - 1): torch.var divides by D - 1 unless it is told not to.",
        ),
        Wrong(
            "eps stands outside the root",
            edit(("torch.sqrt(variance + eps)", "(torch.sqrt(variance) + eps)")),
            "Where the features hardly differ the result is off: eps belongs to the variance, under the root.",
        ),
        Wrong(
            "eps is not used",
            edit(("variance + eps", "variance + 1e-5")),
            "With another eps the result does not change. Use the one that was given.",
        ),
        Wrong(
            "the root is missing",
            edit(("torch.sqrt(variance + eps)", "(variance + eps)")),
            "The differences were divided by the variance; divide by its root.",
        ),
        Wrong(
            "the bias is scaled too",
            edit((_LN_RETURN, "return ((x - mean) / torch.sqrt(variance + eps) + bias) * weight")),
            "The bias came in before the weight and was multiplied by it. Weight first, bias last.",
        ),
        Wrong(
            "the mean is not taken away",
            edit((_LN_RETURN, "return x / torch.sqrt(variance + eps) * weight + bias")),
            "The result is scaled but not centred: take the mean away first.",
        ),
        Wrong(
            "no weight and no bias",
            edit((" * weight + bias", "")),
            "The normed numbers came back as they are; weight and bias are still to be applied.",
        ),
        Wrong(
            "mean and variance are detached",
            edit(
                (_LN_MEAN, "x.mean(dim=2, keepdim=True).detach()"),
                (_LN_VARIANCE, "(x - mean).square().mean(dim=2, keepdim=True).detach()"),
            ),
            "What comes out is right and the gradients are not: mean and variance depend on x, and were cut off from it. Do not detach them.",
        ),
        Wrong(
            "x is overwritten",
            """
def layer_norm(x, weight, bias, eps=1e-5):
    x -= x.mean(dim=-1, keepdim=True)
    return x / torch.sqrt(x.square().mean(dim=-1, keepdim=True) + eps) * weight + bias
""",
            "The mean was taken away inside the caller's x. With the norm before, that is the stream itself. Make a new tensor.",
        ),
        Wrong(
            "the variance as a difference of two large numbers",
            edit((_LN_VARIANCE, "x.square().mean(dim=2, keepdim=True) - mean.square()")),
            "The variance was computed as the mean of the squares minus the square of the mean. Where features hardly differ, nearly equal numbers are subtracted and the digits are lost: square the differences instead.",
        ),
        Wrong(
            "no eps at all",
            edit(("variance + eps", "variance")),
            "eps was left out. Where features hardly differ it decides; it is added to the variance, under the root.",
        ),
        Wrong(
            "no axis kept",
            edit((_LN_MEAN, "x.mean(dim=2)"), (_LN_VARIANCE, "(x - mean).square().mean(dim=2)")),
            "The mean has lost the axis of the features, so it cannot be taken away from x. Keep the axis, of length 1.",
        ),
        Wrong(
            "divided by the root mean square",
            edit(
                (_LN_VARIANCE, "x.square().mean(dim=2, keepdim=True)"),
                (_LN_RETURN, "return x / torch.sqrt(variance + eps) * weight + bias"),
            ),
            "x was divided by the root of its mean square and not centred (that is RMS norm, of later models). Take the mean away first, for the variance too.",
        ),
        Wrong(
            "statistics of all positions so far",
            """
def layer_norm(x, weight, bias, eps=1e-5):
    count = (torch.arange(x.shape[1]) + 1.0).view(1, -1, 1) * x.shape[2]
    mean = x.sum(dim=2, keepdim=True).cumsum(dim=1) / count
    variance = x.square().sum(dim=2, keepdim=True).cumsum(dim=1) / count - mean.square()
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias
""",
            "No position sees a later one, but each still shares its mean and variance with those before it. They are of its own D numbers alone.",
        ),
    ],
    correct=[
        Correct(
            "torch.var with its correction off",
            """
def layer_norm(x, weight, bias, eps=1e-5):
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return weight * (x - mean) * torch.rsqrt(variance + eps) + bias
""",
        ),
        Correct(
            "position by position",
            """
def layer_norm(x, weight, bias, eps=1e-5):
    rows = []
    for vector in x.reshape(-1, x.shape[-1]):
        centred = vector - vector.mean()
        rows.append(centred / (centred.pow(2).mean() + eps) ** 0.5 * weight + bias)
    return torch.stack(rows).view_as(x)
""",
        ),
        Correct(
            "the mean of squares minus the square of the mean, in double",
            """
def layer_norm(x, weight, bias, eps=1e-5):
    d = x.double()
    mean = d.mean(-1, keepdim=True)
    variance = d.pow(2).mean(-1, keepdim=True) - mean.pow(2)
    return ((d - mean) / (variance + eps).sqrt()).float() * weight + bias
""",
        ),
        Correct(
            "sums",
            """
def layer_norm(x, weight, bias, eps=1e-5):
    D = x.size(2)
    x = x - x.sum(2, keepdim=True) / D
    return torch.addcmul(bias, x / torch.sqrt((x * x).sum(2, keepdim=True) / D + eps), weight)
""",
        ),
        Correct(
            "the centring matrix",
            """
def layer_norm(x, weight, bias, eps=1e-5):
    D = x.shape[-1]
    centred = x @ (torch.eye(D) - 1 / D)
    return centred / (centred.square().mean(-1, keepdim=True) + eps).sqrt() * weight + bias
""",
        ),
    ],
)

# ---- parameter_count ------------------------------------------------------------------------------------------------

_COUNTED = "return num_layers * (encoder_layer + decoder_layer) + vocab_size * d_model"

parameter_count = Bank(
    "parameter_count",
    wrong=[
        Wrong(
            "attention without biases",
            edit(("4 * (d_model * d_model + d_model)", "4 * d_model * d_model")),
            "The four maps of an attention have a bias each, as in chapter 05.",
        ),
        Wrong(
            "feed-forward without biases",
            edit(("2 * d_model * d_ff + d_ff + d_model", "2 * d_model * d_ff")),
            "The two maps of the feed-forward network have biases, one of d_ff and one of d_model.",
        ),
        Wrong(
            "both feed-forward biases of the same width",
            edit(("+ d_ff + d_model", "+ 2 * d_model")),
            "A bias is as wide as what comes out of its map: linear1 gives d_ff numbers.",
        ),
        Wrong(
            "three maps in an attention",
            edit(("4 * (d_model", "3 * (d_model")),
            "An attention has four maps: queries, keys, values, and the output W_O behind the merged heads.",
        ),
        Wrong(
            "no norms",
            edit(("norm = 2 * d_model", "norm = 0")),
            "The layer norms are missing: each has a weight and a bias of d_model numbers.",
        ),
        Wrong(
            "norms without a bias",
            edit(("norm = 2 * d_model", "norm = d_model")),
            "A layer norm has two vectors, its weight and its bias.",
        ),
        Wrong(
            "one attention in a decoder layer",
            edit(("2 * attention", "attention")),
            "A decoder layer has two attentions, to itself and to the memory, each with maps of its own.",
        ),
        Wrong(
            "two norms in a decoder layer",
            edit(("3 * norm", "2 * norm")),
            "A decoder layer has three parts and a norm for each.",
        ),
        Wrong(
            "three matrices of the vocabulary",
            edit((_COUNTED, f"{_COUNTED} * 3")),
            "The vocabulary's matrix was counted for source, target and output. In the paper it is one and the same.",
        ),
        Wrong(
            "the output has a bias",
            edit((_COUNTED, f"{_COUNTED} + vocab_size")),
            "There is a bias for the vocabulary too many: the output layer uses the embeddings' matrix and nothing else.",
        ),
        Wrong(
            "norms behind both towers",
            edit((_COUNTED, f"{_COUNTED} + 2 * norm")),
            "There are two norms too many: in the paper's order the last layer has normed its output already.",
        ),
        Wrong(
            "d_ff is taken to be four times d_model",
            edit(
                (
                    "feed_forward = 2 * d_model * d_ff + d_ff + d_model",
                    "feed_forward = 8 * d_model * d_model + 5 * d_model",
                )
            ),
            "For the paper's sizes it is right, for others not: use d_ff as it was given.",
        ),
        Wrong(
            "no biases at all",
            edit(
                ("4 * (d_model * d_model + d_model)", "4 * d_model * d_model"),
                ("2 * d_model * d_ff + d_ff + d_model", "2 * d_model * d_ff"),
            ),
            "Every bias is missing, those of the attentions and those of the networks.",
        ),
        Wrong(
            "a decoder layer counted as an encoder layer",
            edit(("2 * attention", "attention"), ("3 * norm", "2 * norm")),
            "The decoder's layers were counted like the encoder's. Theirs have a second attention, to the memory, and a norm for it.",
        ),
        Wrong(
            "the encoder alone",
            edit(("(encoder_layer + decoder_layer)", "encoder_layer")),
            "Only the encoder's layers were counted. There are as many decoder layers.",
        ),
        Wrong(
            "the decoder alone",
            edit(("(encoder_layer + decoder_layer)", "decoder_layer")),
            "Only the decoder's layers were counted. There are as many encoder layers.",
        ),
        Wrong(
            "two matrices of the vocabulary",
            edit((_COUNTED, f"{_COUNTED} * 2")),
            "The vocabulary's matrix was counted twice. In the paper one and the same serves both embeddings and the output.",
        ),
        Wrong(
            "one network for both kinds of layer",
            edit(
                ("decoder_layer = 2 * attention + feed_forward + 3 * norm", "decoder_layer = 2 * attention + 3 * norm")
            ),
            "There is one feed-forward network for an encoder and a decoder layer together. Each has its own.",
        ),
    ],
    correct=[
        Correct(
            "one expression",
            """
def parameter_count(d_model, d_ff, num_layers, vocab_size):
    d, f = d_model, d_ff
    return num_layers * (12 * d * d + 12 * d + 2 * (2 * d * f + f + d) + 10 * d) + vocab_size * d
""",
        ),
        Correct(
            "built without storage, and counted",
            """
def parameter_count(d_model, d_ff, num_layers, vocab_size):
    with torch.device("meta"):
        towers = [EncoderLayer(d_model, 1, d_ff), DecoderLayer(d_model, 1, d_ff)]
    return num_layers * sum(p.numel() for t in towers for p in t.parameters()) + vocab_size * d_model
""",
        ),
        Correct(
            "a helper for linear maps",
            """
def parameter_count(d_model, d_ff, num_layers, vocab_size):
    def linear(i, o):
        return i * o + o

    attentions = 3 * 4 * linear(d_model, d_model)
    networks = 2 * (linear(d_model, d_ff) + linear(d_ff, d_model))
    norms = 5 * 2 * d_model
    return num_layers * (attentions + networks + norms) + vocab_size * d_model
""",
        ),
        Correct(
            "a loop over the layers",
            """
def parameter_count(d_model, d_ff, num_layers, vocab_size):
    total = vocab_size * d_model
    for _ in range(num_layers):
        for attentions, norms in ((1, 2), (2, 3)):
            total += attentions * 4 * d_model * (d_model + 1)
            total += d_model * d_ff + d_ff + d_ff * d_model + d_model
            total += norms * (d_model + d_model)
    return total
""",
        ),
        Correct(
            "shapes of all weights",
            """
def parameter_count(d_model, d_ff, num_layers, vocab_size):
    from math import prod

    attention = [(d_model, d_model), (d_model,)] * 4
    network = [(d_ff, d_model), (d_ff,), (d_model, d_ff), (d_model,)]
    layers = attention * 3 + network * 2 + [(d_model,)] * 10
    return sum(map(prod, layers * num_layers)) + vocab_size * d_model
""",
        ),
    ],
)

# ---- label_smoothing_loss -------------------------------------------------------------------------------------------

_OF_TARGET = "-(1 - smoothing) * of_target"
_TOTAL = "total = log_probabilities.sum(dim=2) - log_probabilities[:, :, pad_id]"
_PER = "(logits.shape[2] - 1)"
_LS_RETURN = "return losses.masked_fill(~real, 0.0).sum() / real.sum().clamp(min=1)"

label_smoothing_loss = Bank(
    "label_smoothing_loss",
    wrong=[
        Wrong(
            "padding gets a share of the smoothing",
            edit((_TOTAL, "total = log_probabilities.sum(dim=2)"), (_PER, "logits.shape[2]")),
            "The smoothing was shared among all V tokens. The padding is never right and gets nothing: V - 1 tokens share.",
        ),
        Wrong(
            "padding gets a share, V - 1 in the denominator",
            edit((_TOTAL, "total = log_probabilities.sum(dim=2)")),
            "The shares are counted for V - 1 tokens, but the sum runs over all V, padding among them.",
        ),
        Wrong(
            "divided among V tokens",
            edit((_PER, "logits.shape[2]")),
            "The sum leaves padding out and the share does not: it is smoothing / (V - 1), and so the whole no longer sums to one.",
        ),
        Wrong(
            "the target gets no share",
            edit((_TOTAL, _TOTAL + " - of_target"), (_PER, "(logits.shape[2] - 2)")),
            "The smoothing was shared among the others alone. In this docstring the target is one of the tokens that share, on top of its 1 - e.",
        ),
        Wrong(
            "the target keeps all of its weight",
            edit((_OF_TARGET, "-of_target")),
            "The target kept weight 1 and the smoothing came on top, so the whole sums to more than one. The target has 1 - e, plus its share.",
        ),
        Wrong(
            "the two weights are exchanged",
            edit((_OF_TARGET, "-smoothing * of_target"), ("- smoothing * total", "- (1 - smoothing) * total")),
            "The target got e and the others shared 1 - e: turned round.",
        ),
        Wrong(
            "the smoothing is not shared out",
            edit((f" * total / {_PER}", " * total")),
            "Every token got the whole smoothing. It is shared: each gets e / (V - 1).",
        ),
        Wrong(
            "no smoothing",
            edit((f"{_OF_TARGET} - smoothing * total / {_PER}", "-of_target")),
            "The loss is the plain cross-entropy, whatever the smoothing.",
        ),
        Wrong(
            "padding counts",
            edit((_LS_RETURN, "return losses.mean()")),
            "The loss changes with the padding: places whose target is pad_id were counted. Leave them out of the sum and of the number.",
        ),
        Wrong(
            "divided by B times T",
            edit((_LS_RETURN, "return losses.masked_fill(~real, 0.0).mean()")),
            "Padding was left out of the sum, but the mean was still taken over all B * T places. Divide by the number of real ones.",
        ),
        Wrong(
            "a mean over sentences",
            edit(
                (_LS_RETURN, "return (losses.masked_fill(~real, 0.0).sum(dim=1) / real.sum(dim=1).clamp(min=1)).mean()")
            ),
            "Each sentence was averaged first, so the words of a short one count for more. Take one mean over all real words.",
        ),
        Wrong(
            "softmax before the log-softmax",
            edit(("F.log_softmax(logits, dim=2)", "F.log_softmax(F.softmax(logits, dim=2), dim=2)")),
            "The logits went through softmax twice. log_softmax does all of it.",
        ),
        Wrong(
            "nothing but padding gives NaN",
            edit((".clamp(min=1)", "")),
            "Where every target is padding the result is 0/0. The docstring says what comes back.",
        ),
        Wrong(
            "the caller's targets are overwritten",
            """
def label_smoothing_loss(logits, targets, pad_id, smoothing):
    if not 0 <= smoothing < 1:
        raise ValueError(smoothing)
    targets[targets == pad_id] = -100
    real = targets != -100
    if not real.any():
        return logits.sum() * 0
    log_p, right = logits.log_softmax(-1)[real], targets[real]
    share = smoothing / (logits.shape[-1] - 1)
    total = log_p.sum(-1) - log_p[:, pad_id]
    return (-(1 - smoothing) * log_p.gather(1, right[:, None])[:, 0] - share * total).mean()
""",
            "The number is right, but the caller's targets were written to. Make a new tensor.",
        ),
        Wrong(
            "the logarithm of a softmax",
            edit(("F.log_softmax(logits, dim=2)", "F.softmax(logits, dim=2).log()")),
            "A word with a logit far below the others gets probability 0 in float32, and its logarithm is minus infinity. log_softmax does both at once and stays finite.",
        ),
        Wrong(
            "the target loses its share",
            edit((_TOTAL, _TOTAL + " - of_target")),
            "The target has 1 - e and no share, and the others have e / (V - 1) each, so the whole sums to less than one. Among the V - 1 that share is the target.",
        ),
        Wrong(
            "a divergence instead of a cross-entropy",
            edit(
                (
                    f"{_OF_TARGET} - smoothing * total / {_PER}",
                    f"{_OF_TARGET} - smoothing * total / {_PER} + _negative_entropy(smoothing, logits.shape[2])",
                ),
                (
                    "def label_smoothing_loss(",
                    "def _negative_entropy(smoothing, V):\n    share = smoothing / (V - 1)\n    top = 1 - smoothing + share\n    log = lambda p: torch.tensor(p).log().item()\n    rest = (V - 2) * share * log(share) if share else 0.0\n    return top * log(top) + rest\n\n\ndef label_smoothing_loss(",
                ),
            ),
            "The loss is smaller by the entropy of the smoothed targets: this is the Kullback-Leibler divergence. It has the same gradients; the number asked for is the cross-entropy.",
        ),
        Wrong(
            "padding is kept out of the softmax",
            edit(
                (
                    "F.log_softmax(logits, dim=2)",
                    "F.log_softmax(logits.masked_fill(torch.arange(logits.shape[2]) == pad_id, -1e9), dim=2)",
                ),
                (
                    _TOTAL,
                    "total = log_probabilities.masked_fill(torch.arange(logits.shape[2]) == pad_id, 0.0).sum(dim=2)",
                ),
            ),
            "The padding's logit was taken out before the softmax, so the other probabilities grew. It takes part in the softmax; only its share of the smoothing is nothing.",
        ),
        Wrong(
            "pad_id is taken to be 0",
            edit(("log_probabilities[:, :, pad_id]", "log_probabilities[:, :, 0]")),
            "With pad_id 0 it is right, with another not: the token left out of the sum is always token 0.",
        ),
        Wrong(
            "cut off from the logits",
            edit(("F.log_softmax(logits, dim=2)", "F.log_softmax(logits.detach(), dim=2)")),
            "The loss is right and has no gradient: it was cut off from the logits.",
        ),
    ],
    correct=[
        Correct(
            "the whole distribution",
            """
def label_smoothing_loss(logits, targets, pad_id, smoothing):
    if not 0 <= smoothing < 1:
        raise ValueError(smoothing)
    V = logits.shape[-1]
    wanted = torch.full_like(logits, smoothing / (V - 1))
    wanted[..., pad_id] = 0
    wanted = wanted + (1 - smoothing) * F.one_hot(targets, V)
    losses = -(wanted * logits.log_softmax(-1)).sum(-1)
    real = (targets != pad_id).float()
    return (losses * real).sum() / real.sum().clamp(min=1)
""",
        ),
        Correct(
            "cross-entropy with probabilities",
            """
def label_smoothing_loss(logits, targets, pad_id, smoothing):
    if smoothing < 0 or smoothing >= 1:
        raise ValueError("smoothing")
    V, real = logits.shape[2], targets != pad_id
    if not real.any():
        return logits.sum() * 0
    share = (torch.arange(V) != pad_id).float() * smoothing / (V - 1)
    wanted = F.one_hot(targets[real], V) * (1 - smoothing) + share
    return F.cross_entropy(logits[real], wanted)
""",
        ),
        Correct(
            "the real places picked out",
            """
def label_smoothing_loss(logits, targets, pad_id, smoothing):
    if not (smoothing >= 0 and smoothing < 1):
        raise ValueError(f"smoothing {smoothing}")
    real = targets != pad_id
    log_p, right = F.log_softmax(logits, -1)[real], targets[real]
    others = torch.arange(logits.shape[-1]) != pad_id
    hard = -log_p[torch.arange(len(right)), right]
    soft = -log_p[:, others].mean(1)
    return ((1 - smoothing) * hard + smoothing * soft).sum() / max(len(right), 1)
""",
        ),
        Correct(
            "logsumexp",
            """
def label_smoothing_loss(logits, targets, pad_id, smoothing):
    if not 0 <= smoothing < 1:
        raise ValueError
    z = torch.logsumexp(logits, 2)
    right = logits.gather(2, targets[..., None])[..., 0]
    rest = torch.cat([logits[..., :pad_id], logits[..., pad_id + 1 :]], 2).mean(2)
    losses = z - (1 - smoothing) * right - smoothing * rest
    real = targets != pad_id
    return torch.where(real, losses, 0.0).sum() / real.sum().clamp(min=1)
""",
        ),
        Correct(
            "a loop over the places",
            """
def label_smoothing_loss(logits, targets, pad_id, smoothing):
    if not 0 <= smoothing < 1:
        raise ValueError(f"{smoothing} is not in [0, 1)")
    total, count = logits.sum() * 0, 0
    tokens = [v for v in range(logits.shape[2]) if v != pad_id]
    for b, row in enumerate(targets.tolist()):
        for t, target in enumerate(row):
            if target != pad_id:
                log_p = logits[b, t].log_softmax(0)
                total = total - (1 - smoothing) * log_p[target] - smoothing * log_p[tokens].mean()
                count += 1
    return total / max(count, 1)
""",
        ),
    ],
)

# ---- beam_search ----------------------------------------------------------------------------------------------------

_SCORE = "return total / len(tokens) ** length_penalty"
_FIRST_TOTALS = "totals = totals + F.log_softmax(logits, dim=1)  # (rows, V)"
_BEAM = "beam = sorted(finished + extended, key=score, reverse=True)[:beam_size]"
_STATE = "state = tuple(part[rows] for part in state) if isinstance(state, tuple) else state[rows]"

beam_search = Bank(
    "beam_search",
    wrong=[
        Wrong(
            "the state stays in its old order",
            edit(
                (
                    "rows = torch.tensor([row for _, _, row in live])",
                    "rows = torch.arange(len(live)) % max(row + 1 for _, _, row in live)",
                )
            ),
            "Hypotheses went on from each other's states: after the best have been chosen, row i of the state has to belong to hypothesis i. Reorder it with the rows they came from.",
        ),
        Wrong(
            "the best is chosen without what was before",
            edit((_FIRST_TOTALS, "totals = F.log_softmax(logits, dim=1)")),
            "Only the newest word's log-probability counts. A hypothesis is judged by the sum over all its words.",
        ),
        Wrong(
            "greedy, whatever the beam",
            edit(
                (_BEAM, "beam = extended[:1]"),
                ("    finished: list[", "    beam_size = 1\n    finished: list["),
            ),
            "With a beam of 1 it is right, with 3 it is still greedy: only one hypothesis is kept.",
        ),
        Wrong(
            "finished hypotheses are dropped",
            edit((_BEAM, "beam = sorted(extended, key=score, reverse=True)[:beam_size]")),
            "A hypothesis that had ended was forgotten at the next step. It stays in the beam and competes.",
        ),
        Wrong(
            "finished hypotheses go on",
            edit(
                ("finished = [hypothesis for hypothesis in beam if hypothesis[0][-1] == eos_id]", "finished = []"),
                ("live = [hypothesis for hypothesis in beam if hypothesis[0][-1] != eos_id]", "live = beam"),
            ),
            "Words were written behind eos_id. A hypothesis that ends with it is finished and stays as it is.",
        ),
        Wrong(
            "the first that ends is returned",
            edit(
                (
                    "        if not live:\n            break\n",
                    "        if finished:\n            return torch.tensor(finished[0][0]), score(finished[0])\n",
                )
            ),
            "The search stopped when the first hypothesis had ended. Another, still being written, may come out better: go on until all in the beam are finished.",
        ),
        Wrong(
            "only finished hypotheses may win",
            edit(("best = max(finished + live, key=score)", "best = max(finished or live, key=score)")),
            "A hypothesis that was cut off at max_length was passed over though its score is the highest. All of the beam compete.",
        ),
        Wrong(
            "the length penalty is not used",
            edit((_SCORE, "return total")),
            "With a length penalty the result does not change. Divide the sum by the number of tokens to that power.",
        ),
        Wrong(
            "the length penalty is used at the end only",
            edit(
                (
                    _BEAM,
                    "beam = sorted(finished + extended, key=lambda hypothesis: hypothesis[1], reverse=True)[:beam_size]",
                )
            ),
            "The beam was filled by the plain sums, and the length came in only at the end. Finished and unfinished hypotheses of unlike length compete in the beam by their scores.",
        ),
        Wrong(
            "multiplied by the length",
            edit((_SCORE, "return total * len(tokens) ** length_penalty")),
            "The sum was multiplied by the length. A sum of logarithms is negative: to be fair to long sentences it is divided.",
        ),
        Wrong(
            "the begin token counts",
            edit((_SCORE, "return total / (len(tokens) + 1) ** length_penalty")),
            "The length is one too many: bos_id is not counted.",
        ),
        Wrong(
            "eos_id does not count in the length",
            edit((_SCORE, "return total / max(len(tokens) - (tokens[-1] == eos_id), 1) ** length_penalty")),
            "The length leaves eos_id out. It is a token like the others, with a log-probability in the sum.",
        ),
        Wrong(
            "logits are summed",
            edit((_FIRST_TOTALS, "totals = totals + logits")),
            "The logits were summed as they are; rows with large numbers win. Make log-probabilities of them first.",
        ),
        Wrong(
            "probabilities are summed",
            edit((_FIRST_TOTALS, "totals = totals + F.softmax(logits, dim=1)")),
            "Probabilities were added. Those of words multiply; their logarithms add.",
        ),
        Wrong(
            "each hypothesis keeps its own best",
            edit(
                (
                    _BEAM,
                    "beam = sorted(finished + [max((e for e in extended if e[2] == r), key=score) for r in range(len(live)) if any(e[2] == r for e in extended)] if len(live) > 1 else finished + extended, key=score, reverse=True)[:beam_size]",
                )
            ),
            "Every hypothesis was extended by its own best word only. The extensions of all hypotheses compete with each other: two of the best may come from the same one.",
        ),
        Wrong(
            "the begin token is part of the result",
            edit(("return torch.tensor(best[0]), score(best)", "return torch.tensor([bos_id, *best[0]]), score(best)")),
            "The tokens begin with bos_id. It was fed in and not written: leave it out.",
        ),
        Wrong(
            "finished hypotheses take no place in the beam",
            edit(
                (_BEAM, "beam = sorted(extended, key=score, reverse=True)[:beam_size]"),
                (
                    "finished = [hypothesis for hypothesis in beam if hypothesis[0][-1] == eos_id]",
                    "finished += [hypothesis for hypothesis in beam if hypothesis[0][-1] == eos_id]",
                ),
            ),
            "Finished hypotheses were put aside, and the beam was filled without them. They stay in it and compete: each takes the place of one that is still being written.",
        ),
        Wrong(
            "the search ends when the best has ended",
            edit(
                (
                    "        if not live:\n            break\n",
                    "        if not live or (finished and max(map(score, finished)) >= max(map(score, live))):\n            break\n",
                )
            ),
            "The search stopped as soon as the best of the beam had ended. With a length penalty one that is still being written can overtake it: go on until all that are kept are finished.",
        ),
        Wrong(
            "the search ends when any has ended",
            edit(
                ("        if not live:\n            break\n", "        if finished or not live:\n            break\n")
            ),
            "The search stopped when the first hypothesis had ended. Another, still being written, may come out better: go on until all in the beam are finished.",
        ),
        Wrong(
            "eos_id is left out of the result",
            edit(
                (
                    "return torch.tensor(best[0]), score(best)",
                    "return torch.tensor([t for t in best[0] if t != eos_id], dtype=torch.int64), score(best)",
                )
            ),
            "The tokens came back without eos_id. Where the hypothesis is finished it is one of them.",
        ),
        Wrong(
            "the score that comes back is the sum",
            edit(("return torch.tensor(best[0]), score(best)", "return torch.tensor(best[0]), best[1]")),
            "The right sentence came back with its sum of log-probabilities. Its score is that sum divided by the length to the power of the penalty.",
        ),
        Wrong(
            "the penalty as a factor",
            edit((_SCORE, "return total / (len(tokens) * length_penalty) if length_penalty else total")),
            "The sum was divided by the length times the penalty. The penalty is the power to which the length is taken.",
        ),
        Wrong(
            "the last words are handed on as a list",
            edit(("torch.tensor([tokens[-1] for tokens, _, _ in live])", "[tokens[-1] for tokens, _, _ in live]")),
            "step got a list of numbers. It takes a tensor with one token for each row, as in greedy_decode: an "
            "embedding can do nothing with a list.",
        ),
    ],
    correct=[
        Correct(
            "one sorted list of everything",
            """
def beam_search(step, state, bos_id, eos_id, beam_size, max_length, length_penalty=0.0):
    if beam_size < 1 or max_length < 1:
        raise ValueError("beam_size and max_length must be 1 or more")
    rank = lambda h: h["sum"] / len(h["tokens"]) ** length_penalty
    beam = [{"tokens": [], "sum": 0.0, "state": state, "last": bos_id, "done": False}]
    for _ in range(max_length):
        pool = [h for h in beam if h["done"]]
        for h in beam:
            if h["done"]:
                continue
            logits, after = step(torch.tensor([h["last"]]), h["state"])
            for token, log_p in enumerate(torch.log_softmax(logits[0], 0).tolist()):
                pool.append({"tokens": h["tokens"] + [token], "sum": h["sum"] + log_p, "state": after, "last": token, "done": token == eos_id})
        beam = sorted(pool, key=rank, reverse=True)[:beam_size]
        if all(h["done"] for h in beam):
            break
    return torch.tensor(beam[0]["tokens"]), rank(beam[0])
""",
        ),
        Correct(
            "finished rows in the same tensors",
            """
@torch.no_grad()
def beam_search(step, state, bos_id, eos_id, beam_size, max_length, length_penalty=0.0):
    if min(beam_size, max_length) < 1:
        raise ValueError("at least 1")
    parts = state if isinstance(state, tuple) else (state,)
    tokens, sums, lengths = torch.zeros(1, 0, dtype=torch.long), torch.zeros(1), torch.zeros(1)
    last, done = torch.tensor([bos_id]), torch.tensor([False])
    for _ in range(max_length):
        logits, new = step(last, parts if isinstance(state, tuple) else parts[0])
        new = new if isinstance(new, tuple) else (new,)
        log_p = torch.log_softmax(logits, 1)
        V = log_p.shape[1]
        frozen = torch.full((V,), float("-inf"))
        frozen[eos_id] = 0.0
        log_p = torch.where(done[:, None], frozen, log_p)
        total = sums[:, None] + log_p
        length = (lengths + (~done).float())[:, None].expand(-1, V)
        scores = (total / length**length_penalty).flatten()
        chosen = scores.topk(min(beam_size, int(scores.isfinite().sum()))).indices
        row, word = chosen // V, chosen % V
        tokens = torch.cat([tokens[row], word[:, None]], 1)
        sums, lengths = total.flatten()[chosen], length.flatten()[chosen]
        done, last = done[row] | (word == eos_id), word
        parts = tuple(p[row] for p in new)
        if done.all():
            break
    best = int((sums / lengths**length_penalty).argmax())
    return tokens[best, : int(lengths[best])], float(sums[best] / lengths[best] ** length_penalty)
""",
        ),
        Correct(
            "a heap",
            """
def beam_search(step, state, bos_id, eos_id, beam_size, max_length, length_penalty=0.0):
    import heapq

    if beam_size < 1 or max_length < 1:
        raise ValueError((beam_size, max_length))
    normal = lambda total, n: total / n**length_penalty
    done, alive = [], [(0.0, (), None)]
    word = torch.tensor([bos_id])
    for n in range(1, max_length + 1):
        logits, state = step(word, state)
        table = logits.log_softmax(-1).tolist()
        pool = [(normal(s, len(t)), s, t, -1) for s, t, _ in done]
        for i, (s, t, _) in enumerate(alive):
            pool += [(normal(s + p, n), s + p, (*t, v), i) for v, p in enumerate(table[i])]
        kept = heapq.nlargest(beam_size, pool, key=lambda entry: entry[0])
        done = [(s, t, None) for _, s, t, _ in kept if t[-1] == eos_id]
        alive = [(s, t, i) for _, s, t, i in kept if t[-1] != eos_id]
        if not alive:
            break
        rows = [i for _, _, i in alive]
        state = tuple(p[rows] for p in state) if isinstance(state, tuple) else state[rows]
        word = torch.tensor([t[-1] for _, t, _ in alive])
    s, t, _ = max(done + alive, key=lambda h: normal(h[0], len(h[1])))
    return torch.tensor(t), normal(s, len(t))
""",
        ),
        Correct(
            "index_select for the state",
            edit(
                (
                    _STATE,
                    "pick = lambda part: part.index_select(0, rows)\n        state = tuple(map(pick, state)) if isinstance(state, tuple) else pick(state)",
                )
            ),
        ),
        Correct(
            "the score kept as a tensor until the end",
            edit(
                (
                    "return torch.tensor(best[0]), score(best)",
                    "result = torch.tensor(score(best), dtype=torch.float64)\n    return torch.tensor(best[0], dtype=torch.int64), result.item()",
                )
            ),
        ),
    ],
)

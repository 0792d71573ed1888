"""Wrong and correct answers of chapter 01, sequence to sequence."""

from autograde.bank import Bank, Correct, Wrong, edit

# ---- 1.1 GRUCell ----------------------------------------------------------------------------------------------------

_CELL = """
class GRUCell(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.input_size, self.hidden_size = input_size, hidden_size
        self.weight_ih = nn.Parameter(torch.empty(3 * hidden_size, input_size))
        self.weight_hh = nn.Parameter(torch.empty(3 * hidden_size, hidden_size))
        self.bias_ih = nn.Parameter(torch.empty(3 * hidden_size))
        self.bias_hh = nn.Parameter(torch.empty(3 * hidden_size))
        bound = 1 / math.sqrt(hidden_size)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -bound, bound)

    def forward(self, input, hidden):
        batch = input.shape[0]
        if input.shape != (batch, self.input_size) or hidden.shape != (batch, self.hidden_size):
            raise ValueError(f"got input {tuple(input.shape)} and hidden {tuple(hidden.shape)}")
"""

gru_cell = Bank(
    "gru_cell",
    wrong=[
        Wrong(
            "the update gate is the wrong way round",
            edit(("(1 - update) * candidate + update * hidden", "update * candidate + (1 - update) * hidden")),
            "The gate lets the new candidate through where it should keep the old state. In this form of the GRU "
            "(PyTorch's; papers have both) z multiplies the OLD state. See the last of the four equations.",
        ),
        Wrong(
            "the reset gate acts before the matrix",
            edit(
                (
                    "candidate = torch.tanh(input_n + reset * hidden_n)",
                    "w_hn, b_hn = self.weight_hh[2 * self.hidden_size :], self.bias_hh[2 * self.hidden_size :]\n"
                    "        candidate = torch.tanh(input_n + F.linear(reset * hidden, w_hn, b_hn))",
                ),
            ),
            "The reset gate multiplies h before W_hn does. That is the form of the first paper; here r multiplies "
            "W_hn h + b_hn, so that one matrix product serves all three parts.",
        ),
        Wrong(
            "the reset gate leaves the bias b_hn alone",
            edit(
                (
                    "candidate = torch.tanh(input_n + reset * hidden_n)",
                    "b_hn = self.bias_hh[2 * self.hidden_size :]\n"
                    "        candidate = torch.tanh(input_n + reset * (hidden_n - b_hn) + b_hn)",
                ),
            ),
            "The bias b_hn is added after the reset gate has acted. It belongs inside the bracket that r multiplies.",
        ),
        Wrong(
            "the reset gate acts on the input too",
            edit(("torch.tanh(input_n + reset * hidden_n)", "torch.tanh(reset * (input_n + hidden_n))")),
            "The reset gate multiplies the input's part as well. It decides how much of the OLD state the candidate "
            "sees; the input always comes through.",
        ),
        Wrong(
            "there is no reset gate",
            edit(("input_n + reset * hidden_n", "input_n + hidden_n")),
            "The candidate looks the same whatever the reset gate says. Multiply the old state's share by r.",
        ),
        Wrong(
            "reset and update are taken in the other order",
            edit(
                ("input_r, input_z, input_n =", "input_z, input_r, input_n ="),
                ("hidden_r, hidden_z, hidden_n =", "hidden_z, hidden_r, hidden_n ="),
            ),
            "The first H rows of the stacked weights are taken for the update gate. The order is r, z, n.",
        ),
        Wrong(
            "the candidate goes through a sigmoid",
            edit(("candidate = torch.tanh(", "candidate = torch.sigmoid(")),
            "The candidate is never negative. Gates are sigmoids because they are shares; the candidate is a state, "
            "and its squashing is tanh.",
        ),
        Wrong(
            "the gates go through a tanh",
            edit(
                ("reset = torch.sigmoid(", "reset = torch.tanh("), ("update = torch.sigmoid(", "update = torch.tanh(")
            ),
            "The gates take negative values. A gate is a share between 0 and 1: a sigmoid.",
        ),
        Wrong(
            "the candidate has no tanh",
            edit(("candidate = torch.tanh(input_n + reset * hidden_n)", "candidate = input_n + reset * hidden_n")),
            "The candidate leaves the range from -1 to 1, and over many steps the state can grow without bound. "
            "Squash it with tanh.",
        ),
        Wrong(
            "the old state is not carried over",
            edit(("return (1 - update) * candidate + update * hidden", "return (1 - update) * candidate")),
            "Where the update gate is at 1 nothing is left. The second term of the last equation carries the old "
            "state over: that path is the point of the cell.",
        ),
        Wrong(
            "the state's bias is forgotten",
            edit(("F.linear(hidden, self.weight_hh, self.bias_hh)", "F.linear(hidden, self.weight_hh)")),
            "bias_hh has no effect. Both the input's and the state's product have a bias of their own.",
        ),
        Wrong(
            "no guard",
            edit(
                (
                    "input.shape != (batch, self.input_size) or hidden.shape != (batch, self.hidden_size)",
                    "False",
                )
            ),
            "The new state is right, but the guard of the stub is gone: one old state beside a batch of inputs is spread "
            "over all of them without a word. Put it back.",
        ),
    ],
    correct=[
        Correct(
            "one slice a gate",
            _CELL
            + """
        H = self.hidden_size
        gi = input @ self.weight_ih.T + self.bias_ih
        gh = hidden @ self.weight_hh.T + self.bias_hh
        r = torch.sigmoid(gi[:, :H] + gh[:, :H])
        z = torch.sigmoid(gi[:, H:2 * H] + gh[:, H:2 * H])
        n = torch.tanh(gi[:, 2 * H:] + r * gh[:, 2 * H:])
        return n + z * (hidden - n)
""",
        ),
        Correct(
            "six matrices with their names",
            _CELL
            + """
        x, h = input, hidden
        W_ir, W_iz, W_in = self.weight_ih.chunk(3)
        W_hr, W_hz, W_hn = self.weight_hh.chunk(3)
        b_ir, b_iz, b_in = self.bias_ih.chunk(3)
        b_hr, b_hz, b_hn = self.bias_hh.chunk(3)
        r = (x @ W_ir.T + b_ir + h @ W_hr.T + b_hr).sigmoid()
        z = (x @ W_iz.T + b_iz + h @ W_hz.T + b_hz).sigmoid()
        n = (x @ W_in.T + b_in + r * (h @ W_hn.T + b_hn)).tanh()
        return (1 - z) * n + z * h
""",
        ),
        Correct(
            "einsum",
            _CELL
            + """
        from_input = torch.einsum("bi,gi->bg", input, self.weight_ih) + self.bias_ih
        from_hidden = torch.einsum("bh,gh->bg", hidden, self.weight_hh) + self.bias_hh
        i = from_input.unflatten(1, (3, -1))
        h = from_hidden.unflatten(1, (3, -1))
        gates = torch.sigmoid(i[:, :2] + h[:, :2])
        candidate = torch.tanh(i[:, 2] + gates[:, 0] * h[:, 2])
        return torch.lerp(candidate, hidden, gates[:, 1])
""",
        ),
        Correct(
            "a loop over the batch",
            _CELL
            + """
        rows = []
        for x, h in zip(input, hidden):
            i = self.weight_ih @ x + self.bias_ih
            g = self.weight_hh @ h + self.bias_hh
            H = len(h)
            r, z = torch.sigmoid(i[:H] + g[:H]), torch.sigmoid(i[H:2*H] + g[H:2*H])
            rows.append(z * h + (1 - z) * torch.tanh(i[2*H:] + r * g[2*H:]))
        return torch.stack(rows)
""",
        ),
        Correct(
            "gates together, the exponential written out",
            _CELL
            + """
        H = self.hidden_size
        i = F.linear(input, self.weight_ih, self.bias_ih)
        h = F.linear(hidden, self.weight_hh, self.bias_hh)
        rz = 1 / (1 + torch.exp(-(i + h)[:, : 2 * H]))
        r, z = rz.split(H, dim=1)
        a = i[:, 2 * H :] + r * h[:, 2 * H :]
        n = 2 * torch.sigmoid(2 * a) - 1
        return (1 - z) * n + z * hidden
""",
        ),
    ],
)

# ---- 1.2 Encoder ----------------------------------------------------------------------------------------------------

_ENCODER = """
class Encoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.gru = nn.GRU(embedding_size, hidden_size, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_size, hidden_size)

    def forward(self, source, lengths):
        batch, longest = source.shape
        if lengths.shape != (batch,) or lengths.min() < 1 or lengths.max() > longest:
            raise ValueError(f"source {tuple(source.shape)} does not go with lengths {lengths.tolist()}")
"""
_LAST = "torch.cat([last[0], last[1]], dim=1)"

encoder = Bank(
    "encoder",
    wrong=[
        Wrong(
            "the padding is read like words",
            _ENCODER
            + """
        outputs, last = self.gru(self.embedding(source))
        return outputs, torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=1)))
""",
            "The network runs over the padding: forward it goes on past the end, backward it starts in it. "
            "`pack_padded_sequence` tells it where each sentence ends.",
        ),
        Wrong(
            "the padding is read, then hidden",
            _ENCODER
            + """
        outputs, last = self.gru(self.embedding(source))
        real = torch.arange(source.shape[1]) < lengths.unsqueeze(1)
        outputs = outputs * real.unsqueeze(2)
        return outputs, torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=1)))
""",
            "Zeros stand where the padding is, but the states were computed by reading through it. Hiding the outputs "
            "afterwards is too late: pack the batch before the GRU sees it.",
        ),
        Wrong(
            "the forward state is gathered, the backward one has read the padding",
            _ENCODER
            + """
        outputs, _ = self.gru(self.embedding(source))
        H = outputs.shape[2] // 2
        rows = torch.arange(len(source))
        real = torch.arange(source.shape[1]) < lengths.unsqueeze(1)
        forward, backward = outputs[rows, lengths - 1, :H], outputs[:, 0, H:]
        outputs = outputs * real.unsqueeze(2)
        return outputs, torch.tanh(self.bridge(torch.cat([forward, backward], dim=1)))
""",
            "The forward half is right: it is read off at each sentence's end. The backward half has come through the "
            "padding before it reached the sentence. Pack the batch, and both directions respect the lengths.",
        ),
        Wrong(
            "the backward state is taken at the end of the sentence",
            edit(
                (
                    _LAST,
                    "torch.cat([last[0], outputs[torch.arange(batch), lengths - 1, outputs.shape[2] // 2 :]], dim=1)",
                )
            ),
            "At the last token the backward direction has read one word only. It is complete at the FIRST token; the "
            "GRU's second return value has it ready.",
        ),
        Wrong(
            "the state is read off the last column",
            edit((_LAST, "outputs[:, -1]")),
            "The last column is padding for every shorter sentence, and its backward half has read one word even for "
            "the longest. Take the state after each sentence's own last token.",
        ),
        Wrong(
            "only one direction reaches the state",
            edit((_LAST, "torch.cat([last[0], last[0]], dim=1)")),
            "The state does not depend on the backward direction. Join the last states of both.",
        ),
        Wrong(
            "backward comes before forward",
            edit((_LAST, "torch.cat([last[1], last[0]], dim=1)")),
            "The two halves that go into the bridge are swapped: the forward state comes first.",
        ),
        Wrong(
            "directions and batch are mixed up",
            edit((_LAST, "last.reshape(batch, -1)")),
            "The GRU's last state is (2, B, H): reshaping it to (B, 2H) puts states of different sentences side by "
            "side. Join last[0] and last[1], or transpose first.",
        ),
        Wrong(
            "the bridge has no tanh",
            edit(("torch.tanh(self.bridge(" + _LAST + "))", "self.bridge(" + _LAST + ")")),
            "The state leaves the range from -1 to 1, in which a GRU keeps its states. Squash it with tanh.",
        ),
        Wrong(
            "the bridge is not used",
            edit(("torch.tanh(self.bridge(" + _LAST + "))", "torch.tanh(last[0] + last[1])")),
            "The two directions are added and the linear layer has no part in it. Join them to (B, 2H) and send them "
            "through the bridge.",
        ),
        Wrong(
            "each sentence loses its last token",
            edit(("lengths.cpu(), batch_first", "(lengths.cpu() - 1).clamp(min=1), batch_first")),
            "The lengths already count tokens, not the last index: taking one off leaves each sentence's last token "
            "unread.",
        ),
        Wrong(
            "the sentences come back in another order",
            edit(
                (
                    "packed = nn.utils.rnn.pack_padded_sequence(embedded, lengths.cpu(), batch_first=True, "
                    "enforce_sorted=False)",
                    "lengths, order = lengths.sort(descending=True)\n"
                    "        packed = nn.utils.rnn.pack_padded_sequence(embedded[order], lengths, batch_first=True)",
                ),
            ),
            "The batch was sorted by length and never put back. Either undo the order, or let the packing do both with "
            "`enforce_sorted=False`.",
        ),
        Wrong(
            "the outputs are cut at the longest sentence",
            edit((", total_length=longest", "")),
            "Where even the longest sentence has padding behind it, fewer columns come back than went in. "
            "`pad_packed_sequence` takes the width to fill up to.",
        ),
        Wrong(
            "no guard",
            edit(("lengths.shape != (batch,) or lengths.min() < 1 or lengths.max() > longest", "False")),
            "What comes back is right, but the guard of the stub is gone, which says what is wrong with the lengths. Put "
            "it back.",
        ),
    ],
    correct=[
        Correct(
            "sorted, run, put back",
            _ENCODER
            + """
        order = torch.argsort(lengths, descending=True)
        back = torch.argsort(order)
        embedded = self.embedding(source[order])
        packed = nn.utils.rnn.pack_padded_sequence(embedded, lengths[order].cpu(), batch_first=True)
        outputs, last = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True, total_length=source.size(1))
        last = last.transpose(0, 1).flatten(1)[back]
        return outputs[back], torch.tanh(self.bridge(last))
""",
        ),
        Correct(
            "a sentence at a time",
            _ENCODER
            + """
        outputs, states = [], []
        for row, n in zip(source, lengths.tolist()):
            out, last = self.gru(self.embedding(row[:n]).unsqueeze(0))
            outputs.append(F.pad(out[0], (0, 0, 0, len(row) - n)))
            states.append(last[:, 0].reshape(-1))
        return torch.stack(outputs), self.bridge(torch.stack(states)).tanh()
""",
        ),
        Correct(
            "states read off the outputs",
            _ENCODER
            + """
        packed = nn.utils.rnn.pack_padded_sequence(
            self.embedding(source), lengths.cpu(), batch_first=True, enforce_sorted=False)
        outputs, _ = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True, total_length=source.shape[1])
        H = self.gru.hidden_size
        forward = outputs[torch.arange(len(source)), lengths - 1, :H]
        backward = outputs[:, 0, H:]
        return outputs, torch.tanh(self.bridge(torch.cat([forward, backward], dim=-1)))
""",
        ),
        Correct(
            "padding filled up by hand",
            _ENCODER
            + """
        packed = nn.utils.rnn.pack_padded_sequence(
            self.embedding(source), lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed_outputs, last = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(packed_outputs, batch_first=True)
        missing = source.shape[1] - outputs.shape[1]
        outputs = torch.cat([outputs, outputs.new_zeros(len(source), missing, outputs.shape[2])], dim=1)
        W_f, W_b = self.bridge.weight.chunk(2, dim=1)
        return outputs, torch.tanh(last[0] @ W_f.T + last[1] @ W_b.T + self.bridge.bias)
""",
        ),
        Correct(
            "both directions as two loops of the cell's equations",
            _ENCODER
            + """
        B, S = source.shape
        H = self.gru.hidden_size
        real = torch.arange(S) < lengths.unsqueeze(1)
        embedded = self.embedding(source)
        halves, lasts = [], []
        for suffix, order in (("", range(S)), ("_reverse", reversed(range(S)))):
            w_ih, w_hh = getattr(self.gru, "weight_ih_l0" + suffix), getattr(self.gru, "weight_hh_l0" + suffix)
            b_ih, b_hh = getattr(self.gru, "bias_ih_l0" + suffix), getattr(self.gru, "bias_hh_l0" + suffix)
            h, column = torch.zeros(B, H), [None] * S
            for t in order:
                i, g = F.linear(embedded[:, t], w_ih, b_ih), F.linear(h, w_hh, b_hh)
                r, z = torch.sigmoid(i[:, :H] + g[:, :H]), torch.sigmoid(i[:, H:2 * H] + g[:, H:2 * H])
                new = (1 - z) * torch.tanh(i[:, 2 * H:] + r * g[:, 2 * H:]) + z * h
                h = torch.where(real[:, t : t + 1], new, h)
                column[t] = h * real[:, t : t + 1]
            halves.append(torch.stack(column, dim=1))
            lasts.append(h)
        return torch.cat(halves, dim=2), torch.tanh(self.bridge(torch.cat(lasts, dim=1)))
""",
        ),
    ],
)

# ---- 1.3 Decoder, Seq2Seq -------------------------------------------------------------------------------------------

_SHIFT = "torch.cat([begin, targets[:, :-1]], dim=1)"
_DECODER_GIVEN = """
class Decoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id):
        super().__init__()
        self.hidden_size = hidden_size
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.gru = nn.GRU(embedding_size + hidden_size, hidden_size, batch_first=True)
        self.output = nn.Linear(2 * hidden_size, vocab_size)

    def forward(self, tokens, hidden, context):
        batch, length = tokens.shape
        wanted = (batch, self.hidden_size)
        if hidden.shape != wanted or context.shape != wanted:
            raise ValueError(f"need hidden and context {wanted}, got {tuple(hidden.shape)} and {tuple(context.shape)}")
"""
_DECODER = (
    _DECODER_GIVEN
    + """
        repeated = context[:, None].expand(context.shape[0], tokens.shape[1], context.shape[1])
        states, last = self.gru(torch.cat([self.embedding(tokens), repeated], -1), hidden[None])
        return self.output(torch.cat([states, repeated], -1)), last[0]
"""
)
_SEQ2SEQ_INIT = """
class Seq2Seq(nn.Module):
    def __init__(self, encoder, decoder, bos_id):
        super().__init__()
        self.encoder, self.decoder, self.bos_id = encoder, decoder, bos_id
"""
_SEQ2SEQ = (
    _SEQ2SEQ_INIT
    + """
    def encode(self, source, lengths):
        return self.encoder(source, lengths)[1]

    def decode(self, vector, targets):
        tokens = targets.roll(1, dims=1)
        tokens[:, 0] = self.bos_id
        return self.decoder(tokens, vector, vector)[0]

    def forward(self, source, lengths, targets):
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source, lengths):
        return (self.encode(source, lengths),) * 2

    def step(self, token, state):
        logits, hidden = self.decoder(token[:, None], *state)
        return logits[:, 0], (hidden, state[1])
"""
)

decoder = Bank(
    "decoder",
    wrong=[
        Wrong(
            "the input is not shifted",
            edit((_SHIFT, "targets")),
            "The token to be predicted goes in with the question. Training would drive the loss to nothing and "
            "teach the model nothing. Put bos_id in front and leave the last target out.",
        ),
        Wrong(
            "the input is shifted twice",
            edit((_SHIFT, "torch.cat([begin, begin, targets[:, :-2]], dim=1)")),
            "Each true token arrives one step late. Only one bos_id stands in front.",
        ),
        Wrong(
            "the input is shifted the other way",
            edit((_SHIFT, "torch.cat([targets[:, 1:], begin], dim=1)")),
            "What goes in at step t is the token AFTER the one to predict. Shift right, not left.",
        ),
        Wrong(
            "the shift wraps the last target to the front",
            edit(("tokens = " + _SHIFT, "tokens = targets.roll(1, dims=1)")),
            "The last target stands at step 0, where bos_id belongs: `roll` wraps around. The first logits know how "
            "the sentence ends.",
        ),
        Wrong(
            "the begin token is written down as 1",
            edit(("torch.full_like(targets[:, :1], self.bos_id)", "torch.ones_like(targets[:, :1])")),
            "Step 0 is fed with token 1 whatever bos_id the model was built with. Use the model's own.",
        ),
        Wrong(
            "the caller's targets are shifted in place",
            edit(
                (
                    "begin = torch.full_like(targets[:, :1], self.bos_id)",
                    "targets[:, 1:] = targets[:, :-1].clone()\n        targets[:, 0] = self.bos_id",
                ),
                ("tokens = " + _SHIFT, "tokens = targets"),
            ),
            "The logits are right, but the caller's own tensor has been shifted, and the loss that is computed from it "
            "next compares with the wrong tokens. Build a new tensor for what goes in.",
        ),
        Wrong(
            "the last target goes in too",
            edit((_SHIFT, "torch.cat([begin, targets], dim=1)")),
            "One step too many comes back: bos_id stands in front and all the targets behind it. The last target is only "
            "ever an answer and never goes in.",
        ),
        Wrong(
            "it begins with padding instead of bos_id",
            edit(("torch.full_like(targets[:, :1], self.bos_id)", "torch.zeros_like(targets[:, :1])")),
            "Step 0 is fed with token 0, the padding, not with bos_id. In use it will be fed with bos_id, which it has "
            "never seen.",
        ),
        Wrong(
            "the context does not reach the GRU",
            edit(
                (
                    "torch.cat([self.embedding(tokens), repeated], dim=2)",
                    "torch.cat([self.embedding(tokens), torch.zeros_like(repeated)], dim=2)",
                )
            ),
            "The GRU sees the source only through its first state. Its input at every step is the token's embedding "
            "joined with the context.",
        ),
        Wrong(
            "the context does not reach the output",
            edit(
                (
                    "self.output(torch.cat([states, repeated], dim=2))",
                    "self.output(torch.cat([states, torch.zeros_like(repeated)], dim=2))",
                )
            ),
            "The logits do not look at the context themselves. They are made of the state joined with the context.",
        ),
        Wrong(
            "the context comes before the embedding",
            edit(
                (
                    "torch.cat([self.embedding(tokens), repeated], dim=2)",
                    "torch.cat([repeated, self.embedding(tokens)], dim=2)",
                )
            ),
            "Embedding and context are joined in the other order than the docstring gives: embedding first.",
        ),
        Wrong(
            "decode hands the decoder a state of zeros",
            edit(
                (
                    "logits, _ = self.decoder(tokens, vector, vector)",
                    "logits, _ = self.decoder(tokens, torch.zeros_like(vector), vector)",
                )
            ),
            "decode starts the decoder from zeros. The vector has two parts to play, that of the context and that of the "
            "first hidden state.",
        ),
        Wrong(
            "start hands out a state of zeros",
            edit(("return vector, vector", "return torch.zeros_like(vector), vector")),
            "The state that start hands out has zeros for its hidden half. The vector is both the first hidden state and "
            "the context.",
        ),
        Wrong(
            "decode and start begin with a state of zeros",
            edit(
                (
                    "logits, _ = self.decoder(tokens, vector, vector)",
                    "logits, _ = self.decoder(tokens, torch.zeros_like(vector), vector)",
                ),
                ("return vector, vector", "return torch.zeros_like(vector), vector"),
            ),
            "Both ways of decoding begin with a hidden state of zeros. They agree with each other and not with the "
            "docstring: the vector is the first hidden state too.",
        ),
        Wrong(
            "the decoder starts its GRU from zeros",
            edit((", hidden.unsqueeze(0))", ")")),
            "The hidden state that is handed in has no effect: without a second argument the GRU starts from zeros. In "
            "single steps it then forgets everything it has written.",
        ),
        Wrong(
            "the context comes before the state in the output",
            edit(
                (
                    "self.output(torch.cat([states, repeated], dim=2))",
                    "self.output(torch.cat([repeated, states], dim=2))",
                )
            ),
            "State and context are joined in the other order than the docstring gives: for the logits the state comes "
            "first.",
        ),
        Wrong(
            "the context comes first in both places",
            edit(
                (
                    "torch.cat([self.embedding(tokens), repeated], dim=2)",
                    "torch.cat([repeated, self.embedding(tokens)], dim=2)",
                ),
                (
                    "self.output(torch.cat([states, repeated], dim=2))",
                    "self.output(torch.cat([repeated, states], dim=2))",
                ),
            ),
            "Both times the context is laid in front. The docstring has it behind: embedding and context, state and "
            "context. A network trained so would do as well; weights loaded from another would not fit.",
        ),
        Wrong(
            "the hidden state stands where the context belongs",
            edit(("repeated = context.unsqueeze(1)", "repeated = hidden.unsqueeze(1)")),
            "What is laid beside every token is the first hidden state. In decode the two are the same vector, so nothing "
            "shows there; in single steps the hidden state moves on and the context must not.",
        ),
        Wrong(
            "the repeated context mixes the sentences",
            edit(
                (
                    "context.unsqueeze(1).expand(-1, length, -1)",
                    "context.repeat(length, 1).view(batch, length, -1)",
                )
            ),
            "The shape is right and the rows are not: the copies were laid one batch after the other and then cut as if "
            "they lay sentence by sentence. Give the context a time axis first, then repeat along it.",
        ),
        Wrong(
            "the last state keeps the GRU's layer axis",
            edit(("last.squeeze(0)", "last")),
            "The hidden state comes back as torch's GRU has it, (1, B, H), and the next single step refuses it. Take the "
            "first axis away.",
        ),
        Wrong(
            "a step keeps the time axis",
            edit(("return logits.squeeze(1), (hidden, context)", "return logits, (hidden, context)")),
            "A single step gives logits (B, 1, V). The axis that was added on the way in has to be taken away on the way "
            "out.",
        ),
        Wrong(
            "the context is replaced while decoding",
            edit(("return logits.squeeze(1), (hidden, context)", "return logits.squeeze(1), (hidden, hidden)")),
            "After a step the context is the newest hidden state. The context is the source's vector and stays the "
            "same to the end; only the hidden state moves.",
        ),
        Wrong(
            "a step hands the old state on",
            edit(("logits, hidden = self.decoder(token.unsqueeze(1)", "logits, _ = self.decoder(token.unsqueeze(1)")),
            "The state after a step is the state before it, so every step starts at the beginning. Hand the "
            "decoder's new hidden state on.",
        ),
        Wrong(
            "the logits see the state before the token",
            edit(
                (
                    "return self.output(torch.cat([states, repeated], dim=2)), last.squeeze(0)",
                    "before = torch.cat([hidden.unsqueeze(1), states[:, :-1]], dim=1)\n"
                    "        return self.output(torch.cat([before, repeated], dim=2)), last.squeeze(0)",
                )
            ),
            "The logits at step t are made of the state before token t went in: that is a second shift. Use the GRU's "
            "outputs as they are.",
        ),
        Wrong(
            "probabilities instead of logits",
            edit(
                (
                    "return self.output(torch.cat([states, repeated], dim=2)), last.squeeze(0)",
                    "return torch.softmax(self.output(torch.cat([states, repeated], dim=2)), dim=2), last.squeeze(0)",
                )
            ),
            "What comes back is already a softmax. The loss takes the softmax itself: return the plain scores.",
        ),
        Wrong(
            "the vector is the outputs' mean",
            edit(
                (
                    "_, vector = self.encoder(source, lengths)\n        return vector",
                    "outputs, _ = self.encoder(source, lengths)\n"
                    "        return outputs.mean(dim=1)[:, : outputs.shape[2] // 2]",
                )
            ),
            "encode gives something made of the encoder's outputs. The vector is the second thing the encoder returns, "
            "its state.",
        ),
        Wrong(
            "no guard",
            edit(("hidden.shape != wanted or context.shape != wanted", "False")),
            "What comes back is right, but the guard of the stub is gone, which says what is wrong with a state or a "
            "context. Put it back.",
        ),
    ],
    correct=[
        Correct("roll, then overwrite the first column", _DECODER + _SEQ2SEQ),
        Correct(
            "the decoder as a loop of single steps",
            _DECODER_GIVEN
            + """
        logits = []
        for t in range(tokens.shape[1]):
            x = torch.cat([self.embedding(tokens[:, t]), context], dim=1)
            out, last = self.gru(x.unsqueeze(1), hidden.unsqueeze(0))
            hidden = last[0]
            logits.append(self.output(torch.cat([hidden, context], dim=1)))
        return torch.stack(logits, dim=1), hidden
"""
            + _SEQ2SEQ,
        ),
        Correct(
            "padding the targets on the left",
            _DECODER
            + _SEQ2SEQ_INIT
            + """
    def encode(self, source, lengths):
        return self.encoder(source, lengths)[-1]

    def decode(self, vector, targets):
        logits, _ = self.decoder(F.pad(targets, (1, 0), value=self.bos_id)[:, :-1], vector, vector)
        return logits

    def forward(self, source, lengths, targets):
        vector = self.encode(source, lengths)
        return self.decode(vector, targets)

    def start(self, source, lengths):
        vector = self.encode(source, lengths)
        return vector.clone(), vector

    def step(self, token, state):
        logits, hidden = self.decoder(token.view(-1, 1), state[0], state[1])
        return logits[:, -1, :], (hidden, state[1])
""",
        ),
        Correct(
            "the whole forward pass as single steps",
            _DECODER
            + _SEQ2SEQ_INIT
            + """
    def encode(self, source, lengths):
        outputs, state = self.encoder(source, lengths)
        return state

    def decode(self, vector, targets):
        state, token = (vector, vector), torch.full_like(targets[:, 0], self.bos_id)
        columns = []
        for t in range(targets.shape[1]):
            logits, state = self.step(token, state)
            columns.append(logits)
            token = targets[:, t]
        return torch.stack(columns, dim=1)

    def forward(self, source, lengths, targets):
        return self.decode(self.encode(source, lengths), targets)

    def start(self, source, lengths):
        vector = self.encode(source, lengths)
        return vector, vector

    def step(self, token, state):
        hidden, context = state
        logits, hidden = self.decoder(token.unsqueeze(-1), hidden, context)
        return logits.squeeze(1), (hidden, context)
""",
        ),
        Correct(
            "the output layer as two products",
            _DECODER_GIVEN
            + """
        T, H = tokens.shape[1], hidden.shape[1]
        inputs = torch.cat([self.embedding(tokens), context.repeat(T, 1, 1).transpose(0, 1)], dim=2)
        states, _ = self.gru(inputs, hidden.unsqueeze(0))
        from_state, from_context = self.output.weight[:, :H], self.output.weight[:, H:]
        logits = states @ from_state.T + (context @ from_context.T + self.output.bias).unsqueeze(1)
        return logits, states[:, -1]
"""
            + _SEQ2SEQ,
        ),
    ],
)

# ---- 1.4 masked_cross_entropy ---------------------------------------------------------------------------------------

_LOSS = """
def masked_cross_entropy(logits, targets, pad_id):
    if logits.ndim != 3 or logits.shape[:2] != targets.shape:
        raise ValueError(f"got logits {tuple(logits.shape)} for targets {tuple(targets.shape)}")
"""

masked_cross_entropy = Bank(
    "masked_cross_entropy",
    wrong=[
        Wrong(
            "padding counts as tokens",
            _LOSS
            + """
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())
""",
            "Padding is scored like a word, and the places where nothing is to be said weigh as much as the rest. Leave it "
            "out of sum and count.",
        ),
        Wrong(
            "the sum is divided by B times T",
            edit(("real.sum().clamp(min=1)", "targets.numel()")),
            "Padding is left out of the sum but counted in the divisor: in a batch with more padding the same "
            "words weigh less. Divide by the number of real tokens.",
        ),
        Wrong(
            "the sum is divided by the batch size",
            edit(("real.sum().clamp(min=1)", "len(targets)")),
            "The loss is a sum over each sentence, averaged over sentences. Asked for is the mean over real tokens.",
        ),
        Wrong(
            "the mean of the sentences' means",
            edit(
                (
                    "losses.masked_fill(~real, 0.0).sum() / real.sum().clamp(min=1)",
                    "(losses.masked_fill(~real, 0.0).sum(dim=1) / real.sum(dim=1).clamp(min=1)).mean()",
                )
            ),
            "Each sentence is averaged first, so a word in a short sentence weighs more than one in a long one. "
            "Take one mean over all real tokens of the batch.",
        ),
        Wrong(
            "softmax before the cross-entropy",
            _LOSS
            + """
    real = targets != pad_id
    losses = F.cross_entropy(torch.softmax(logits, dim=2).flatten(0, 1), targets.flatten(), reduction="none")
    return (losses * real.flatten()).sum() / real.sum().clamp(min=1)
""",
            "`cross_entropy` takes the softmax itself; it was given probabilities, and took the softmax of those. "
            "Such a loss can never come near zero. Give it the logits.",
        ),
        Wrong(
            "the logarithm of a softmax",
            edit(
                (
                    "log_probabilities = F.log_softmax(logits, dim=2)",
                    "log_probabilities = torch.log(torch.softmax(logits, dim=2))",
                )
            ),
            "For large logits a probability underflows to 0 and its logarithm is minus infinity. `log_softmax` "
            "computes the difference without going through zero (chapter 00).",
        ),
        Wrong(
            "the softmax runs over time",
            edit(("F.log_softmax(logits, dim=2)", "F.log_softmax(logits, dim=1)")),
            "The probabilities sum to one over the positions of a sentence. They must sum to one over the vocabulary.",
        ),
        Wrong(
            "the softmax runs over the batch",
            edit(("F.log_softmax(logits, dim=2)", "F.log_softmax(logits, dim=0)")),
            "The probabilities sum to one over the sentences of the batch. They must sum to one over the vocabulary.",
        ),
        Wrong(
            "the mask is upside down",
            edit(("real = targets != pad_id", "real = targets == pad_id")),
            "Only padding is counted. True should stand for a real token.",
        ),
        Wrong(
            "pad_id is taken to be 0",
            edit(("real = targets != pad_id", "real = targets != 0")),
            "Padding is recognised when it is 0 and not when it is another id. Compare with pad_id.",
        ),
        Wrong(
            "the sign is missing",
            edit(("losses = -log_probabilities", "losses = log_probabilities")),
            "The loss is negative. It is MINUS the logarithm of the true token's probability.",
        ),
        Wrong(
            "0/0 where nothing is left",
            _LOSS
            + """
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id)
""",
            "A batch of nothing but padding gives NaN, a mean of no numbers, and one NaN gradient spoils every weight. "
            "Divide by at least 1.",
        ),
        Wrong(
            "the sum, not the mean",
            edit((" / real.sum().clamp(min=1)", "")),
            "The losses are added up and not divided, so the loss grows with the batch. Divide by the number of "
            "real tokens.",
        ),
        Wrong(
            "one too many in the divisor",
            edit(("real.sum().clamp(min=1)", "(real.sum() + 1)")),
            "The divisor is the count plus one. That keeps 0/0 away and makes every other loss a little too small. The "
            "divisor is the count itself, and 1 only where the count is 0.",
        ),
        Wrong(
            "the exponentials overflow",
            edit(
                (
                    "log_probabilities = F.log_softmax(logits, dim=2)",
                    "log_probabilities = torch.log(logits.exp() / logits.exp().sum(dim=2, keepdim=True))",
                )
            ),
            "The exponential of a logit beyond 88 is infinite, and infinite by infinite is NaN. `log_softmax` takes the "
            "largest logit away first (chapter 00).",
        ),
        Wrong(
            "the logits are zeroed at padding and counted all the same",
            _LOSS
            + """
    logits = logits.masked_fill((targets == pad_id).unsqueeze(2), 0.0)
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())
""",
            "With its logits at zero a padded place still costs ln V and still stands in the divisor. Leave its LOSS out "
            "of the sum, and the place out of the count.",
        ),
        Wrong(
            "a real NaN is swept away",
            _LOSS
            + """
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id).nan_to_num()
""",
            "Every NaN is turned into 0, those that a broken model makes too, and a loss of 0 then hides that the weights "
            "are lost. Keep 0/0 from arising; do not mend it afterwards.",
        ),
        Wrong(
            "padding is found in the logits",
            edit(("real = targets != pad_id", "real = logits.argmax(dim=2) != pad_id")),
            "Positions are left out where the model predicts padding. What is padding is decided by the targets.",
        ),
        Wrong(
            "no guard",
            edit(("logits.ndim != 3 or logits.shape[:2] != targets.shape", "False")),
            "The loss is right, but the guard of the stub is gone: logits with a column too many are cut to the targets "
            "without a word, as when the shift was forgotten. Put it back.",
        ),
    ],
    correct=[
        Correct(
            "cross_entropy with ignore_index, as a sum",
            _LOSS
            + """
    total = F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad_id, reduction="sum")
    return total / max(1, int((targets != pad_id).sum()))
""",
        ),
        Correct(
            "a loop over the tokens",
            _LOSS
            + """
    total, count = 0.0 * logits.sum(), 0
    for b in range(targets.shape[0]):
        for t in range(targets.shape[1]):
            if targets[b, t] != pad_id:
                total = total - (logits[b, t, targets[b, t]] - torch.logsumexp(logits[b, t], dim=0))
                count += 1
    return total / max(count, 1)
""",
        ),
        Correct(
            "real tokens picked out first",
            _LOSS
            + """
    real = targets.ne(pad_id)
    if not real.any():
        return (logits * 0).sum()
    return F.nll_loss(logits[real].log_softmax(-1), targets[real])
""",
        ),
        Correct(
            "one-hot targets",
            _LOSS
            + """
    real = (targets != pad_id).to(logits.dtype)
    wanted = F.one_hot(targets, logits.shape[-1]).to(logits.dtype) * real.unsqueeze(-1)
    return -(wanted * torch.log_softmax(logits, dim=-1)).sum() / real.sum().clamp(min=1)
""",
        ),
        Correct(
            "weights times the losses",
            _LOSS
            + """
    losses = F.cross_entropy(logits.reshape(-1, logits.size(-1)), targets.reshape(-1), reduction="none")
    weights = (targets.reshape(-1) != pad_id).float()
    return torch.dot(losses, weights) / torch.clamp(weights.sum(), min=1.0)
""",
        ),
        Correct(
            "max subtracted by hand",
            _LOSS
            + """
    shifted = logits - logits.max(dim=2, keepdim=True).values.detach()
    log_z = shifted.exp().sum(dim=2).log()
    picked = torch.take_along_dim(shifted, targets.unsqueeze(2), dim=2)[..., 0]
    real = targets != pad_id
    return torch.where(real, log_z - picked, torch.zeros_like(picked)).sum() / max(real.sum().item(), 1)
""",
        ),
    ],
)

# ---- 1.5 greedy_decode ----------------------------------------------------------------------------------------------

greedy_decode = Bank(
    "greedy_decode",
    wrong=[
        Wrong(
            "finished rows go on writing",
            edit((".masked_fill(finished, eos_id)", "")),
            "A row that has written its end token is still asked, and what it says is kept. Overwrite it with eos_id.",
        ),
        Wrong(
            "the token is kept before it is overwritten",
            edit(
                (
                    "        token = logits.argmax(dim=1).masked_fill(finished, eos_id)  # a finished row stays finished\n"
                    "        written.append(token)\n",
                    "        token = logits.argmax(dim=1)\n        written.append(token)\n"
                    "        token = token.masked_fill(finished, eos_id)\n",
                )
            ),
            "Rows that have ended are fed with eos_id, but the word they babbled was kept before. Overwrite first, then "
            "keep.",
        ),
        Wrong(
            "rows that have ended are filled with 0",
            edit((".masked_fill(finished, eos_id)", ".masked_fill(finished, 0)")),
            "Rows that have ended are filled with token 0, as padding often is. The docstring fills them with eos_id.",
        ),
        Wrong(
            "the end token is written down as 2",
            edit(("token == eos_id", "token == 2"), ("masked_fill(finished, eos_id)", "masked_fill(finished, 2)")),
            "Token 2 is taken for the end token whatever eos_id says. Compare with eos_id.",
        ),
        Wrong(
            "the begin token counts as an end",
            edit(
                (
                    "logits.argmax(dim=1).masked_fill(finished, eos_id)",
                    "torch.where(token == eos_id, token, logits.argmax(dim=1))",
                )
            ),
            "A row is frozen when the token fed in is eos_id, and where one id serves for both, the begin token freezes "
            "it before it has written anything. Remember which rows have WRITTEN their end.",
        ),
        Wrong(
            "one token more than max_length",
            edit(("range(max_length)", "range(max_length + 1)")),
            "A row that never ends gets one token too many, as if the begin token counted. max_length counts what is "
            "written.",
        ),
        Wrong(
            "the end is looked for one turn late",
            edit(
                (
                    "        finished = finished | (token == eos_id)\n        if finished.all():\n            break\n",
                    "        if finished.all():\n            break\n        finished = finished | (token == eos_id)\n",
                )
            ),
            "When all rows have ended one more turn is taken, and a column of nothing but end tokens comes back. Note "
            "which rows have ended, and only then look whether all have.",
        ),
        Wrong(
            "it stops when the first row ends",
            edit(("if finished.all():", "if finished.any():")),
            "The shortest sentence of the batch stops all the others. Go on until EVERY row has ended.",
        ),
        Wrong(
            "it always writes max_length tokens",
            edit(("        if finished.all():\n            break\n", "")),
            "Nothing stops the loop once all rows have ended. Look at the end of each turn whether every row has.",
        ),
        Wrong(
            "every row is fed with bos_id again",
            edit(("logits, state = step(token, state)", "logits, state = step(torch.full_like(token, bos_id), state)")),
            "Each step is fed with the begin token. From the second step on it is fed with the token just written: "
            "that is how errors feed back.",
        ),
        Wrong(
            "the state is not handed on",
            edit(("logits, state = step(token, state)", "logits, _ = step(token, state)")),
            "Each step gets the first state again, as if nothing had been written. Keep the state that step returns.",
        ),
        Wrong(
            "bos_id is part of what comes back",
            edit(("    written = []\n", "    written = [token]\n")),
            "The begin token stands in the first column. It is fed in, not written.",
        ),
        Wrong(
            "the end token is taken away",
            edit(
                (
                    "        written.append(token)\n        finished = finished | (token == eos_id)\n"
                    "        if finished.all():\n            break\n",
                    "        finished = finished | (token == eos_id)\n"
                    "        if finished.all():\n            break\n        written.append(token)\n",
                ),
                (
                    "torch.stack(written, dim=1)",
                    "torch.stack(written, dim=1) if written else torch.zeros(len(token), 0).long()",
                ),
            ),
            "The longest row comes back without its end token: the loop ends before the token is kept.",
        ),
        Wrong(
            "it starts from eos_id",
            edit(("torch.full((first.shape[0],), bos_id", "torch.full((first.shape[0],), eos_id")),
            "The first token fed in is the end token. A model was trained to begin after bos_id.",
        ),
        Wrong(
            "the least likely token",
            edit(("logits.argmax(dim=1)", "logits.argmin(dim=1)")),
            "The token with the SMALLEST logit is written. Greedy means the largest.",
        ),
        Wrong(
            "a row wakes up again",
            edit(
                (".masked_fill(finished, eos_id)", ""),
                ("finished = finished | (token == eos_id)", "finished = token == eos_id"),
            ),
            "Whether a row has ended is decided by its newest token alone, so it ends and begins again. Once ended, "
            "always ended: combine with what was known before.",
        ),
        Wrong(
            "the token of largest absolute value",
            edit(("logits.argmax(dim=1)", "logits.abs().argmax(dim=1)")),
            "The token is chosen by the logit's size without its sign. A large negative logit is a very unlikely "
            "token.",
        ),
        Wrong(
            "rows and time are swapped",
            edit(("torch.stack(written, dim=1)", "torch.stack(written, dim=0)")),
            "What comes back is (T, B). Batch first: stack along dimension 1.",
        ),
        Wrong(
            "no guard",
            edit(("if max_length < 1:", "if False:")),
            "What is written is right, but the guard of the stub is gone, which refuses to write less than one token. Put "
            "it back.",
        ),
    ],
    correct=[
        Correct(
            "a filled table, cut at the end",
            """
def greedy_decode(step, state, bos_id, eos_id, max_length):
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    B = (state[0] if isinstance(state, tuple) else state).shape[0]
    out = torch.full((B, max_length), eos_id)
    token, alive = torch.full((B,), bos_id), torch.ones(B, dtype=torch.bool)
    for t in range(max_length):
        logits, state = step(token, state)
        token = torch.where(alive, logits.max(dim=1).indices, torch.tensor(eos_id))
        out[:, t] = token
        alive = alive & (token != eos_id)
        if not alive.any():
            return out[:, : t + 1]
    return out
""",
        ),
        Correct(
            "everything written, then cut",
            """
def greedy_decode(step, state, bos_id, eos_id, max_length):
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    token, columns = torch.full((len(first),), bos_id), []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = logits.argmax(-1)
        columns.append(token)
    tokens = torch.stack(columns, 1)
    ended = (tokens == eos_id).int()
    tokens = tokens.masked_fill(ended.cumsum(1) - ended > 0, eos_id)
    needed = ((tokens != eos_id).sum(1).max() + 1).clamp(max=max_length)
    return tokens[:, : int(needed)]
""",
        ),
        Correct(
            "growing by concatenation, rows as lists of flags",
            """
def greedy_decode(step, state, bos_id, eos_id, max_length):
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    tokens = torch.full((first.size(0), 1), bos_id, dtype=torch.long)
    while tokens.size(1) <= max_length:
        logits, state = step(tokens[:, -1], state)
        following = torch.softmax(logits, dim=-1).argmax(dim=-1, keepdim=True)
        finished = (tokens[:, 1:] == eos_id).any(dim=1, keepdim=True)
        following[finished] = eos_id
        tokens = torch.cat([tokens, following], dim=1)
        if bool((tokens[:, 1:] == eos_id).any(dim=1).all()):
            break
    return tokens[:, 1:]
""",
        ),
        Correct(
            "arithmetic instead of masks",
            """
def greedy_decode(step, state, bos_id, eos_id, max_length):
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    going = torch.ones(first.shape[0], dtype=torch.long)
    token = going * bos_id
    written = []
    for _ in range(max_length):
        if written and going.sum() == 0:
            break
        logits, state = step(token, state)
        token = going * torch.topk(logits, 1, dim=1).indices[:, 0] + (1 - going) * eos_id
        going = going * (token != eos_id).long()
        written.append(token)
    return torch.stack(written).T
""",
        ),
        Correct(
            "a list for each row",
            """
def greedy_decode(step, state, bos_id, eos_id, max_length):
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    first = state[0] if isinstance(state, tuple) else state
    rows = [[] for _ in range(first.shape[0])]
    token = torch.tensor([bos_id] * len(rows))
    for _ in range(max_length):
        logits, state = step(token, state)
        for row, best in zip(rows, logits.argmax(dim=1).tolist()):
            row.append(eos_id if eos_id in row else best)
        token = torch.tensor([row[-1] for row in rows])
        if all(eos_id in row for row in rows):
            break
    return torch.tensor(rows)
""",
        ),
    ],
)

# ---- 1.8 reverse_source ---------------------------------------------------------------------------------------------

reverse_source = Bank(
    "reverse_source",
    wrong=[
        Wrong(
            "the code as it was handed out",
            """
def reverse_source(source, lengths):
    positions = torch.arange(source.shape[1], device=source.device)
    mirrored = lengths.max() - 1 - positions
    mirrored = torch.where(mirrored >= 0, mirrored, positions)
    return source.gather(1, mirrored.expand_as(source))
""",
            "The mirror stands at one place for the whole batch: at the end of its longest sentence. Ask where each"
            " row's own mirror stands, and what shape that answer has.",
        ),
        Wrong(
            "the whole row is flipped, padding first",
            """
def reverse_source(source, lengths):
    return source.flip(1)
""",
            "The padding has come to the front, and whoever reads the first `length` tokens reads padding. Only a "
            "row's real tokens change places.",
        ),
        Wrong(
            "each row's mirror is one place too far",
            edit(("lengths.unsqueeze(1) - 1 - positions", "lengths.unsqueeze(1) - positions")),
            "The first place asks for the token at place `length`, and that is one behind the last: in the longest row "
            "there is none. Places are counted from 0.",
        ),
        Wrong(
            "each row's mirror is one place too far, held inside the row",
            edit(
                ("lengths.unsqueeze(1) - 1 - positions", "lengths.unsqueeze(1) - positions"),
                ("source.gather(1, places)", "source.gather(1, places.clamp(max=source.shape[1] - 1))"),
            ),
            "The first place is filled from place `length`, which is padding or beyond the row. Places are counted from "
            "0, so the last real token stands at length - 1.",
        ),
        Wrong(
            "one mirror for all, at the end of the shortest",
            edit(("lengths.unsqueeze(1) - 1 - positions", "(lengths.min() - 1 - positions).expand_as(source)")),
            "The mirror stands at the end of the batch's SHORTEST sentence. One number cannot serve rows of different "
            "lengths: each row needs its own.",
        ),
        Wrong(
            "the end token is not turned with the others",
            edit(("lengths.unsqueeze(1) - 1 - positions", "lengths.unsqueeze(1) - 2 - positions")),
            "All but the last of each row's tokens have changed places. The last one, the end token, is among the "
            "`length` tokens and is turned too: it comes to the front.",
        ),
        Wrong(
            "the padding is filled with the first word",
            edit(("torch.where(mirrored >= 0, mirrored, positions)", "mirrored.clamp(min=0)")),
            "Behind each shorter sentence its first word is repeated where padding should stand.",
        ),
        Wrong(
            "the padding is filled from the other end",
            edit(("torch.where(mirrored >= 0, mirrored, positions)", "mirrored % source.shape[1]")),
            "Negative positions wrap around, so the padding's places are mirrored among themselves. What stands in "
            "the padding stays.",
        ),
        Wrong(
            "the batch is turned, not the words",
            """
def reverse_source(source, lengths):
    return source.flip(0)
""",
            "The sentences have changed places and their words have not. Turn along dimension 1.",
        ),
        Wrong(
            "the source itself is overwritten",
            """
def reverse_source(source, lengths):
    for row, length in zip(source, lengths.tolist()):
        row[:length] = row[:length].flip(0)
    return source
""",
            "The result is right, but the caller's tensor was changed on the way. Work on a copy.",
        ),
        Wrong(
            "zeros for whatever stood in the padding",
            """
def reverse_source(source, lengths):
    out = torch.zeros_like(source)
    for b, length in enumerate(lengths.tolist()):
        out[b, :length] = source[b, :length].flip(0)
    return out
""",
            "The padding is taken to be 0. Whatever id stands there has to stay; begin from a copy of the source.",
        ),
    ],
    correct=[
        Correct(
            "a copy, row by row",
            """
def reverse_source(source, lengths):
    out = source.clone()
    for b, length in enumerate(lengths.tolist()):
        out[b, :length] = source[b, :length].flip(0)
    return out
""",
        ),
        Correct(
            "flipped, then rolled back",
            """
def reverse_source(source, lengths):
    S = source.shape[1]
    rows = []
    for row, length in zip(source, lengths.tolist()):
        rows.append(torch.cat([row[:length].flip(0), row[length:]]))
    return torch.stack(rows)
""",
        ),
        Correct(
            "a stable sort",
            """
def reverse_source(source, lengths):
    positions = torch.arange(source.shape[1]).expand_as(source)
    real = positions < lengths[:, None]
    keys = torch.where(real, -positions, positions)
    return torch.take_along_dim(source, keys.argsort(dim=1, stable=True), dim=1)
""",
        ),
        Correct(
            "index pairs",
            """
def reverse_source(source, lengths):
    B, S = source.shape
    column = torch.arange(S).repeat(B, 1)
    column = torch.where(column < lengths.view(B, 1), lengths.view(B, 1) - 1 - column, column)
    return source[torch.arange(B).view(B, 1), column]
""",
        ),
        Correct(
            "plain lists",
            """
def reverse_source(source, lengths):
    rows = [row[:n][::-1] + row[n:] for row, n in zip(source.tolist(), lengths.tolist())]
    return torch.tensor(rows, dtype=source.dtype)
""",
        ),
    ],
)

# ---- 1.7 gradient_reach ---------------------------------------------------------------------------------------------

gradient_reach = Bank(
    "gradient_reach",
    wrong=[
        Wrong(
            "the gradient of all outputs",
            edit(("outputs[:, -1].sum()", "outputs.sum()")),
            "Every output is summed, so each input is felt by its own output at once and the distance is lost. Only"
            " the LAST output asks how far back it reaches.",
        ),
        Wrong(
            "the gradient of the first output",
            edit(("outputs[:, -1].sum()", "outputs[:, 0].sum()")),
            "The first output can feel only the first input. The last one has the whole way to look back.",
        ),
        Wrong(
            "batch and time are mixed up",
            edit(("outputs[:, -1].sum()", "outputs[-1].sum()")),
            "outputs[-1] is the last sentence of the batch, with all its steps. Batch first: the last step is "
            "outputs[:, -1].",
        ),
        Wrong(
            "the norm runs over the batch",
            edit(("gradient.norm(dim=2).mean(dim=0)", "gradient.norm(dim=0).mean(dim=1)")),
            "The norm is taken over the sentences and the mean over the features. It is the other way round.",
        ),
        Wrong(
            "the mean of the gradient, with its signs",
            edit(("gradient.norm(dim=2).mean(dim=0)", "gradient.mean(dim=2).mean(dim=0)")),
            "Positive and negative entries cancel. Take the norm over the features first.",
        ),
        Wrong(
            "absolute values in place of the norm",
            edit(("gradient.norm(dim=2)", "gradient.abs().mean(dim=2)")),
            "The mean of absolute values shrinks as features are added. The norm is the root of the sum of squares.",
        ),
        Wrong(
            "the sum of absolute values",
            edit(("gradient.norm(dim=2)", "gradient.abs().sum(dim=2)")),
            "Absolute values are added up, which is the 1-norm. The norm meant is the root of the sum of squares.",
        ),
        Wrong(
            "one norm over batch and features",
            edit(("gradient.norm(dim=2).mean(dim=0)", "gradient.norm(dim=(0, 2))")),
            "One norm is taken over all sentences together. Take each sentence's own norm, then their average.",
        ),
        Wrong(
            "the norm of the batch's mean",
            edit(("gradient.norm(dim=2).mean(dim=0)", "gradient.mean(dim=0).norm(dim=1)")),
            "The gradients are averaged over the sentences first, where opposite ones cancel. First each sentence's norm, "
            "then the average.",
        ),
        Wrong(
            "outputs that come alone are indexed too",
            edit(("outputs[0] if isinstance(outputs, tuple) else outputs", "outputs[0]")),
            "Where the network returns its outputs alone, the first SENTENCE was taken for the outputs. Look whether it "
            "is a tuple that came back.",
        ),
        Wrong(
            "the caller's inputs are made to require gradients",
            edit(("inputs.detach().clone().requires_grad_()", "inputs.requires_grad_()")),
            "The numbers are right, but the tensor that was handed in requires gradients from now on. Work on a detached "
            "copy.",
        ),
        Wrong(
            "backward, then every gradient wiped out",
            """
def gradient_reach(network, inputs):
    x = inputs.detach().clone().requires_grad_(True)
    out = network(x)
    out = out[0] if isinstance(out, tuple) else out
    out[:, -1].sum().backward()
    for p in network.parameters():
        p.grad = None
    return x.grad.norm(dim=2).mean(dim=0)
""",
            "Cleaning up after backward takes away gradients that stood there before the call as well. Ask autograd for "
            "the inputs' gradient alone, and nothing has to be cleaned.",
        ),
        Wrong(
            "the squared norm",
            edit(("gradient.norm(dim=2)", "gradient.pow(2).sum(dim=2)")),
            "The root is missing: a reach of 1e-3 shows as 1e-6.",
        ),
        Wrong(
            "the last input comes first",
            edit(("gradient.norm(dim=2).mean(dim=0)", "gradient.norm(dim=2).mean(dim=0).flip(0)")),
            "The order is turned round: entry 0 is the first input's share, the one farthest from the end.",
        ),
        Wrong(
            "the loss is a mean",
            edit(("outputs[:, -1].sum()", "outputs[:, -1].mean()")),
            "The mean over batch and features makes every entry smaller by B times H. The docstring has a sum.",
        ),
        Wrong(
            "backward leaves gradients on the network",
            edit(
                (
                    "(gradient,) = torch.autograd.grad(outputs[:, -1].sum(), inputs)",
                    "outputs[:, -1].sum().backward()\n    gradient = inputs.grad",
                )
            ),
            "The numbers are right, but the network's weights carry gradients afterwards, and the next training step "
            "would add to them. Ask autograd for the inputs' gradient alone.",
        ),
        Wrong(
            "summed over the batch",
            edit((".mean(dim=0)", ".sum(dim=0)")),
            "The sentences are added up, so a larger batch reaches farther. Average over them.",
        ),
    ],
    correct=[
        Correct(
            "the root of the sum of squares",
            """
def gradient_reach(network, inputs):
    x = inputs.clone().detach()
    x.requires_grad = True
    out = network(x)
    if isinstance(out, tuple):
        out = out[0]
    g = torch.autograd.grad(out[:, -1, :].sum(), [x])[0]
    return (g ** 2).sum(-1).sqrt().mean(0)
""",
        ),
        Correct(
            "the parameters' gradients put aside and back",
            """
def gradient_reach(network, inputs):
    x = inputs.detach().clone().requires_grad_(True)
    before = [None if p.grad is None else p.grad.clone() for p in network.parameters()]
    out = network(x)
    out = out[0] if isinstance(out, tuple) else out
    out[:, -1].sum().backward()
    for p, g in zip(network.parameters(), before):
        p.grad = g
    return torch.linalg.vector_norm(x.grad, dim=-1).mean(0)
""",
        ),
        Correct(
            "ones as cotangents",
            """
def gradient_reach(network, inputs):
    x = torch.tensor(inputs.tolist(), requires_grad=True)
    out = network(x)
    last = (out[0] if type(out) is tuple else out).select(1, -1)
    (g,) = torch.autograd.grad(last, x, grad_outputs=torch.ones_like(last))
    return torch.stack([g[:, s].norm(dim=1).mean() for s in range(g.shape[1])])
""",
        ),
        Correct(
            "a sentence at a time",
            """
def gradient_reach(network, inputs):
    total = torch.zeros(inputs.shape[1])
    for row in inputs.detach().split(1):
        row = row.clone().requires_grad_()
        out = network(row)
        out = out[0] if isinstance(out, tuple) else out
        total += torch.autograd.grad(out[0, -1].sum(), row)[0][0].norm(dim=1)
    return total / len(inputs)
""",
        ),
        Correct(
            "backward to the inputs alone",
            """
def gradient_reach(network, inputs):
    x = inputs.detach().clone().requires_grad_()
    out = network(x)
    outputs = out[0] if isinstance(out, (tuple, list)) else out
    outputs[:, -1].sum().backward(inputs=[x])
    return torch.einsum("bsi,bsi->bs", x.grad, x.grad).sqrt().mean(dim=0)
""",
        ),
    ],
)

# ---- 1.6 fit_the_vector ---------------------------------------------------------------------------------------------

fit_the_vector = Bank(
    "fit_the_vector",
    wrong=[
        Wrong(
            "the decoder is trained as well",
            edit(
                (
                    "torch.optim.Adam([vector], lr=learning_rate)",
                    "torch.optim.Adam([vector, *model.parameters()], lr=learning_rate)",
                ),
                (
                    "(vector.grad,) = torch.autograd.grad(loss, vector)",
                    "optimizer.zero_grad()\n        loss.backward()",
                ),
            ),
            "The decoder's weights move too, so success says nothing about the vector. Give the optimiser the "
            "vector alone.",
        ),
        Wrong(
            "gradients pile up",
            edit(("(vector.grad,) = torch.autograd.grad(loss, vector)", "loss.backward()")),
            "Each step adds its gradient to the ones before. Clear it before every backward pass (and leave none on"
            " the model).",
        ),
        Wrong(
            "backward leaves gradients on the model",
            edit(
                ("(vector.grad,) = torch.autograd.grad(loss, vector)", "optimizer.zero_grad()\n        loss.backward()")
            ),
            "The vector is right, but the model's weights carry gradients afterwards, and the next training step would "
            "add to them. Ask for the vector's gradient alone.",
        ),
        Wrong(
            "every gradient of the model wiped out",
            edit(
                (
                    "(vector.grad,) = torch.autograd.grad(loss, vector)",
                    "optimizer.zero_grad()\n        loss.backward()\n        model.zero_grad()",
                )
            ),
            "The model is cleaned up so thoroughly that gradients which stood there before the call are gone too. Ask for "
            "the vector's gradient alone, and nothing has to be cleaned.",
        ),
        Wrong(
            "the model stays frozen",
            edit(
                (
                    "vector = vector.detach().clone().requires_grad_()",
                    "model.requires_grad_(False)\n    vector = vector.detach().clone().requires_grad_()",
                )
            ),
            "The weights were frozen for the search and never thawed: the next training would run and change nothing. The "
            "optimiser holds the vector alone, so freezing is not needed.",
        ),
        Wrong(
            "the model stays in evaluation mode",
            edit(
                (
                    "vector = vector.detach().clone().requires_grad_()",
                    "model.eval()\n    vector = vector.detach().clone().requires_grad_()",
                )
            ),
            "The model was switched to evaluation mode and not back. Leave the mode to the caller.",
        ),
        Wrong(
            "the loss is measured after the step",
            edit(
                (
                    "losses.append(loss.detach())",
                    "losses.append(masked_cross_entropy(model.decode(vector, targets), targets, pad_id).detach())",
                )
            ),
            "Each loss is measured after its step, so the one of the vector you began with is missing. Note the loss that "
            "the step was computed from.",
        ),
        Wrong(
            "the vector it started from is overwritten",
            edit(("vector.detach().clone().requires_grad_()", "vector.detach().requires_grad_()")),
            "The numbers are right, but the caller's vector has moved along: a detached tensor shares its memory. Copy it "
            "as well.",
        ),
        Wrong(
            "padding counts",
            edit(
                (
                    "masked_cross_entropy(model.decode(vector, targets), targets, pad_id)",
                    "F.cross_entropy(model.decode(vector, targets).flatten(0, 1), targets.flatten())",
                )
            ),
            "The vector is asked to produce padding too. Use the loss that leaves padding out.",
        ),
        Wrong(
            "plain gradient descent",
            edit(("torch.optim.Adam(", "torch.optim.SGD(")),
            "The steps are as long as the gradient is. The docstring asks for Adam, whose steps are about the "
            "learning rate long.",
        ),
        Wrong(
            "uphill",
            edit(("torch.autograd.grad(loss, vector)", "torch.autograd.grad(-loss, vector)")),
            "The loss rises from step to step: the vector is moved up the gradient.",
        ),
        Wrong(
            "it starts from zeros",
            edit(
                (
                    "vector = vector.detach().clone().requires_grad_()",
                    "vector = torch.zeros_like(vector).requires_grad_()",
                )
            ),
            "The search starts from zeros, whatever vector is given.",
        ),
        Wrong(
            "the vector keeps what lies behind it",
            edit(("vector.detach().clone().requires_grad_()", "vector.clone().requires_grad_()")),
            "A vector that comes straight from an encoder has the encoder's graph behind it, and so has a copy; Adam "
            "takes only what begins a graph. Detach it before you ask for its gradient.",
        ),
    ],
    correct=[
        Correct(
            "backward to the vector alone",
            """
def fit_the_vector(model, targets, vector, pad_id, steps, learning_rate):
    v = nn.Parameter(vector.detach().clone())
    adam = torch.optim.Adam([v], lr=learning_rate)
    losses = torch.zeros(steps)
    for i in range(steps):
        adam.zero_grad()
        loss = masked_cross_entropy(model.decode(v, targets), targets, pad_id)
        loss.backward(inputs=[v])
        losses[i] = loss.item()
        adam.step()
    return v.data, losses
""",
        ),
        Correct(
            "the model frozen for the time being",
            """
def fit_the_vector(model, targets, vector, pad_id, steps, learning_rate):
    weights = [p for p in model.parameters() if p.requires_grad]
    for p in weights:
        p.requires_grad_(False)
    v = vector.clone().detach().requires_grad_(True)
    opt, history = torch.optim.Adam([v], learning_rate), []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(v, targets), targets, pad_id)
        opt.zero_grad()
        loss.backward()
        opt.step()
        history.append(loss.item())
    for p in weights:
        p.requires_grad_(True)
    return v.detach(), torch.tensor(history)
""",
        ),
        Correct(
            "Adam written out",
            """
def fit_the_vector(model, targets, vector, pad_id, steps, learning_rate):
    v, m, s, losses = vector.detach().clone(), 0.0, 0.0, []
    for t in range(1, steps + 1):
        leaf = v.clone().requires_grad_()
        loss = masked_cross_entropy(model.decode(leaf, targets), targets, pad_id)
        g = torch.autograd.grad(loss, leaf)[0]
        m, s = 0.9 * m + 0.1 * g, 0.999 * s + 0.001 * g * g
        v = v - learning_rate * (m / (1 - 0.9**t)) / ((s / (1 - 0.999**t)).sqrt() + 1e-8)
        losses.append(loss.detach())
    return v, torch.stack(losses)
""",
        ),
    ],
)

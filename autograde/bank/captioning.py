"""Wrong and correct answers of chapter 03."""

from autograde.bank import Bank, Correct, Wrong, edit

# ---- grid_encoder ---------------------------------------------------------------------------------------------------

_CELLS = "cells = grid.flatten(2).transpose(1, 2)"
_X = "x = torch.linspace(-1, 1, columns, device=grid.device, dtype=grid.dtype).expand(rows, columns)"
_Y = "y = torch.linspace(-1, 1, rows, device=grid.device, dtype=grid.dtype).unsqueeze(1).expand(rows, columns)"
_APPEND = "torch.cat([grid, torch.stack([x, y]).expand(B, 2, rows, columns)], dim=1)"
_PROJECT = "torch.relu(self.project(cells))"

_GRID_ENCODER = """
class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images):
"""

grid_encoder = Bank(
    "grid_encoder",
    wrong=[
        Wrong(
            "a view instead of a transpose",
            edit((_CELLS, "cells = grid.reshape(grid.shape[0], -1, grid.shape[1])")),
            "The shape is right and the content is not: reshaping (B, C, rows, columns) to (B, N, C) cuts each channel's "
            "picture into pieces and calls them cells. Flatten the two last axes, then swap axes 1 and 2.",
        ),
        Wrong(
            "columns before rows",
            edit((_CELLS, "cells = grid.transpose(2, 3).flatten(2).transpose(1, 2)")),
            "The cells follow one another column by column. The docstring wants them row by row: cell n is in row "
            "n // columns.",
        ),
        Wrong(
            "y grows upwards",
            edit((_Y, _Y.replace("-1, 1, rows", "1, -1, rows"))),
            "y is 1 in the top row and -1 in the bottom row. In an image rows are counted from the top: y goes from -1 "
            "at the top to 1 at the bottom.",
        ),
        Wrong(
            "x grows to the left",
            edit((_X, _X.replace("-1, 1, columns", "1, -1, columns"))),
            "x is 1 in the leftmost column. It goes from -1 at the left to 1 at the right.",
        ),
        Wrong(
            "y before x",
            edit(("torch.stack([x, y])", "torch.stack([y, x])")),
            "Both coordinates are there, in the other order: what changes from row to row stands where `project` expects x. "
            "x is the same all the way down a column, and it comes first.",
        ),
        Wrong(
            "coordinates from 0 to 1",
            edit((_X, _X.replace("-1, 1,", "0, 1,")), (_Y, _Y.replace("-1, 1,", "0, 1,"))),
            "The coordinates run from 0 to 1. They are to run from -1 to 1, so that the middle of the picture is 0.",
        ),
        Wrong(
            "coordinates count cells",
            edit(
                (_X, _X.replace("torch.linspace(-1, 1, columns,", "torch.arange(columns,")),
                (_Y, _Y.replace("torch.linspace(-1, 1, rows,", "torch.arange(rows,")),
            ),
            "The coordinates are the numbers 0, 1, 2 of column and row, so their size depends on the grid's. Spread "
            "them evenly from -1 to 1.",
        ),
        Wrong(
            "coordinates of the cells' centres",
            edit(
                (_X, f"{_X} * (1 - 1 / columns)"),
                (_Y, f"{_Y} * (1 - 1 / rows)"),
            ),
            "The outermost cells do not have -1 and 1: you took their centres in a picture that runs from -1 to 1. The "
            "docstring gives -1 and 1 to the outermost cells themselves.",
        ),
        Wrong(
            "coordinates before the features",
            edit((_APPEND, "torch.cat([torch.stack([x, y]).expand(B, 2, rows, columns), grid], dim=1)")),
            "The coordinates stand in front of the channels, so `project` takes them for the first two. Append them "
            "behind.",
        ),
        Wrong(
            "no ReLU",
            edit((_PROJECT, "self.project(cells)")),
            "Some features are negative: the ReLU after `project` is missing.",
        ),
        Wrong(
            "the same coordinates in both places",
            edit(("torch.stack([x, y])", "torch.stack([x, x])")),
            "Cells of one column cannot be told apart: x was appended twice, and y not at all.",
        ),
        Wrong(
            "the switch for coordinates is not looked at",
            edit(("if self.coordinates:", "if True:")),
            "With coordinates=False `project` takes `channels` numbers, and it was given two more. Append coordinates "
            "only where `self.coordinates` says so.",
        ),
        Wrong(
            "zeros in the place of coordinates",
            edit(("torch.stack([x, y])", "torch.zeros(2, rows, columns)")),
            "The two appended numbers are the same in every cell, so no cell knows its place. Fill them with x and y.",
        ),
        Wrong(
            "the backbone is cut off from the gradient",
            edit(("grid = self.backbone(images)", "with torch.no_grad():\n            grid = self.backbone(images)")),
            "The features are right, but no gradient reaches the backbone or the image, so the convolutions would "
            "never learn. Run the backbone without no_grad; whether it is frozen is the backbone's own affair.",
        ),
        Wrong(
            "one cell too few to a row",
            edit((_CELLS, "cells = grid.flatten(2).transpose(1, 2).roll(1, dims=1)")),
            "Every cell stands one place later than it should. Cell 0 is the top left one.",
        ),
        Wrong(
            "the channels are not last",
            edit((_CELLS, "cells = grid.flatten(2)")),
            "`project` works on the last axis, and there the channels have to stand. After flattening they are still in "
            "the middle: swap axes 1 and 2.",
        ),
        Wrong(
            "coordinates that never reach 1",
            edit(
                (
                    _X,
                    _X.replace("torch.linspace(-1, 1, columns,", "(2 * torch.arange(columns) / columns - 1).to("),
                ),
                (_Y, _Y.replace("torch.linspace(-1, 1, rows,", "(2 * torch.arange(rows) / rows - 1).to(")),
            ),
            "The last column does not have 1, nor the last row: you divided by the number of columns. From the first to "
            "the last there is one step fewer than there are columns.",
        ),
        Wrong(
            "eight columns are assumed",
            edit(
                (_X, "n = torch.arange(rows * columns).view(rows, columns)\n            x = n % 8 / 3.5 - 1"),
                (_Y, "y = n // 8 / 3.5 - 1"),
            ),
            "The places were worked out for a grid of eight by eight. How many rows and columns there are, the grid says.",
        ),
        Wrong(
            "the number of rows in the place of the columns",
            edit(
                (
                    _X,
                    "n = torch.arange(rows * columns).view(rows, columns)\n"
                    "            x = 2 * (n % rows) / max(rows - 1, 1) - 1",
                ),
                (_Y, "y = 2 * (n // rows) / max(columns - 1, 1) - 1"),
            ),
            "A cell's number was divided by the number of rows. A row holds as many cells as there are columns.",
        ),
        Wrong(
            "a view where rows and columns must change places",
            edit(("torch.stack([x, y])", "torch.stack([x.T.reshape(rows, columns), y.T.reshape(rows, columns)])")),
            "The coordinates were made for columns by rows and then reshaped to rows by columns, which mixes them. Make "
            "them for rows by columns from the start.",
        ),
        Wrong(
            "the ReLU before project",
            edit((_PROJECT, "self.project(torch.relu(cells))")),
            "The ReLU came before `project`: it cuts off the negative coordinates, and what comes back is not cut at all. "
            "Project first.",
        ),
        Wrong(
            "tanh in the place of ReLU",
            edit((_PROJECT, "torch.tanh(self.project(cells))")),
            "The features lie between -1 and 1: tanh was taken. The docstring says ReLU.",
        ),
        Wrong(
            "the grid's size is worked out from the image's",
            edit(
                (
                    "B, _, rows, columns = grid.shape",
                    "B, _, rows, columns = images.shape\n            rows, columns = rows // 4, columns // 4",
                )
            ),
            "The number of rows and columns was taken from the image, divided by four. Another backbone has other "
            "strides: take the sizes from the grid.",
        ),
        Wrong(
            "the backbone is put into evaluation",
            edit(("grid = self.backbone(images)", "grid = self.backbone.eval()(images)")),
            "In training the backbone was put into evaluation inside `forward`. Its mode is not this module's affair: "
            "run it as it is.",
        ),
        Wrong(
            "dropout nobody asked for",
            edit((_PROJECT, f"nn.functional.dropout({_PROJECT}, 0.2, self.training)")),
            "In training some features are missing and the others are larger: that is dropout, and the docstring has none.",
        ),
    ],
    correct=[
        Correct(
            "meshgrid and permute",
            _GRID_ENCODER
            + """
        grid = self.backbone(images)
        if self.coordinates:
            ys = torch.linspace(-1, 1, grid.shape[2])
            xs = torch.linspace(-1, 1, grid.shape[3])
            y, x = torch.meshgrid(ys, xs, indexing="ij")
            place = torch.stack((x, y)).unsqueeze(0).repeat(len(grid), 1, 1, 1)
            grid = torch.cat((grid, place), 1)
        return self.project(grid.permute(0, 2, 3, 1).reshape(len(grid), -1, grid.shape[1])).relu()
""",
        ),
        Correct(
            "loops over rows and columns",
            _GRID_ENCODER
            + """
        grid = self.backbone(images)
        B, C, rows, columns = grid.shape
        cells = []
        for r in range(rows):
            for c in range(columns):
                one = grid[:, :, r, c]
                if self.coordinates:
                    x = -1 + 2 * c / (columns - 1) if columns > 1 else -1.0
                    y = -1 + 2 * r / (rows - 1) if rows > 1 else -1.0
                    one = torch.cat([one, torch.tensor([[x, y]]).expand(B, 2)], dim=1)
                cells.append(torch.relu(self.project(one)))
        return torch.stack(cells, dim=1)
""",
        ),
        Correct(
            "coordinates appended to the cells",
            _GRID_ENCODER
            + """
        grid = self.backbone(images)
        B, _, rows, columns = grid.shape
        cells = grid.flatten(2).mT
        if self.coordinates:
            y = torch.linspace(-1, 1, rows).repeat_interleave(columns)
            x = torch.linspace(-1, 1, columns).repeat(rows)
            cells = torch.cat([cells, torch.stack([x, y], 1).expand(B, -1, -1)], dim=2)
        return F.relu(self.project(cells))
""".replace("F.relu", "nn.functional.relu"),
        ),
        Correct(
            "the notebook's formula for each cell",
            _GRID_ENCODER
            + """
        grid = self.backbone(images)
        B, _, rows, columns = grid.shape
        features = []
        for n in range(rows * columns):
            row, column = n // columns, n % columns
            cell = grid[:, :, row, column]
            if self.coordinates:
                place = cell.new_tensor([2 * column / (columns - 1) - 1, 2 * row / (rows - 1) - 1])
                cell = torch.hstack([cell, place.expand(B, 2)])
            features.append(self.project(cell).clamp_min(0))
        return torch.stack(features, dim=1)
""",
        ),
        Correct(
            "project as a 1 by 1 convolution",
            _GRID_ENCODER
            + """
        grid = self.backbone(images)
        if self.coordinates:
            rows, columns = grid.shape[-2:]
            x = torch.linspace(-1, 1, columns).view(1, 1, 1, columns).expand(len(grid), 1, rows, columns)
            y = torch.linspace(-1, 1, rows).view(1, 1, rows, 1).expand(len(grid), 1, rows, columns)
            grid = torch.cat([grid, x, y], dim=1)
        out = nn.functional.conv2d(grid, self.project.weight[:, :, None, None], self.project.bias)
        return out.clamp(min=0).flatten(2).transpose(1, 2)
""",
        ),
        Correct(
            "einsum",
            _GRID_ENCODER
            + """
        grid = self.backbone(images)
        W = self.project.weight
        channels = grid.shape[1]
        out = torch.einsum("bcij,dc->bijd", grid, W[:, :channels]) + self.project.bias
        if self.coordinates:
            _, rows, columns, _ = out.shape
            out = out + torch.linspace(-1, 1, columns)[:, None] * W[:, channels]
            out = out + torch.linspace(-1, 1, rows)[:, None, None] * W[:, channels + 1]
        return torch.relu(out).flatten(1, 2)
""",
        ),
    ],
)

# ---- caption_decoder ------------------------------------------------------------------------------------------------

_START = "return torch.tanh(self.initial(features.mean(dim=1))), features"
_LOOK = "context, weights = self.attention(hidden, features, features)"
_MOVE = "hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)"
_SAY = "return self.output(torch.cat([hidden, context], dim=1)), (hidden, features), weights"

_CAPTION_DECODER = """
class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)
"""

caption_decoder = Bank(
    "caption_decoder",
    wrong=[
        Wrong(
            "the first state has no tanh",
            edit((_START, "return self.initial(features.mean(dim=1)), features")),
            "The first hidden state is not between -1 and 1, where a GRU's states live: the tanh round `initial` is "
            "missing.",
        ),
        Wrong(
            "the first state is zeros",
            edit((_START, "return torch.zeros(len(features), self.initial.out_features), features")),
            "The first hidden state is zeros, whatever the picture. It is made from the mean of the cells by "
            "`initial`, so that the first question can depend on the picture.",
        ),
        Wrong(
            "the first state is made from the first cell",
            edit(("features.mean(dim=1)", "features[:, 0]")),
            "The first hidden state knows the top left cell alone. It is made from the mean over all cells.",
        ),
        Wrong(
            "the first state is made from the largest features",
            edit(("features.mean(dim=1)", "features.amax(dim=1)")),
            "The first hidden state is made from the maximum over the cells; the docstring says the mean.",
        ),
        Wrong(
            "the first state is made from the sum of the cells",
            edit(("features.mean(dim=1)", "features.sum(dim=1)")),
            "The first hidden state is made from the sum of the cells, which grows with the picture. Take their mean.",
        ),
        Wrong(
            "the mean runs over the pictures of the batch",
            edit(("features.mean(dim=1)", "features.mean(dim=0).mean(dim=0).expand(len(features), -1)")),
            "Every picture of the batch starts from the same state: the mean ran over the batch too. Each picture has "
            "its own.",
        ),
        Wrong(
            "the new state asks",
            edit(
                (
                    f"        {_LOOK}\n        {_MOVE}\n",
                    f"        mean = features.mean(dim=1)\n        {_MOVE.replace('context', 'mean')}\n"
                    f"        {_LOOK}\n",
                )
            ),
            "The cell moved before the attention was asked, so the new state asks. Here the order is Bahdanau's: the "
            "old state asks, and what it finds goes into the cell.",
        ),
        Wrong(
            "every cell counts the same",
            edit(
                (
                    f"        {_MOVE}\n",
                    f"        context = features.mean(dim=1)\n        {_MOVE}\n",
                )
            ),
            "The weights are right and nothing is done with them: the context is the plain mean of the cells. Use what "
            "the attention returns.",
        ),
        Wrong(
            "the picture is looked at once",
            _CAPTION_DECODER
            + """
    def start(self, features):
        return torch.tanh(self.initial(features.mean(dim=1))), features

    def step(self, token, state):
        hidden, features = state
        context, _ = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return self.output(torch.cat([hidden, context], dim=1)), (hidden, features)

    def forward(self, features, tokens):
        hidden, _ = self.start(features)
        context, weights = self.attention(hidden, features, features)
        logits = []
        for token in tokens.unbind(dim=1):
            hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
            logits.append(self.output(torch.cat([hidden, context], dim=1)))
        return torch.stack(logits, dim=1), weights.unsqueeze(1).expand(-1, tokens.shape[1], -1)
""",
            "In `forward` the attention is asked once, before the loop, so all words get the same context: that is one "
            "vector again. Ask inside the loop, with the state of that step.",
        ),
        Wrong(
            "the hidden state is not carried on",
            edit(("logits_t, state, weights_t = self", "logits_t, _, weights_t = self")),
            "In `forward` every step starts from the first state, so the decoder never knows what it has written. Keep "
            "the state that a step returns for the next one.",
        ),
        Wrong(
            "the context before the embedding",
            edit(("[self.embedding(token), context]", "[context, self.embedding(token)]")),
            "The cell gets [context; embedding]. The two are as wide together in either order, so nothing complains. "
            "The docstring wants the embedding first.",
        ),
        Wrong(
            "the context before the state",
            edit(("torch.cat([hidden, context], dim=1)), (hid", "torch.cat([context, hidden], dim=1)), (hid")),
            "`output` gets [context; state]. The two are as wide together in either order, so nothing complains. The "
            "docstring wants the state first.",
        ),
        Wrong(
            "the old state writes",
            edit(
                (_MOVE, f"old, {_MOVE.replace('hidden = ', 'hidden = hidden, ', 1)}"),
                ("[hidden, context]", "[old, context]"),
            ),
            "The logits were made from the state that came in. The new state, which has read the word and the context, "
            "writes.",
        ),
        Wrong(
            "the logits went through a softmax",
            edit(
                (
                    "return self.output(torch.cat([hidden, context], dim=1)), (",
                    "return torch.softmax(self.output(torch.cat([hidden, context], dim=1)), dim=1), (",
                )
            ),
            "What came back are probabilities. The loss takes logits, and makes its own softmax.",
        ),
        Wrong(
            "time before the batch",
            edit(
                (
                    "torch.stack(logits, dim=1), torch.stack(weights, dim=1)",
                    "torch.stack(logits), torch.stack(weights)",
                ),
            ),
            "Logits and weights came back as (T, B, ...). Stack the steps along dim 1: batch first everywhere.",
        ),
        Wrong(
            "weights before logits",
            edit(
                (
                    "return torch.stack(logits, dim=1), torch.stack(weights, dim=1)",
                    "return torch.stack(weights, dim=1), torch.stack(logits, dim=1)",
                )
            ),
            "`forward` returned the weights first. Output first, weights second, all through the course.",
        ),
        Wrong(
            "the words fed back are its own",
            edit(
                (
                    "            logits_t, state, weights_t = self._advance(token, state)\n",
                    "            token = token if not logits else logits[-1].argmax(dim=1)\n"
                    "            logits_t, state, weights_t = self._advance(token, state)\n",
                )
            ),
            "From the second step on `forward` fed in its own guess. In training the true words go in: use `tokens`.",
        ),
        Wrong(
            "the state comes back in the other order",
            edit(
                ("dim=1)), (hidden, features), weights", "dim=1)), (features, hidden), weights"),
                ("hidden, features = state", "features, hidden = state if state[0].ndim == 3 else state[::-1]"),
            ),
            "`step` returned (features, hidden). The state is (hidden, features), as `start` makes it.",
        ),
        Wrong(
            "the picture fades",
            edit(("(hidden, features), weights", "(hidden, features * (1 - weights.unsqueeze(2))), weights")),
            "The features that come back are not those that went in. Of the state only the hidden part is new.",
        ),
        Wrong(
            "the weights do not let the gradient through",
            edit((_LOOK, f"{_LOOK}\n        context = context.detach()")),
            "The numbers are right and the gradients are not: the context was cut off from what it was made of, so the "
            "attention would learn nothing.",
        ),
        Wrong(
            "the attention is never asked",
            edit(
                (
                    _LOOK,
                    "context = features.mean(dim=1)\n        weights = torch.full(features.shape[:2], 1 / features.shape[1])",
                )
            ),
            "Every cell has the same weight at every step: the attention is never asked.",
        ),
        Wrong(
            "the tanh before the mean",
            edit((_START, "return torch.tanh(self.initial(features)).mean(dim=1), features")),
            "Each cell went through `initial` and tanh, and then the mean was taken. Take the mean of the cells first.",
        ),
        Wrong(
            "the tanh inside",
            edit((_START, "return self.initial(torch.tanh(features.mean(dim=1))), features")),
            "The tanh was taken of the mean, before `initial`. It goes round what `initial` gives.",
        ),
        Wrong(
            "the first state is made from the last cell",
            edit(("features.mean(dim=1)", "features[:, -1]")),
            "The first hidden state knows the bottom right cell alone. It is made from the mean over all cells.",
        ),
        Wrong(
            "start gives the hidden state alone",
            edit(
                (_START, "return torch.tanh(self.initial(features.mean(dim=1)))"),
                ("state = self.start(features)", "state = self.start(features), features"),
            ),
            "`start` returned the hidden state alone. The state is a pair: the features stay in it, since `step` has to "
            "look at them.",
        ),
        Wrong(
            "step gives the hidden state alone",
            edit(("        return logits, state\n", "        return logits, state[0]\n")),
            "`step` returned the hidden state in the place of the pair (hidden, features), so the next step has nothing "
            "to look at.",
        ),
        Wrong(
            "step gives the old state back",
            edit(
                (
                    "        logits, state, _ = self._advance(token, state)",
                    "        logits, _, _ = self._advance(token, state)",
                )
            ),
            "`step` returned the state that it was given. The new hidden state goes back, with the features beside it.",
        ),
        Wrong(
            "step gives the weights too",
            edit(
                (
                    "        logits, state, _ = self._advance(token, state)\n        return logits, state\n",
                    "        return self._advance(token, state)\n",
                )
            ),
            "`step` returned three things. It gives logits and state; the weights are for `forward` to collect.",
        ),
        Wrong(
            "forward gives the logits alone",
            edit(
                ("return torch.stack(logits, dim=1), torch.stack(weights, dim=1)", "return torch.stack(logits, dim=1)")
            ),
            "`forward` returned the logits alone. The weights (B, T, N) come back beside them.",
        ),
        Wrong(
            "the weights of the next question",
            edit(
                (
                    "            weights.append(weights_t)",
                    "            weights.append(self.attention(state[0], *[features] * 2)[1])",
                )
            ),
            "The logits are right, and the weights are one step late: the new state was asked for them. A word's weights "
            "are those that its context was made with.",
        ),
        Wrong(
            "a second look for the output",
            edit(
                (
                    "        return self.output(",
                    "        context, _ = self.attention(hidden, features, features)\n        return self.output(",
                )
            ),
            "The attention was asked a second time, by the new state, and the output layer got that context. One step "
            "looks once: the same context goes into the cell and into the output layer.",
        ),
        Wrong(
            "the words are shifted once more",
            edit(("tokens.unbind(dim=1):", "nn.functional.pad(tokens[:, :-1], (1, 0), value=1).unbind(dim=1):")),
            "`forward` moved the words one place later. They come in shifted already: feed them in as they are.",
        ),
        Wrong(
            "the past is cut off from the gradient",
            edit(("context], dim=1), hidden)", "context], dim=1), hidden.detach())")),
            "The numbers are right and the gradients are not: the old hidden state was detached, so no step learns what "
            "would have helped a later one.",
        ),
        Wrong(
            "the weights come back detached",
            edit(("weights.append(weights_t)", "weights.append(weights_t.detach())")),
            "The weights that come back carry no gradient. Return them as the attention gave them: whoever wants to "
            "train the looks, or plot them, decides.",
        ),
        Wrong(
            "padding moves nothing",
            edit(
                (
                    _MOVE,
                    f"old, {_MOVE.replace('hidden = ', 'hidden = hidden, ', 1)}\n"
                    "        hidden = torch.where((token == self.embedding.padding_idx).unsqueeze(1), old, hidden)",
                )
            ),
            "At a padding token the hidden state was kept. Here padding is a token like any other: the loss leaves it out.",
        ),
        Wrong(
            "cells of zeros are masked",
            edit((_LOOK, _LOOK[:-1] + ", (features != 0).any(dim=2))")),
            "Cells whose features are all zero got no weight. After a ReLU such cells are nothing unusual: there is no "
            "mask here.",
        ),
        Wrong(
            "dropout nobody asked for",
            edit(
                (
                    "        hidden, features = state\n",
                    "        hidden, features = state\n"
                    "        seen = nn.functional.dropout(features, 0.3, self.training)\n",
                ),
                (_LOOK, "context, weights = self.attention(hidden, seen, seen)"),
            ),
            "In training some of the features are missing: that is dropout, and the docstring has none.",
        ),
    ],
    correct=[
        Correct(
            "forward calls the attention itself, one output layer at the end",
            _CAPTION_DECODER
            + """
    def start(self, features):
        return self.initial(features.mean(1)).tanh(), features

    def _move(self, token, hidden, features):
        context, weights = self.attention(hidden, features, features)
        return self.cell(torch.cat((self.embedding(token), context), -1), hidden), context, weights

    def step(self, token, state):
        hidden, context, _ = self._move(token, *state)
        return self.output(torch.cat((hidden, context), -1)), (hidden, state[1])

    def forward(self, features, tokens):
        hidden, _ = self.start(features)
        seen, looked = [], []
        for t in range(tokens.shape[1]):
            hidden, context, weights = self._move(tokens[:, t], hidden, features)
            seen.append(torch.cat((hidden, context), -1))
            looked.append(weights)
        return self.output(torch.stack(seen, 1)), torch.stack(looked, 1)
""",
        ),
        Correct(
            "forward goes through step and asks for the weights again",
            _CAPTION_DECODER
            + """
    def start(self, features):
        pooled = features.sum(dim=1) / features.shape[1]
        return torch.tanh(self.initial(pooled)), features

    def step(self, token, state):
        hidden, features = state
        context = self.attention(hidden, features, features)[0]
        new = self.cell(torch.cat([self.embedding(token), context], 1), hidden)
        return self.output(torch.cat([new, context], 1)), (new, features)

    def forward(self, features, tokens):
        state = self.start(features)
        logits, weights = [], []
        for token in tokens.T:
            weights.append(self.attention(state[0], state[1], state[1])[1])
            out, state = self.step(token, state)
            logits.append(out)
        return torch.stack(logits).transpose(0, 1), torch.stack(weights).transpose(0, 1)
""",
        ),
        Correct(
            "all embeddings at once, filled into tensors",
            _CAPTION_DECODER
            + """
    def start(self, features):
        return torch.tanh(self.initial(torch.einsum("bnd->bd", features) / features.shape[1])), features

    def step(self, token, state):
        logits, hidden, _ = self._once(self.embedding(token), *state)
        return logits, (hidden, state[1])

    def _once(self, word, hidden, features):
        context, weights = self.attention(query=hidden, keys=features, values=features)
        hidden = self.cell(torch.cat([word, context], dim=-1), hidden)
        return self.output(torch.cat([hidden, context], dim=-1)), hidden, weights

    def forward(self, features, tokens):
        words = self.embedding(tokens)
        hidden = self.start(features)[0]
        steps = []
        for t in range(words.shape[1]):
            logits, hidden, weights = self._once(words[:, t], hidden, features)
            steps.append((logits, weights))
        logits, weights = zip(*steps)
        return torch.stack(logits, 1), torch.stack(weights, 1)
""",
        ),
        Correct(
            "torch's own cell",
            _CAPTION_DECODER.replace("GRUCell(", "nn.GRUCell(")
            + """
    def start(self, features):
        return torch.tanh(self.initial(features.mean(-2))), features

    def step(self, token, state):
        return self._look_and_write(token, state)[:2]

    def _look_and_write(self, token, state):
        s, cells = state
        c, w = self.attention(s, cells, cells)
        s = self.cell(torch.cat([self.embedding(token), c], 1), s)
        return self.output(torch.cat([s, c], 1)), (s, cells), w

    def forward(self, features, tokens):
        state, rows = self.start(features), []
        for token in tokens.unbind(1):
            y, state, w = self._look_and_write(token, state)
            rows.append((y, w))
        return tuple(torch.stack(column, 1) for column in zip(*rows))
""",
        ),
        Correct(
            "lists for pairs, and results written into their places",
            _CAPTION_DECODER
            + """
    def start(self, features):
        return [self.initial(features.mean(1)).tanh(), features]

    def step(self, token, state):
        hidden, features = state
        _, weights = self.attention(hidden, features, features)
        context = (weights[:, None] @ features)[:, 0]
        hidden = self.cell(torch.hstack([self.embedding(token), context]), hidden)
        return [self.output(torch.hstack([hidden, context])), [hidden, features]]

    def forward(self, features, tokens):
        state = self.start(features)
        logits = features.new_zeros(*tokens.shape, self.output.out_features)
        weights = features.new_zeros(*tokens.shape, features.shape[1])
        for t in range(tokens.shape[1]):
            weights[:, t] = self.attention(state[0], features, features)[1]
            logits[:, t], state = self.step(tokens[:, t], state)
        return logits, weights
""",
        ),
        Correct(
            "the mask given as all True",
            edit(
                (
                    _LOOK,
                    f"everywhere = torch.ones(features.shape[:2], dtype=torch.bool)\n        {_LOOK[:-1]}, everywhere)",
                )
            ),
        ),
    ],
)

# ---- pooled_baseline ------------------------------------------------------------------------------------------------

_POOL = "features.mean(dim=1, keepdim=True)"

pooled_baseline = Bank(
    "pooled_baseline",
    wrong=[
        Wrong(
            "the axis of the cells is gone",
            edit((_POOL, "features.mean(dim=1)")),
            "The mean is right, and it is (B, D). The decoder attends to cells, so the memory needs an axis for them, "
            "of length one.",
        ),
        Wrong(
            "the sum of the cells",
            edit((_POOL, "features.sum(dim=1, keepdim=True)")),
            "The cells were summed, which makes the vector as many times larger as there are cells. Take their mean.",
        ),
        Wrong(
            "the mean over the features",
            edit((_POOL, "features.mean(dim=2, keepdim=True)")),
            "The mean ran over the features of each cell, so all the cells are still there. Take it over the cells.",
        ),
        Wrong(
            "the mean over the pictures",
            edit((_POOL, "features.mean(dim=0, keepdim=True)")),
            "The mean ran over the pictures of the batch. Each picture has its own: take it over the cells.",
        ),
        Wrong(
            "the largest of the cells",
            edit((_POOL, "features.amax(dim=1, keepdim=True)")),
            "The maximum over the cells is another way to pool. Here the mean is asked for.",
        ),
        Wrong(
            "the mean of the whole batch, for everybody",
            edit((_POOL, "features.mean(dim=(0, 1)).expand(len(features), 1, -1)")),
            "Every picture got the same vector: the mean ran over the batch as well. Take it over the cells alone.",
        ),
        Wrong(
            "the mean, as many times as there are cells",
            edit((_POOL, f"{_POOL}.expand_as(features)")),
            "The mean stands in every cell, so the memory is as long as before. Its uses are the same; the docstring "
            "asks for a memory of a single cell.",
        ),
        Wrong(
            "the mean over the features, laid on its side",
            edit((_POOL, "features.mean(dim=2).unsqueeze(1)")),
            "What came back has one number for each cell: the mean ran over the features. Take it over the cells.",
        ),
        Wrong(
            "the first cell alone",
            edit((_POOL, "features[:, :1]")),
            "What came back is the first cell. The mean runs over all of them.",
        ),
        Wrong(
            "cut off from the gradient",
            edit((_POOL, f"{_POOL}.detach()")),
            "The mean is right, and no gradient passes through it (through numpy none can pass), so the convolutions would "
            "learn nothing.",
        ),
        Wrong(
            "written into the features",
            "def pooled_baseline(features):\n    with torch.no_grad():\n        features[:, 0] = features.mean(dim=1)\n"
            "    return features[:, :1]",
            "The mean was written over the first cell of the caller's features. Return a new tensor.",
        ),
        Wrong(
            "empty cells are left out",
            edit((_POOL, "features.sum(1, keepdim=True) / (features != 0).any(2).sum(1).clamp(min=1)[:, None, None]")),
            "Cells whose features are all zero were left out of the count. They are cells too: divide by how many there "
            "are.",
        ),
    ],
    correct=[
        Correct(
            "a sum and a division",
            "def pooled_baseline(features):\n    return (features.sum(1) / features.shape[1])[:, None]",
        ),
        Correct(
            "uniform weights",
            """
def pooled_baseline(features):
    B, N, _ = features.shape
    return torch.full((B, 1, N), 1 / N) @ features
""",
        ),
        Correct(
            "adaptive pooling",
            """
def pooled_baseline(features):
    return nn.functional.adaptive_avg_pool1d(features.transpose(1, 2), 1).transpose(1, 2)
""",
        ),
    ],
)

# ---- pointing_accuracy ----------------------------------------------------------------------------------------------

_WHERE = "x, y = top % columns * cell, top // columns * cell"
_HITS = "hits = (x < right) & (x + cell > left) & (y < bottom) & (y + cell > top_edge)"
_NAMES = "names = boxes[..., 2] > boxes[..., 0]"
_SHARE = "(hits & names).sum().item() / names.sum().item()"
_NOTHING = '        raise ValueError(f"none of the {names.numel()} tokens names an object")'
_CENTRED = "(x + {0} > left) & (x + {0} < right) & (y + {0} > top_edge) & (y + {0} < bottom)"

pointing_accuracy = Bank(
    "pointing_accuracy",
    wrong=[
        Wrong(
            "rows and columns are swapped",
            edit((_WHERE, "y, x = top % columns * cell, top // columns * cell")),
            "The cell's number was taken apart the wrong way round: the remainder was used as the row. Cells are "
            "numbered row by row, so the remainder after division by `columns` is the column. Boxes that are read as top, "
            "left, bottom, right look the same from outside.",
        ),
        Wrong(
            "a square grid is assumed",
            edit(
                (_WHERE, f"columns = int(weights.shape[2] ** 0.5)\n    {_WHERE}"),
            ),
            "The grid was taken for a square one. How many cells stand in a row is what `columns` says.",
        ),
        Wrong(
            "the cell's centre must be in the box",
            edit((_HITS, f"hits = {_CENTRED.format('cell / 2')}")),
            "A cell counted only where its centre lies in the box, so cells that overlap an edge of the object are "
            "lost. Any area in common is enough.",
        ),
        Wrong(
            "a common edge counts",
            edit((_HITS, _HITS.replace("< ", "<= ").replace("> ", ">= "))),
            "A cell that only touches the box was counted as a hit. The right and bottom edges lie just past the last "
            "pixel, so two that share an edge share no pixel.",
        ),
        Wrong(
            "the whole cell must be in the box",
            edit((_HITS, "hits = (x >= left) & (x + cell <= right) & (y >= top_edge) & (y + cell <= bottom)")),
            "A cell counted only where it lies in the box completely. Any area in common is enough.",
        ),
        Wrong(
            "the cell's top left corner must be in the box",
            edit((_HITS, "hits = (x >= left) & (x < right) & (y >= top_edge) & (y < bottom)")),
            "A cell counted only where its top left corner lies in the box. Compare each edge of the cell with the "
            "opposite edge of the box.",
        ),
        Wrong(
            "words that name nothing count as misses",
            edit(("/ names.sum().item()", "/ names.numel()")),
            "The hits were divided by the number of all words. Those that name nothing count nowhere: divide by the "
            "number of those that name something.",
        ),
        Wrong(
            "an object at the left edge is left out",
            edit((_NAMES, "names = boxes[..., 0] > 0")),
            "A box whose left edge is 0 was taken for none. 0 is an edge like any other; -1 stands for no box.",
        ),
        Wrong(
            "the mean over captions",
            edit(
                (
                    f"return {_SHARE}",
                    "kept = names.any(dim=1)\n"
                    "    return ((hits & names).sum(1)[kept] / names.sum(1)[kept]).mean().item()",
                )
            ),
            "Each caption's share was made first, and then their mean, so a word in a caption that names little counts "
            "more. Count all words together.",
        ),
        Wrong(
            "the weight on the object instead of the top cell",
            """
def pointing_accuracy(weights, boxes, columns, cell):
    names = boxes[..., 2] > boxes[..., 0]
    if not names.any():
        raise ValueError("no names")
    n = torch.arange(weights.shape[2])
    x, y = n % columns * cell, n // columns * cell
    left, top, right, bottom = (edge.unsqueeze(2) for edge in boxes.unbind(2))
    inside = (x < right) & (x + cell > left) & (y < bottom) & (y + cell > top)
    return ((weights * inside).sum(2)[names]).mean().item()
""",
            "This is the mean weight on the object: a good measure too, and another one. Asked for is how often the "
            "single most weighted cell lies on it.",
        ),
        Wrong(
            "the boxes are read as corner and size",
            edit((_HITS, f"right, bottom = left + right, top_edge + bottom\n    {_HITS}")),
            "The third and fourth numbers were read as width and height. They are the right and the bottom edge.",
        ),
        Wrong(
            "cells are compared with pixels",
            edit((_WHERE, "x, y = top % columns, top // columns")),
            "The cell's column and row were compared with edges in pixels. A cell begins at its column times the size "
            "of a cell.",
        ),
        Wrong(
            "a cell is always four pixels wide",
            edit((_WHERE, f"cell = 4\n    {_WHERE}")),
            "The size of a cell was taken as 4. It is an argument.",
        ),
        Wrong(
            "only left and right are compared",
            edit((_HITS, "hits = (x < right) & (x + cell > left)")),
            "A cell far above or below the object counts as a hit: only the horizontal edges were compared.",
        ),
        Wrong(
            "the least weighted cell",
            edit(("weights.argmax(dim=2)", "weights.argmin(dim=2)")),
            "The cell with the smallest weight was taken. Take the largest.",
        ),
        Wrong(
            "the hits are not divided",
            edit((_SHARE, "float((hits & names).sum().item())")),
            "What came back is the number of hits. Divide by the number of words that name something.",
        ),
        Wrong(
            "zero where nothing is named",
            edit((_NOTHING, "        return 0.0")),
            "Where no word names anything there is no share: 0 would say that all looked wrong. Raise ValueError.",
        ),
        Wrong(
            "words that name nothing count as hits",
            edit((_SHARE, "(hits | ~names).sum().item() / names.numel()")),
            "A word that names nothing was counted as a hit. Such words count nowhere, neither above nor below the "
            "line of the division.",
        ),
        Wrong(
            "a tensor in the float's place",
            edit((_SHARE, "(hits & names).sum() / names.sum()")),
            "The share is right, and it is a tensor. The docstring promises a Python float.",
        ),
        Wrong(
            "rows are counted from the bottom",
            edit((_WHERE, f"{_WHERE}\n    y = weights.shape[2] // columns * cell - cell - y")),
            "The rows were counted from the bottom of the picture. Row 0 is at the top, and so is pixel 0.",
        ),
        Wrong(
            "the cell's centre must be in the box, its first edge included",
            edit(
                (_HITS, f"hits = {_CENTRED.format('cell / 2').replace('> left', '>= left').replace('> top', '>= top')}")
            ),
            "A cell counted only where its centre lies in the box, so cells that overlap an edge of the object are "
            "lost. Any area in common is enough.",
        ),
        Wrong(
            "the box's centre must be in the cell",
            edit(
                (
                    _HITS,
                    "hits = ((left + right) // 2 // cell * cell == x) & ((top_edge + bottom) // 2 // cell * cell == y)",
                )
            ),
            "A cell counted only where the box's centre lies in it. Any area in common is enough.",
        ),
        Wrong(
            "near enough to the box's centre",
            edit(
                (
                    _HITS,
                    "away = (x + cell / 2 - (left + right) / 2) ** 2 + (y + cell / 2 - (top_edge + bottom) / 2) ** 2\n"
                    "    hits = away.sqrt() <= (right - left) / 2",
                )
            ),
            "A cell counted by how far its centre is from the box's. Asked for is whether the two share some area.",
        ),
        Wrong(
            "half of the cell must be in the box",
            edit(
                (
                    _HITS,
                    "across = (torch.minimum(right, x + cell) - torch.maximum(left, x)).clamp(min=0)\n"
                    "    down = (torch.minimum(bottom, y + cell) - torch.maximum(top_edge, y)).clamp(min=0)\n"
                    "    hits = across * down >= cell * cell / 2",
                )
            ),
            "A cell counted only where half of it lies in the box. Any area in common is enough.",
        ),
        Wrong(
            "a common edge counts at the box's right and lower edge",
            edit((_HITS, _HITS.replace("< ", "<= "))),
            "A cell that begins where the box ends was counted as a hit. The right and the bottom edge lie just past the "
            "last pixel: compare with <.",
        ),
        Wrong(
            "a common edge counts at the box's left and upper edge",
            edit((_HITS, _HITS.replace("> ", ">= "))),
            "A cell that ends where the box begins was counted as a hit. They share an edge and no pixel: compare with >.",
        ),
        *(
            Wrong(
                f"a common edge counts at the box's {edge} edge alone",
                edit((_HITS, _HITS.replace(strict, loose))),
                f"Three of the four comparisons are right, and the one with the box's {edge} edge counts a cell that only "
                "touches it. Two that share an edge share no pixel.",
            )
            for edge, strict, loose in (
                ("left", "x + cell > left", "x + cell >= left"),
                ("right", "x < right", "x <= right"),
                ("upper", "y + cell > top_edge", "y + cell >= top_edge"),
                ("lower", "y < bottom", "y <= bottom"),
            )
        ),
        Wrong(
            "the number of columns for a cell's height",
            edit((_HITS, _HITS.replace("y + cell", "y + columns"))),
            "A cell's lower edge was put as many pixels below its upper one as there are columns in the grid. Cells are "
            "squares of cell x cell pixels, whatever the grid.",
        ),
        Wrong(
            "a cell one pixel too small",
            edit((_HITS, _HITS.replace("+ cell", "+ cell - 1"))),
            "A box that shares only the cell's last column or row of pixels was missed: the cell was taken to end at its "
            "last pixel. Like the box's, its far edge lies just past it.",
        ),
        Wrong(
            "edges in cells, the last one left out",
            edit(
                (
                    _HITS,
                    "left, top_edge, right, bottom = (boxes // cell * cell).unbind(dim=2)\n"
                    "    hits = (x >= left) & (x < right) & (y >= top_edge) & (y < bottom)",
                )
            ),
            "The cell in which the box ends was left out, although it holds a part of the object.",
        ),
        Wrong(
            "either direction is enough",
            edit((_HITS, "hits = ((x < right) & (x + cell > left)) | ((y < bottom) & (y + cell > top_edge))")),
            "A cell beside or above the object counted: it was enough that the two overlap in one direction. They must "
            "in both.",
        ),
        Wrong(
            "only top and bottom are compared",
            edit((_HITS, "hits = (y < bottom) & (y + cell > top_edge)")),
            "A cell far to the side of the object counts as a hit: only the vertical edges were compared.",
        ),
        Wrong(
            "the boxes are read as left, right, top, bottom",
            edit(("left, top_edge, right, bottom = boxes", "left, right, top_edge, bottom = boxes")),
            "The four numbers of a box were read as left, right, top, bottom. They are left, top, right, bottom.",
        ),
        Wrong(
            "only the cell's corners are looked at",
            edit(
                (
                    _HITS,
                    "hits = torch.zeros_like(names)\n"
                    "    for a in (x, x + cell - 1):\n"
                    "        for b in (y, y + cell - 1):\n"
                    "            hits |= (a >= left) & (a < right) & (b >= top_edge) & (b < bottom)",
                )
            ),
            "A box that lies inside the cell was missed: none of the cell's corners is in it. Compare the edges instead.",
        ),
        Wrong(
            "only the box's corners are looked at",
            edit(
                (
                    _HITS,
                    "hits = torch.zeros_like(names)\n"
                    "    for a in (left, right - 1):\n"
                    "        for b in (top_edge, bottom - 1):\n"
                    "            hits |= (a >= x) & (a < x + cell) & (b >= y) & (b < y + cell)",
                )
            ),
            "A box that covers the cell was missed: none of its corners is in the cell. Compare the edges instead.",
        ),
        Wrong(
            "two gaps make an area",
            edit(
                (
                    _HITS,
                    "hits = (torch.minimum(right, x + cell) - torch.maximum(left, x)) * ("
                    "torch.minimum(bottom, y + cell) - torch.maximum(top_edge, y)) > 0",
                )
            ),
            "Where the cell lies off the box in both directions, two negative lengths were multiplied to an area. Each "
            "must be positive by itself.",
        ),
        Wrong(
            "a box needs edges above zero",
            edit((_NAMES, "names = (boxes > 0).all(dim=2)")),
            "A box whose left or upper edge is 0 was taken for none. 0 is an edge like any other; -1 stands for no box.",
        ),
        Wrong(
            "eight columns are assumed",
            edit((_WHERE, f"columns = 8\n    {_WHERE}")),
            "A row was taken to have eight cells. How many it has is what `columns` says.",
        ),
        Wrong(
            "one look for the whole caption",
            edit(("weights.argmax(dim=2)", "(weights.flatten(1).argmax(dim=1) % weights.shape[2]).unsqueeze(1)")),
            "One cell was taken for all the words of a caption, the one with the largest weight of all. Each word has "
            "its own.",
        ),
        Wrong(
            "only the first words are counted",
            edit((_NAMES, f"{_NAMES}\n    names[:, 3:] = False")),
            "Only the first three words of each caption were counted. A caption names two objects, and its words may "
            "stand anywhere.",
        ),
        Wrong(
            "a percentage",
            edit((_SHARE, f"100 * {_SHARE}")),
            "What came back is a hundred times the share. A share goes from 0 to 1.",
        ),
        Wrong(
            "the share is rounded",
            edit((_SHARE, f"round({_SHARE}, 2)")),
            "The share was rounded. Return it as it is: rounding is for whoever prints it.",
        ),
        Wrong(
            "nan where nothing is named",
            edit((_NOTHING, '        return float("nan")')),
            "Where no word names anything there is no share, and nan spreads into every mean that is taken later. Raise "
            "ValueError.",
        ),
        Wrong(
            "another error where nothing is named",
            edit(("raise ValueError", "raise RuntimeError")),
            "An error was raised where nothing is named, and not the one that the docstring promises: ValueError.",
        ),
        Wrong(
            "the boxes are written into",
            edit((_NAMES, f"{_NAMES}\n    boxes[boxes < 0] = 10**6")),
            "The share is right, and the caller's boxes are not what they were. Make a new tensor where you change "
            "something.",
        ),
    ],
    correct=[
        Correct(
            "loops",
            """
def pointing_accuracy(weights, boxes, columns, cell):
    hits, named = 0, 0
    for b in range(len(weights)):
        for t in range(weights.shape[1]):
            left, top, right, bottom = boxes[b, t].tolist()
            if left < 0:
                continue
            named += 1
            row, column = divmod(int(weights[b, t].argmax()), columns)
            across = max(0, min(right, cell * column + cell) - max(left, cell * column))
            down = max(0, min(bottom, cell * row + cell) - max(top, cell * row))
            hits += across * down > 0
    if named == 0:
        raise ValueError("no word names anything")
    return hits / named
""",
        ),
        Correct(
            "a map of cells that overlap, gathered at the top one",
            """
def pointing_accuracy(weights, boxes, columns, cell):
    n = torch.arange(weights.shape[2])
    x, y = n % columns * cell, torch.div(n, columns, rounding_mode="floor") * cell
    left, top, right, bottom = (edge[..., None] for edge in boxes.unbind(-1))
    overlap = (x < right) & (left < x + cell) & (y < bottom) & (top < y + cell)
    named = (boxes >= 0).all(-1)
    if named.sum() == 0:
        raise ValueError("nothing is named")
    best = weights.max(dim=-1, keepdim=True).indices
    return overlap.gather(2, best).squeeze(2)[named].double().mean().item()
""",
        ),
        Correct(
            "pixels painted one by one",
            """
def pointing_accuracy(weights, boxes, columns, cell):
    shares = []
    for looks, outlines in zip(weights, boxes):
        for look, (left, top, right, bottom) in zip(looks, outlines.tolist()):
            if (left, top, right, bottom) == (-1, -1, -1, -1):
                continue
            n = look.argmax().item()
            pixels = {(i, j) for i in range(left, right) for j in range(top, bottom)}
            mine = {(n % columns * cell + i, n // columns * cell + j) for i in range(cell) for j in range(cell)}
            shares.append(1.0 if pixels & mine else 0.0)
    if not shares:
        raise ValueError("there is nothing to measure")
    return sum(shares) / len(shares)
""",
        ),
        Correct(
            "edges turned into cells",
            """
def pointing_accuracy(weights, boxes, columns, cell):
    named = boxes[..., 0] != -1
    if not bool(named.any()):
        raise ValueError("no object")
    top = weights.argmax(-1)[named]
    box = boxes[named]
    first_column, first_row = box[:, 0] // cell, box[:, 1] // cell
    last_column, last_row = (box[:, 2] - 1) // cell, (box[:, 3] - 1) // cell
    column, row = top % columns, top // columns
    inside = (column >= first_column) & (column <= last_column) & (row >= first_row) & (row <= last_row)
    return float(inside.float().mean())
""",
        ),
        Correct(
            "areas, over the named words alone",
            """
def pointing_accuracy(weights, boxes, columns, cell):
    named = boxes[..., 0] != -1
    looks, box = weights[named], boxes[named]
    if len(box) == 0:
        raise ValueError
    n = looks.max(1).indices
    corner = torch.stack([n % columns, n.div(columns, rounding_mode="floor")], 1) * cell
    sides = (torch.minimum(box[:, 2:], corner + cell) - torch.maximum(box[:, :2], corner)).clamp(min=0)
    return float((sides.prod(1) > 0).float().mean())
""",
        ),
        Correct(
            "the last of equal weights",
            """
def pointing_accuracy(weights, boxes, columns, cell):
    n = weights.shape[2] - 1 - weights.flip(2).argmax(2)
    x, y = n % columns * cell, n // columns * cell
    named = (boxes >= 0).all(2)
    if not named.any():
        raise ValueError("nothing named")
    left, top, right, bottom = boxes.unbind(2)
    beside = (x >= right) | (x + cell <= left) | (y >= bottom) | (y + cell <= top)
    return 1 - (beside & named).sum().item() / named.sum().item()
""",
        ),
        Correct(
            "a grid with rows and columns",
            """
def pointing_accuracy(weights, boxes, columns, cell):
    B, T, N = weights.shape
    best = torch.nn.functional.one_hot(weights.argmax(2), N).view(B, T, N // columns, columns)
    row = best.sum(3).argmax(2) * cell
    column = best.sum(2).argmax(2) * cell
    l, t, r, b = boxes.unbind(2)
    ok = torch.stack([column < r, column + cell > l, row < b, row + cell > t]).all(0)
    count = int((r >= 0).sum())
    if count == 0:
        raise ValueError("none")
    return int((ok & (r >= 0)).sum()) / count
""",
        ),
    ],
)

# ---- fix_the_frozen_backbone ----------------------------------------------------------------------------------------

_INIT = "self.backbone = backbone.requires_grad_(False).eval()"
_TRAIN = """    def train(self, mode=True):
        super().train(mode)
        self.backbone.eval()
        return self

"""
_RUN = "return self.backbone(images)"

fix_the_frozen_backbone = Bank(
    "fix_the_frozen_backbone",
    wrong=[
        Wrong(
            "as it was found",
            edit((_TRAIN, "")),
            "In training the grid is another one: train() on a model reaches every module inside it, this backbone "
            "too, and its batch normalisation then goes by the batch and moves its running values. Say what train() "
            "is to do here (in `train`, not in `eval`), and let evaluation have the last word.",
        ),
        Wrong(
            "no gradient to the image",
            edit((_RUN, f"with torch.no_grad():\n            {_RUN}")),
            "Nothing in the backbone moves any more, but no gradient passes through it to the image either, which the "
            "docstring promises. That its parameters take none is enough.",
        ),
        Wrong(
            "its parameters still learn",
            edit((_INIT, "self.backbone = backbone.eval()")),
            "Its running values stay, and its parameters still take gradients. Freezing needs both.",
        ),
        Wrong(
            "the running values stay, the batch still matters",
            edit(
                (
                    _TRAIN,
                    "    def train(self, mode=True):\n"
                    "        super().train(mode)\n"
                    "        for module in self.backbone.modules():\n"
                    "            module.training = module.training and isinstance(module, nn.modules.batchnorm._BatchNorm)\n"
                    "            if module.training:\n"
                    "                module.momentum = 0.0\n"
                    "        return self\n\n",
                )
            ),
            "The running values no longer move, but in training the normalisation still goes by the batch, so a "
            "picture's grid depends on its company. It has to work as in evaluation.",
        ),
        Wrong(
            "it is put into evaluation only when train is called",
            edit((_INIT, "self.backbone = backbone.requires_grad_(False)")),
            "It is right after a call of train() or eval(), and wrong before the first one: the backbone was handed "
            "over in training mode. See to it in the constructor too.",
        ),
        Wrong(
            "only its outermost layers are put into evaluation",
            edit(
                (_INIT, "self.backbone = backbone.requires_grad_(False)\n        self.train()"),
                (
                    "        self.backbone.eval()\n",
                    "        self.backbone.training = False\n"
                    "        for layer in self.backbone.children():\n"
                    "            layer.training = False\n",
                ),
            ),
            "The backbone's own layers are in evaluation, those inside its blocks are not, and the batch normalisation "
            "stands inside one. Call eval(), which reaches all of them.",
        ),
        Wrong(
            "normalised by the batch for good",
            edit(
                (
                    _TRAIN,
                    "    def train(self, mode=True):\n"
                    "        super().train(mode)\n"
                    "        for module in self.backbone.modules():\n"
                    "            module.training = False\n"
                    "            if isinstance(module, nn.modules.batchnorm._BatchNorm):\n"
                    "                module.track_running_stats = False\n"
                    "                module.running_mean = module.running_var = None\n"
                    "        return self\n\n",
                )
            ),
            "The running values were thrown away, so now even in evaluation a picture's grid goes by its batch. They "
            "are what the backbone learned: keep them, and use them always.",
        ),
        Wrong(
            "the running values are put back after each batch",
            edit(
                (_TRAIN, ""),
                (
                    _RUN,
                    "kept = {name: value.clone() for name, value in self.backbone.state_dict().items()}\n"
                    "        grid = self.backbone(images)\n"
                    "        self.backbone.load_state_dict(kept)\n"
                    "        return grid",
                ),
            ),
            "What the batch did to the running values is undone, but in training the grid itself was still made with "
            "the batch's own mean and variance. Let it work as in evaluation.",
        ),
        Wrong(
            "the grid is computed in training, and in evaluation on top",
            edit(
                (_TRAIN, ""),
                (_RUN, "self.backbone(images)\n        self.backbone.eval()\n        return self.backbone(images)"),
            ),
            "The backbone is put into evaluation only after it has been run once in training, and that run has moved "
            "its running values already.",
        ),
        Wrong(
            "it stops normalising",
            edit(
                (
                    _INIT,
                    "self.backbone = backbone.requires_grad_(False).eval()\n"
                    "        for module in list(self.backbone.modules()):\n"
                    "            for name, child in list(module.named_children()):\n"
                    "                if isinstance(child, nn.modules.batchnorm._BatchNorm):\n"
                    "                    setattr(module, name, nn.Identity())",
                )
            ),
            "The normalisation was taken out, and with it a part of what the backbone learned: its outputs are no "
            "longer those it had in evaluation. Leave it in, and keep it in evaluation.",
        ),
        Wrong(
            "only batch normalisations are put into evaluation",
            edit(
                (
                    "        self.backbone.eval()\n",
                    "        for module in self.backbone.modules():\n"
                    "            if isinstance(module, nn.BatchNorm2d):\n"
                    "                module.eval()\n",
                )
            ),
            "One kind of batch normalisation was put into evaluation, and nothing else. Dropout has a mode as well, and so "
            "have other normalisations: put the backbone as a whole into evaluation.",
        ),
        Wrong(
            "its parts are put into evaluation, and not itself",
            edit(
                (
                    "        self.backbone.eval()\n",
                    "        for part in self.backbone.children():\n            part.eval()\n",
                )
            ),
            "Every part of the backbone is in evaluation, and the backbone itself is not: a module may use its own mode "
            "too, in a dropout that is a function. Call eval() on the backbone.",
        ),
        Wrong(
            "train gives nothing back",
            edit(("        self.backbone.eval()\n        return self\n", "        self.backbone.eval()\n")),
            "`train` returned None, and eval() returns what `train` does, so `model = model.eval()` would lose the model. "
            "Return self.",
        ),
        Wrong(
            "only the backbone's flag is set",
            edit(("        self.backbone.eval()\n", "        self.backbone.training = False\n")),
            "The backbone's own flag says evaluation, and the modules inside it are still in training. eval() reaches all "
            "of them.",
        ),
        Wrong(
            "train takes no mode",
            edit(
                (
                    "def train(self, mode=True):\n        super().train(mode)",
                    "def train(self):\n        super().train()",
                )
            ),
            "`train` must take a mode: eval() calls train(False), and a model passes its own mode on to the modules "
            "inside.",
        ),
        Wrong(
            "kept in a list",
            edit(
                (_TRAIN, ""),
                (_INIT, "self.kept = [backbone.requires_grad_(False).eval()]"),
                (_RUN, "return self.kept[0](images)"),
            ),
            "In a list the backbone is out of train()'s reach, and out of everything else's too: state_dict() would not "
            "save it, and to(device) not move it. Keep it as an attribute, and say what `train` is to do.",
        ),
    ],
    correct=[
        Correct(
            "train that always says False",
            edit((_TRAIN, "    def train(self, mode=True):\n        return super().train(False)\n\n")),
        ),
        Correct(
            "train that passes nothing on",
            edit((_TRAIN, "    def train(self, mode=True):\n        self.training = mode\n        return self\n\n")),
        ),
        Correct(
            "evaluation before each use",
            edit((_TRAIN, ""), (_RUN, f"self.backbone.eval()\n        {_RUN}")),
        ),
        Correct(
            "written out",
            """
class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        for parameter in backbone.parameters():
            parameter.requires_grad = False
        self.backbone = backbone
        self.train(False)

    def train(self, mode=True):
        self.training = mode
        for module in self.backbone.modules():
            module.training = False
        return self

    def forward(self, images):
        return self.backbone(images)
""",
        ),
        Correct(
            "a copy that does not listen",
            """
import copy

class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        own = copy.deepcopy(backbone)
        own.requires_grad_(False)
        own.eval()
        own.train = lambda mode=True: own
        self.net = own

    def forward(self, images):
        return self.net(images)
""",
        ),
        Correct(
            "the batch normalisations' own train is replaced",
            """
class FrozenBackbone(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.eval()
        for p in self.backbone.parameters():
            p.requires_grad_(False)

    def train(self, mode=True):
        super().train(mode)
        for m in self.backbone.modules():
            m.train(False)
        return self

    def forward(self, images):
        grid = self.backbone(images)
        return grid
""",
        ),
    ],
)

# ---- test_pointing_accuracy -----------------------------------------------------------------------------------------

_LOOK_AT = """
def test_pointing_accuracy(pointing_accuracy):
    def share(cells, boxes, columns=3, N=6, cell=4):
        weights = 0.1 + 0.4 * torch.nn.functional.one_hot(torch.tensor(cells), N)
        return pointing_accuracy(weights, torch.tensor(boxes), columns, cell)
"""

test_pointing_accuracy = Bank(
    "test_pointing_accuracy",
    wrong=[
        Wrong(
            "it never calls the function",
            "def test_pointing_accuracy(pointing_accuracy):\n    return True",
            "The function was never called, so every form passes. Call it on small inputs of which you know the answer.",
        ),
        Wrong(
            "the other way round",
            """
def test_pointing_accuracy(pointing_accuracy):
    weights = torch.zeros(1, 1, 6)
    weights[0, 0, 5] = 1.0
    return pointing_accuracy(weights, torch.tensor([[[8, 4, 12, 8]]]), 3, 4) != 1.0
""",
            "It says False of a right form. Return True where everything is as promised.",
        ),
        Wrong(
            "only that it is a share",
            """
def test_pointing_accuracy(pointing_accuracy):
    weights = torch.softmax(torch.randn(2, 5, 6), dim=2)
    first = torch.randint(0, 6, (2, 5, 2))
    share = pointing_accuracy(weights, torch.cat([first, first + 3], dim=2), 3, 4)
    return 0.0 <= share <= 1.0
""",
            "Any number from 0 to 1 passes, and a wrong share is one too. Choose looks and boxes of which you know "
            "whether they are hits.",
        ),
        Wrong(
            "a single hit on the diagonal",
            _LOOK_AT
            + """
    return share([[4]], [[[4, 4, 8, 8]]]) == 1.0
""",
            "Row 1 and column 1: a place where rows and columns may be swapped unseen, and a box that is the cell. Look "
            "at other cells, and at boxes that only just overlap or only just do not.",
        ),
        Wrong(
            "what was found is not returned",
            _LOOK_AT
            + """
    nothing = [-1, -1, -1, -1]
    right = all(share([[5]], [[box]]) == 1.0 for box in ([8, 4, 12, 8], [11, 7, 13, 9], [0, 0, 9, 5]))
    right = right and all(share([[n]], [[[12, 4, 16, 8]]]) == 0.0 for n in (5, 2, 4))
    right = right and share([[6]], [[[20, 9, 21, 10]]], columns=4, N=8, cell=8) == 1.0
    right = right and share([[5, 1]], [[[8, 4, 12, 8], nothing]]) == 1.0
""",
            "Two causes are likely. Where a test returns nothing and no assert fails, all is taken to be well: the "
            "answer that was worked out must come back. Or all its looks and boxes are clear cases: try some that only just overlap, "
            "and cells off the diagonal.",
        ),
        Wrong(
            "a square grid, clear hits and clear misses",
            _LOOK_AT
            + """
    hit = share([[0, 4]], [[[0, 0, 4, 4], [4, 4, 8, 8]]], 3, 9) == 1.0
    miss = share([[0, 8]], [[[8, 8, 12, 12], [0, 0, 4, 4]]], 3, 9) == 0.0
    return hit and miss and share([[0]], [[[0, 0, 4, 4]]], 3, 9) == 1.0
""",
            "All cells looked at lie on the diagonal of a square grid. Take a grid with more columns than rows, and "
            "boxes near the edge of being hit.",
        ),
        Wrong(
            "every word names something",
            _LOOK_AT
            + """
    for cell_number, (x, y) in {5: (8, 4), 1: (4, 0), 3: (0, 4)}.items():
        for dx, dy, hit in ((3, 0, 1.0), (-3, 0, 1.0), (0, 3, 1.0), (0, -3, 1.0), (4, 0, 0.0), (0, 4, 0.0)):
            box = [x + dx, y + dy, x + dx + 4, y + dy + 4]
            if min(box) >= 0 and share([[cell_number]], [[box]]) != hit:
                return False
    return share([[5, 5]], [[[8, 4, 12, 8], [0, 0, 4, 4]]]) == 0.5
""",
            "Edges and places are tried well, and in every caption each word names something. Add words with -1 four "
            "times, unevenly.",
        ),
        Wrong(
            "words that name nothing, and clear hits alone",
            _LOOK_AT
            + """
    nothing = [-1, -1, -1, -1]
    boxes = [[[8, 4, 12, 8], nothing, nothing], [[4, 0, 8, 4], [0, 0, 4, 4], nothing]]
    return abs(share([[5, 2, 1], [1, 5, 0]], boxes) - 2 / 3) < 1e-6
""",
            "Every look is right on the object or far from it, so a form that asks for the cell's centre, or is content "
            "with an edge, passes. Add boxes that share one pixel with the cell, and one edge.",
        ),
        Wrong(
            "too strict about the error's words",
            _LOOK_AT
            + """
    try:
        share([[5]], [[[-1, -1, -1, -1]]])
    except ValueError as error:
        return "no word names an object" in str(error) and share([[5]], [[[8, 4, 12, 8]]]) == 1.0
    return False
""",
            "The docstring promises a ValueError, and not its words. What it does not promise, a test must not ask for.",
        ),
        Wrong(
            "a common edge is asked to count",
            _LOOK_AT
            + """
    assert share([[5, 1]], [[[8, 4, 12, 8], [4, 0, 8, 4]]]) == 1.0
    assert share([[5]], [[[12, 4, 16, 8]]]) == 1.0
""",
            "It asks that a cell count which only touches the box. The docstring says that a common edge is not enough.",
        ),
        Wrong(
            "it compares the function with itself",
            """
def test_pointing_accuracy(pointing_accuracy):
    weights = torch.softmax(torch.randn(1, 4, 6), dim=2)
    boxes = torch.tensor([[[0, 0, 4, 4], [4, 4, 9, 9], [2, 3, 8, 8], [8, 4, 12, 8]]])
    return pointing_accuracy(weights, boxes, 3, 4) == pointing_accuracy(2 * weights, boxes, 3, 4)
""",
            "Both calls go to the same function, so a mistake is made twice and nothing is seen. That doubling changes "
            "nothing is true, and wrong forms keep it too.",
        ),
    ],
    correct=[
        Correct(
            "an own loop, compared on drawn inputs and on edges",
            """
def test_pointing_accuracy(pointing_accuracy):
    def expected(weights, boxes, columns, cell):
        hits, named = 0, 0
        for look, box in zip(weights.flatten(0, 1), boxes.flatten(0, 1).tolist()):
            if box[0] < 0:
                continue
            named += 1
            n = look.argmax().item()
            x, y = n % columns * cell, n // columns * cell
            hits += x < box[2] and box[0] < x + cell and y < box[3] and box[1] < y + cell
        return hits / named

    for columns, rows, cell in ((5, 2, 4), (3, 4, 8)):
        for _ in range(12):
            weights = torch.rand(3, 40, rows * columns)
            top = weights.argmax(2)
            left = (top % columns * cell + torch.randint(-2 * cell, 2 * cell + 1, (3, 40))).clamp(min=0)
            upper = (top // columns * cell + torch.randint(-2 * cell, 2 * cell + 1, (3, 40))).clamp(min=0)
            wide, high = torch.randint(1, 4 * cell, (2, 3, 40))
            boxes = torch.stack([left, upper, left + wide, upper + high], 2)
            boxes[0, ::2] = boxes[1, 5:] = -1
            share = pointing_accuracy(weights, boxes, columns, cell)
            if not isinstance(share, float) or abs(share - expected(weights, boxes, columns, cell)) > 1e-5:
                return False
    try:
        pointing_accuracy(weights, torch.full_like(boxes, -1), 3, 8)
    except ValueError:
        return True
    return False
""",
        ),
        Correct(
            "asserts on cases worked out by hand",
            _LOOK_AT
            + """
    nothing = [-1, -1, -1, -1]
    on = lambda n, box: share([[n]], [[box]])
    for box in ([8, 4, 12, 8], [11, 7, 13, 9], [0, 0, 9, 5], [11, 1, 12, 5], [7, 7, 9, 9], [9, 5, 11, 7], [0, 0, 16, 9]):
        assert on(5, box) == 1.0
    for box in ([4, 4, 8, 8], [12, 4, 14, 8], [8, 0, 12, 4], [8, 8, 12, 12], [4, 8, 8, 12], [0, 0, 6, 3]):
        assert on(5, box) == 0.0
    assert on(0, [0, 0, 1, 1]) == 1.0 and on(1, [0, 0, 5, 4]) == 1.0 and on(3, [0, 4, 2, 8]) == 1.0
    assert share([[3]], [[[24, 0, 30, 8]]], columns=4, N=8, cell=8) == 1.0
    assert type(share([[5, 0, 0, 0], [5, 5, 5, 0]], [
        [[8, 4, 12, 8], nothing, nothing, nothing], [[0, 0, 2, 2], [0, 0, 2, 2], [8, 4, 9, 8], nothing]
    ])) is float
    assert share([[5, 0, 0, 0], [5, 5, 5, 0]], [
        [[8, 4, 12, 8], nothing, nothing, nothing], [[0, 0, 2, 2], [0, 0, 2, 2], [8, 4, 9, 8], nothing]
    ]) == 0.5
    assert share([[0, 1, 2, 3]], [[[0, 0, 2, 2], [0, 0, 2, 2], [0, 0, 2, 2], [0, 4, 2, 8]]]) == 0.5
    raised = False
    try:
        on(2, nothing)
    except ValueError:
        raised = True
    assert raised
""",
        ),
        Correct(
            "every cell against every one-pixel box",
            """
def test_pointing_accuracy(pointing_accuracy):
    for columns, rows, cell in ((3, 2, 2), (2, 3, 3)):
        N = columns * rows
        for n in range(N):
            pixels = [(i, j) for j in range(rows * cell) for i in range(columns * cell)]
            boxes = torch.tensor([[[i, j, i + 1, j + 1] for i, j in pixels]])
            weights = torch.full((1, len(pixels), N), 0.1)
            weights[:, :, n] = 0.9
            share = pointing_accuracy(weights, boxes, columns, cell)
            if not isinstance(share, float) or abs(share - cell * cell / len(pixels)) > 1e-6:
                return False
            for t, (i, j) in enumerate(pixels[:: cell + 1]):
                inside = i // cell == n % columns and j // cell == n // columns
                one = boxes[:, t * (cell + 1) : t * (cell + 1) + 1]
                if pointing_accuracy(weights[:, :1], one, columns, cell) != float(inside):
                    return False
    each, corner = torch.eye(6).unsqueeze(0), torch.tensor([[[0, 0, 1, 1]] * 6])
    if abs(pointing_accuracy(each, corner, 3, 2) - 1 / 6) > 1e-6:
        return False
    if pointing_accuracy(each, torch.tensor([[[0, 0, 6, 4]] * 6]), 3, 2) != 1.0:
        return False
    weights = torch.zeros(2, 3, 6)
    weights[:, :, 4] = 1.0
    boxes = torch.tensor([[[2, 2, 5, 5], [-1] * 4, [-1] * 4], [[0, 0, 2, 2], [0, 0, 1, 2], [3, 2, 9, 9]]])
    mixed = pointing_accuracy(weights, boxes, 3, 2) == 0.5
    try:
        pointing_accuracy(weights, torch.full_like(boxes, -1), 3, 2)
    except ValueError:
        return mixed
    return False
""",
        ),
        Correct(
            "a table of cases",
            _LOOK_AT
            + """
    table = [
        (5, [8, 4, 12, 8], 1), (5, [0, 0, 9, 5], 1), (5, [11, 7, 12, 8], 1), (5, [12, 4, 16, 8], 0),
        (5, [4, 4, 8, 8], 0), (5, [8, 8, 12, 12], 0), (5, [8, 0, 12, 4], 0), (2, [11, 3, 12, 4], 1),
        (3, [0, 7, 1, 8], 1), (3, [0, 0, 4, 4], 0), (2, [8, 4, 12, 8], 0), (0, [0, 0, 12, 8], 1),
        (1, [4, 4, 8, 8], 0), (5, [4, 8, 8, 12], 0), (4, [7, 0, 8, 5], 1), (4, [3, 0, 5, 5], 1),
        (5, [9, 5, 11, 7], 1), (5, [0, 0, 16, 9], 1), (5, [0, 0, 6, 3], 0),
    ]
    right = all(share([[n]], [[box]]) == float(hit) for n, box, hit in table)
    large = share([[6]], [[[20, 9, 21, 10]]], columns=4, N=8, cell=8) == 1.0
    nothing = [-1] * 4
    boxes = [[[8, 4, 12, 8], nothing, nothing], [[0, 0, 1, 1], [0, 0, 1, 1], [8, 4, 12, 8]]]
    half = share([[5, 5, 5], [5, 5, 5]], boxes)
    right = right and share([[0, 1, 2, 3]], [[[0, 0, 2, 2], [0, 0, 2, 2], [0, 0, 2, 2], [0, 4, 2, 8]]]) == 0.5
    try:
        share([[1]], [[nothing]])
        silent = True
    except ValueError:
        silent = False
    return right and large and half == 0.5 and isinstance(half, float) and not silent
""",
        ),
        Correct(
            "shares counted out on a longer caption",
            _LOOK_AT
            + """
    nothing = [-1, -1, -1, -1]
    cells = [5, 5, 5, 5, 5, 5, 5, 5, 5, 1, 3, 0]
    boxes = [
        [8, 4, 9, 5], [11, 7, 12, 8], [12, 4, 16, 8], [8, 8, 12, 12], [8, 2, 12, 4], [5, 4, 8, 8], [7, 3, 9, 5],
        nothing, nothing, [0, 0, 5, 1], [0, 6, 2, 7], [0, 0, 1, 1],
    ]
    try:
        share([[4]], [[nothing]])
        return False
    except ValueError:
        pass
    first = share([cells], [boxes])
    second = share([cells, cells], [boxes, [[0, 0, 4, 4]] * 10 + [nothing, [4, 4, 8, 8]]])
    third = share([[2, 2, 2], [4, 4, 4]], [[[9, 1, 10, 2], nothing, nothing], [[0, 0, 4, 4], [0, 0, 4, 9], nothing]])
    fourth = [share([[5]], [[box]]) for box in ([9, 0, 10, 4], [0, 5, 8, 6], [12, 5, 14, 6], [9, 8, 10, 9])]
    fifth = [share([[5]], [[box]]) for box in ([9, 0, 10, 5], [0, 5, 9, 6], [11, 5, 14, 6], [9, 7, 10, 9])]
    sixth = share([[5]], [[[16, 8, 18, 9]]], cell=8)
    seventh = [share([[5]], [[box]]) for box in ([0, 0, 16, 9], [0, 0, 6, 2])]
    return (
        abs(first - 6 / 10) < 1e-6
        and isinstance(first, float)
        and abs(second - 6 / 21) < 1e-6
        and abs(third - 1 / 3) < 1e-6
        and fourth == [0.0] * 4
        and fifth == [1.0] * 4
        and sixth == 1.0
        and seventh == [1.0, 0.0]
    )
""",
        ),
    ],
)

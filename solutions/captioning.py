"""Chapter 03: a picture as a sequence of cells, and a decoder that looks at them
(Xu et al., 2015).

The reference answers of notebook 03. Names, parameter names, shapes and docstrings are
the course's public contract and stand in the notebook's stubs as they stand here; what
is inside the functions may be rewritten freely.
Letters: B batch, N cells of a grid, T caption length, D model width, H hidden width, V
vocabulary.
"""

import torch
from torch import Tensor, nn

from solutions.bahdanau import AdditiveAttention
from solutions.seq2seq import GRUCell


class GridEncoder(nn.Module):
    """An image as a sequence: the cells of a convolutional network's grid, each with
    its place.

    backbone: a module, images (B, 3, H, W) -> grid (B, channels, rows, columns).
    To the `channels` numbers of each cell two are appended, x and then y: x goes evenly
    from -1 in the leftmost column to 1 in the rightmost, y from -1 in the top row to 1
    in the bottom row. Then `project`, a linear map from channels + 2 to d_model, and a
    ReLU. With coordinates=False nothing is appended, and `project` goes from channels
    to d_model.

    forward: images (B, 3, H, W) -> features (B, N, d_model), where N is rows * columns,
    row by row: cell n lies in row n // columns and in column n % columns. Rows and
    columns may differ; there are two or more of each.
    """

    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        if self.coordinates:
            B, _, rows, columns = grid.shape
            x = torch.linspace(-1, 1, columns, device=grid.device, dtype=grid.dtype)
            y = torch.linspace(-1, 1, rows, device=grid.device, dtype=grid.dtype)
            x, y = x.expand(rows, columns), y.unsqueeze(1).expand(rows, columns)
            places = torch.stack([x, y]).expand(B, 2, rows, columns)
            grid = torch.cat([grid, places], dim=1)
        # (B, C, rows, columns) -> (B, C, N) -> (B, N, C)
        cells = grid.flatten(2).transpose(1, 2)
        return torch.relu(self.project(cells))


class CaptionDecoder(nn.Module):
    """Writes a caption word by word and looks at the picture afresh before each word.

    After Xu et al. (2015), section 3.1, with the attention and the order of steps of
    chapter 02. The cells' features (B, N, d_model) are keys and values both. One step,
    from the hidden state s_{t-1} and the token that goes in:
      the context c_t is what the attention gives for the query s_{t-1}, the OLD hidden
        state;
      s_t = cell([embedding of the token; c_t], s_{t-1});
      the logits are output([s_t; c_t]).

    start: features (B, N, d_model) -> state, a tuple (hidden, features); hidden (B, H)
    is the tanh of `initial` applied to the mean of the N cells.
    step: token (B,), state -> logits (B, V), state, a tuple too, where only hidden is
    new.
    forward: features (B, N, d_model), tokens (B, T) ids that go IN (already shifted),
    from the state that `start` gives -> logits (B, T, V) and weights (B, T, N).
    """

    def __init__(
        self, vocab_size, embedding_size, hidden_size, pad_id, d_model, d_attention
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_id)
        self.initial = nn.Linear(d_model, hidden_size)
        self.attention = AdditiveAttention(hidden_size, d_model, d_attention)
        self.cell = GRUCell(embedding_size + d_model, hidden_size)
        self.output = nn.Linear(hidden_size + d_model, vocab_size)

    def start(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return torch.tanh(self.initial(features.mean(dim=1))), features

    def step(self, token: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        logits, state, _ = self._advance(token, state)
        return logits, state

    def forward(self, features: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        state = self.start(features)
        logits, weights = [], []
        for token in tokens.unbind(dim=1):  # T times (B,)
            logits_t, state, weights_t = self._advance(token, state)
            logits.append(logits_t)
            weights.append(weights_t)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def _advance(self, token, state):
        hidden, features = state
        context, weights = self.attention(hidden, features, features)
        hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
        return (
            self.output(torch.cat([hidden, context], dim=1)),
            (hidden, features),
            weights,
        )


def pooled_baseline(features: Tensor) -> Tensor:
    """The picture as one vector: a memory of a single cell, the mean of all cells.

    features (B, N, D) -> (B, 1, D). A decoder that attends to it has nothing to choose
    from: its context is the same at every step. Any number of cells N, any width D.
    """
    return features.mean(dim=1, keepdim=True)


def pointing_accuracy(weights: Tensor, boxes: Tensor, columns: int, cell: int) -> float:
    """How often the most weighted cell lies on the object that the token names.

    weights (B, T, N) over the N cells of a grid, row by row, `columns` to a row; a cell
    is a square of cell x cell pixels, and cell 0 begins at pixel 0 of both axes. boxes
    (B, T, 4) int64: left, top, right and bottom edge in pixels, 0 or more, of the box
    (never empty) around the object that token t names, or -1 four times where it names
    none: such tokens count nowhere. A token is a hit where its most weighted cell (of
    equal ones, any) and its box overlap: where they share some area, however little; a
    common edge or corner is not enough.
    Returns the share of hits among the tokens that name something, as a Python float.
    Raises ValueError where no token names anything. Leaves weights and boxes as they
    were.
    """
    # A box has some width, -1 four times has none.
    names = boxes[..., 2] > boxes[..., 0]
    if not names.any():
        raise ValueError(f"none of the {names.numel()} tokens names an object")
    top = weights.argmax(dim=2)  # (B, T)
    # The cell's left and top edge, in pixels.
    x, y = top % columns * cell, top // columns * cell
    left, top_edge, right, bottom = boxes.unbind(dim=2)
    hits = (x < right) & (x + cell > left) & (y < bottom) & (y + cell > top_edge)
    return (hits & names).sum().item() / names.sum().item()


class FrozenBackbone(nn.Module):
    """A trained network that stays as it is while the model around it trains.

    backbone: any module. Its parameters take no gradients, and it works as in
    evaluation, from the start and after any call of train() on this module or on a
    model that holds it: nothing in it changes, and its output for one image does not
    depend on the others of the batch. It stays a submodule, so that state_dict() has
    its values. train() and eval() return this module, as they do for every module.
    forward: what the backbone gives for the same input; gradients flow through to the
    input.
    """

    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()

    def train(self, mode=True):
        super().train(mode)
        self.backbone.eval()
        return self

    def forward(self, images: Tensor) -> Tensor:
        return self.backbone(images)


def test_pointing_accuracy(pointing_accuracy):
    """Says whether a form of `pointing_accuracy` keeps the promises of its docstring.

    pointing_accuracy: a function (weights, boxes, columns, cell) -> float, right or
    wrong.
    Returns True where it is right and False where it is wrong; or asserts, and returns
    nothing (any exception means that a fault was found). It may call the function at
    most 200 times, on sizes and box edges up to 512 and 20,000 numbers in all. What it
    gives and gets are plain tensors and numbers; it may also look at the error that the
    docstring promises. What the function does to its arguments it need not see.
    """
    nothing = [-1, -1, -1, -1]

    def share(looks: list, columns: int = 3, cell: int = 4) -> float:
        """The share of captions given as lists of (cell looked at, box), on a grid of
        two rows.
        """
        weights = torch.full((len(looks), len(looks[0]), 2 * columns), 0.01)
        for b, caption in enumerate(looks):
            for t, (n, _) in enumerate(caption):
                weights[b, t, n] = 0.6
        boxes = torch.tensor([[box for _, box in caption] for caption in looks])
        return pointing_accuracy(weights, boxes, columns, cell)

    # Cell 5 of two rows of three lies in row 1 and column 2: pixels 8 to 12 across,
    # 4 to 8 down.
    hits = [
        [8, 4, 12, 8],
        [0, 0, 9, 5],
        [11, 7, 12, 8],
        [9, 0, 10, 5],
        [11, 0, 14, 9],
        [9, 5, 11, 7],
        [4, 0, 16, 12],
    ]
    misses = [
        [4, 4, 8, 8],
        [12, 4, 16, 8],
        [8, 0, 12, 4],
        [8, 8, 12, 12],
        [4, 8, 8, 12],
        [0, 0, 6, 2],
        [8, 9, 12, 12],
    ]
    if any(share([[(5, box)]]) != 1.0 for box in hits) or any(
        share([[(5, box)]]) != 0.0 for box in misses
    ):
        return False
    # Cells of another size; cell 1, in row 0; objects that begin at the left or the top
    # edge.
    if (
        share([[(7, [24, 10, 25, 11])]], columns=4, cell=8) != 1.0
        or share([[(1, [0, 0, 5, 3])]]) != 1.0
    ):
        return False
    if share([[(3, [0, 4, 3, 7])]]) != 1.0 or share([[(0, [0, 0, 2, 2])]]) != 1.0:
        return False
    # Words that name nothing count nowhere, and all the others count alike, whatever
    # caption they stand in.
    hit, miss, silent = (5, [8, 4, 12, 8]), (5, [0, 0, 4, 4]), (5, nothing)
    if share([[hit, silent, silent, silent], [miss, hit, silent, miss]]) != 0.5:
        return False
    # Each word has a look of its own, the last one too.
    first, fourth = [0, 0, 4, 4], [0, 4, 4, 8]
    if share([[(0, first), (1, first), (2, first), (3, fourth)]]) != 0.5:
        return False
    if not isinstance(share([[hit, miss]]), float):
        return False
    try:
        share([[silent, silent]])
    except ValueError:
        return True
    return False

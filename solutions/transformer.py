"""Chapter 06: the Transformer (Vaswani et al., 2017).

The reference answers of notebook 06. Names, parameter names, shapes and docstrings are the course's public contract and
stand in the notebook's stubs as they stand here; what is inside the functions may be rewritten freely.
Letters: B batch, T target length, S source length, D model width, V vocabulary. Masks are boolean, True = may attend.
"""

import torch.nn.functional as F
from torch import Tensor, nn

from solutions.multi_head import MultiHeadAttention


class FeedForward(nn.Module):
    """The same small network at every position: linear1 (d_model to d_ff), activation, linear2 (d_ff to d_model).

    forward: x (..., D) -> (..., D); no position sees another (Vaswani et al., 2017, section 3.3).
    """

    def __init__(self, d_model, d_ff, activation=F.relu):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        return self.linear2(self.activation(self.linear1(x)))


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward; each reads the stream x and adds to it (Vaswani et al., 2017, section 3.1).

    norm_first=False, as in the paper: x = norm1(x + attention(x)), then x = norm2(x + feed_forward(x)).
    norm_first=True: x = x + attention(norm1(x)), then x = x + feed_forward(norm2(x)); nothing is normed at the end.
    dropout is applied to what each part adds. The parts are self_attention (MultiHeadAttention), feed_forward
    (FeedForward), norm1 and norm2 (nn.LayerNorm).

    forward: x (B, T, D), mask boolean, True = may attend, broadcastable to (B, T, T), or None -> (B, T, D).
    """

    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, activation=F.relu, layer_norm_eps=1e-5, norm_first=False):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff, activation)
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        if self.norm_first:
            normed = self.norm1(x)
            x = x + self.dropout(self.self_attention(normed, normed, normed, mask)[0])
            return x + self.dropout(self.feed_forward(self.norm2(x)))
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask)[0]))
        return self.norm2(x + self.dropout(self.feed_forward(x)))


class TransformerEncoder(nn.Module):
    """A tower of num_layers encoder layers, each with weights of its own: `layers`, then `norm`.

    `norm` is an nn.LayerNorm where norm_first (nothing else norms the stream's end) and nn.Identity otherwise.
    forward: x (B, T, D), mask boolean, True = may attend, broadcastable to (B, T, T), or None -> (B, T, D).
    """

    def __init__(
        self,
        d_model,
        num_heads,
        d_ff,
        num_layers,
        dropout=0.0,
        activation=F.relu,
        layer_norm_eps=1e-5,
        norm_first=True,
    ):
        super().__init__()
        self.layers = nn.ModuleList(
            EncoderLayer(d_model, num_heads, d_ff, dropout, activation, layer_norm_eps, norm_first)
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)

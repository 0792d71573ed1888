"""Chapter 05: forms of `split_heads` for a test of it to be tried on beside the learner's own.

Wrong ones, and a right one that differs in what nobody promised.
"""

from torch import Tensor


def _shared(x: Tensor, num_heads: int) -> int:
    """The features of each head. Raises ValueError where num_heads does not divide them."""
    if x.shape[2] % num_heads:
        raise ValueError(f"num_heads must divide d_model, got {num_heads} heads and x {tuple(x.shape)}")
    return x.shape[2] // num_heads


def by_view_alone(x: Tensor, num_heads: int) -> Tensor:
    """The right shape, and nothing has moved."""
    return x.reshape(len(x), num_heads, x.shape[1], _shared(x, num_heads))


def interleaved(x: Tensor, num_heads: int) -> Tensor:
    """Head h gets every num_heads-th feature."""
    return x.reshape(len(x), x.shape[1], _shared(x, num_heads), num_heads).permute(0, 3, 1, 2)


def reversed_heads(x: Tensor, num_heads: int) -> Tensor:
    """Head 0 gets the last block of features."""
    blocks = x.split(_shared(x, num_heads), dim=2)
    heads = x.new_empty(len(x), num_heads, *blocks[0].shape[1:])
    for h, block in enumerate(reversed(blocks)):
        heads[:, h] = block
    return heads


def heads_before_batch(x: Tensor, num_heads: int) -> Tensor:
    """(H, B, T, d): right where there is one sentence and one head."""
    return x.reshape(len(x), x.shape[1], num_heads, _shared(x, num_heads)).permute(2, 0, 1, 3)


def cut_where_it_does_not_divide(x: Tensor, num_heads: int) -> Tensor:
    """Features that are too many are dropped, and nobody is told; but heads without a feature are refused."""
    if num_heads > x.shape[2]:
        raise ValueError(f"{num_heads} heads and {x.shape[2]} features")
    x = x[:, :, : x.shape[2] // num_heads * num_heads]
    blocks = x.split(x.shape[2] // num_heads, dim=2)
    heads = x.new_empty(len(x), num_heads, *blocks[0].shape[1:])
    for h, block in enumerate(blocks):
        heads[:, h] = block
    return heads


def no_error_of_its_own(x: Tensor, num_heads: int) -> Tensor:
    """Where num_heads does not divide the width, torch complains (RuntimeError), about a shape nobody asked for."""
    heads = x.reshape(len(x), x.shape[1], num_heads, x.shape[2] // num_heads).unbind(dim=2)
    together = x.new_empty(len(x), num_heads, *heads[0].shape[1:])
    for h, head in enumerate(heads):
        together[:, h] = head
    return together


def features_turned_round(x: Tensor, num_heads: int) -> Tensor:
    """The right features for each head, the last of them first."""
    blocks = x.flip(2).split(_shared(x, num_heads), dim=2)
    heads = x.new_empty(len(x), num_heads, *blocks[0].shape[1:])
    for h, block in enumerate(reversed(blocks)):
        heads[:, h] = block
    return heads


def first_block_for_all(x: Tensor, num_heads: int) -> Tensor:
    """Head 0 is right, and all the others are it again."""
    return x[:, :, : _shared(x, num_heads)].unsqueeze(1).repeat(1, num_heads, 1, 1)


def sentences_mixed_up(x: Tensor, num_heads: int) -> Tensor:
    """All positions of the batch are put in one row, and not taken apart again as they were: right for one sentence."""
    rows = x.reshape(-1, num_heads, _shared(x, num_heads))  # (B * T, H, d)
    return rows.permute(1, 0, 2).reshape(len(x), num_heads, x.shape[1], -1)


def heads_as_wide_as_they_are_many(x: Tensor, num_heads: int) -> Tensor:
    """num_heads features for each head: right where the heads are as many as a head's features."""
    return x.reshape(len(x), x.shape[1], _shared(x, num_heads), num_heads).permute(0, 2, 1, 3)


def last_head_empty(x: Tensor, num_heads: int) -> Tensor:
    """The loop over the heads ends one too early."""
    d = _shared(x, num_heads)
    heads = x.new_zeros(len(x), num_heads, x.shape[1], d)
    for h in range(num_heads - 1):
        heads[:, h] = x[:, :, h * d : (h + 1) * d]
    return heads


def positions_reversed(x: Tensor, num_heads: int) -> Tensor:
    """Every head has its features, and the last position stands first."""
    return x.flip(1).reshape(len(x), x.shape[1], num_heads, _shared(x, num_heads)).transpose(1, 2)


def inner_heads_empty(x: Tensor, num_heads: int) -> Tensor:
    """The first head and the last are right, and between them is nothing."""
    d = _shared(x, num_heads)
    heads = x.new_zeros(len(x), num_heads, x.shape[1], d)
    heads[:, 0], heads[:, -1] = x[:, :, :d], x[:, :, -d:]
    return heads


def other_sentences_by_view(x: Tensor, num_heads: int) -> Tensor:
    """The first sentence is right, and nothing of the others has moved."""
    heads = x.reshape(len(x), num_heads, x.shape[1], _shared(x, num_heads)).clone()
    heads[0] = x[0].reshape(x.shape[1], num_heads, -1).transpose(0, 1)
    return heads


def one_head_too_many(x: Tensor, num_heads: int) -> Tensor:
    """Every head is right, and behind them is one more."""
    d = _shared(x, num_heads)
    heads = x.new_zeros(len(x), num_heads + 1, x.shape[1], d)
    for h in range(num_heads):
        heads[:, h] = x[:, :, h * d : (h + 1) * d]
    return heads


SPLIT_HEADS = {
    "split by view alone": by_view_alone,
    "the heads are interleaved": interleaved,
    "the heads come in reverse order": reversed_heads,
    "the heads stand before the batch": heads_before_batch,
    "the features of a head are turned round": features_turned_round,
    "every head gets the first block": first_block_for_all,
    "sentences are mixed up": sentences_mixed_up,
    "heads and their width are exchanged": heads_as_wide_as_they_are_many,
    "the last head stays empty": last_head_empty,
    "the positions come in reverse order": positions_reversed,
    "the heads between the first and the last stay empty": inner_heads_empty,
    "only the first sentence is split": other_sentences_by_view,
    "one head too many": one_head_too_many,
    "a width that does not divide is cut": cut_where_it_does_not_divide,
    "a width that does not divide raises another error": no_error_of_its_own,
}


def right_without_a_word(x: Tensor, num_heads: int) -> Tensor:
    """Right; its error says nothing, and its numbers lie in one piece."""
    if x.shape[2] % num_heads:
        raise ValueError
    return x.reshape(len(x), x.shape[1], num_heads, x.shape[2] // num_heads).permute(0, 2, 1, 3).contiguous()


RIGHT_SPLIT_HEADS = {"one whose error says nothing": right_without_a_word}

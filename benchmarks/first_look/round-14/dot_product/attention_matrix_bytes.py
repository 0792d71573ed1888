# %% wrong: a token does not ask itself
# n * (n - 1) pairs instead of n * n: for one token the answer is 0, for 196 it is half a percent too low.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    pairs = num_tokens * (num_tokens - 1)
    return pairs * num_heads * num_layers * bytes_per_element


# %% wrong: multiplied in 64 bits
# torch's int64 wraps around: beyond 2**63 bytes, as for 2**31 tokens with 8 heads and 8 layers, the product is wrong or negative.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    shape = torch.tensor([num_layers, num_heads, num_tokens, num_tokens])
    return int(shape.prod()) * bytes_per_element


# %% wrong: the causal half
# Only the lower triangle is counted, though every token asks every token: 3 tokens give 6 weights a head instead of 9.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    weights = num_tokens * (num_tokens + 1) // 2
    return weights * num_heads * num_layers * bytes_per_element


# %% wrong: bits over eight
# The division by 8 is a float division, which int() cannot undo: beyond 2**53 bytes the last digits are lost (for an odd number of
# tokens such as 100_000_001).

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    bits = 8 * bytes_per_element * num_tokens**2 * num_heads * num_layers
    return int(bits / 8)


# %% correct: doubling and adding

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    def times(a: int, b: int) -> int:
        total = 0
        while b:
            if b & 1:
                total += a
            a, b = a << 1, b >> 1
        return total

    a_matrix = times(num_tokens, num_tokens)
    return times(times(times(a_matrix, num_heads), num_layers), bytes_per_element)


# %% correct: as exact fractions
from fractions import Fraction


def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    a_row = Fraction(bytes_per_element * num_tokens)
    a_layer = a_row / Fraction(1, num_heads) * num_tokens
    return (a_layer / Fraction(1, num_layers)).numerator if num_layers and num_heads else 0

# %% wrong: only the lower triangle
# Counts a token's weights to itself and to those before it, as under a causal mask. It shows for
# every num_tokens above 1.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    pairs = num_tokens * (num_tokens + 1) // 2
    return pairs * num_heads * num_layers * bytes_per_element

# %% wrong: the heads share one matrix
# "A head is only a part of the width", so the number of heads is left out; but each has a whole
# (T, T) matrix. It shows for every num_heads above 1.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    per_head = num_tokens * num_tokens // num_heads
    return per_head * num_heads * num_layers * bytes_per_element

# %% wrong: counted in int64
# A tensor's product wraps round beyond 2**63. It shows for sizes such as 2**30 tokens, 16 heads,
# 48 layers: the result is wrong, zero or negative.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    sizes = torch.tensor([num_layers, num_heads, num_tokens, num_tokens, bytes_per_element])
    return int(sizes.prod())

# %% wrong: bits, divided by eight
# The true division makes a float on the way. It shows beyond 2**53 where the bytes are odd enough
# not to fit: 94_906_267 tokens, 1 head, 1 layer, 1 byte.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    bits = 8 * bytes_per_element
    weights = num_layers * num_heads * num_tokens**2
    return int(weights * bits / 8)

# %% correct: doubling and adding, no multiplication sign
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
            a <<= 1
            b >>= 1
        return total

    size = bytes_per_element
    for factor in (num_tokens, num_tokens, num_heads, num_layers):
        size = times(size, factor)
    return size

# %% correct: as a fraction of a larger whole
from fractions import Fraction


def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    # two triangles and the diagonal
    triangle = Fraction(num_tokens * (num_tokens - 1), 2)
    diagonal = Fraction(num_tokens)
    matrices = Fraction(num_heads) * Fraction(num_layers)
    return ((triangle + diagonal + triangle) * matrices * bytes_per_element).numerator

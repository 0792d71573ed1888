# %% wrong: a power of floats
# math.pow works in floats, which beyond 2**53 do not hold every whole number.
# Shows for num_tokens = 2**27 + 1 (one head, one layer, one byte): the last digits.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    return int(math.pow(num_tokens, 2) * num_heads * num_layers * bytes_per_element)

# %% wrong: the heads share one matrix
# As heads split the width between them, they are thought to split the weights, too: num_heads is left out.
# Shows for every num_heads above 1.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    weights_of_a_layer = num_tokens * num_tokens
    return weights_of_a_layer * num_layers * bytes_per_element

# %% wrong: the product of a tensor
# int64 goes up to 2**63 - 1 and wraps round without a word above it.
# Shows for num_tokens = 2**31, 16 heads, 48 layers, 4 bytes: 0 in place of 1.4e22.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    sizes = torch.tensor([num_tokens, num_tokens, num_heads, num_layers, bytes_per_element])
    return sizes.prod().item()

# %% wrong: each pair once
# Only the keys up to the query are counted, T (T + 1) / 2, as under a causal mask; every token asks every token.
# Shows for every num_tokens above 1.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    pairs = num_tokens * (num_tokens + 1) // 2
    return pairs * num_heads * num_layers * bytes_per_element

# %% correct: shifts and additions

# Multiplies as on paper in base two, without the multiplication sign.

def _times(a: int, b: int) -> int:
    total = 0
    while b:
        if b & 1:
            total += a
        a, b = a << 1, b >> 1
    return total


def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    total = bytes_per_element
    for factor in (num_layers, num_heads, num_tokens, num_tokens):
        total = _times(total, factor)
    return total

# %% correct: pairs of two, and everybody with itself

# Counts the ways to choose two different tokens, each of which asks the other, and the tokens that ask themselves.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    asked = 2 * math.comb(num_tokens, 2) + num_tokens
    return math.prod((asked, num_heads, num_layers, bytes_per_element))

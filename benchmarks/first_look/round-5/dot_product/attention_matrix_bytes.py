# %% wrong: always four bytes
# The size of an element is looked up for float32, and the argument is never used: bfloat16 comes out twice too large.
# All of the examples in the notebook are in float32.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    element = torch.zeros(1, dtype=torch.float32).element_size()
    return num_layers * num_heads * num_tokens * num_tokens * element


# %% wrong: thirty-two bits are too few
# The product is taken of int32 tensors: from 2 GiB on it wraps round, to a negative number or to zero.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    shape = torch.tensor([num_layers, num_heads, num_tokens, num_tokens], dtype=torch.int32)
    size = torch.tensor(bytes_per_element, dtype=torch.int32)
    for axis in shape:
        size = size * axis
    return int(size)


# %% wrong: counted in float32
# A product of float32 numbers has 24 bits: larger counts are rounded, to something near the number of bytes.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    factors = torch.tensor([num_tokens**2, num_heads, num_layers, bytes_per_element], dtype=torch.float32)
    return int(factors.prod().item())


# %% wrong: only the lower triangle
# Each query is given the keys up to itself, as if all the attention were causal; asked for is every token with every
# token.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    per_head = sum(query + 1 for query in range(num_tokens))
    return per_head * num_heads * num_layers * bytes_per_element


# %% wrong: the scores are counted too
# The scores before the softmax are added to the weights, so that everything is twice as large; the weights alone are
# asked for.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    scores = num_tokens**2 * num_heads * num_layers
    weights = num_tokens**2 * num_heads * num_layers
    return (scores + weights) * bytes_per_element


# %% correct: added up layer by layer and head by head

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    total = 0
    for _layer in range(num_layers):
        for _head in range(num_heads):
            row = num_tokens * bytes_per_element
            total += row * num_tokens
    return total


# %% correct: multiplied by doubling and adding

def _times(a: int, b: int) -> int:
    if b == 0:
        return 0
    twice = 2 * _times(a, b // 2)
    return twice + a if b % 2 else twice


def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    product = 1
    for factor in (num_tokens, num_tokens, num_heads, num_layers, bytes_per_element):
        product = _times(product, factor)
    return product

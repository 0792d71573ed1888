# %% wrong: the heads share one matrix
# "The heads split the width, so they cost nothing more": num_heads does not count. Each head has weights of its own; shows for more
# than one head.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    per_layer = num_tokens * num_tokens * bytes_per_element
    return per_layer * num_layers

# %% wrong: four bytes whatever is asked for
# The 4 of float32 is written into the product: bfloat16 (bytes_per_element=2) gets twice its size.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    return 4 * num_tokens**2 * num_heads * num_layers

# %% wrong: the lower triangle alone
# Counts T (T + 1) / 2 weights as a causal mask would leave; every token asks every token, so it is T squared. Shows for
# more than one token.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    pairs = num_tokens * (num_tokens + 1) // 2
    return pairs * num_heads * num_layers * bytes_per_element

# %% wrong: a float comes back
# math.pow computes in floats: the result is no int, and where it passes 2**53 its last digits can be wrong, as for
# attention_matrix_bytes(100_000_001, 1, 1).

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    return math.pow(num_tokens, 2) * num_heads * num_layers * bytes_per_element

# %% correct: layer by layer and head by head

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    total = 0
    for _ in range(num_layers):
        for _ in range(num_heads):
            on_the_diagonal = num_tokens
            beside_it = num_tokens * (num_tokens - 1)
            total += (on_the_diagonal + beside_it) * bytes_per_element
    return total

# %% correct: the size of a list of lengths

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    shape = (num_layers, num_heads, num_tokens, num_tokens)
    stride = bytes_per_element  # from one element to the next along the last axis
    for size in reversed(shape):
        stride *= size  # from one slice to the next along the axis before
    return stride

# %% wrong: four bytes whatever the type
# Every weight is counted as four bytes, and bytes_per_element is not used. For bfloat16 the answer is twice too large.
# Hint: ask for bytes_per_element=2.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    return num_tokens**2 * num_heads * num_layers * 4


# %% wrong: half of the square as under a causal mask
# Only the keys up to each query's own are counted. The docstring says that every token asks every token.
# Hint: how many weights have three tokens, one head and one layer?

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    pairs = num_tokens * (num_tokens + 1) // 2
    return pairs * num_heads * num_layers * bytes_per_element


# %% wrong: the heads share one matrix
# The heads are left out, as if they divided one matrix of weights among themselves. They divide the width; each has a weight for each pair of tokens.
# Hint: the docstring says "each head of each layer".

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    per_head = num_tokens * num_tokens // num_heads
    return per_head * num_heads * num_layers * bytes_per_element


# %% wrong: mebibytes instead of bytes
# The answer is in MiB, and a float. The function promises bytes, and the cell below divides by 2**20 itself.
# Hint: compare your answer for 196 tokens, 16 heads and 48 layers with the number in the next cell.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    num_weights = num_layers * num_heads * num_tokens**2
    return num_weights * bytes_per_element / 1024**2


# %% correct: a product over the axes of the stored tensor

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    kept = (num_layers, num_heads, num_tokens, num_tokens)
    return math.prod(kept, start=bytes_per_element)


# %% correct: added up layer by layer and head by head

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    total = 0
    for _ in range(num_layers):
        for _ in range(num_heads):
            row = num_tokens * bytes_per_element
            total += num_tokens * row
    return total

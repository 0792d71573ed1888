# %% wrong: linear in the tokens
# One number for each token and not for each pair of query and key: the square is missing.
# Hint: how many weights has one head for three tokens?

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    return num_tokens * num_heads * num_layers * bytes_per_element


# %% wrong: always four bytes
# The size of a number is written as 4, so bfloat16 costs as much as float32; the argument is not used.
# Hint: which of the arguments does your line never read?

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    weights = num_layers * num_heads * num_tokens**2
    return 4 * weights


# %% wrong: only the causal half
# Counts the lower triangle, as for a causal model; the docstring says that every token asks every token.
# Hint: is there a mask in the docstring?

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    pairs = num_tokens * (num_tokens + 1) // 2  # query t sees keys 0 to t
    return pairs * num_heads * num_layers * bytes_per_element


# %% wrong: in MiB
# Gives MiB as a float where bytes are asked for.
# Hint: the cell behind the check divides by 2**20 itself; what is the unit of your answer?

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    size = num_tokens * num_tokens * num_heads * num_layers * bytes_per_element
    return size / 2**20


# %% correct: a product over the shape

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    shape = (num_layers, num_heads, num_tokens, num_tokens)
    return math.prod(shape) * bytes_per_element

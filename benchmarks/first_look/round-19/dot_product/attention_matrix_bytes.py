# %% wrong: four bytes, whatever is asked for
# bytes_per_element is ignored. Shows for bytes_per_element 2: twice as many bytes as the docstring counts.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    weights = num_layers * num_heads * num_tokens**2
    return 4 * weights


# %% wrong: through a float
# math.pow gives a float, so beyond 2**53 the int that comes out is rounded. Shows for num_tokens = 2**27 + 1.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    per_head = math.pow(num_tokens, 2)
    return int(per_head * num_heads * num_layers * bytes_per_element)


# %% wrong: in int64
# A tensor's int64 wraps around beyond 2**63. Shows for num_tokens = 2**31, 8 heads, 1 layer: the result is 0 or negative.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    shape = torch.tensor([num_layers, num_heads, num_tokens, num_tokens], dtype=torch.int64)
    return shape.prod().item() * bytes_per_element


# %% wrong: as in a causal model
# Counts a token's weights for itself and earlier ones only. Shows for any num_tokens of 2 or more.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    pairs = num_tokens * (num_tokens + 1) // 2
    return pairs * num_heads * num_layers * bytes_per_element


# %% correct: pairs of tokens, counted
def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    # each unordered pair of different tokens twice, each token with itself once
    matrix = 2 * math.comb(num_tokens, 2) + num_tokens
    return math.prod((matrix, num_heads, num_layers, bytes_per_element))


# %% correct: multiplied by shifts and sums
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

    size = bytes_per_element
    for factor in (num_tokens, num_tokens, num_heads, num_layers):
        size = times(size, factor)
    return size

# %% wrong: math.pow
# math.pow gives a float, which int() turns back too late: beyond 2**53 the digits are gone, as for 100,000,001 tokens, one head,
# one layer.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    return int(math.pow(num_tokens, 2) * num_heads * num_layers * bytes_per_element)

# %% wrong: a product of int64
# A tensor's int64 is exact up to 2**63 and then wraps round: 2**31 tokens, 4 heads, 4 layers give a wrong number.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    sizes = torch.tensor([num_tokens, num_tokens, num_heads, num_layers, bytes_per_element])
    return sizes.prod().item()

# %% wrong: nobody asks itself
# T (T - 1) pairs instead of T squared: every token asks itself too. Shows for every size; one token has no byte at all.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    weights = num_tokens * (num_tokens - 1)
    return weights * num_heads * num_layers * bytes_per_element

# %% wrong: the scores counted too
# The matrix before the softmax is counted beside the weights, two numbers for each pair. Asked for are the weights alone: twice too
# many for every size.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    one_head = 2 * num_tokens**2  # scores and weights
    return one_head * num_heads * num_layers * bytes_per_element

# %% correct: pairs of two tokens twice, and each token with itself

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    pairs = 2 * math.comb(num_tokens, 2) + num_tokens
    return math.prod((pairs, num_heads, num_layers, bytes_per_element))

# %% correct: multiplication by doubling and adding

def times(a: int, b: int) -> int:
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
    size = bytes_per_element
    for factor in (num_layers, num_heads, num_tokens, num_tokens):
        size = times(size, factor)
    return size

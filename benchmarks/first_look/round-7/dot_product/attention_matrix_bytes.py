# %% wrong: float32 whatever is asked for
# bytes_per_element is not used: right for the default, twice too much for bfloat16.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    weights = num_tokens * num_tokens * num_heads * num_layers
    return weights * 4


# %% wrong: heads share one matrix
# "The heads split the width, so together they cost as much as one": each head has a T x T of its own. Shows for more than
# one head.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    per_head = num_tokens**2 // num_heads
    return num_layers * num_heads * per_head * bytes_per_element


# %% wrong: the causal half
# Counts the lower triangle, each token with those up to itself: the docstring says every token asks every token. Shows for
# more than one token.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    pairs = num_tokens * (num_tokens + 1) // 2
    return pairs * num_heads * num_layers * bytes_per_element


# %% wrong: scores and weights
# Counts the scores before the softmax as well, since both are T x T: twice too much, for every input.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    scores = num_tokens**2
    weights = num_tokens**2
    return (scores + weights) * num_heads * num_layers * bytes_per_element


# %% correct: each token with itself, and each pair twice

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    ordered_pairs = num_tokens + 2 * math.comb(num_tokens, 2)
    one_layer = sum(ordered_pairs for _ in range(num_heads))
    return sum(one_layer for _ in range(num_layers)) * bytes_per_element


# %% correct: products by doubling, without a multiplication

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
            a, b = a + a, b >> 1
        return total

    size = bytes_per_element
    for count in (num_tokens, num_tokens, num_heads, num_layers):
        size = times(size, count)
    return size

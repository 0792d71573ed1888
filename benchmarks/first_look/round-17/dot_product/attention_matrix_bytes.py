# %% wrong: heads share the matrix as they share the width
# "Heads are H times narrower, so together they cost as much as one": true of queries and keys, but each head has its own
# weights. Too small by the factor num_heads, for every num_heads above 1.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    # the heads are slices of one layer, each d_model / num_heads wide
    per_layer = num_tokens * num_tokens * bytes_per_element
    return num_layers * per_layer


# %% wrong: the scores counted as well
# Scores and weights are both (T, T), and both are counted: twice what is asked for ("the weights alone"), for any input.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    scores = weights = num_tokens**2
    return (scores + weights) * num_heads * num_layers * bytes_per_element


# %% wrong: a product of a tensor of int64
# Exact beyond 2**53, but it wraps around at 2**63: 2**30 tokens, 8 heads and 1 layer give 0 or a negative number.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    factors = torch.tensor(
        [num_tokens, num_tokens, num_heads, num_layers, bytes_per_element]
    )
    return int(factors.prod().item())


# %% wrong: kibibytes by a true division, and back
# Divides by 1024 and multiplies again, in floats: beyond 2**53 odd multiples are rounded. 10**8 + 1 tokens with one head,
# one layer and one byte show it.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    kib_per_layer = num_heads * num_tokens**2 * bytes_per_element / 1024
    return round(num_layers * kib_per_layer * 1024)


# %% correct: multiplied by shifts and additions

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

    result = 1
    for factor in (num_tokens, num_tokens, num_heads, num_layers, bytes_per_element):
        result = times(result, factor)
    return result


# %% correct: past, present and future keys counted apart

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    earlier = num_tokens * (num_tokens - 1) // 2
    later = earlier
    itself = num_tokens
    matrices = num_heads * num_layers
    return matrices * (earlier + itself + later) * bytes_per_element

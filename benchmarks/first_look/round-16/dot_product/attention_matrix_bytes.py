# %% wrong: multiplied in int64
# A tensor of int64 is exact only up to 2**63 - 1 and wraps around silently: num_tokens = 2**31, 16 heads, 48 layers
# gives a wrong number.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    sizes = torch.tensor([num_layers, num_heads, num_tokens, num_tokens, bytes_per_element])
    return sizes.prod().item()


# %% wrong: each pair counted once
# "Itself included" read as the triangle with its diagonal, T (T + 1) / 2; but every token asks every token, the later
# ones too. Shows for every num_tokens above 1.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    pairs = num_tokens * (num_tokens + 1) // 2
    return pairs * num_heads * num_layers * bytes_per_element


# %% wrong: the heads share the matrix
# Heads share the features of a model, so the memory is taken to be that of one head; but every head has T x T weights
# of its own. Shows for every num_heads above 1.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    per_head = num_tokens**2 // num_heads
    per_layer = per_head * num_heads
    return per_layer * num_layers * bytes_per_element


# %% wrong: by way of bits, with a true division
# Counted in bits and divided by 8 with `/`: a float, which is not exact beyond 2**53, and int() does not bring the
# digits back. Shows for num_tokens = 100_000_001, one head, one layer.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    bits = num_tokens * num_tokens * num_heads * num_layers * bytes_per_element * 8
    return int(bits / 8)


# %% correct: pairs of different tokens, both ways, and the diagonal

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    weights = 2 * math.comb(num_tokens, 2) + num_tokens
    return math.prod((weights, num_heads, num_layers, bytes_per_element))


# %% correct: doubling and adding

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    total = 1
    for factor in (num_tokens, num_tokens, num_heads, num_layers, bytes_per_element):
        doubled, total = total, 0
        while factor:
            if factor & 1:
                total += doubled
            doubled += doubled
            factor >>= 1
    return total

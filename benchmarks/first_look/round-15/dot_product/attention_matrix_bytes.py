# %% wrong: the heads share one matrix
# The heads are taken to divide one matrix among them, as they divide the features. Each head has a weight for every
# pair: too small by num_heads wherever there is more than one head.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    per_head = num_tokens * num_tokens // num_heads
    return per_head * num_heads * num_layers * bytes_per_element

# %% wrong: multiplied in a tensor of int64
# A product of int64 wraps around silently: from 2**63 bytes on (2**30 tokens, 16 heads, 48 layers) the number is wrong, even negative.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    sizes = torch.tensor([num_layers, num_heads, num_tokens, num_tokens, bytes_per_element])
    return sizes.prod().item()

# %% wrong: no token asks itself
# The diagonal is left out: num_tokens * (num_tokens - 1) pairs. Every token asks every token, itself included; for one token the
# answer is 0.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    pairs = num_tokens * (num_tokens - 1)
    return num_layers * num_heads * pairs * bytes_per_element

# %% wrong: by way of bits, and a true division
# The division makes a float of the count, and int() cannot bring back what was rounded away: exact only up to 2**53, as
# 3**17 + 2 tokens show.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    bits = num_tokens**2 * num_heads * num_layers * bytes_per_element * 8
    return int(bits / 8)

# %% correct: the diagonal, and twice what lies below it

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    below = num_tokens * (num_tokens - 1) // 2
    one_head = below + num_tokens + below
    one_layer = sum(one_head for _ in range(num_heads))
    return bytes_per_element * num_layers * one_layer

# %% correct: multiplied by doubling and adding

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
    total = bytes_per_element
    for factor in (num_layers, num_heads, num_tokens, num_tokens):
        total = times(total, factor)
    return total

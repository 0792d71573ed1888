# %% wrong: heads for free
# Thinks that heads share one matrix among them, as they share the width; each has a whole one.
# Shows for num_heads above 1.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    per_head = num_tokens**2 // num_heads
    return num_layers * num_heads * per_head * bytes_per_element

# %% wrong: always float32
# Multiplies by 4 and never looks at bytes_per_element.
# Shows for bytes_per_element=2: twice too much.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    num_weights = num_tokens * num_tokens * num_heads * num_layers
    return 4 * num_weights

# %% wrong: a causal triangle
# Counts for each token itself and those before it; the weights are for every token with every token.
# Shows for num_tokens above 1: nearly half of what it should be.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    pairs = num_tokens * (num_tokens + 1) // 2
    return pairs * num_heads * num_layers * bytes_per_element

# %% wrong: the scores as well
# Counts the scores before the softmax beside the weights after it; asked are the weights alone.
# Shows for every input: twice too much.

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    scores = num_tokens * num_tokens
    weights = num_tokens * num_tokens
    return num_layers * num_heads * (scores + weights) * bytes_per_element

# %% correct: a tensor that is not there

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    weights = torch.empty(num_layers, num_heads, num_tokens, num_tokens, device="meta", dtype=torch.uint8)
    return weights.numel() * bytes_per_element

# %% correct: odd numbers add up to a square

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    square = sum(range(1, 2 * num_tokens, 2))
    total = 0
    for _ in range(num_layers):
        for _ in range(num_heads):
            total += square
    return total * bytes_per_element

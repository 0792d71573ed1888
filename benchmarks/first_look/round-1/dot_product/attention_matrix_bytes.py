# %% wrong: four bytes, whatever is asked
# bytes_per_element is not used. A good message: "bfloat16 needs half of it".

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    return num_tokens * num_tokens * num_heads * num_layers * 4

# %% wrong: in a 32-bit tensor
# The product is worked out in an int32 tensor and overflows beyond two GiB, silently: the example of 16,384 tokens comes out as 0. A good message: "right for 196 tokens, wrong for 16384: Python's numbers have no limit".

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    sizes = torch.tensor([num_layers, num_heads, num_tokens, num_tokens, bytes_per_element], dtype=torch.int32)
    return int(sizes.prod(dtype=torch.int32))

# %% wrong: each pair once
# Counts the pairs of tokens, n (n + 1) / 2, since "i and j" and "j and i" were the same; the weights are not symmetric. A good message: "two tokens have four weights: every token asks every token".

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    pairs = num_tokens * (num_tokens + 1) // 2
    return pairs * num_heads * num_layers * bytes_per_element

# %% correct: asks a tensor that has no memory

def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    one_head = torch.empty(num_tokens, num_tokens, dtype=torch.uint8, device="meta")
    return math.prod((one_head.numel(), num_heads, num_layers, bytes_per_element))

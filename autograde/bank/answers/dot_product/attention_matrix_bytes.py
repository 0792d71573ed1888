# %% wrong: one weight a token
# The number grows with the tokens, and not with their square. Each token has a weight for each token.

# --- before
    return num_layers * num_heads * num_tokens**2 * bytes_per_element
# --- after
    return num_layers * num_heads * num_tokens * bytes_per_element

# %% wrong: the heads are left out
# The heads are not counted. Each has a matrix of its own.

# --- before
    return num_layers * num_heads * num_tokens**2 * bytes_per_element
# --- after
    return num_layers * num_tokens**2 * bytes_per_element

# %% wrong: the layers are left out
# The layers are not counted. Training keeps the weights of all of them until the backward pass.

# --- before
    return num_layers * num_heads * num_tokens**2 * bytes_per_element
# --- after
    return num_heads * num_tokens**2 * bytes_per_element

# %% wrong: weights counted, not bytes
# That is the number of weights. Multiply it by the bytes of one.

# --- before
    return num_layers * num_heads * num_tokens**2 * bytes_per_element
# --- after
    return num_layers * num_heads * num_tokens**2

# %% wrong: always four bytes
# It is right in float32 alone. Use the bytes that are given.

# --- before
    return num_layers * num_heads * num_tokens**2 * bytes_per_element
# --- after
    return num_layers * num_heads * num_tokens**2 * 4

# %% wrong: half of the matrix
# One triangle of the matrix was counted. The weight from t to s differs from the one from s to t, and a masked weight
# takes its place too.

# --- before
    return num_layers * num_heads * num_tokens**2 * bytes_per_element
# --- after
    return num_layers * num_heads * num_tokens * (num_tokens + 1) // 2 * bytes_per_element

# %% wrong: counted in float32
# A float32 holds 24 bits, so large counts were rounded. Python's own ints are exact at any size.

# --- before
    return num_layers * num_heads * num_tokens**2 * bytes_per_element
# --- after
    return int(torch.tensor([num_layers, num_heads, num_tokens**2, bytes_per_element]).float().prod())

# %% wrong: counted in int64
# The integers of PyTorch and NumPy have 64 bits and wrap around beyond them. Python's own never do: count in those.

# --- before
    return num_layers * num_heads * num_tokens**2 * bytes_per_element
# --- after
    return int(torch.tensor([num_layers, num_heads, num_tokens, num_tokens, bytes_per_element]).prod())

# %% correct: product of a list
def attention_matrix_bytes(num_tokens, num_heads, num_layers, bytes_per_element=4):
    total = bytes_per_element
    for count in (num_tokens, num_tokens, num_heads, num_layers):
        total *= count
    return total

# %% correct: layer by layer
def attention_matrix_bytes(num_tokens, num_heads, num_layers, bytes_per_element=4):
    return sum(num_heads * num_tokens * num_tokens * bytes_per_element for _ in range(num_layers))

# %% correct: the squares of the tokens, shifted and added
def attention_matrix_bytes(num_tokens, num_heads, num_layers, bytes_per_element=4):
    weights = sum(num_tokens << place for place in range(num_tokens.bit_length()) if num_tokens >> place & 1)
    return weights * num_heads * num_layers * bytes_per_element

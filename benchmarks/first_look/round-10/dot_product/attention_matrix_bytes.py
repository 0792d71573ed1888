# %% wrong: always four bytes
# The argument is there and not used: with bytes_per_element=2 (bfloat16) the answer is twice too large. With the default all is right.


def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    weights_per_head = num_tokens * num_tokens
    return weights_per_head * num_heads * num_layers * 4


# %% wrong: the causal half
# Only the pairs of the causal mask are counted, T (T + 1) / 2. "Every token asks every token": T squared. It shows for every num_tokens above 1.


def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    pairs = num_tokens * (num_tokens + 1) // 2
    return pairs * num_heads * num_layers * bytes_per_element


# %% wrong: squared with math.pow
# math.pow gives a float, which holds 53 bits. An int is returned and it is exact up to there; num_tokens = 2**27 + 1 has a square of 55 bits
# and loses its last digits, where "exact at any size" is promised.


def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    return int(math.pow(num_tokens, 2)) * num_heads * num_layers * bytes_per_element


# %% wrong: multiplied in int64
# The product is taken by torch in int64 and wraps round from 2**63 on: num_tokens = 2**31 with 1 head, 1 layer and 4 bytes gives 0 in place
# of 2**64. Exact below.


def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    sizes = torch.tensor([num_layers, num_heads, num_tokens, num_tokens, bytes_per_element])
    return int(sizes.prod())


# %% correct: pairs of two and each with itself


def attention_matrix_bytes(
    num_tokens: int,
    num_heads: int,
    num_layers: int,
    bytes_per_element: int = 4,
) -> int:
    questions_to_others = 2 * math.comb(num_tokens, 2)
    questions_to_itself = num_tokens
    return math.prod([questions_to_others + questions_to_itself, num_heads, num_layers, bytes_per_element])


# %% correct: doubled and added, bit by bit


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
    for factor in (num_layers, num_heads, num_tokens, num_tokens):
        size = times(size, factor)
    return size

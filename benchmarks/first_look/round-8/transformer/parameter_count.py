# %% wrong: three matrices for the vocabulary
# Counts two embeddings and the output layer; one matrix serves all three. Shows for every vocab_size > 0.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * (d_model * d_model + d_model)
    network = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    encoder_layer = attention + network + 2 * norm
    decoder_layer = 2 * attention + network + 3 * norm
    return num_layers * (encoder_layer + decoder_layer) + 3 * vocab_size * d_model

# %% wrong: two norms in a decoder layer
# The decoder layer is the encoder layer plus a second attention; its third norm is forgotten.
# 2 * d_model * num_layers too few, for every num_layers > 0.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * d_model**2 + 4 * d_model
    network = 2 * d_model * d_ff + d_ff + d_model
    encoder_layer = attention + network + 4 * d_model
    decoder_layer = encoder_layer + attention
    return num_layers * (encoder_layer + decoder_layer) + vocab_size * d_model

# %% wrong: both biases of the network are d_model wide
# The first map's bias has d_ff numbers. Shows where d_ff is not d_model.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * (d_model**2 + d_model)
    network = 2 * (d_model * d_ff + d_model)
    norm = 2 * d_model
    per_level = 3 * attention + 2 * network + 5 * norm
    return num_layers * per_level + vocab_size * d_model

# %% wrong: a norm at the end of each tower
# Counts the last norms of a pre-norm tower; the docstring says that there are none. 4 * d_model too many,
# for every input.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * d_model * (d_model + 1)
    network = d_ff * (d_model + 1) + d_model * (d_ff + 1)
    norm = 2 * d_model
    encoder = num_layers * (attention + network + 2 * norm) + norm
    decoder = num_layers * (2 * attention + network + 3 * norm) + norm
    return encoder + decoder + vocab_size * d_model

# %% correct: a list of all the shapes

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    def linear(inputs: int, outputs: int) -> list[tuple[int, ...]]:
        return [(outputs, inputs), (outputs,)]

    norm = [(d_model,), (d_model,)]
    attention = [shape for _ in "QKVO" for shape in linear(d_model, d_model)]
    network = linear(d_model, d_ff) + linear(d_ff, d_model)
    shapes = [(vocab_size, d_model)]
    for _ in range(num_layers):
        shapes += attention + norm + network + norm
        shapes += attention + norm + attention + norm + network + norm
    return sum(math.prod(shape) for shape in shapes)

# %% correct: one polynomial

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    # of a pair of layers: 12 d^2 + 4 d f in the maps, 14 d + 2 f in their biases, 10 d in the norms
    pair = d_model * (12 * (d_model + 2) + 4 * d_ff) + 2 * d_ff
    return vocab_size * d_model + num_layers * pair

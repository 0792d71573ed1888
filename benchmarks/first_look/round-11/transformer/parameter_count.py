# %% wrong: a decoder layer with two norms
# Three parts have three norms; this counts two, as in an encoder layer. Any num_layers from 1 shows it, by
# 2 * d_model a layer.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * (d_model * d_model + d_model)
    network = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norms = 2 * (2 * d_model)
    encoder_layer = attention + network + norms
    decoder_layer = 2 * attention + network + norms
    return num_layers * (encoder_layer + decoder_layer) + vocab_size * d_model


# %% wrong: the output layer has a matrix of its own
# Counts the shared matrix for the embeddings and once more for the output layer; it was to serve both. Any
# vocab_size from 1 shows it.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * d_model * (d_model + 1)
    network = d_ff * (d_model + 1) + d_model * (d_ff + 1)
    encoder = attention + network + 2 * 2 * d_model
    decoder = 2 * attention + network + 3 * 2 * d_model
    embedding = vocab_size * d_model
    output = d_model * vocab_size
    return num_layers * (encoder + decoder) + embedding + output


# %% wrong: the pre-norm model's last norms
# Adds one norm behind each of the two stacks, which the course's pre-norm Transformer has and this one was
# not to have. Always 4 * d_model too many, also with num_layers = 0.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    norm = 2 * d_model
    attention = 4 * (d_model**2 + d_model)
    network = 2 * d_model * d_ff + d_ff + d_model
    encoder = num_layers * (attention + network + 2 * norm) + norm
    decoder = num_layers * (2 * attention + network + 3 * norm) + norm
    return encoder + decoder + vocab_size * d_model


# %% wrong: both of the network's biases have d_ff numbers
# The second map goes back to d_model, and so does its bias. Right where d_ff == d_model, else off by
# d_ff - d_model for each network.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * (d_model**2 + d_model)
    network = 2 * (d_model * d_ff + d_ff)
    norm = 2 * d_model
    return num_layers * (3 * attention + 2 * network + 5 * norm) + vocab_size * d_model


# %% correct: a list of all shapes, multiplied out

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    def linear(inputs: int, outputs: int) -> list[tuple[int, ...]]:
        return [(outputs, inputs), (outputs,)]

    norm = [(d_model,), (d_model,)]
    attention = [shape for _ in "QKVO" for shape in linear(d_model, d_model)]
    network = [*linear(d_model, d_ff), *linear(d_ff, d_model)]
    shapes = [(vocab_size, d_model)]
    for _ in range(num_layers):
        shapes += [*attention, *norm, *network, *norm]  # an encoder layer
        shapes += [*attention, *norm, *attention, *norm, *network, *norm]  # a decoder layer
    return sum(map(math.prod, shapes))


# %% correct: one polynomial, by Horner's rule

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    # a pair of layers: 12 d^2 (maps) + 4 d f (networks) + 2 f + 2 d (their biases)
    #                   + 12 d (attention's biases) + 10 d (norms)
    return ((12 * d_model + 4 * d_ff + 24) * num_layers + vocab_size) * d_model + 2 * d_ff * num_layers

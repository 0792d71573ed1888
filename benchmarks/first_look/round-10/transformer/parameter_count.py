# %% wrong: the shared matrix counted twice
# Counts (vocab_size, d_model) for the embeddings and once more for the output layer; the docstring has one for all.
# Shows for vocab_size > 0.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * (d_model * d_model + d_model)
    network = 2 * d_model * d_ff + d_ff + d_model
    norm = 2 * d_model
    encoder = attention + network + 2 * norm
    decoder = 2 * attention + network + 3 * norm
    return num_layers * (encoder + decoder) + 2 * vocab_size * d_model


# %% wrong: two norms in the decoder layer too
# The decoder layer has three (DecoderLayer's norm1, norm2, norm3). Shows for num_layers > 0.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * d_model * (d_model + 1)
    network = d_ff * (d_model + 1) + d_model * (d_ff + 1)
    norms = 2 * 2 * d_model
    encoder = attention + network + norms
    decoder = 2 * attention + network + norms
    return num_layers * (encoder + decoder) + vocab_size * d_model


# %% wrong: both biases of the network d_ff wide
# linear2 goes back to d_model, and its bias has d_model numbers. Shows for num_layers > 0 where d_ff differs from d_model.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * (d_model**2 + d_model)
    network = 2 * (d_model * d_ff + d_ff)
    norm = 2 * d_model
    per_pair = 3 * attention + 2 * network + 5 * norm
    return num_layers * per_pair + vocab_size * d_model


# %% wrong: the network is always four times as wide
# Takes 8 d^2 from the text ("8 of 12") for the two matrices and uses d_ff in the bias only: right for d_ff = 4 d_model, as in
# both models of the paper, and wrong for any other d_ff, e.g. (4, 8, 1, 0).

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * d_model**2 + 4 * d_model
    network = 8 * d_model**2 + d_ff + d_model
    encoder = attention + network + 4 * d_model
    decoder = 2 * attention + network + 6 * d_model
    return num_layers * (encoder + decoder) + vocab_size * d_model


# %% correct: a list of all shapes, multiplied out

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    def linear(fan_in: int, fan_out: int) -> list[tuple[int, ...]]:
        return [(fan_out, fan_in), (fan_out,)]

    attention = linear(d_model, d_model) * 4
    network = linear(d_model, d_ff) + linear(d_ff, d_model)
    norm = [(d_model,), (d_model,)]
    layer_pair = (attention + norm + network + norm) + (attention + norm + attention + norm + network + norm)
    return math.prod((vocab_size, d_model)) + num_layers * sum(math.prod(shape) for shape in layer_pair)


# %% correct: one polynomial, collected by hand

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    per_feature = vocab_size + 4 * num_layers * (3 * d_model + d_ff + 6)
    return d_model * per_feature + 2 * num_layers * d_ff

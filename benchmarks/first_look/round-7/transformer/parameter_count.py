# %% wrong: both biases of the network are counted as d_model
# The first linear map has d_ff biases: too few wherever d_ff is larger than d_model.


def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * (d_model * d_model + d_model)
    network = 2 * (d_model * d_ff + d_model)
    norm = 2 * d_model
    encoder_layer = attention + network + 2 * norm
    decoder_layer = 2 * attention + network + 3 * norm
    return num_layers * (encoder_layer + decoder_layer) + vocab_size * d_model


# %% wrong: a norm at the end of each tower
# As the towers of this chapter have it with norm_first; the docstring says that there is none. 4 * d_model too many.


def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * (d_model * d_model + d_model)
    network = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    encoder = num_layers * (attention + network + 2 * norm) + norm
    decoder = num_layers * (2 * attention + network + 3 * norm) + norm
    return encoder + decoder + vocab_size * d_model


# %% wrong: the network is four times as wide, whatever d_ff
# 12 d^2 an encoder layer and 16 d^2 a decoder layer: right at the paper's two sizes, wrong where d_ff is not 4 * d_model.


def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    weights = (4 + 8) * d_model**2 + (8 + 8) * d_model**2
    biases = (4 + 5) * d_model + (8 + 5) * d_model
    norms = 5 * 2 * d_model
    return num_layers * (weights + biases + norms) + vocab_size * d_model


# %% wrong: the cross-attention's norm forgotten
# Two norms in a decoder layer as in an encoder layer, though it has three parts: 2 * d_model too few for each layer.


def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    def linear(n_in: int, n_out: int) -> int:
        return n_in * n_out + n_out

    attention = 4 * linear(d_model, d_model)
    network = linear(d_model, d_ff) + linear(d_ff, d_model)
    norms = 2 * (2 * d_model)
    encoder_layer = attention + network + norms
    decoder_layer = attention + attention + network + norms
    return vocab_size * d_model + num_layers * (encoder_layer + decoder_layer)


# %% correct: a list of all shapes, multiplied out and added


def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = [(d_model, d_model), (d_model,)] * 4
    network = [(d_ff, d_model), (d_ff,), (d_model, d_ff), (d_model,)]
    norm = [(d_model,), (d_model,)]
    encoder_layer = [*attention, *norm, *network, *norm]
    decoder_layer = [*attention, *norm, *encoder_layer]
    shapes = [(vocab_size, d_model), *(encoder_layer + decoder_layer) * num_layers]
    return sum(math.prod(shape) for shape in shapes)


# %% correct: one polynomial


def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    # both layers together: 12 d^2 + 24 d + 4 d f + 2 f
    return d_model * vocab_size + 2 * num_layers * (6 * d_model * (d_model + 2) + d_ff * (2 * d_model + 1))

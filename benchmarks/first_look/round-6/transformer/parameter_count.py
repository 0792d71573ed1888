# %% wrong: two norms in the decoder layer
# A decoder layer has three parts and a norm for each; only two norms are counted in it, as in the encoder layer.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * (d_model * d_model + d_model)
    network = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    encoder_layer = attention + network + 2 * norm
    decoder_layer = 2 * attention + network + 2 * norm
    return num_layers * (encoder_layer + decoder_layer) + vocab_size * d_model


# %% wrong: the network taken to be four times as wide
# d_ff is never used: 4 * d_model stands in its place, which is right at the two sizes of the paper only.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    d = d_model
    attention = 4 * d * d + 4 * d
    network = 8 * d * d + 5 * d
    per_pair = 3 * attention + 2 * network + 5 * 2 * d
    return num_layers * per_pair + vocab_size * d


# %% wrong: one bias for both maps of the network
# Two biases of width d_model are counted in the network; the first has the width d_ff.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    maps_in_attention = 4 * d_model * (d_model + 1)
    maps_in_network = 2 * d_model * d_ff + 2 * d_model
    norm = 2 * d_model
    encoder = num_layers * (maps_in_attention + maps_in_network + 2 * norm)
    decoder = num_layers * (2 * maps_in_attention + maps_in_network + 3 * norm)
    return encoder + decoder + d_model * vocab_size


# %% wrong: a norm behind each tower
# Two more norms are counted at the ends of the towers, as where norm_first; the docstring says that there is none.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    def linear(n_in, n_out):
        return n_in * n_out + n_out

    attention = 4 * linear(d_model, d_model)
    feed_forward = linear(d_model, d_ff) + linear(d_ff, d_model)
    norm = 2 * d_model
    encoder = num_layers * (attention + feed_forward + 2 * norm) + norm
    decoder = num_layers * (2 * attention + feed_forward + 3 * norm) + norm
    return encoder + decoder + vocab_size * d_model


# %% wrong: given back in millions
# The count is divided by a million as in the paper's table, so that a rounded float comes back and not the whole number.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * d_model**2 + 4 * d_model
    network = 2 * d_model * d_ff + d_model + d_ff
    layers = num_layers * (3 * attention + 2 * network + 10 * d_model)
    return round((layers + vocab_size * d_model) / 1e6, 1)


# %% correct: by listing every tensor and its shape

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = [(d_model, d_model), (d_model,)] * 4
    network = [(d_ff, d_model), (d_ff,), (d_model, d_ff), (d_model,)]
    norm = [(d_model,), (d_model,)]
    encoder_layer = attention + norm + network + norm
    decoder_layer = attention + norm + attention + norm + network + norm
    tensors = (encoder_layer + decoder_layer) * num_layers + [(vocab_size, d_model)]
    return sum(math.prod(shape) for shape in tensors)


# %% correct: the polynomial multiplied out

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    of_a_pair = d_model * (12 * d_model + 4 * d_ff + 24) + 2 * d_ff
    return of_a_pair * num_layers + d_model * vocab_size

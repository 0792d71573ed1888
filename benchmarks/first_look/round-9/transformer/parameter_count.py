# %% wrong: the decoder layer has two norms
# The second attention of a decoder layer is counted, its third norm is not: 2 * d_model too few a layer.
# Shows for every num_layers above 0.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * (d_model * d_model + d_model)
    network = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    encoder_layer = attention + network + 2 * norm
    decoder_layer = 2 * attention + network + 2 * norm
    return num_layers * (encoder_layer + decoder_layer) + vocab_size * d_model


# %% wrong: a norm at the end of each tower
# Counts the norms behind the last layers, as in the towers of 6.4 with norm_first; the paper's has none.
# Shows for every input: 4 * d_model too many.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * d_model**2 + 4 * d_model
    network = 2 * d_model * d_ff + d_ff + d_model
    norm = 2 * d_model
    encoder = num_layers * (attention + network + 2 * norm) + norm
    decoder = num_layers * (2 * attention + network + 3 * norm) + norm
    return encoder + decoder + vocab_size * d_model


# %% wrong: both of the network's biases have d_ff numbers
# The second linear map of the network gives d_model numbers, and so has d_model biases.
# Shows wherever d_ff is not d_model and num_layers is above 0.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * d_model * (d_model + 1)
    network = 2 * (d_model * d_ff + d_ff)
    norm = 2 * d_model
    layers = (attention + network + 2 * norm) + (2 * attention + network + 3 * norm)
    return num_layers * layers + vocab_size * d_model


# %% wrong: an output layer with a bias
# The shared matrix is counted once, but vocab_size biases are added for the output layer, which has none here.
# Shows for every vocab_size above 0.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    def linear(width_in: int, width_out: int) -> int:
        return width_in * width_out + width_out

    attention = 4 * linear(d_model, d_model)
    network = linear(d_model, d_ff) + linear(d_ff, d_model)
    norms = (2 + 3) * 2 * d_model
    return num_layers * (3 * attention + 2 * network + norms) + linear(d_model, vocab_size)


# %% correct: a list of shapes

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    maps = {"attention": [(d_model, d_model)] * 4, "network": [(d_ff, d_model), (d_model, d_ff)]}
    shapes = [(vocab_size, d_model)]
    for tower in (("attention", "network"), ("attention", "attention", "network")):
        for part in tower * num_layers:
            for rows, columns in maps[part]:
                shapes += [(rows, columns), (rows,)]
            shapes += [(d_model,), (d_model,)]  # the norm of this part
    return sum(map(math.prod, shapes))


# %% correct: multiplied out

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    a_layer_of_each = 2 * (d_model * (6 * d_model + 2 * d_ff + 12) + d_ff)
    return d_model * vocab_size + num_layers * a_layer_of_each

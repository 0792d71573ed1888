# %% wrong: a norm at the end of each stack
# Counted as in the chapter's own pre-norm stacks. There is no norm behind the last layer here: the count is 4 * d_model too high, even with num_layers 0.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * (d_model * d_model + d_model)
    network = 2 * d_model * d_ff + d_ff + d_model
    norm = 2 * d_model
    encoder = num_layers * (attention + network + 2 * norm) + norm
    decoder = num_layers * (2 * attention + network + 3 * norm) + norm
    return encoder + decoder + vocab_size * d_model


# %% wrong: two norms in every layer
# The decoder layer has three parts and so three norms: 2 * d_model too few for each decoder layer.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * d_model * (d_model + 1)
    network = d_ff * (d_model + 1) + d_model * (d_ff + 1)
    norms = 2 * 2 * d_model
    per_pair = (attention + network + norms) + (2 * attention + network + norms)
    return num_layers * per_pair + vocab_size * d_model


# %% wrong: four times as wide, always
# The network's weights are counted as 8 * d_model**2. d_ff is an argument, and need not be 4 * d_model; where it is, nothing shows.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * d_model**2 + 4 * d_model
    network = 8 * d_model**2 + d_ff + d_model
    encoder = attention + network + 4 * d_model
    decoder = 2 * attention + network + 6 * d_model
    return num_layers * (encoder + decoder) + vocab_size * d_model


# %% wrong: the network's second bias is as wide as its first
# linear2 goes back to d_model, so its bias has d_model numbers. Here both biases have d_ff: too many by d_ff - d_model for each of the 2 N layers.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * (d_model**2 + d_model)
    network = 2 * (d_model * d_ff + d_ff)
    norm = 2 * d_model
    layers = 3 * attention + 2 * network + 5 * norm
    return num_layers * layers + d_model * vocab_size


# %% correct: one polynomial

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    # three attentions, two networks, five norms for each pair of layers, multiplied out
    return num_layers * (12 * d_model * (d_model + 2) + 2 * d_ff * (2 * d_model + 1)) + vocab_size * d_model


# %% correct: a list of all shapes

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    def linear(n_in: int, n_out: int) -> list[tuple[int, ...]]:
        return [(n_out, n_in), (n_out,)]

    norm = [(d_model,), (d_model,)]
    attention = linear(d_model, d_model) * 4
    network = linear(d_model, d_ff) + linear(d_ff, d_model)
    encoder = attention + norm + network + norm
    decoder = attention + norm + attention + norm + network + norm
    a_level = sum(math.prod(shape) for shape in encoder + decoder)
    return math.prod((vocab_size, d_model)) + a_level * num_layers

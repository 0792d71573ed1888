# %% wrong: no biases in attention
# num_layers of 1 or more: 12 * d_model a pair of layers are missing.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * d_model * d_model
    network = 2 * d_model * d_ff + d_ff + d_model
    encoder, decoder = attention + network + 4 * d_model, 2 * attention + network + 6 * d_model
    return num_layers * (encoder + decoder) + vocab_size * d_model

# %% wrong: three matrices
# Two embeddings and an output counted though it is one: vocab_size of 1 or more.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * (d_model * d_model + d_model)
    network = 2 * d_model * d_ff + d_ff + d_model
    encoder, decoder = attention + network + 4 * d_model, 2 * attention + network + 6 * d_model
    return num_layers * (encoder + decoder) + 3 * vocab_size * d_model

# %% wrong: decoder with two norms
# The decoder layer has three norms: num_layers of 1 or more.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * (d_model * d_model + d_model)
    network = 2 * d_model * d_ff + d_ff + d_model
    encoder, decoder = attention + network + 4 * d_model, 2 * attention + network + 4 * d_model
    return num_layers * (encoder + decoder) + vocab_size * d_model

# %% wrong: the network of the usual width
# 8 * d_model ** 2, d_ff unused in the weights: any d_ff other than 4 * d_model.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * (d_model * d_model + d_model)
    network = 8 * d_model**2 + d_ff + d_model
    encoder, decoder = attention + network + 4 * d_model, 2 * attention + network + 6 * d_model
    return num_layers * (encoder + decoder) + vocab_size * d_model

# %% correct: by shapes

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    linear = lambda i, o: o * i + o
    def layer(attentions):
        shapes = [(d_model, d_model)] * (4 * attentions) + [(d_model, d_ff), (d_ff, d_model)]
        return sum(linear(*shape) for shape in shapes) + (attentions + 1) * 2 * d_model
    return sum(layer(1) + layer(2) for _ in range(num_layers)) + vocab_size * d_model

# %% correct: one polynomial

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    return d_model * (vocab_size + num_layers * (12 * d_model + 4 * d_ff + 24)) + 2 * num_layers * d_ff


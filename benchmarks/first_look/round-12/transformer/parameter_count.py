# %% wrong: a table for each use
# Both embeddings and the output layer are counted, though one matrix serves all three.
# Shows for every vocab_size above 0.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * (d_model * d_model + d_model)
    network = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    encoder = attention + network + 2 * norm
    decoder = 2 * attention + network + 3 * norm
    return num_layers * (encoder + decoder) + 3 * vocab_size * d_model

# %% wrong: four times as wide
# The network's weights are counted as 8 d^2, which is right only where d_ff is 4 * d_model.
# Shows for d_model=8, d_ff=12.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * d_model**2 + 4 * d_model
    network = 8 * d_model**2 + 4 * d_model + d_model
    encoder = attention + network + 4 * d_model
    decoder = 2 * attention + network + 6 * d_model
    return num_layers * (encoder + decoder) + vocab_size * d_model

# %% wrong: two norms in a decoder layer
# The decoder layer gets a second attention but not the norm that goes with it.
# Shows for num_layers of 1 or more: 2 * d_model too few a layer.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    linear = lambda n, m: n * m + m
    attention = 4 * linear(d_model, d_model)
    network = linear(d_model, d_ff) + linear(d_ff, d_model)
    norms = 2 * 2 * d_model
    layers = (attention + network + norms) + (2 * attention + network + norms)
    return num_layers * layers + vocab_size * d_model

# %% wrong: an output layer with bias
# The output layer shares the matrix but is given a bias of vocab_size numbers, as nn.Linear has one.
# Shows for every vocab_size above 0.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * d_model * (d_model + 1)
    network = d_ff * (d_model + 1) + d_model * (d_ff + 1)
    both = 3 * attention + 2 * network + 5 * 2 * d_model
    return num_layers * both + vocab_size * d_model + vocab_size

# %% correct: the shapes listed

# A list of every tensor's shape in the two layers, and the products of these.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    maps = [(d_model, d_model), (d_model,)] * 4
    network = [(d_ff, d_model), (d_ff,), (d_model, d_ff), (d_model,)]
    norm = [(d_model,), (d_model,)]
    encoder = [*maps, *norm, *network, *norm]
    decoder = [*maps, *norm, *maps, *norm, *network, *norm]
    shapes = [(vocab_size, d_model)] + (encoder + decoder) * num_layers
    return sum(math.prod(shape) for shape in shapes)

# %% correct: multiplied out

# All terms of both layers gathered by powers: 12 d^2 + 24 d + 2 f (2 d + 1), then the table.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    both_layers = 12 * d_model * (d_model + 2) + 2 * d_ff * (2 * d_model + 1)
    return both_layers * num_layers + d_model * vocab_size

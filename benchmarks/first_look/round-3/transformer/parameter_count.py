# %% wrong: attention without its biases
# The four maps of an attention are counted as 4 * d_model ** 2, their biases are left out.
# Breaks "biases counted". Hint: how many parameters has nn.Linear(3, 3)?

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * d_model**2
    network = 2 * d_model * d_ff + d_ff + d_model
    norm = 2 * d_model
    encoder = attention + network + 2 * norm
    decoder = 2 * attention + network + 3 * norm
    return num_layers * (encoder + decoder) + vocab_size * d_model


# %% wrong: three matrices for the vocabulary
# Source embedding, target embedding and output layer are counted as a matrix each.
# Breaks "one matrix serves both embeddings and the output layer". Hint: how often does a shared matrix stand in memory?

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * (d_model**2 + d_model)
    network = 2 * d_model * d_ff + d_ff + d_model
    norm = 2 * d_model
    encoder = attention + network + 2 * norm
    decoder = 2 * attention + network + 3 * norm
    return num_layers * (encoder + decoder) + 3 * vocab_size * d_model


# %% wrong: the network is always four times as wide
# 8 * d_model ** 2 for the network's weights: the paper's d_ff = 4 * d_model is built in, and d_ff only counts for a bias.
# Right for base and big, wrong for every other d_ff. Hint: try d_model = 8 and d_ff = 20 by hand.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * (d_model**2 + d_model)
    network = 8 * d_model**2 + d_ff + d_model
    norm = 2 * d_model
    encoder = attention + network + 2 * norm
    decoder = 2 * attention + network + 3 * norm
    return num_layers * (encoder + decoder) + vocab_size * d_model


# %% wrong: a norm at the end of each tower
# Adds the two layer norms that a pre-norm tower has behind its last layer.
# Breaks "no norm behind the last layer" (the paper norms after each sum). Hint: which towers have nn.Identity as their norm?

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * (d_model**2 + d_model)
    network = 2 * d_model * d_ff + d_ff + d_model
    norm = 2 * d_model
    encoder = num_layers * (attention + network + 2 * norm) + norm
    decoder = num_layers * (2 * attention + network + 3 * norm) + norm
    return encoder + decoder + vocab_size * d_model


# %% correct: the polynomial, multiplied out

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    d, f = d_model, d_ff
    return num_layers * (12 * d * d + 4 * d * f + 24 * d + 2 * f) + vocab_size * d


# %% correct: a list of shapes

def shapes_of_linear(inputs: int, outputs: int) -> list[tuple[int, ...]]:
    return [(outputs, inputs), (outputs,)]


def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * shapes_of_linear(d_model, d_model)
    network = shapes_of_linear(d_model, d_ff) + shapes_of_linear(d_ff, d_model)
    norm = [(d_model,), (d_model,)]
    one_of_each = (attention + norm + network + norm) + (attention + norm + attention + norm + network + norm)
    shapes = num_layers * one_of_each + [(vocab_size, d_model)]
    return sum(math.prod(shape) for shape in shapes)

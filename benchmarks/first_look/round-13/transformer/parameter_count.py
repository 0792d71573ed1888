# %% wrong: three matrices for the words
# Source, target and output are counted one by one, where one matrix serves all three. With vocab_size = 0 it does not
# show, with 37,000 it does.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * (d_model * d_model + d_model)
    network = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    encoder = attention + network + 2 * norm
    decoder = 2 * attention + network + 3 * norm
    return num_layers * (encoder + decoder) + 3 * vocab_size * d_model

# %% wrong: the output layer's bias
# One number for each word of the vocabulary is added. The docstring says that the output layer has no bias; shows wherever
# vocab_size is above 0.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * d_model * (d_model + 1)
    network = 2 * d_model * d_ff + d_model + d_ff
    layers = num_layers * (3 * attention + 2 * network + 5 * 2 * d_model)
    embedding = vocab_size * d_model
    return layers + embedding + vocab_size

# %% wrong: d_ff is taken as four times d_model
# The 4 d^2 and 8 d^2 of section 6.3 with their biases; d_ff is not used. Right for (512, 2048), wrong for d_ff = 1000.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    d = d_model
    encoder = 4 * d * d + 4 * d + 8 * d * d + 5 * d + 4 * d
    decoder = 8 * d * d + 8 * d + 8 * d * d + 5 * d + 6 * d
    return num_layers * (encoder + decoder) + vocab_size * d

# %% wrong: with a norm behind each stack
# As in the pre-norm stacks of this chapter, one layer norm ends each of the two. The docstring says none: 4 * d_model too
# many, also where num_layers is 0.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    norm = 2 * d_model
    attention = 4 * (d_model**2 + d_model)
    network = (d_model + 1) * d_ff + (d_ff + 1) * d_model
    encoder = num_layers * (attention + network + 2 * norm) + norm
    decoder = num_layers * (2 * attention + network + 3 * norm) + norm
    return encoder + decoder + vocab_size * d_model

# %% correct: a list of all shapes

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    def linear(wide: int, high: int) -> list[tuple[int, ...]]:
        return [(high, wide), (high,)]

    attention = 4 * linear(d_model, d_model)
    network = linear(d_model, d_ff) + linear(d_ff, d_model)
    norm = [(d_model,), (d_model,)]
    encoder = attention + norm + network + norm
    decoder = attention + norm + attention + norm + network + norm
    of_layers = sum(math.prod(shape) for shape in encoder + decoder)
    return num_layers * of_layers + math.prod((vocab_size, d_model))

# %% correct: a polynomial in d_model, by Horner's rule

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    # of one encoder and one decoder layer: twelve square maps and their biases, five norms, and two networks with
    # 2 d_ff weights and one bias for each feature of the stream, and d_ff biases inside
    square, linear, constant = 12, 12 + 10 + 2 * (2 * d_ff + 1), 2 * d_ff
    return num_layers * ((square * d_model + linear) * d_model + constant) + vocab_size * d_model

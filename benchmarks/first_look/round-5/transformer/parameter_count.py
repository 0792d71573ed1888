# %% wrong: two norms in every layer
# A decoder layer has three parts and three norms; here it is given two, like an encoder layer.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * (d_model * d_model + d_model)
    network = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norms = 2 * 2 * d_model
    encoder = attention + network + norms
    decoder = 2 * attention + network + norms
    return num_layers * (encoder + decoder) + vocab_size * d_model


# %% wrong: a norm at the end of each tower
# Counts the last norms of the towers with the norm first; the docstring has none behind the last layer.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    norm = 2 * d_model
    attention = 4 * d_model**2 + 4 * d_model
    feed_forward = 2 * d_model * d_ff + d_model + d_ff
    encoder = num_layers * (attention + feed_forward + 2 * norm) + norm
    decoder = num_layers * (2 * attention + feed_forward + 3 * norm) + norm
    return encoder + decoder + d_model * vocab_size


# %% wrong: the network is always four times as wide
# d_ff is never used: right for both sizes of the paper, and for no other ratio.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    d = d_model
    attention = 4 * d * (d + 1)
    network = 8 * d * d + 5 * d
    per_layer_pair = 3 * attention + 2 * network + 5 * 2 * d
    return per_layer_pair * num_layers + vocab_size * d


# %% wrong: both biases of the network are d_model wide
# The first map's bias has d_ff numbers.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    def attention():
        return 4 * (d_model**2 + d_model)

    def network():
        return 2 * (d_model * d_ff + d_model)

    encoder_layer = attention() + network() + 2 * (2 * d_model)
    decoder_layer = 2 * attention() + network() + 3 * (2 * d_model)
    return num_layers * (encoder_layer + decoder_layer) + vocab_size * d_model


# %% wrong: an output layer with a bias
# One more number for each token of the vocabulary; the shared matrix comes without a bias.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    total = 0
    for attentions, norms in ((1, 2), (2, 3)):
        total += attentions * 4 * (d_model + 1) * d_model
        total += (d_model + 1) * d_ff + (d_ff + 1) * d_model
        total += norms * 2 * d_model
    return total * num_layers + (d_model + 1) * vocab_size


# %% correct: a list of shapes

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    def linear(inputs, outputs):
        return [(outputs, inputs), (outputs,)]

    attention = linear(d_model, d_model) * 4
    network = linear(d_model, d_ff) + linear(d_ff, d_model)
    norm = [(d_model,), (d_model,)]
    encoder_layer = attention + norm + network + norm
    decoder_layer = attention + norm + attention + norm + network + norm
    shapes = [(vocab_size, d_model)] + num_layers * encoder_layer + num_layers * decoder_layer
    return sum(math.prod(shape) for shape in shapes)


# %% correct: one polynomial

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    pair = 12 * d_model * (d_model + 2) + 2 * d_ff * (2 * d_model + 1)
    return num_layers * pair + vocab_size * d_model

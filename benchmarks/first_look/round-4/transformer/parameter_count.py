# %% wrong: both biases of the network taken for d_model
# The first map of the network goes up to d_ff, and so its bias has d_ff numbers.
# Hint: write the shape of each weight and of each bias of FeedForward beside it.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * (d_model * d_model + d_model)
    network = 2 * (d_model * d_ff + d_model)
    norm = 2 * d_model
    encoder_layer = attention + network + 2 * norm
    decoder_layer = 2 * attention + network + 3 * norm
    return num_layers * (encoder_layer + decoder_layer) + vocab_size * d_model


# %% wrong: two norms in a decoder layer
# A decoder layer has three parts and a norm for each; it is counted here like an encoder layer with one attention more.
# Hint: how many norms does the constructor of DecoderLayer make?

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * d_model * (d_model + 1)
    feed_forward = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norms = 2 * (2 * d_model)
    encoder_layer = attention + feed_forward + norms
    decoder_layer = encoder_layer + attention
    return num_layers * (encoder_layer + decoder_layer) + vocab_size * d_model


# %% wrong: a norm at the end of each tower
# The two norms that a tower with the norm first has at its end are counted; the paper norms after each sum and has none
# there.
# Hint: read what the docstring says about the last layer, and compare with towers made with norm_first=False.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attn = 4 * d_model**2 + 4 * d_model
    ffn = 2 * d_model * d_ff + d_ff + d_model
    norm = 2 * d_model
    encoder = num_layers * (attn + ffn + 2 * norm) + norm
    decoder = num_layers * (2 * attn + ffn + 3 * norm) + norm
    return encoder + decoder + vocab_size * d_model


# %% wrong: an output layer with a bias
# The output layer shares its matrix with the embeddings; a bias of vocab_size numbers is counted beside it, as nn.Linear
# would have one.
# Hint: what does section 3.4 share, by the docstring, and what does the output layer not have?

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    def linear(inputs: int, outputs: int) -> int:
        return inputs * outputs + outputs

    attention = 4 * linear(d_model, d_model)
    network = linear(d_model, d_ff) + linear(d_ff, d_model)
    norm = 2 * d_model
    layers = (attention + network + 2 * norm) + (2 * attention + network + 3 * norm)
    shared = linear(d_model, vocab_size)
    return num_layers * layers + shared


# %% correct: one polynomial

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    # three attentions 12 d^2 + 12 d, two networks 4 d f + 2 f + 2 d, five norms 10 d
    pair_of_layers = 12 * d_model**2 + 4 * d_model * d_ff + 2 * d_ff + 24 * d_model
    return num_layers * pair_of_layers + d_model * vocab_size


# %% correct: a list of shapes

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = [(d_model, d_model), (d_model,)] * 4
    network = [(d_ff, d_model), (d_ff,), (d_model, d_ff), (d_model,)]
    norm = [(d_model,), (d_model,)]
    encoder_layer = attention + norm + network + norm
    decoder_layer = attention + norm + attention + norm + network + norm
    shapes = [(vocab_size, d_model)] + num_layers * encoder_layer + num_layers * decoder_layer
    return sum(math.prod(shape) for shape in shapes)

# %% wrong: two norms in a decoder layer
# A decoder layer has three parts, and a norm for each: 2 * d_model numbers are missing for every layer. num_layers 0 is right.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * (d_model * d_model + d_model)
    network = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    encoder_layer = attention + network + 2 * norm
    decoder_layer = 2 * attention + network + 2 * norm
    return num_layers * (encoder_layer + decoder_layer) + vocab_size * d_model

# %% wrong: both biases of the network have d_model numbers
# The first map goes up to d_ff, and so has d_ff biases. Counted are 2 * d_model: wrong for every d_ff but d_model.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * d_model * (d_model + 1)
    feed_forward = 2 * (d_model * d_ff + d_model)
    norm = 2 * d_model
    encoder = attention + feed_forward + 2 * norm
    decoder = 2 * attention + feed_forward + 3 * norm
    return num_layers * encoder + num_layers * decoder + vocab_size * d_model

# %% wrong: a norm at the end of each stack
# As in the pre-norm model above, each stack gets one more norm: 4 * d_model too many, whatever the other sizes. The docstring has no norm behind the last layer.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    norm = 2 * d_model
    attention = 4 * (d_model**2 + d_model)
    network = 2 * d_model * d_ff + d_ff + d_model
    encoder = num_layers * (attention + network + 2 * norm) + norm
    decoder = num_layers * (2 * attention + network + 3 * norm) + norm
    return encoder + decoder + vocab_size * d_model

# %% wrong: counted on layers of eight heads
# The layers are built and their parameters counted, with the paper's eight heads. The number does not depend on the heads, but a d_model that eight does not divide, as 12, raises a
# ValueError.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    with torch.device("meta"):
        layers = [EncoderLayer(d_model, 8, d_ff), DecoderLayer(d_model, 8, d_ff)]
    per_level = sum(p.numel() for layer in layers for p in layer.parameters())
    return num_layers * per_level + vocab_size * d_model

# %% correct: one polynomial

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    # both layers together: three attentions of 4 d (d + 1), five norms of 2 d, two networks
    level = 12 * d_model * (d_model + 1) + 10 * d_model + 2 * (d_ff * (2 * d_model + 1) + d_model)
    return d_model * vocab_size + level * num_layers

# %% correct: a list of all shapes

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    def linear(inputs: int, outputs: int) -> list[tuple[int, ...]]:
        return [(outputs, inputs), (outputs,)]

    attention = [shape for _ in "QKVO" for shape in linear(d_model, d_model)]
    network = linear(d_model, d_ff) + linear(d_ff, d_model)
    norm = [(d_model,), (d_model,)]
    encoder_layer = attention + norm + network + norm
    decoder_layer = attention + norm + attention + norm + network + norm
    shapes = [(vocab_size, d_model)]
    for _ in range(num_layers):
        shapes += encoder_layer + decoder_layer
    return sum(math.prod(shape) for shape in shapes)

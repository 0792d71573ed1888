# %% wrong: both biases of the network of width d_model
# linear1's bias has d_ff numbers. Shows for d_ff other than d_model and one layer or more.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:

    linear = d_model * d_model + d_model
    attention = 4 * linear
    network = 2 * d_model * d_ff + 2 * d_model
    norm = 2 * d_model
    encoder = attention + network + 2 * norm
    decoder = 2 * attention + network + 3 * norm
    return num_layers * (encoder + decoder) + vocab_size * d_model


# %% wrong: counted on modules with eight heads
# Builds the layers and counts, with 8 heads as in the paper: ValueError where 8 does not divide d_model, such as
# parameter_count(12, 48, 2, 100). The number of heads should not appear at all.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:

    with torch.device("meta"):
        towers = [
            tower(d_model, 8, d_ff, num_layers, norm_first=False) for tower in (TransformerEncoder, TransformerDecoder)
        ]
    counted = sum(parameter.numel() for tower in towers for parameter in tower.parameters())
    if num_layers == 0:
        counted = 0
    return counted + vocab_size * d_model


# %% wrong: one pair of memory projections for all decoder layers
# There is one memory, but each decoder layer has its own W_K and W_V for it. Shows with two layers or more.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:

    linear = d_model**2 + d_model
    network = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    encoder_layer = 4 * linear + network + 2 * norm
    decoder_layer = 4 * linear + 2 * linear + network + 3 * norm  # the cross-attention's W_Q and W_O
    memory = 2 * linear if num_layers else 0  # its keys and values
    return num_layers * (encoder_layer + decoder_layer) + memory + vocab_size * d_model


# %% wrong: half of the layers for each tower
# num_layers is taken for the number in all, so each tower gets half of them. Shows for num_layers of 1 or more.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:

    attention = 4 * (d_model + 1) * d_model
    network = (d_model + 1) * d_ff + (d_ff + 1) * d_model
    encoder_layer = attention + network + 4 * d_model
    decoder_layer = 2 * attention + network + 6 * d_model
    in_encoder = num_layers // 2
    in_decoder = num_layers - in_encoder
    return in_encoder * encoder_layer + in_decoder * decoder_layer + vocab_size * d_model


# %% correct: one polynomial

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:

    # a pair of layers: 12 d^2 + 12 d in attention's maps, 4 d f + 2 f + 2 d in two networks, 10 d in five norms
    d, f = d_model, d_ff
    pair = 12 * d * (d + 2) + 2 * f * (2 * d + 1)
    return num_layers * pair + vocab_size * d


# %% correct: a list of shapes

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:

    def linear(fan_in: int, fan_out: int) -> list[tuple[int, ...]]:
        return [(fan_out, fan_in), (fan_out,)]

    norm = [(d_model,), (d_model,)]
    attention = [shape for _ in "QKVO" for shape in linear(d_model, d_model)]
    network = linear(d_model, d_ff) + linear(d_ff, d_model)
    encoder_layer = attention + norm + network + norm
    decoder_layer = attention + norm + attention + norm + network + norm
    shapes = [(vocab_size, d_model)]
    for _ in range(num_layers):
        shapes += encoder_layer
        shapes += decoder_layer
    return sum(math.prod(shape) for shape in shapes)

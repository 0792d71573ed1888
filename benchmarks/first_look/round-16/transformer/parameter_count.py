# %% wrong: a whole-numbered ratio
# d_ff enters as r = d_ff // d_model, as in "4 d and 2 * 4 d^2". Right where d_model divides d_ff,
# wrong for d_model 6 and d_ff 10.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    r = d_ff // d_model
    attention = 4 * d_model**2 + 4 * d_model
    network = 2 * r * d_model**2 + (r + 1) * d_model
    norm = 2 * d_model
    encoder_layer = attention + network + 2 * norm
    decoder_layer = 2 * attention + network + 3 * norm
    return num_layers * (encoder_layer + decoder_layer) + vocab_size * d_model


# %% wrong: the cross-attention has only keys and values
# The memory needs a W_K and a W_V, and the query and output maps are taken to be the self-attention's.
# It shows for any num_layers above 0.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    linear = d_model * d_model + d_model
    self_attention, cross_attention = 4 * linear, 2 * linear
    network = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    encoder_layer = self_attention + network + 2 * norm
    decoder_layer = self_attention + cross_attention + network + 3 * norm
    return num_layers * (encoder_layer + decoder_layer) + vocab_size * d_model


# %% wrong: num_layers is all layers together
# The layers are shared out, half of them encoder layers and half decoder layers. It shows for any
# num_layers above 0.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * (d_model**2 + d_model)
    network = 2 * d_model * d_ff + d_ff + d_model
    norm = 2 * d_model
    encoders = num_layers // 2
    decoders = num_layers - encoders
    total = encoders * (attention + network + 2 * norm)
    total += decoders * (2 * attention + network + 3 * norm)
    return total + vocab_size * d_model


# %% wrong: both biases of the network have d_ff numbers
# The second map's bias is as wide as what goes in, not as what comes out. It shows where d_ff is not
# d_model, with at least one layer.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * d_model * d_model + 4 * d_model
    network = 2 * (d_model * d_ff + d_ff)
    norm = 2 * d_model
    one_of_each = 3 * attention + 2 * network + 5 * norm
    return num_layers * one_of_each + vocab_size * d_model


# %% correct: the layers are made without storage and counted

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    with torch.device("meta"):
        pair = EncoderLayer(d_model, 1, d_ff), DecoderLayer(d_model, 1, d_ff)
    counts = [tensor.nelement() for layer in pair for tensor in layer.parameters()]
    return vocab_size * d_model + num_layers * sum(counts)


# %% correct: one polynomial, by Horner

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    # a pair of layers: twelve square maps, four of d_model by d_ff; twelve biases of attention, two of
    # the networks and five norms of two make 24; and two biases of width d_ff
    pair = ((12 * d_model) + (24 + 4 * d_ff)) * d_model + 2 * d_ff
    return pair * num_layers + d_model * vocab_size

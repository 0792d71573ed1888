# %% wrong: attention without biases
# The four maps of an attention have a bias each, as in chapter 05.

# --- before
    attention = 4 * (d_model * d_model + d_model)  # W_Q, W_K, W_V, W_O
# --- after
    attention = 4 * d_model * d_model  # W_Q, W_K, W_V, W_O

# %% wrong: three maps in an attention
# An attention has four maps: queries, keys, values, and the output W_O after the merged heads.

# --- before
    attention = 4 * (d_model * d_model + d_model)  # W_Q, W_K, W_V, W_O
# --- after
    attention = 3 * (d_model * d_model + d_model)  # W_Q, W_K, W_V, W_O

# %% wrong: no norms
# The layer norms are missing: each has a weight and a bias of d_model numbers.

# --- before
    norm = 2 * d_model
# --- after
    norm = 0

# %% wrong: one attention in a decoder layer
# A decoder layer has two attentions, to itself and to the memory, each with maps of its own.

# --- before
    decoder_layer = 2 * attention + feed_forward + 3 * norm
# --- after
    decoder_layer = attention + feed_forward + 3 * norm

# %% wrong: three matrices of the vocabulary
# The vocabulary's matrix was counted for source, target and output. In the paper it is one and the same.

# --- before
    return num_layers * (encoder_layer + decoder_layer) + vocab_size * d_model
# --- after
    return num_layers * (encoder_layer + decoder_layer) + vocab_size * d_model * 3

# %% wrong: norms behind both towers
# There are two norms too many: in the paper's order the last layer has normed its output already.

# --- before
    return num_layers * (encoder_layer + decoder_layer) + vocab_size * d_model
# --- after
    return num_layers * (encoder_layer + decoder_layer) + vocab_size * d_model + 2 * norm

# %% wrong: d_ff is taken to be four times d_model
# For the paper's sizes it is right, for others it is not: use d_ff as it was given.

# --- before
    feed_forward = 2 * d_model * d_ff + d_ff + d_model
# --- after
    feed_forward = 8 * d_model * d_model + 5 * d_model

# %% wrong: no biases at all
# Every bias is missing, those of the attentions and those of the networks.

# --- before
    attention = 4 * (d_model * d_model + d_model)  # W_Q, W_K, W_V, W_O
    feed_forward = 2 * d_model * d_ff + d_ff + d_model
# --- after
    attention = 4 * d_model * d_model  # W_Q, W_K, W_V, W_O
    feed_forward = 2 * d_model * d_ff

# %% wrong: a decoder layer counted as an encoder layer
# The decoder's layers were counted like the encoder's. Theirs have a second attention, to the memory, and a norm for
# it.

# --- before
    decoder_layer = 2 * attention + feed_forward + 3 * norm
# --- after
    decoder_layer = attention + feed_forward + 2 * norm

# %% wrong: the encoder alone
# Only the encoder's layers were counted. There are as many decoder layers.

# --- before
    return num_layers * (encoder_layer + decoder_layer) + vocab_size * d_model
# --- after
    return num_layers * encoder_layer + vocab_size * d_model

# %% correct: one expression
def parameter_count(d_model, d_ff, num_layers, vocab_size):
    d, f = d_model, d_ff
    return num_layers * (12 * d * d + 12 * d + 2 * (2 * d * f + f + d) + 10 * d) + vocab_size * d

# %% correct: built without storage, and counted
def parameter_count(d_model, d_ff, num_layers, vocab_size):
    with torch.device("meta"):
        towers = [EncoderLayer(d_model, 1, d_ff), DecoderLayer(d_model, 1, d_ff)]
    return num_layers * sum(p.numel() for t in towers for p in t.parameters()) + vocab_size * d_model

# %% correct: a helper for linear maps
def parameter_count(d_model, d_ff, num_layers, vocab_size):
    def linear(i, o):
        return i * o + o

    attentions = 3 * 4 * linear(d_model, d_model)
    networks = 2 * (linear(d_model, d_ff) + linear(d_ff, d_model))
    norms = 5 * 2 * d_model
    return num_layers * (attentions + networks + norms) + vocab_size * d_model

# %% correct: a loop over the layers
def parameter_count(d_model, d_ff, num_layers, vocab_size):
    total = vocab_size * d_model
    for _ in range(num_layers):
        for attentions, norms in ((1, 2), (2, 3)):
            total += attentions * 4 * d_model * (d_model + 1)
            total += d_model * d_ff + d_ff + d_ff * d_model + d_model
            total += norms * (d_model + d_model)
    return total

# %% correct: shapes of all weights
def parameter_count(d_model, d_ff, num_layers, vocab_size):
    from math import prod

    attention = [(d_model, d_model), (d_model,)] * 4
    network = [(d_ff, d_model), (d_ff,), (d_model, d_ff), (d_model,)]
    layers = attention * 3 + network * 2 + [(d_model,)] * 10
    return sum(map(prod, layers * num_layers)) + vocab_size * d_model

# %% wrong: the biases of the network
# The first map's bias has d_ff numbers, here both have d_model: right only where d_ff = d_model. A good message: "d_model 512, d_ff 2048, 6 layers: short by 12 * 1536; how long is each bias of the feed-forward?"

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * (d_model**2 + d_model)
    network = 2 * (d_model * d_ff + d_model)
    norm = 2 * d_model
    encoder = attention + network + 2 * norm
    decoder = 2 * attention + network + 3 * norm
    return num_layers * (encoder + decoder) + vocab_size * d_model

# %% wrong: three tables, and a norm behind each tower
# Source embedding, target embedding and output layer are counted apart, and a last norm for each tower. A good message: "one matrix serves all three; too many by 2 * V * d (and by 4 * d)".

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * d_model * d_model + 4 * d_model
    feed_forward = 2 * d_model * d_ff + d_ff + d_model
    encoder = num_layers * (attention + feed_forward + 4 * d_model) + 2 * d_model
    decoder = num_layers * (2 * attention + feed_forward + 6 * d_model) + 2 * d_model
    return encoder + decoder + 3 * vocab_size * d_model

# %% wrong: a decoder layer with two norms
# Everything is right but the decoder layer's third norm: short by 2 * d_model a layer. And / makes a float. A good message: "an int is promised; short by 2 * d_model * num_layers: how many norms has a decoder layer?"

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention, network = 4 * d_model * (d_model + 1), d_ff * (2 * d_model + 1) + d_model
    both = 3 * attention + 2 * network + 8 * d_model
    return num_layers * 2 * both / 2 + vocab_size * d_model

# %% correct: multiplied out

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    a_pair_of_layers = 12 * d_model**2 + (4 * d_ff + 24) * d_model + 2 * d_ff
    return vocab_size * d_model + num_layers * a_pair_of_layers

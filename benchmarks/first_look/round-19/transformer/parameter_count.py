# %% wrong: two norms in the decoder layer
# A decoder layer has three norms, one for each part. The count is 2 * d_model too small for every layer, so for any
# num_layers of 1 or more.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * (d_model * d_model + d_model)
    network = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norms = 2 * 2 * d_model
    encoder_layer = attention + network + norms
    decoder_layer = 2 * attention + network + norms
    return num_layers * (encoder_layer + decoder_layer) + vocab_size * d_model


# %% wrong: both biases of the network have d_ff numbers
# The second linear map goes back to d_model and has a bias of d_model numbers. Shows wherever d_ff is not d_model.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * d_model * (d_model + 1)
    network = 2 * (d_model * d_ff + d_ff)
    norm = 2 * d_model
    encoder_layer = attention + network + 2 * norm
    decoder_layer = 2 * attention + network + 3 * norm
    return num_layers * (encoder_layer + decoder_layer) + vocab_size * d_model


# %% wrong: counted on a model with eight heads
# Builds the towers with 8 heads, which raises ValueError where 8 does not divide d_model, as with d_model 12; the
# formula takes any width.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    with torch.device("meta"):
        encoder = TransformerEncoder(d_model, 8, d_ff, num_layers, norm_first=False)
        decoder = TransformerDecoder(d_model, 8, d_ff, num_layers, norm_first=False)
    layers = sum(p.numel() for tower in (encoder, decoder) for p in tower.parameters())
    return layers + vocab_size * d_model


# %% wrong: an embedding for each language
# Counts the shared matrix twice, once for the encoder's and once for the decoder's words; one matrix serves both.
# Shows for any vocab_size of 1 or more.

def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    attention = 4 * d_model**2 + 4 * d_model
    network = 2 * d_model * d_ff + d_ff + d_model
    encoder_layer = attention + network + 2 * (2 * d_model)
    decoder_layer = 2 * attention + network + 3 * (2 * d_model)
    embeddings = 2 * vocab_size * d_model  # source and target; the output layer shares the latter
    return num_layers * (encoder_layer + decoder_layer) + embeddings


# %% correct: a list of shapes
def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    linear = {
        "square": [(d_model, d_model), (d_model,)],
        "up": [(d_ff, d_model), (d_ff,)],
        "down": [(d_model, d_ff), (d_model,)],
    }
    norm = [(d_model,), (d_model,)]
    shapes = [(vocab_size, d_model)]
    for parts in (("attention", "network"), ("attention", "attention", "network")):
        for _ in range(num_layers):
            for part in parts:
                shapes += norm
                shapes += 4 * linear["square"] if part == "attention" else linear["up"] + linear["down"]
    return sum(math.prod(shape) for shape in shapes)


# %% correct: counted on one layer of each kind, with a single head
def parameter_count(d_model: int, d_ff: int, num_layers: int, vocab_size: int) -> int:
    with torch.device("meta"):  # one head fits every width, and the number of heads adds nothing
        pair = nn.ModuleList([EncoderLayer(d_model, 1, d_ff), DecoderLayer(d_model, 1, d_ff)])
    return num_layers * sum(p.numel() for p in pair.parameters()) + vocab_size * d_model

# %% wrong: nats instead of bits
# The mean is right, in nats: PyTorch's cross-entropy takes the natural logarithm. Divide by ln 2 to get bits. See
# section 7.2.

# --- before
    return nats / count / math.log(2)
# --- after
    return nats / count

# %% wrong: a mean of the batches' means
# Every batch counts the same here, so a character in a small batch counts more than one in a large batch. Sum over all
# predictions, and divide once by how many there were.

def bits_per_character(model, batches):
    bits = []
    for windows in batches:
        logits = model(windows[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten())
        bits.append(loss.item() / math.log(2))
    return sum(bits) / len(bits)

# %% wrong: weighted by windows, not by predictions
# Every window counts the same here, also where it is shorter. Count predictions: windows times the length of each.

def bits_per_character(model, batches):
    total, count = 0.0, 0
    for windows in batches:
        logits = model(windows[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten())
        total += loss.item() * len(windows)
        count += len(windows)
    return total / count / math.log(2)

# %% wrong: the targets are not shifted
# Each character was compared with the logits that were made from itself. The target of a place is the character after
# it: one place to the right in the window.

# --- before
            logits, targets = model(windows[:, :-1]), windows[:, 1:]
# --- after
            logits, targets = model(windows[:, :-1]), windows[:, :-1]

# %% wrong: only the last place of each window counts
# One prediction a window was scored, the last. Every place of a window makes a prediction, and all of them count.

def bits_per_character(model, batches):
    nats, count = 0.0, 0
    for windows in batches:
        logits = model(windows[:, :-1])[:, -1]
        nats += F.cross_entropy(logits, windows[:, -1], reduction="sum").item()
        count += len(windows)
    return nats / count / math.log(2)

# %% wrong: the probability is taken first, and its logarithm is infinite
# A probability that is too small for a float becomes 0, and its logarithm infinite. Take the logarithm and the softmax
# together, as log_softmax and cross_entropy do.

def bits_per_character(model, batches):
    bits, count = 0.0, 0
    for windows in batches:
        p = torch.softmax(model(windows[:, :-1]), dim=-1)
        p = p.gather(-1, windows[:, 1:].unsqueeze(-1))
        bits += -torch.log2(p).sum().item()
        count += p.numel()
    return bits / count

# %% wrong: a softmax before cross_entropy
# cross_entropy takes the softmax itself, and was given probabilities: the softmax was taken twice. Give it the logits.

# --- before
                logits.flatten(0, 1), targets.flatten(), reduction="sum"
# --- after
                logits.softmax(dim=-1).flatten(0, 1), targets.flatten(), reduction="sum"

# %% wrong: perplexity instead of bits
# This is the perplexity, 2 to the power of the bits. Return the exponent itself.

# --- before
    return nats / count / math.log(2)
# --- after
    return 2 ** (nats / count / math.log(2))

# %% correct: log_softmax and gather
def bits_per_character(model, batches):
    surprises = []
    for windows in batches:
        log_p = torch.log_softmax(model(windows[:, :-1]), dim=-1)
        surprises.append(-log_p.gather(2, windows[:, 1:, None]).flatten())
    return (torch.cat(surprises).mean() / math.log(2)).item()

# %% correct: weighted means
def bits_per_character(model, batches):
    total = sum((w.shape[1] - 1) * w.shape[0] for w in batches)
    bits = 0.0
    for w in batches:
        share = (w.shape[1] - 1) * w.shape[0] / total
        loss = F.cross_entropy(model(w[:, :-1]).transpose(1, 2), w[:, 1:])
        bits += share * float(loss) / 0.6931471805599453
    return bits

# %% correct: one window at a time, logsumexp
def bits_per_character(model, batches):
    found = []
    for windows in batches:
        for window in windows:
            logits = model(window[None, :-1])[0]
            right = logits[torch.arange(len(logits)), window[1:]]
            found += ((logits.logsumexp(1) - right) * math.log2(math.e)).tolist()
    return sum(found) / len(found)

# %% wrong: nats instead of bits
# The mean is right, in nats: PyTorch's cross-entropy takes the natural logarithm. Divide by ln 2 to get bits. See
# section 7.2.

# --- before
    return nats / count / math.log(2)
# --- after
    return nats / count

# %% wrong: multiplied by ln 2
# The change from nats to bits goes the other way: one bit is 0.69 nats, so the number of bits is the larger of the
# two.

# --- before
    return nats / count / math.log(2)
# --- after
    return nats / count * math.log(2)

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

# %% wrong: divided by every character of the windows
# The sum is over T predictions a window, and was divided by its T + 1 characters: the first one is never predicted.
# Count the targets.

# --- before
            count += targets.numel()
# --- after
            count += windows.numel()

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

# %% wrong: the whole window is read, and the last row thrown away
# All T + 1 characters went in, though nothing comes after the last one. A model with T positions cannot read them: cut
# the last character off before the model reads.

# --- before
            logits, targets = model(windows[:, :-1]), windows[:, 1:]
# --- after
            logits, targets = model(windows)[:, :-1], windows[:, 1:]

# %% wrong: cross_entropy takes the places for the classes
# cross_entropy wants the classes in the second axis, and (B, T, V) has the places there. Flatten B and T into one
# axis, or transpose.

def bits_per_character(model, batches):
    nats, count = 0.0, 0
    for windows in batches:
        logits, targets = model(windows[:, :-1]), windows[:, 1:]
        nats += F.cross_entropy(logits, targets, reduction="sum").item()
        count += targets.numel()
    return nats / count / math.log(2)

# %% wrong: a softmax before cross_entropy
# cross_entropy takes the softmax itself, and was given probabilities: the softmax was taken twice. Give it the logits.

# --- before
            nats += F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="sum").item()
# --- after
            nats += F.cross_entropy(logits.softmax(dim=-1).flatten(0, 1), targets.flatten(), reduction="sum").item()

# %% wrong: the logarithm of the mean probability
# The probabilities were averaged first. The score is the mean of the logarithms: one character that the model thought
# impossible must cost a lot.

def bits_per_character(model, batches):
    p = [model(w[:, :-1]).softmax(dim=-1).gather(2, w[:, 1:].unsqueeze(2)).flatten() for w in batches]
    return -torch.cat(p).mean().log2().item()

# %% wrong: perplexity instead of bits
# This is the perplexity, 2 to the power of the bits. The exponent itself is asked for.

# --- before
    return nats / count / math.log(2)
# --- after
    return 2 ** (nats / count / math.log(2))

# %% wrong: a small number is added in the logarithm
# Adding a small number to the probability keeps the logarithm finite and makes it wrong: no character can cost more
# than the logarithm of that number. Take softmax and logarithm together, as cross_entropy does.

def bits_per_character(model, batches):
    bits, count = 0.0, 0
    for windows in batches:
        p = torch.softmax(model(windows[:, :-1]), dim=-1).gather(-1, windows[:, 1:].unsqueeze(-1))
        bits += -torch.log2(p + 1e-9).sum().item()
        count += p.numel()
    return bits / count

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

# %% wrong: nats
# F.cross_entropy is in nats, and nothing turns it into bits.
# Breaks "the mean of -log2 p"; too small by a factor ln 2. Hint: what should it say for two equally likely characters?

def bits_per_character(model, batches) -> float:
    total, count = 0.0, 0
    for batch in batches:
        logits, targets = model(batch[:, :-1]), batch[:, 1:]
        total += F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="sum").item()
        count += targets.numel()
    return total / count


# %% wrong: reshape instead of transpose
# To bring the classes to axis 1 the logits are reshaped to (B, V, T), which mixes characters and places up.
# Breaks the pairing of each prediction with its target; shapes fit and no error comes. Hint: is logits.reshape(B, V, T)[b, v, t] the same number as logits[b, t, v]?

def bits_per_character(model, batches) -> float:
    total, count = 0.0, 0
    for batch in batches:
        logits, targets = model(batch[:, :-1]), batch[:, 1:]
        size, length, vocab_size = logits.shape
        losses = F.cross_entropy(logits.reshape(size, vocab_size, length), targets, reduction="none")
        total += losses.sum().item()
        count += losses.numel()
    return total / count / math.log(2)


# %% wrong: batches weighted by their rows
# Each batch's mean is weighted by the number of its windows, not of its predictions.
# Right where all windows are equally long, wrong where T differs from batch to batch. Hint: how many predictions has a batch (B, T + 1)?

def bits_per_character(model, batches) -> float:
    total, count = 0.0, 0
    for batch in batches:
        logits, targets = model(batch[:, :-1]), batch[:, 1:]
        total += F.cross_entropy(logits.flatten(0, 1), targets.flatten()).item() * len(batch)
        count += len(batch)
    return total / count / math.log(2)


# %% wrong: a tensor is returned
# The result is a tensor of no axes, with the gradient's graph still behind it.
# Breaks "Returns a Python float". Hint: what does .item() do?

def bits_per_character(model, batches) -> float:
    total, count = 0, 0
    for batch in batches:
        logits, targets = model(batch[:, :-1]), batch[:, 1:]
        total = total + F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="sum")
        count += targets.numel()
    return total / count / math.log(2)


# %% correct: all probabilities side by side

def bits_per_character(model, batches) -> float:
    bits = []
    with torch.no_grad():
        for batch in batches:
            logits = model(batch[:, :-1]).double()
            chosen = logits.gather(2, batch[:, 1:].unsqueeze(2)).squeeze(2)
            bits.append(((logits.logsumexp(dim=2) - chosen) / math.log(2)).flatten())
    return float(torch.cat(bits).mean())


# %% correct: a running mean

def bits_per_character(model, batches) -> float:
    mean, seen = 0.0, 0
    for batch in batches:
        inputs, targets = batch.narrow(1, 0, batch.shape[1] - 1), batch.narrow(1, 1, batch.shape[1] - 1)
        log_p = F.log_softmax(model(inputs), dim=-1)
        nats = F.nll_loss(log_p.permute(0, 2, 1), targets).item()
        seen += targets.numel()
        mean += (nats * math.log2(math.e) - mean) * targets.numel() / seen
    return mean

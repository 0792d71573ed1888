# %% wrong: a mean of means
# Each batch's mean counts the same: with batches of different B or T, a short last one for example, its predictions
# get more weight than the others'.

def bits_per_character(model, batches) -> float:
    bits = []
    with torch.no_grad():
        for batch in batches:
            logits = model(batch[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
            bits.append(loss.item() / math.log(2))
    return sum(bits) / len(bits)


# %% wrong: weighted by windows, not by predictions
# The batch's mean is weighted by its number of windows B. Right while only B differs; where T differs, a window of 3
# characters counts as much as one of 300.

def bits_per_character(model, batches) -> float:
    total, count = 0.0, 0
    for windows in batches:
        inputs, targets = windows[:, :-1], windows[:, 1:]
        with torch.no_grad():
            loss = F.cross_entropy(model(inputs).transpose(1, 2), targets)
        total += loss.item() * len(windows)
        count += len(windows)
    return total / count / math.log(2)


# %% wrong: the whole window goes in
# The model is given all T + 1 tokens and the last row of logits is thrown away. A model with T positions raises
# ValueError, and one that looks at all of its input has the last answer in it.

def bits_per_character(model, batches) -> float:
    nats, predictions = 0.0, 0
    with torch.no_grad():
        for window in batches:
            logits = model(window)[:, :-1]
            nats += F.cross_entropy(logits.transpose(1, 2), window[:, 1:], reduction="sum").item()
            predictions += window[:, 1:].numel()
    return nats / (predictions * math.log(2))


# %% wrong: multiplied by ln 2
# Nats are divided by ln 2 to make bits; here they are multiplied. Too small by a factor of 0.48 for every input.

def bits_per_character(model, batches) -> float:
    nats, predictions = 0.0, 0
    with torch.no_grad():
        for window in batches:
            logits = model(window[:, :-1])
            targets = window[:, 1:]
            nats += F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="sum").item()
            predictions += targets.numel()
    return nats / predictions * math.log(2)


# %% correct: surprises gathered one by one, summed exactly

def bits_per_character(model, batches) -> float:
    surprises = []
    with torch.no_grad():
        for windows in batches:
            logits = model(windows[:, :-1]).double()
            came = logits.gather(2, windows[:, 1:, None]).squeeze(2)
            surprises.extend((logits.logsumexp(dim=2) - came).flatten().tolist())
    return math.fsum(surprises) / len(surprises) * math.log2(math.e)


# %% correct: a running mean, moved by each batch's share

@torch.no_grad()
def bits_per_character(model, batches) -> float:
    mean, seen = 0.0, 0
    for windows in batches:
        log2_p = torch.log_softmax(model(windows[:, :-1]), dim=-1) / math.log(2.0)
        right = F.one_hot(windows[:, 1:], log2_p.shape[-1]).bool()
        bits = -log2_p[right].double()  # B * T of them
        seen += bits.numel()
        mean += (bits - mean).sum().item() / seen
    return mean

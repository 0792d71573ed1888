# %% wrong: a mean of the batches' means
# Each batch counts the same, however large it is: the last, smaller batch of a split weighs too much. It shows where batches
# differ in B or T.

def bits_per_character(model, batches) -> float:
    bits = []
    with torch.no_grad():
        for windows in batches:
            logits = model(windows[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten())
            bits.append(loss.item() / math.log(2))
    return sum(bits) / len(bits)


# %% wrong: nats
# Adds up what cross_entropy gives and never divides by ln 2: too small by the factor 0.69, for every model.

def bits_per_character(model, batches) -> float:
    total, count = 0.0, 0
    with torch.no_grad():
        for windows in batches:
            logits = model(windows[:, :-1])
            targets = windows[:, 1:]
            total += F.cross_entropy(logits.transpose(1, 2), targets, reduction="sum").item()
            count += targets.numel()
    return total / count


# %% wrong: weighted by the number of windows
# Each batch's mean is weighted by its B and not by its B * T predictions. Right where only B differs, wrong where windows
# differ in length.

def bits_per_character(model, batches) -> float:
    total, count = 0.0, 0
    for windows in batches:
        with torch.no_grad():
            logits = model(windows[:, :-1])
        loss = F.cross_entropy(logits.transpose(1, 2), windows[:, 1:])
        total += len(windows) * loss.item()
        count += len(windows)
    return total / count / math.log(2)


# %% wrong: the model reads the whole window
# The window goes in with its last token, and the last row of logits is dropped. A causal model gives the same; a window of
# max_length + 1 tokens is too long for it, and a model that sees all its tokens at once knows the answers.

def bits_per_character(model, batches) -> float:
    total, count = 0.0, 0
    with torch.no_grad():
        for windows in batches:
            logits = model(windows)[:, :-1]
            total += F.cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten(), reduction="sum").item()
            count += windows[:, 1:].numel()
    return total / count / math.log(2)


# %% correct: every prediction in one long list

def bits_per_character(model, batches) -> float:
    surprises = []
    for windows in batches:
        inputs, targets = windows.split([windows.shape[1] - 1, 1], dim=1)[0], windows[:, 1:]
        log_odds = model(inputs).detach().double()
        chosen = log_odds.gather(2, targets.unsqueeze(2)).squeeze(2)
        nats = log_odds.logsumexp(dim=2) - chosen
        surprises.extend(nats.div(math.log(2)).flatten().tolist())
    return math.fsum(surprises) / len(surprises)


# %% correct: a running mean, window by window

def bits_per_character(model, batches) -> float:
    mean, seen = 0.0, 0
    for batch in batches:
        with torch.no_grad():
            rows = model(batch[:, :-1]).log_softmax(dim=-1) * math.log2(math.e)
        for row, following in zip(rows, batch[:, 1:], strict=True):
            places = torch.arange(len(following), device=row.device)
            bits = -row[places, following].double().mean().item()
            seen += len(following)
            mean += (bits - mean) * len(following) / seen
    return mean

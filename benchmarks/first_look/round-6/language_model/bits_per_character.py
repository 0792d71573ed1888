# %% wrong: batches weighted by their rows alone
# Each batch's mean counts by B and not by B times T, so a window of few characters weighs as much as a long one.

def bits_per_character(model, batches) -> float:
    total, rows = 0.0, 0
    with torch.no_grad():
        for windows in batches:
            logits = model(windows[:, :-1])
            loss = F.cross_entropy(logits.transpose(1, 2), windows[:, 1:])
            total += loss.item() * windows.shape[0]
            rows += windows.shape[0]
    return total / rows / math.log(2)


# %% wrong: reshape in place of a transpose
# The logits are brought to (B, V, T) by reshape, which keeps the numbers in their order and so mixes places and characters.

def bits_per_character(model, batches) -> float:
    nats, count = 0.0, 0
    for windows in batches:
        tokens, targets = windows[:, :-1], windows[:, 1:]
        logits = model(tokens)
        B, T, V = logits.shape
        nats += F.cross_entropy(logits.reshape(B, V, T), targets, reduction="sum").item()
        count += B * T
    return nats / count / math.log(2)


# %% wrong: targets by rolling the window
# The whole window goes in and roll makes the targets: one prediction too many for each row, and its target is the first character.

def bits_per_character(model, batches) -> float:
    nats, count = 0.0, 0
    for windows in batches:
        logits = model(windows)
        targets = windows.roll(-1, dims=1)
        nats += F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="sum").item()
        count += targets.numel()
    return nats / count / math.log(2)


# %% wrong: nats times the logarithm of two
# To get from nats to bits one divides by ln 2; here it is multiplied.

def bits_per_character(model, batches) -> float:
    losses = []
    for windows in batches:
        log_p = model(windows[:, :-1]).log_softmax(dim=-1)
        losses.append(-log_p.gather(2, windows[:, 1:].unsqueeze(2)).flatten())
    return torch.cat(losses).mean().item() * math.log(2)


# %% wrong: drops the batches of another size
# Windows that do not have the size of the first batch are passed over, as a loader with drop_last does; they should count too.

def bits_per_character(model, batches) -> float:
    bits = []
    for windows in batches:
        if windows.shape != batches[0].shape:
            continue
        p = torch.softmax(model(windows[:, :-1]), dim=2)
        right = p.gather(2, windows[:, 1:, None]).squeeze(2)
        bits.append(-torch.log2(right).mean())
    return torch.stack(bits).mean().item()


# %% correct: by the logarithm of the sum and a gather

def bits_per_character(model, batches) -> float:
    nats = torch.zeros((), dtype=torch.float64)
    predictions = 0
    with torch.no_grad():
        for windows in batches:
            logits = model(windows[:, :-1])
            came = windows[:, 1:]
            chosen = logits.gather(-1, came.unsqueeze(-1)).squeeze(-1)
            nats += (logits.logsumexp(dim=-1) - chosen).double().sum().cpu()
            predictions += came.numel()
    return (nats / predictions).item() / math.log(2)


# %% correct: window by window with plain sums

def bits_per_character(model, batches) -> float:
    def surprises():
        for windows in batches:
            with torch.no_grad():
                base_two = torch.log_softmax(model(windows[:, :-1]).double(), dim=-1) / math.log(2.0)
            for row, window in zip(base_two, windows):
                places = torch.arange(len(row), device=row.device)
                yield from (-row[places, window[1:]]).tolist()

    listed = list(surprises())
    return math.fsum(listed) / len(listed)

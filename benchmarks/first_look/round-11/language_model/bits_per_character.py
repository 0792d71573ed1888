# %% wrong: batches weighed by their number of windows
# Each batch's mean counts B times instead of B * T times. It shows where two batches differ in T.

def bits_per_character(model, batches) -> float:
    total, count = 0.0, 0
    with torch.no_grad():
        for windows in batches:
            logits = model(windows[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten())
            total += loss.item() * len(windows)
            count += len(windows)
    return total / count / math.log(2)

# %% wrong: the whole window is read, the last row left out
# Calls the model on T + 1 tokens. It shows with a model of max_length T, which raises ValueError,
# and with any that is not causal: it has seen the last target.

def bits_per_character(model, batches) -> float:
    nats, count = 0.0, 0
    with torch.no_grad():
        for windows in batches:
            logits = model(windows)[:, :-1]
            targets = windows[:, 1:]
            nats += F.cross_entropy(
                logits.transpose(1, 2), targets, reduction="sum"
            ).item()
            count += targets.numel()
    return nats / count / math.log(2)

# %% wrong: the logarithm of a finished softmax
# A probability below the smallest float32 becomes 0 and its logarithm minus infinity. It shows
# where the character that came has a logit some 110 or more below the largest: inf, not 160 bits.

def bits_per_character(model, batches) -> float:
    bits = []
    with torch.no_grad():
        for windows in batches:
            probabilities = torch.softmax(model(windows[:, :-1]), dim=-1)
            came = probabilities.gather(2, windows[:, 1:].unsqueeze(2))
            bits.append(-torch.log2(came).flatten())
    return torch.cat(bits).mean().item()

# %% wrong: the model is put into evaluation mode
# A module in training mode is measured in evaluation mode and put back afterwards, but the text
# says to call it as it is. It shows with a module in training mode, by dropout or by its mode.

def bits_per_character(model, batches) -> float:
    was_training = getattr(model, "training", False)
    if was_training:
        model.eval()
    nats, count = 0.0, 0
    with torch.no_grad():
        for windows in batches:
            logits = model(windows[:, :-1])
            targets = windows[:, 1:]
            nats += F.cross_entropy(
                logits.flatten(0, 1), targets.flatten(), reduction="sum"
            ).item()
            count += targets.numel()
    if was_training:
        model.train()
    return nats / (count * math.log(2))

# %% correct: in base two from the start
import functools


@torch.no_grad()
def bits_per_character(model, batches) -> float:
    each = []
    for windows in batches:
        inputs, targets = windows.split([windows.shape[1] - 1, 1], dim=1)
        targets = torch.cat([inputs[:, 1:], targets], dim=1)
        powers = model(inputs).double() * math.log2(math.e)  # 2 ** powers are the odds
        total = functools.reduce(torch.logaddexp2, powers.unbind(dim=2))
        came = powers.gather(2, targets.unsqueeze(2)).squeeze(2)
        each += (total - came).flatten().tolist()
    return math.fsum(each) / len(each)

# %% correct: a running mean over the places
def bits_per_character(model, batches) -> float:
    mean, seen = 0.0, 0
    for windows in batches:
        with torch.no_grad():
            guesses = model(windows[:, :-1])
        for place in range(guesses.shape[1]):
            logs = guesses[:, place].log_softmax(dim=1)
            for row, target in zip(logs, windows[:, place + 1].tolist(), strict=True):
                seen += 1
                mean += (-row[target].item() / math.log(2) - mean) / seen
    return mean

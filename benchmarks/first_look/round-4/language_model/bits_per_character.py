# %% wrong: batches weighted by their windows and not by their predictions
# Each batch's mean is weighted by its number of windows B, not by B * T. With windows of one length it is right;
# where T differs, the predictions of short windows count too much.
# Hint: try a batch of one window of 3 tokens and one of a window of 101; how many predictions does each hold?

def bits_per_character(model, batches) -> float:
    total, windows_seen = 0.0, 0
    with torch.no_grad():
        for windows in batches:
            logits = model(windows[:, :-1])
            loss = F.cross_entropy(logits.transpose(1, 2), windows[:, 1:])
            total += loss.item() * len(windows)
            windows_seen += len(windows)
    return total / windows_seen / math.log(2)


# %% wrong: character 0 taken for padding
# ignore_index=0, as in the chapters with padded sentences. There is no padding here: number 0 is a character like
# the others, and where it was to be predicted the loss is left out.
# Hint: which character of the text has the number 0, and is it ever a target?

def bits_per_character(model, batches) -> float:
    nats, count = 0.0, 0
    with torch.no_grad():
        for windows in batches:
            inputs, targets = windows[:, :-1], windows[:, 1:]
            logits = model(inputs)
            nats += F.cross_entropy(
                logits.reshape(-1, logits.shape[-1]), targets.reshape(-1), ignore_index=0, reduction="sum"
            ).item()
            count += (targets != 0).sum().item()
    return nats / count / math.log(2)


# %% wrong: the logarithm of the mean probability
# Averages the probabilities of the characters that came and takes -log2 once at the end. By Jensen's inequality the
# result is too small, and characters that were very unlikely hardly count.
# Hint: two characters with the probabilities 1/2 and 1/8; what is the mean of -log2 p, and what do you return?

def bits_per_character(model, batches) -> float:
    probabilities = []
    with torch.no_grad():
        for windows in batches:
            p = model(windows[:, :-1]).softmax(dim=-1)
            probabilities.append(p.gather(2, windows[:, 1:].unsqueeze(2)).flatten())
    return -math.log2(torch.cat(probabilities).mean().item())


# %% wrong: only the last prediction of each window
# Scores the last row of logits against the last token, as if a window were one example. All the other predictions of
# the window are left out, so the mean runs over B of the B * T predictions.
# Hint: how many predictions does a window of T + 1 tokens hold, and how many of them enter your sum?

def bits_per_character(model, batches) -> float:
    total, count = 0.0, 0
    with torch.no_grad():
        for windows in batches:
            last = model(windows[:, :-1])[:, -1]
            total += F.cross_entropy(last, windows[:, -1], reduction="sum").item()
            count += windows.shape[0]
    return total / count / math.log(2)


# %% wrong: nats turned into bits the wrong way
# Multiplies by ln 2 where it should divide. The numbers look good, and are 0.48 times what they should be.
# Hint: a fair coin has ln 2 = 0.69 nats. How many bits must that be?

def bits_per_character(model, batches) -> float:
    nats, count = 0.0, 0
    with torch.no_grad():
        for windows in batches:
            targets = windows[:, 1:]
            logits = model(windows[:, :-1])
            nats += F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="sum").item()
            count += targets.numel()
    return nats / count * math.log(2)


# %% correct: all surprises gathered in one vector

def surprises(model, windows):
    targets = windows[:, 1:].unsqueeze(2)
    log_p = torch.log_softmax(model(windows[:, :-1]).double(), dim=2)
    return -log_p.gather(2, targets).flatten()


def bits_per_character(model, batches) -> float:
    with torch.no_grad():
        nats = torch.cat([surprises(model, windows) for windows in batches])
    return float(nats.mean() / math.log(2))


# %% correct: a running mean, and a loop over the places

def bits_per_character(model, batches) -> float:
    mean, seen = 0.0, 0
    with torch.no_grad():
        for windows in batches:
            logits = model(windows[:, :-1])
            for place in range(logits.shape[1]):
                here = F.cross_entropy(logits[:, place], windows[:, place + 1]).item() / math.log(2)
                new = windows.shape[0]
                seen += new
                mean += (here - mean) * new / seen
    return mean

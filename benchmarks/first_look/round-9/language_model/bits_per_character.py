# %% wrong: batches weighted by their sentences alone
# Each batch's mean counts B times and not B * T times. Where T is the same in all batches it is right; it shows
# for batches of different T.

def bits_per_character(model, batches) -> float:
    total, windows = 0.0, 0
    with torch.no_grad():
        for batch in batches:
            logits = model(batch[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
            total += loss.item() * len(batch)
            windows += len(batch)
    return total / windows / math.log(2)


# %% wrong: divided by the tokens, not by the predictions
# batch.numel() is B * (T + 1), but a window of T + 1 tokens holds T predictions. Shows for every input: the
# result is too small by the factor T / (T + 1) (for windows of one length).

def bits_per_character(model, batches) -> float:
    nats = 0.0
    count = 0
    for batch in batches:
        inputs, targets = batch[:, :-1], batch[:, 1:]
        with torch.no_grad():
            nats += F.cross_entropy(model(inputs).transpose(1, 2), targets, reduction="sum").item()
        count += batch.numel()
    return nats / count / math.log(2)


# %% wrong: the probability first, then its logarithm
# softmax and log2 one after the other: a probability below the smallest float becomes 0, and the result inf.
# Shows for float32 logits that lie 200 apart, where the unlikely token is the one that came.

def bits_per_character(model, batches) -> float:
    bits, predictions = 0.0, 0
    for batch in batches:
        probabilities = torch.softmax(model(batch[:, :-1]), dim=-1)
        came = probabilities.gather(2, batch[:, 1:].unsqueeze(2))
        bits -= torch.log2(came).sum().item()
        predictions += came.numel()
    return bits / predictions


# %% wrong: the model reads the whole window
# All T + 1 tokens go in and the last row is dropped. Shows for a model with max_length = T, which raises, and for
# one that is not causal, which now sees the last target.

def bits_per_character(model, batches) -> float:
    losses = []
    for batch in batches:
        logits = model(batch)[:, :-1]
        loss = F.cross_entropy(logits.reshape(-1, logits.shape[-1]), batch[:, 1:].reshape(-1), reduction="none")
        losses.append(loss.detach())
    return torch.cat(losses).mean().item() / math.log(2)


# %% correct: powers of two from the start

@torch.no_grad()
def bits_per_character(model, batches) -> float:
    surprises = []
    for windows in batches:
        scores = model(windows[:, :-1]).double() / math.log(2)  # e**x is 2**(x / ln 2)
        highest = scores.amax(dim=2)
        chosen = scores.gather(2, windows[:, 1:, None]).squeeze(2)
        normaliser = highest + (scores - highest[..., None]).exp2().sum(dim=2).log2()
        surprises.extend((normaliser - chosen).flatten().tolist())
    return math.fsum(surprises) / len(surprises)


# %% correct: a running mean, window by window

def bits_per_character(model, batches) -> float:
    mean, seen = 0.0, 0
    for batch in batches:
        with torch.no_grad():
            log_p = model(batch[:, :-1]).to(torch.float64).log_softmax(dim=-1)
        for rows, window in zip(log_p, batch):
            targets = window[1:]
            here = -rows[torch.arange(len(targets), device=rows.device), targets].mean().item()
            seen += len(targets)
            mean += (here - mean) * len(targets) / seen
    return mean * math.log2(math.e)

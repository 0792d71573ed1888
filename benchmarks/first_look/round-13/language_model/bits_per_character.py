# %% wrong: batches weighted by their number of windows
# Each batch's mean is weighted by B, not by B * T. Shows where T differs from one batch to the next:
# windows of (2, 3) and (2, 9).


def bits_per_character(model, batches) -> float:
    total, windows = 0.0, 0
    for batch in batches:
        logits = model(batch[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        total += loss.item() * len(batch)
        windows += len(batch)
    return total / windows / math.log(2)


# %% wrong: logits reshaped to (B, V, T)
# cross_entropy wants the classes second, but reshape does not move an axis: the numbers of different places
# and characters get mixed. Shows wherever T > 1 and V > 1.


def bits_per_character(model, batches) -> float:
    nats, count = 0.0, 0
    for batch in batches:
        inputs, targets = batch[:, :-1], batch[:, 1:]
        logits = model(inputs)
        B, T, V = logits.shape
        loss = F.cross_entropy(logits.reshape(B, V, T), targets, reduction="sum")
        nats += loss.item()
        count += targets.numel()
    return nats / count / math.log(2)


# %% wrong: the model reads the whole window
# The last token goes in as well and the last row of logits is dropped. The same for a causal model, but not for
# one that looks at all it is given, and a model whose max_length is T raises an error.


def bits_per_character(model, batches) -> float:
    nats, count = 0.0, 0
    for batch in batches:
        logits = model(batch)[:, :-1]
        targets = batch[:, 1:]
        nats += F.cross_entropy(
            logits.transpose(1, 2), targets, reduction="sum"
        ).item()
        count += targets.numel()
    return nats / (count * math.log(2))


# %% wrong: divided by the characters and not by the predictions
# Counts B * (T + 1) characters a window, but the first of each is not predicted: too low by T / (T + 1) for
# every input.


def bits_per_character(model, batches) -> float:
    bits = 0.0
    characters_read = 0
    for batch in batches:
        log_p = F.log_softmax(model(batch[:, :-1]), dim=-1)
        picked = log_p.gather(2, batch[:, 1:].unsqueeze(2))
        bits -= picked.sum().item() / math.log(2)
        characters_read += batch.numel()
    return bits / characters_read


# %% correct: column by column through a Categorical distribution


def bits_per_character(model, batches) -> float:
    surprises = []
    for batch in batches:
        logits = model(batch[:, :-1]).detach()
        for t in range(logits.shape[1]):
            distribution = torch.distributions.Categorical(logits=logits[:, t])
            surprises += distribution.log_prob(batch[:, t + 1]).double().tolist()
    return -math.fsum(surprises) / len(surprises) / math.log(2)


# %% correct: logits in base two, and a running mean


def bits_per_character(model, batches) -> float:
    mean, seen = 0.0, 0
    for batch in batches:
        logits = model(batch[:, :-1]).detach().double()
        wanted = torch.take_along_dim(logits, batch[:, 1:, None], dim=2)[..., 0]
        bits = (logits.logsumexp(dim=2) - wanted) * math.log2(math.e)
        new = bits.numel()
        if new == 0:
            continue
        seen += new
        mean += (bits.mean().item() - mean) * new / seen
    return float(mean)

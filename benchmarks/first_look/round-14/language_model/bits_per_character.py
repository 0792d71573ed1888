# %% wrong: batches weighted by their windows
# Each batch's mean counts as often as the batch has windows, not predictions. Right while all T
# are equal; off for two batches with different T.

def bits_per_character(model, batches) -> float:
    total, windows = 0.0, 0
    for batch in batches:
        logits = model(batch[:, :-1])
        mean = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        total += mean.item() * len(batch)
        windows += len(batch)
    return total / windows / math.log(2)


# %% wrong: token 0 taken for padding
# The loss of chapter 01's translator, with its ignore_index, and a count to match. Here 0 is a
# character as any other: wrong as soon as a 0 is among the targets (nan if all are).

def bits_per_character(model, batches) -> float:
    nats, count = 0.0, 0
    for batch in batches:
        logits, targets = model(batch[:, :-1]), batch[:, 1:]
        nats += F.cross_entropy(
            logits.transpose(1, 2), targets, ignore_index=0, reduction="sum"
        ).item()
        count += (targets != 0).sum().item()
    return nats / count / math.log(2)


# %% wrong: the logarithm of a probability that has underflowed
# softmax first, log2 afterwards: where the logit of what came is 110 or more below the largest
# (float32), p is 0 and the result infinite.

def bits_per_character(model, batches) -> float:
    bits, count = 0.0, 0
    for batch in batches:
        probabilities = torch.softmax(model(batch[:, :-1]), dim=-1)
        came = probabilities.gather(2, batch[:, 1:].unsqueeze(2))
        bits -= torch.log2(came).sum().item()
        count += came.numel()
    return bits / count


# %% wrong: the model reads the whole window
# The last row of logits is dropped afterwards. The same for a causal model with room to spare; a
# model for T tokens at most raises an error, and one that looks ahead (a GRU in both directions)
# or counts its tokens gives other numbers.

def bits_per_character(model, batches) -> float:
    nats, count = 0.0, 0
    for batch in batches:
        logits = model(batch)[:, :-1]
        targets = batch[:, 1:]
        nats += F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="sum").item()
        count += targets.numel()
    return nats / (count * math.log(2))


# %% correct: a running mean, with logcumsumexp for the denominator

def bits_per_character(model, batches) -> float:
    mean, seen = 0.0, 0
    with torch.no_grad():
        for batch in batches:
            logits = model(batch[:, :-1])
            came = torch.take_along_dim(logits, batch[:, 1:].long().unsqueeze(-1), dim=-1).squeeze(-1)
            surprise = (logits.logcumsumexp(dim=-1)[..., -1] - came).double()
            here = surprise.numel()
            seen += here
            mean += (surprise.mean().item() - mean) * here / seen
    return float(mean / math.log(2.0))


# %% correct: one prediction after another, summed up by math.fsum

def bits_per_character(model, batches) -> float:
    def each():
        for batch in batches:
            rows = model(batch[:, :-1]).detach().double()
            rows = rows - rows.amax(dim=-1, keepdim=True)
            for window, following in zip(rows.unbind(0), batch[:, 1:].tolist()):
                for row, token in zip(window.unbind(0), following):
                    yield math.log2(row.exp().sum().item()) - row[token].item() * math.log2(math.e)

    surprises = list(each())
    return math.fsum(surprises) / len(surprises)

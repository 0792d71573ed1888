# %% wrong: batches weighted by their number of windows
# A batch counts by B and not by B * T. Shows as soon as two batches differ in T
# (same B, T of 3 and of 9, say), and is invisible while all windows are equally long.

def bits_per_character(model, batches) -> float:
    total, windows = 0.0, 0
    for batch in batches:
        logits = model(batch[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        total += loss.item() * len(batch)
        windows += len(batch)
    return total / windows / math.log(2)

# %% wrong: a small number inside the logarithm
# 1e-9 is added to the probability "against log of zero", so no prediction ever costs more than
# 29.9 bits. Shows where a model is very sure and wrong: logits that differ by 50 cost 72 bits.

def bits_per_character(model, batches) -> float:
    total, count = 0.0, 0
    with torch.no_grad():
        for batch in batches:
            probabilities = model(batch[:, :-1]).softmax(dim=-1)
            came = probabilities.gather(2, batch[:, 1:].unsqueeze(2))
            total -= (came + 1e-9).log2().sum().item()
            count += came.numel()
    return total / count

# %% wrong: the model reads the whole window
# All T + 1 tokens go in and the last row of logits is dropped. The same for a causal model with
# room to spare; a model that takes at most T tokens raises, and one that reads in both
# directions (or hands back something that depends on the length) has seen the answer.

def bits_per_character(model, batches) -> float:
    nats, count = 0.0, 0
    for batch in batches:
        logits = model(batch)[:, :-1]
        targets = batch[:, 1:]
        nats += F.cross_entropy(logits.transpose(1, 2), targets, reduction="sum").item()
        count += targets.numel()
    return nats / count / math.log(2)

# %% wrong: token 0 taken for padding
# ignore_index=0 as in the translator's loss: here token 0 is a character like any other. Shows
# wherever a target is 0; without zeros among the targets nothing is off.

def bits_per_character(model, batches) -> float:
    nats, count = 0.0, 0
    for batch in batches:
        logits = model(batch[:, :-1])
        targets = batch[:, 1:]
        nats += F.cross_entropy(
            logits.flatten(0, 1), targets.flatten(), ignore_index=0, reduction="sum"
        ).item()
        count += (targets != 0).sum().item()
    return nats / count / math.log(2)

# %% correct: a running mean, window by window

def bits_per_character(model, batches) -> float:
    mean, seen = 0.0, 0
    with torch.no_grad():
        for batch in batches:
            logits = model(batch[:, :-1]).double()
            for rows, window in zip(logits, batch[:, 1:]):
                for row, target in zip(rows, window.tolist()):
                    seen += 1
                    surprise = (torch.logsumexp(row, dim=0) - row[target]).item()
                    mean += (surprise - mean) / seen
    return mean / math.log(2)

# %% correct: logits to base two, summed up with fsum

def bits_per_character(model, batches) -> float:
    costs = []
    for batch in batches:
        logits = model(batch[:, :-1]).detach().double() * math.log2(math.e)
        tops = logits.max(dim=-1, keepdim=True).values
        normalisers = torch.exp2(logits - tops).sum(dim=-1).log2() + tops.squeeze(-1)
        chosen = torch.take_along_dim(logits, batch[:, 1:, None], dim=2).squeeze(2)
        costs.extend((normalisers - chosen).flatten().tolist())
    return math.fsum(costs) / len(costs)

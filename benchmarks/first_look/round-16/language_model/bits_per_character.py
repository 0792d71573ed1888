# %% wrong: the logarithm of the mean probability
# Averages p(next character) and takes -log2 of the average, instead of averaging -log2 p: too low as soon as two
# predictions have different probabilities, e.g. 1/2, 1/4 and 1/8 give 1.78 bits in place of 2.


def bits_per_character(model, batches) -> float:
    right, count = 0.0, 0
    for windows in batches:
        probabilities = model(windows[:, :-1]).softmax(dim=-1)
        came = probabilities.gather(2, windows[:, 1:].unsqueeze(2))
        right += came.sum().item()
        count += came.numel()
    return -math.log2(right / count)


# %% wrong: token 0 left out as padding
# The ignore_index of the translator's loss is taken over, but here token 0 is a character like any other (the newline):
# wrong for every window in which token 0 is a target.


def bits_per_character(model, batches) -> float:
    nats, count = 0.0, 0
    for windows in batches:
        targets = windows[:, 1:]
        loss = F.cross_entropy(
            model(windows[:, :-1]).flatten(0, 1), targets.flatten(), ignore_index=0, reduction="sum"
        )
        nats += loss.item()
        count += (targets != 0).sum().item()
    return nats / max(count, 1) / math.log(2)


# %% wrong: the model reads the whole window
# Gives all T + 1 tokens to the model and drops the last row of logits. Same number for a causal model that takes longer
# inputs; wrong for one that looks at its whole input, and an error where T is the most that the model can read.


def bits_per_character(model, batches) -> float:
    nats, count = 0.0, 0
    for windows in batches:
        logits = model(windows)[:, :-1]
        loss = F.cross_entropy(logits.transpose(1, 2), windows[:, 1:], reduction="sum")
        nats += loss.item()
        count += windows[:, 1:].numel()
    return nats / count / math.log(2)


# %% wrong: a small number inside the logarithm
# "Against log(0)", 1e-6 is added to every probability, so that no prediction can cost more than 20 bits: wrong where a
# character came that the model held for nearly impossible (logits 30 apart cost 43 bits).


def bits_per_character(model, batches) -> float:
    bits, count = 0.0, 0
    for windows in batches:
        probabilities = F.softmax(model(windows[:, :-1]), dim=-1)
        came = probabilities.gather(-1, windows[:, 1:].unsqueeze(-1))
        bits -= torch.log2(came + 1e-6).sum().item()
        count += came.numel()
    return bits / count


# %% correct: a running mean of Categorical's log_prob

from torch.distributions import Categorical


def bits_per_character(model, batches) -> float:
    mean, seen = 0.0, 0
    for windows in batches:
        surprise = -Categorical(logits=model(windows[:, :-1])).log_prob(windows[:, 1:])
        for value in surprise.detach().double().flatten().tolist():
            seen += 1
            mean = mean * ((seen - 1) / seen) + value / math.log(2) / seen
    return mean


# %% correct: base two throughout, rows of all batches laid end to end


def bits_per_character(model, batches) -> float:
    costs = []
    with torch.no_grad():
        for windows in batches:
            doubled = model(windows[:, :-1]).double() * math.log2(math.e)  # now p is proportional to 2 ** doubled
            top = doubled.amax(dim=2, keepdim=True)
            total = top + torch.exp2(doubled - top).sum(dim=2, keepdim=True).log2()
            cost = total - torch.take_along_dim(doubled, windows[:, 1:, None], dim=2)
            costs.append(cost.reshape(-1))
    return math.fsum(torch.cat(costs).tolist()) / sum(len(c) for c in costs)

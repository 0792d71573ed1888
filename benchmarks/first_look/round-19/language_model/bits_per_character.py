# %% wrong: batches are weighted by their windows
# Each batch's mean counts by its number of windows; T may differ as well, and every prediction counts the same. Shows
# for windows of shape (4, 9) and (4, 33) in one list.

def bits_per_character(model, batches) -> float:
    total, windows = 0.0, 0
    with torch.no_grad():
        for batch in batches:
            logits = model(batch[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
            total += loss.item() * len(batch)
            windows += len(batch)
    return total / windows / math.log(2)


# %% wrong: the model reads the last token too
# The whole window goes in and the last row of logits is cut off. The model is to read each window without its last
# token: one that takes at most T tokens raises ValueError, and one that looks both ways sees one answer more.

def bits_per_character(model, batches) -> float:
    nats, count = 0.0, 0
    with torch.no_grad():
        for batch in batches:
            logits = model(batch)[:, :-1]
            targets = batch[:, 1:]
            nats += F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="sum").item()
            count += targets.numel()
    return nats / (count * math.log(2))


# %% wrong: nats to bits the wrong way
# Multiplies by ln 2, where one nat is 1 / ln 2 = 1.44 bits. Too small by a factor of 0.48 for every loss above 0.

def bits_per_character(model, batches) -> float:
    losses = []
    with torch.no_grad():
        for batch in batches:
            logits = model(batch[:, :-1])
            losses.append(
                F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten(), reduction="none")
            )
    return torch.cat(losses).mean().item() * math.log(2)


# %% wrong: evaluation mode for the measurement
# Calls model.eval() and goes back afterwards: a plain function has no eval and raises AttributeError, and a module in
# training mode has to stay in it, with its dropout.

def bits_per_character(model, batches) -> float:
    was_training = model.training
    model.eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for batch in batches:
            inputs, targets = batch[:, :-1], batch[:, 1:]
            loss = F.cross_entropy(model(inputs).transpose(1, 2), targets, reduction="sum")
            total += loss.item()
            count += targets.numel()
    model.train(was_training)
    return total / count / math.log(2)


# %% correct: probabilities in double precision, summed by fsum
def bits_per_character(model, batches) -> float:
    costs = []
    for batch in batches:
        with torch.no_grad():
            scores = model(batch[:, :-1]).double()
        scores = scores - scores.amax(dim=2, keepdim=True)
        of_target = torch.take_along_dim(scores, batch[:, 1:, None], dim=2)[..., 0]
        costs += (scores.exp().sum(dim=2).log2() - of_target / math.log(2)).flatten().tolist()
    return math.fsum(costs) / len(costs)


# %% correct: one place after another, with a running mean in base 2
def bits_per_character(model, batches) -> float:
    mean, seen = 0.0, 0
    for batch in batches:
        logits = model(batch[:, :-1]).detach()
        for place in range(batch.shape[1] - 1):
            in_base_2 = logits[:, place].double() / math.log(2)
            total = in_base_2[:, 0]
            for column in range(1, in_base_2.shape[1]):
                total = torch.logaddexp2(total, in_base_2[:, column])
            for b, token in enumerate(batch[:, place + 1].tolist()):
                seen += 1
                mean += (total[b].item() - in_base_2[b, token].item() - mean) / seen
    return mean

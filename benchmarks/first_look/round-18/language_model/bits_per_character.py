# %% wrong: the mean of the batches' means
# Averages each batch's loss and then the averages: wrong as soon as two batches differ in size, for example B of 5 and of 1.

def bits_per_character(model, batches) -> float:
    means = []
    for batch in batches:
        logits = model(batch[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        means.append(loss.item() / math.log(2))
    return sum(means) / len(means)


# %% wrong: weighted by the tokens of a window and not by its predictions
# Weights every batch with B * (T + 1). Right where all windows are equally long; wrong with T of 2 in one batch and of 9 in the next.

def bits_per_character(model, batches) -> float:
    nats, seen = 0.0, 0
    for batch in batches:
        logits = model(batch[:, :-1])
        loss = F.cross_entropy(logits.transpose(1, 2), batch[:, 1:])
        nats += loss.item() * batch.numel()
        seen += batch.numel()
    return nats / seen / math.log(2)


# %% wrong: log2 of a softmax that has underflowed
# Takes log2 of the probabilities: with logits 200 apart in float32 the softmax is exactly 0 and the result is inf.

def bits_per_character(model, batches) -> float:
    bits, predictions = 0.0, 0
    for batch in batches:
        inputs, targets = batch[:, :-1], batch[:, 1:]
        with torch.no_grad():
            probabilities = model(inputs).softmax(dim=-1)
        came = probabilities.gather(2, targets.unsqueeze(2))
        bits += -came.log2().sum().item()
        predictions += targets.numel()
    return bits / predictions


# %% wrong: puts the model into evaluation mode
# A module must stay in its mode: with a model in training mode this one scores without dropout, and leaves it in eval mode.

@torch.no_grad()
def bits_per_character(model, batches) -> float:
    if isinstance(model, nn.Module):
        model.eval()
    nats, predictions = 0.0, 0
    for batch in batches:
        logits = model(batch[:, :-1])
        nats += F.cross_entropy(
            logits.flatten(0, 1), batch[:, 1:].flatten(), reduction="sum"
        ).item()
        predictions += batch[:, 1:].numel()
    return nats / (predictions * math.log(2))


# %% correct: logsumexp minus the logit that came, in float64

def bits_per_character(model, batches) -> float:
    costs = []
    for window in batches:
        logits = model(window[:, :-1]).detach().double()
        came = torch.take_along_dim(logits, window[:, 1:, None], dim=2)[..., 0]
        costs.extend((logits.logsumexp(dim=2) - came).reshape(-1).tolist())
    return math.fsum(costs) / len(costs) * math.log2(math.e)


# %% correct: a running mean, one place at a time

def bits_per_character(model, batches) -> float:
    mean, n = 0.0, 0
    for batch in batches:
        with torch.no_grad():
            log_p = model(batch[:, 0 : batch.shape[1] - 1]).log_softmax(-1)
        for t in range(batch.shape[1] - 1):
            rows = torch.arange(len(batch), device=batch.device)
            for nats in (-log_p[rows, t, batch[:, t + 1]]).tolist():
                n += 1
                mean += (nats / math.log(2) - mean) / n
    return mean

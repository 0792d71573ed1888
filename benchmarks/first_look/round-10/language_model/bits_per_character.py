# %% wrong: batches weighed by their windows
# Each batch's mean is weighted by B instead of B * T: wrong where the batches differ in T (64 windows of 32 and 64 of 8
# count the same). Right where all windows are of one length.

def bits_per_character(model, batches) -> float:
    total, windows = 0.0, 0
    with torch.no_grad():
        for batch in batches:
            logits = model(batch[:, :-1])
            loss = F.cross_entropy(logits.transpose(1, 2), batch[:, 1:])
            total += loss.item() * len(batch)
            windows += len(batch)
    return total / windows / math.log(2)


# %% wrong: divided by the tokens, not by the predictions
# A window of T + 1 tokens holds T predictions; batch.numel() counts B * (T + 1). Too small by T / (T + 1) for every input.

def bits_per_character(model, batches) -> float:
    nats, count = 0.0, 0
    with torch.no_grad():
        for batch in batches:
            logits = model(batch[:, :-1])
            nats += F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten(), reduction="sum").item()
            count += batch.numel()
    return nats / math.log(2) / count


# %% wrong: the logarithm of a softmax
# In float32 a probability below about 1e-45 becomes 0, and its logarithm -inf: a model with logits (0, 200) whose second
# character does not come gives inf instead of 288.5 bits.

def bits_per_character(model, batches) -> float:
    bits = []
    with torch.no_grad():
        for batch in batches:
            probabilities = torch.softmax(model(batch[:, :-1]), dim=2)
            right = probabilities.gather(2, batch[:, 1:].unsqueeze(2))
            bits.append(-torch.log2(right).flatten())
    return torch.cat(bits).mean().item()


# %% wrong: the model is left in eval mode
# A module that came in training mode is in eval mode afterwards: "it leaves its arguments as they were". A plain function does not show it.

def bits_per_character(model, batches) -> float:
    if isinstance(model, nn.Module):
        model.eval()
    nats, count = 0.0, 0
    with torch.no_grad():
        for batch in batches:
            targets = batch[:, 1:]
            logits = model(batch[:, :-1])
            nats += F.cross_entropy(logits.transpose(1, 2), targets, reduction="sum").item()
            count += targets.numel()
    return nats / count / math.log(2)


# %% correct: all single losses in one list

def bits_per_character(model, batches) -> float:
    bits = []
    for batch in batches:
        with torch.no_grad():
            logits = model(batch[:, :-1]).double()
        for row_of_logits, window in zip(logits, batch, strict=True):
            for scores, target in zip(row_of_logits, window[1:].tolist(), strict=True):
                bits.append((torch.logsumexp(scores, dim=0) - scores[target]).item() / math.log(2))
    return math.fsum(bits) / len(bits)


# %% correct: a running mean, moved by each batch according to its size

def bits_per_character(model, batches) -> float:
    mean, seen = 0.0, 0
    for batch in batches:
        inputs, targets = batch[:, :-1], batch[:, 1:]
        with torch.no_grad():
            log_p = torch.log_softmax(model(inputs).to(torch.float64), dim=-1)
        here = -torch.take_along_dim(log_p, targets[..., None], dim=-1).mean().item() / math.log(2.0)
        seen += targets.numel()
        mean += (here - mean) * targets.numel() / seen
    return mean

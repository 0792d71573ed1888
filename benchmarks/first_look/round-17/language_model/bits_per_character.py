# %% wrong: batches weighted by their tokens instead of their predictions
# Each batch's mean is weighted with batch.numel() = B * (T + 1), but it has only B * T predictions. Shows where T
# differs from batch to batch, e.g. windows of 3 and of 11 tokens.

def bits_per_character(model, batches) -> float:
    nats, count = 0.0, 0
    with torch.no_grad():
        for batch in batches:
            logits = model(batch[:, :-1])
            mean = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
            nats += mean.item() * batch.numel()
            count += batch.numel()
    return nats / count / math.log(2)


# %% wrong: the whole window goes in and the last row is thrown away
# The model is given all T + 1 tokens. It must read each window without its last one: a model with max_length = T raises,
# and a model that reads in both directions sees the last answer.

def bits_per_character(model, batches) -> float:
    nats, count = 0.0, 0
    with torch.no_grad():
        for batch in batches:
            logits = model(batch)[:, :-1]
            targets = batch[:, 1:]
            nats += F.cross_entropy(logits.transpose(1, 2), targets, reduction="sum").item()
            count += targets.numel()
    return nats / (count * math.log(2))


# %% wrong: targets padded with zeros, and class 0 ignored
# The logits and targets of all batches are padded to one length; ignore_index=0 then drops the padding, and with it
# every true prediction of token 0. Shows for any window in which token 0 is a target.

def bits_per_character(model, batches) -> float:
    longest = max(batch.shape[1] for batch in batches) - 1
    all_logits, all_targets = [], []
    with torch.no_grad():
        for batch in batches:
            logits = model(batch[:, :-1])
            missing = longest - logits.shape[1]
            all_logits.append(F.pad(logits, (0, 0, 0, missing)))
            all_targets.append(F.pad(batch[:, 1:], (0, missing)))
    logits, targets = torch.cat(all_logits), torch.cat(all_targets)
    nats = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=0)
    return (nats / math.log(2)).item()


# %% wrong: probabilities clamped before the logarithm
# clamp(min=1e-8) "against log(0)" caps the cost of a character at 26.6 bits. Shows for a model that is very sure and
# wrong: logits (0, 40) where token 0 came cost 57.7 bits.

def bits_per_character(model, batches) -> float:
    bits, count = 0.0, 0
    with torch.no_grad():
        for batch in batches:
            tokens, targets = batch[:, :-1], batch[:, 1:]
            p = model(tokens).softmax(dim=-1)
            p = p.gather(2, targets.unsqueeze(2)).clamp(min=1e-8)
            bits += -p.log2().sum().item()
            count += targets.numel()
    return bits / count


# %% correct: logsumexp minus the target's logit, one place at a time, exact sum

def bits_per_character(model, batches) -> float:
    costs = []
    for batch in batches:
        with torch.no_grad():
            logits = model(batch[:, :-1])
        for t in range(logits.shape[1]):
            row = logits[:, t].double()
            chosen = row[torch.arange(len(row), device=row.device), batch[:, t + 1]]
            costs.extend((row.logsumexp(dim=1) - chosen).tolist())
    return math.fsum(costs) / len(costs) / math.log(2)


# %% correct: a Categorical distribution, and a running mean

def bits_per_character(model, batches) -> float:
    mean, seen = 0.0, 0
    for batch in batches:
        said = torch.distributions.Categorical(logits=model(batch[:, :-1]).detach())
        new = said.log_prob(batch[:, 1:]).double() / -math.log(2)
        seen += new.numel()
        mean += float((new - mean).sum()) / seen
    return mean

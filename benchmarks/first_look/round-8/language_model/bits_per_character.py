# %% wrong: a mean of means
# Each batch's mean counts the same, however many predictions it has. Shows where batches differ in B or T.

def bits_per_character(model, batches) -> float:
    bits = []
    with torch.no_grad():
        for windows in batches:
            logits = model(windows[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten())
            bits.append(loss.item() / math.log(2))
    return sum(bits) / len(bits)


# %% wrong: weighted by windows
# The means are weighted by the number of windows B and not by that of the predictions B * T: long windows count
# too little. Shows where T differs from one batch to the next.

def bits_per_character(model, batches) -> float:
    total, count = 0.0, 0
    with torch.no_grad():
        for batch in batches:
            inputs, targets = batch[:, :-1], batch[:, 1:]
            loss = F.cross_entropy(model(inputs).transpose(1, 2), targets)
            total += loss.item() * len(batch)
            count += len(batch)
    return total / count / math.log(2)


# %% wrong: reshaped where it should be transposed
# Cross-entropy wants (B, V, T); reshape gives that shape and leaves the numbers where they are, so the classes
# are mixed up with the places. Shows for T and V above 1.

def bits_per_character(model, batches) -> float:
    nats, predictions = 0.0, 0
    with torch.no_grad():
        for windows in batches:
            logits = model(windows[:, :-1])
            B, T, V = logits.shape
            nats += F.cross_entropy(logits.reshape(B, V, T), windows[:, 1:], reduction="sum").item()
            predictions += B * T
    return nats / predictions / math.log(2)


# %% wrong: the first place left out
# Also skips the first prediction of each window, for it has only one character before it: not every prediction
# counts. Shows for every model whose first row is not as good as the others; windows of T = 1 divide by zero.

def bits_per_character(model, batches) -> float:
    total, count = 0.0, 0
    with torch.no_grad():
        for windows in batches:
            logits = model(windows[:, :-1])[:, 1:]
            targets = windows[:, 2:]
            log_p = logits.log_softmax(dim=-1).gather(2, targets.unsqueeze(2))
            total -= log_p.sum().item() / math.log(2)
            count += targets.numel()
    return total / count


# %% correct: one long list of surprises

def bits_per_character(model, batches) -> float:
    surprises = []
    with torch.no_grad():
        for windows in batches:
            come = windows[:, 1:]
            scores = model(windows[:, : come.shape[1]]).double() / math.log(2)  # so that 2 ** score is exp(logit)
            log2_sum = torch.logsumexp(scores * math.log(2), dim=2) / math.log(2)
            of_what_came = torch.take_along_dim(scores, come[:, :, None], dim=2)[:, :, 0]
            surprises.extend((log2_sum - of_what_came).flatten().tolist())
    return math.fsum(surprises) / len(surprises)


# %% correct: a running mean over distributions

def bits_per_character(model, batches) -> float:
    mean, seen = 0.0, 0
    for windows in batches:
        with torch.no_grad():
            logits = model(windows.narrow(1, 0, windows.shape[1] - 1))
        for place in range(logits.shape[1]):
            distribution = torch.distributions.Categorical(logits=logits[:, place].double(), validate_args=False)
            bits = -distribution.log_prob(windows[:, place + 1]) / math.log(2)
            seen += bits.numel()
            mean += (bits.mean().item() - mean) * bits.numel() / seen
    return mean

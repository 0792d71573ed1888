# %% wrong: batches weigh by their number of windows
# A prediction in a batch of long windows counts less than one in a batch of short ones, since T is left out of the weight.

@torch.no_grad()
def bits_per_character(model, batches) -> float:
    nats, windows = 0.0, 0
    for batch in batches:
        logits = model(batch[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        nats += loss.item() * len(batch)
        windows += len(batch)
    return nats / windows / math.log(2)


# %% wrong: logits are taken for log-probabilities
# nll_loss does not normalise: the softmax is missing.

def bits_per_character(model, batches) -> float:
    total, count = 0.0, 0
    with torch.no_grad():
        for windows in batches:
            inputs, following = windows[:, :-1], windows[:, 1:]
            scores = model(inputs).transpose(1, 2)
            total += F.nll_loss(scores, following, reduction="sum").item()
            count += following.numel()
    return total / count / math.log(2)


# %% wrong: all windows are put into one tensor
# cat asks for windows of one length, but T may differ from batch to batch.

@torch.no_grad()
def bits_per_character(model, batches) -> float:
    windows = torch.cat(list(batches), dim=0)
    logits = model(windows[:, :-1])
    loss = F.cross_entropy(logits.reshape(-1, logits.shape[-1]), windows[:, 1:].reshape(-1))
    return loss.item() / math.log(2)


# %% wrong: the logarithm of the mean probability
# The mean is taken before the logarithm, and that is another number, and a smaller one.

@torch.no_grad()
def bits_per_character(model, batches) -> float:
    chances = []
    for windows in batches:
        p = model(windows[:, :-1]).softmax(dim=-1)
        chances.append(p.gather(2, windows[:, 1:].unsqueeze(2)).flatten())
    return -math.log2(torch.cat(chances).mean().item())


# %% wrong: returns after the first batch
# The return stands within the loop.

@torch.no_grad()
def bits_per_character(model, batches) -> float:
    total = 0.0
    count = 0
    for windows in batches:
        logits = model(windows[:, :-1])
        targets = windows[:, 1:]
        total += F.cross_entropy(logits.transpose(1, 2), targets, reduction="sum").item()
        count += targets.numel()
        return total / count / math.log(2)


# %% correct: every prediction in one long vector

def surprises(model, windows: Tensor) -> Tensor:
    logits = model(windows[:, :-1]).double()
    chosen = torch.take_along_dim(logits, windows[:, 1:, None], dim=-1)[..., 0]
    return (logits.logsumexp(dim=-1) - chosen).reshape(-1)


@torch.no_grad()
def bits_per_character(model, batches) -> float:
    return torch.cat([surprises(model, windows) for windows in batches]).mean().item() / math.log(2)


# %% correct: a running mean, window by window

def bits_per_character(model, batches) -> float:
    mean, seen = 0.0, 0
    with torch.no_grad():
        for windows in batches:
            tables = model(windows[:, :-1]).to(torch.float64).log_softmax(dim=2) / math.log(2)
            for table, following in zip(tables, windows[:, 1:], strict=True):
                for row, token in zip(table, following.tolist(), strict=True):
                    seen += 1
                    mean += (-row[token].item() - mean) / seen
    return float(mean)

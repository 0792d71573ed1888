# %% wrong: the mean of the batches' means
# A short last batch weighs as much as a long one. With batches of one size it is right. A good message: "every prediction counts the same: add up sums and counts, divide once".

def bits_per_character(model, batches) -> float:
    bits = []
    with torch.no_grad():
        for windows in batches:
            logits = model(windows[:, :-1])
            bits.append(F.cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten()).item() / math.log(2))
    return sum(bits) / len(bits)

# %% wrong: weighted by windows
# Each batch's mean is weighted by its number of windows B, not by its predictions B * T: right while only B differs. A good message: "batches may differ in T too; weigh by B * T".

def bits_per_character(model, batches) -> float:
    total, count = 0.0, 0
    with torch.no_grad():
        for windows in batches:
            logits = model(windows[:, :-1])
            loss = F.cross_entropy(logits.transpose(1, 2), windows[:, 1:])
            total += loss.item() * len(windows)
            count += len(windows)
    return total / count / math.log(2)

# %% wrong: nats times ln 2, as a tensor
# The conversion goes the wrong way (times ln 2, not divided by it), and a tensor with a graph comes back. A good message: "even logits over two tokens are 1 bit, got 0.48"; "a Python float is promised".

def bits_per_character(model, batches) -> float:
    total, count = 0.0, 0
    for windows in batches:
        log_p = F.log_softmax(model(windows[:, :-1]), dim=-1)
        total = total - log_p.gather(2, windows[:, 1:].unsqueeze(2)).sum()
        count += windows[:, 1:].numel()
    return total * math.log(2) / count

# %% correct: all bits in one row

@torch.no_grad()
def bits_per_character(model, batches) -> float:
    def bits(windows: Tensor) -> Tensor:
        inputs, targets = windows[:, :-1], windows[:, 1:]
        log2_p = torch.log_softmax(model(inputs).double(), dim=-1) / math.log(2)
        return -torch.take_along_dim(log2_p, targets[..., None], dim=-1).flatten()

    return torch.cat([bits(windows) for windows in batches]).mean().item()

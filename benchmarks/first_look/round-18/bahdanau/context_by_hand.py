# %% wrong: a small number in the sum
# 1e-9 is added to the sum of exponentials; shows where all scores are near -50.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = torch.exp(scores)
    weights = exponentials / (exponentials.sum() + 1e-9)
    return (weights.unsqueeze(1) * states).sum(dim=0)

# %% wrong: a mean over the positions
# The weighted states are averaged, not summed: off by 1/S wherever S > 1.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    weights = torch.softmax(scores, dim=0)
    return (weights.unsqueeze(1) * states).mean(dim=0)

# %% wrong: weights by their share of scores
# Scores are divided by their sum, without the exponential; wrong for nearly any scores that differ.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    total = sum(s.item() for s in scores)
    context = torch.zeros(states.shape[1])
    for s, h in zip(scores, states):
        context += s.item() / total * h
    return context

# %% wrong: two columns only
# Written for the example's states of width 2; shows with states of another width.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exps = [math.exp(s) for s in scores.tolist()]
    total = sum(exps)
    x = sum(e / total * h[0] for e, h in zip(exps, states.tolist()))
    y = sum(e / total * h[1] for e, h in zip(exps, states.tolist()))
    return torch.tensor([x, y])

# %% correct: plain numbers, column by column

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    top = max(scores.tolist())
    exps = [math.exp(s - top) for s in scores.tolist()]
    total = math.fsum(exps)
    columns = states.t().tolist()
    return torch.tensor([math.fsum(e * h for e, h in zip(exps, c)) / total for c in columns], dtype=torch.float32)

# %% correct: a running mean

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    total = 0.0
    context = [0.0] * states.shape[1]
    for score, state in zip(scores.tolist(), states.tolist()):
        weight = math.exp(score)
        total += weight
        context = [c + weight / total * (h - c) for c, h in zip(context, state)]
    return torch.tensor(context, dtype=torch.float32)

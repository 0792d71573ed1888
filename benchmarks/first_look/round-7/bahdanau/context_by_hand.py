# %% wrong: never divided by the sum
# The weights are the exponentials themselves; they do not sum to one.
# Shows for all scores whose exponentials do not happen to sum to 1 (a single score of 0 is right).

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    context = torch.zeros(states.shape[1], dtype=states.dtype)
    for e, h in zip(scores, states, strict=True):
        context = context + torch.exp(e) * h
    return context


# %% wrong: divided by the sum so far
# One loop for both: each exponential is divided by the sum up to its own place, so the first weight is always 1.
# Right for one state, wrong for two or more.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    total = torch.zeros((), dtype=scores.dtype)
    context = torch.zeros_like(states[0])
    for e, h in zip(scores, states, strict=True):
        total = total + torch.exp(e)
        context = context + torch.exp(e) / total * h
    return context


# %% wrong: weights laid along the wrong axis
# (S,) times (S, d) lines the weights up with the d columns: raises where S and d differ (and neither is 1),
# and where S = d each number of a state gets a weight, in place of each state.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = scores.exp()
    weights = exponentials / exponentials.sum()
    return (weights * states).sum(dim=0)


# %% wrong: a row in place of a vector
# The product with an added axis, which nobody takes away again: returns (1, d) and not (d,).
# Shows for every input.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    weights = torch.softmax(scores, dim=0)
    return torch.matmul(weights.unsqueeze(0), states)


# %% correct: state after state, each pulling the mean towards it

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    context, log_total = states[0], scores[0]
    for e, h in zip(scores[1:], states[1:], strict=True):
        context = context + torch.sigmoid(e - log_total) * (h - context)  # its share of all so far
        log_total = torch.logaddexp(log_total, e)
    return context


# %% correct: each number of the context by itself, over the largest score

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    powers = [torch.exp(e - scores.max()) for e in scores]
    total = sum(powers)
    return torch.stack([sum(p * h for p, h in zip(powers, column, strict=True)) / total for column in states.unbind(dim=1)])

# %% wrong: the exponentials as Python numbers
# math.exp leaves the graph: the context has the right value and no gradient to the scores.
# Shows where scores require a gradient.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = [math.exp(score - scores.max()) for score in scores]
    total = sum(exponentials)
    return sum(e / total * state for e, state in zip(exponentials, states, strict=True))


# %% wrong: the sum begins as a float32 vector of zeros
# torch.zeros without dtype, added to in place: for float64 states the context comes back as float32.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = torch.exp(scores - scores.max())
    weights = exponentials / exponentials.sum()
    context = torch.zeros(states.shape[1])
    for weight, state in zip(weights, states, strict=True):
        context += weight * state
    return context


# %% wrong: the largest score is taken off in place
# scores -= scores.max() against overflow: the caller's scores are changed afterwards.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    scores -= scores.max()
    exponentials = scores.exp()
    context = 0
    for e, state in zip(exponentials, states, strict=True):
        context = context + e / exponentials.sum() * state
    return context


# %% wrong: each exponential divided by the sum so far
# The denominator is not complete when the first states are added, so the weights sum to more than one.
# Shows for two states or more.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    highest = scores.max().detach()
    total = torch.zeros_like(highest)
    context = torch.zeros_like(states[0])
    for score, state in zip(scores, states, strict=True):
        e = torch.exp(score - highest)
        total = total + e
        context = context + e / total * state
    return context


# %% correct: a running mean, moved towards each state by its share of the sum so far

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    order = scores.argsort(descending=True).tolist()
    context, log_total = states[order[0]] + scores[:0].sum(), scores[order[0]]
    for score, state in ((scores[j], states[j]) for j in order[1:]):
        share = torch.sigmoid(score - log_total)  # exp(score) / (exp(score) + sum so far)
        context = context + share * (state - context)
        log_total = torch.logaddexp(log_total, score)
    return context


# %% correct: both sums from one product, a column of ones beside the states

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = torch.exp(scores - scores.detach().max())
    with_ones = F.pad(states, (0, 1), value=1.0)  # (S, d + 1)
    summed = torch.tensordot(exponentials, with_ones, dims=1)
    return summed[:-1] / summed[-1]

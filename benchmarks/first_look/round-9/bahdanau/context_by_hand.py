# %% wrong: weights rounded as in the table
# Rounds each weight to three digits, as the table prints them; the weights then no longer sum to one.
# Shows with many states or large ones: 3,000 equal scores give weights of 0 and a zero context.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = [math.exp(score - scores.max().item()) for score in scores.tolist()]
    total = sum(exponentials)
    weights = [round(e / total, 3) for e in exponentials]
    return sum(weight * state for weight, state in zip(weights, states, strict=True))

# %% wrong: divided by the sum so far
# Sum and context are made in the same loop, so each exponential is divided by the sum up to its own place.
# Shows for two states or more: the first always gets the weight 1.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    total = 0.0
    context = torch.zeros_like(states[0])
    for score, state in zip(scores, states, strict=True):
        exponential = torch.exp(score - scores.max())
        total = total + exponential
        context = context + exponential / total * state
    return context

# %% wrong: the maximum subtracted above and not below
# The largest score is taken off in the numerator only: all weights are too small by the same factor exp(max).
# Shows wherever the largest score is not 0; with three scores of 7 the context is a thousandth of what it should be.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    top = scores.max()
    total = sum(torch.exp(score) for score in scores)
    context = torch.zeros_like(states[0])
    for j in range(len(scores)):
        context = context + torch.exp(scores[j] - top) / total * states[j]
    return context

# %% wrong: the states weighted where they lie
# states *= weights writes the products into the caller's states; the next query meets other states.
# Shows at the second call with the same states: another context than the first time.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = (scores - scores.max()).exp()
    weights = exponentials / exponentials.sum()
    states *= weights.unsqueeze(1)
    return states.sum(dim=0)

# %% correct: a mean that moves towards each new state

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    context, log_total = states[0], scores[0]
    for score, state in zip(scores[1:], states[1:], strict=True):
        log_total = torch.logaddexp(log_total, score)
        context = context + torch.exp(score - log_total) * (state - context)
    return context.clone()

# %% correct: each score against all the others

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    S, d = states.shape
    weights = []
    for j in range(S):
        # 1 over the sum of exp(e_k - e_j), in logarithms, so that nothing overflows
        weights.append(torch.exp(-torch.logsumexp(scores - scores[j], dim=0)))
    columns = [sum(weights[j] * states[j, i] for j in range(S)) for i in range(d)]
    return torch.stack(columns)

# %% wrong: weight divided by the running total
# The sum of the exponentials is still being added up when each weight is divided by it, so that
# only the last state is divided by all S of them.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    total = 0.0
    context = torch.zeros_like(states[0])
    for score, state in zip(scores, states):
        total = total + torch.exp(score)
        context = context + torch.exp(score) / total * state
    return context


# %% wrong: weights rounded as in the printed table
# The weights are rounded to three places like the table, so the context is only near the right one (and has no gradient).

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = torch.exp(scores - scores.max())
    weights = torch.round(exponentials / exponentials.sum() * 1000) / 1000
    context = 0
    for weight, state in zip(weights, states):
        context = context + weight * state
    return context


# %% wrong: written for two numbers a state
# The two columns of the example are written out by hand; a state of any other width gives a context of width two.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    weights = torch.softmax(scores, dim=0)
    first, second = 0.0, 0.0
    for j in range(len(states)):
        first = first + weights[j] * states[j, 0]
        second = second + weights[j] * states[j, 1]
    return torch.stack([first, second])


# %% wrong: mean of the weighted states
# The weights already sum to one; taking the mean of the products divides by S once more.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    weights = scores.exp() / scores.exp().sum()
    blended = weights.unsqueeze(1) * states
    return blended.mean(dim=0)


# %% wrong: count of positions starts at one
# enumerate starts at 1 as j does in the table, so each weight meets the next state and the last wraps to the first.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    S = len(states)
    exps = [torch.exp(e - scores.max()) for e in scores]
    total = sum(exps)
    context = torch.zeros_like(states[0])
    for j, e in enumerate(exps, start=1):
        context = context + e / total * states[j % S]
    return context


# %% correct: by the logarithm of the sum

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    log_weights = scores - scores.logsumexp(dim=0)
    return torch.einsum("s,sd->d", log_weights.exp(), states)


# %% correct: one pass with a running maximum

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    top, total, context = scores[0], torch.ones_like(scores[0]), states[0]
    for e, h in zip(scores[1:], states[1:]):
        higher = torch.maximum(top, e)
        old, new = torch.exp(top - higher), torch.exp(e - higher)
        total = total * old + new
        context = context * old + h * new
        top = higher
    return context / total

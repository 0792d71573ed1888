# %% wrong: divides by the sum so far
# One loop does both: each weight is divided by the total of the exponentials met so far, not of all S.
# Any input with S >= 2: the first state gets weight 1.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    total = 0.0
    context = [0.0] * states.shape[1]
    for score, state in zip(scores.tolist(), states.tolist(), strict=True):
        total += math.exp(score)
        for i, number in enumerate(state):
            context[i] += math.exp(score) / total * number
    return torch.tensor(context)


# %% wrong: the context made like the scores
# The accumulator has S numbers instead of d: wrong shape (or an IndexError) wherever S differs from d.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = [math.exp(score) for score in scores.tolist()]
    total = sum(exponentials)
    context = torch.zeros_like(scores, dtype=torch.float32)
    for exponential, state in zip(exponentials, states.tolist(), strict=True):
        for i in range(len(state)):
            context[i] += exponential / total * state[i]
    return context


# %% wrong: scales the states where they lie
# The last column of the table is written into `states`: the argument is changed, and a second call gives another result.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = scores.detach().exp()
    weights = exponentials / exponentials.sum()
    rows = states.detach()
    for j in range(len(weights)):
        rows[j] *= weights[j]
    return rows.sum(dim=0).float()


# %% wrong: the sum is kept from being small
# Divides by at least 1, "so that nothing explodes". Weights no longer sum to one where all scores are negative, e.g. -50 for all.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = [math.exp(score) for score in scores.tolist()]
    total = max(sum(exponentials), 1.0)
    context = torch.zeros(states.shape[1])
    for exponential, state in zip(exponentials, states, strict=True):
        context = context + exponential / total * state.detach().float()
    return context


# %% correct: a mean that moves toward each new state

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    total = 0.0
    context = [0.0] * states.shape[1]
    for score, state in zip(scores.tolist(), states.tolist(), strict=True):
        exponential = math.exp(score)
        total += exponential
        context = [c + (h - c) * (exponential / total) for c, h in zip(context, state, strict=True)]
    return torch.tensor(context, dtype=torch.float32)


# %% correct: every weight as one over a sum of differences

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    scores = scores.tolist()
    weights = [1 / math.fsum(math.exp(other - own) for other in scores) for own in scores]
    columns = zip(*states.tolist(), strict=True)
    sums = [math.fsum(w * h for w, h in zip(weights, column, strict=True)) for column in columns]
    return torch.tensor(sums, dtype=torch.float32)

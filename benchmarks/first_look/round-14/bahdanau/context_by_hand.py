# %% wrong: scores as shares
# Divides each score by the sum of the scores and leaves the exponential out. Shows for any scores; those of the example
# are negative in part, and so are their weights.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    total = sum(scores.tolist())
    context = torch.zeros(states.shape[1])
    for score, state in zip(scores.tolist(), states, strict=True):
        context += score / total * state
    return context


# %% wrong: two numbers for every state
# Adds up the two columns of the example one by one. Shows for every other width: with d = 3 a number is missing, with d
# = 1 there is an IndexError.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = [math.exp(score) for score in scores.tolist()]
    total = sum(exponentials)
    first = second = 0.0
    for e, state in zip(exponentials, states, strict=True):
        first += e / total * state[0].item()
        second += e / total * state[1].item()
    return torch.tensor([first, second])


# %% wrong: the sum so far
# Adds up the exponentials in the same loop in which it divides by their sum, so the early states are divided by too
# little. Shows for any S above 1: the first state always has the weight 1.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    total, context = 0.0, torch.zeros(states.shape[1])
    for score, state in zip(scores, states, strict=True):
        exponential = math.exp(score)
        total += exponential
        context = context + exponential / total * state
    return context


# %% wrong: begins in the first state itself
# Takes states[0] for the sum to begin with and changes it in place: it is a view of the caller's tensor. What comes
# back is right, but the first row of states is the context afterwards.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = scores.exp()
    weights = exponentials / exponentials.sum()
    context = states[0]
    context *= weights[0]
    for j in range(1, len(states)):
        context += weights[j] * states[j]
    return context


# %% correct: a mean that moves towards each state

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    total, context = 0.0, [0.0] * states.shape[1]
    for score, state in zip(scores.tolist(), states.tolist(), strict=True):
        exponential = math.exp(score)
        total += exponential
        context = [c + exponential / total * (h - c) for c, h in zip(context, state, strict=True)]
    return torch.tensor(context, dtype=torch.float32, device=states.device)


# %% correct: each weight from differences of scores

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    differences = scores.double().unsqueeze(0) - scores.double().unsqueeze(1)  # [j, i]: e_i - e_j
    weights = 1 / differences.exp().sum(dim=1)  # 1 / sum_i exp(e_i - e_j)
    columns = [math.fsum((weights * column).tolist()) for column in states.double().unbind(dim=1)]
    return torch.tensor(columns, dtype=torch.float32, device=states.device)

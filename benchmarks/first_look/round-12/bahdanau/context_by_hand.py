# %% wrong: shares without the exponential
# Each score is divided by the sum of the scores: the step with exp is forgotten.
# Shows for nearly all scores (negative ones give negative weights), not where all are equal and none is 0.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    weights = scores / scores.sum()
    return (weights.unsqueeze(1) * states).sum(dim=0).float()

# %% wrong: divided by the sum so far
# One loop does it all, so each exponential is divided by the sum of those up to it and not of all S.
# Shows for every S above 1: the weights sum to more than one.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    total = 0.0
    context = torch.zeros(states.shape[1])
    for score, state in zip(scores, states, strict=True):
        e = math.exp(score.item())
        total += e
        context += e / total * state
    return context

# %% wrong: two numbers, as in the example
# The context is collected in two plain numbers, since the states of the example have two.
# Shows for every width other than 2.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = [math.exp(score) for score in scores.tolist()]
    total = sum(exponentials)
    first, second = 0.0, 0.0
    for e, state in zip(exponentials, states.tolist(), strict=True):
        first += e / total * state[0]
        second += e / total * state[1]
    return torch.tensor([first, second])

# %% wrong: a context with an axis too many
# The weights are made a row for the product, and the row stays: (1, d). allclose stretches it, and so does not see it.
# Shows in the shape for every input.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = scores.double().exp().unsqueeze(0)  # (1, S)
    weights = exponentials / exponentials.sum(dim=1, keepdim=True)
    return (weights @ states.double()).float()

# %% correct: one number at a time with Python's floats

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    powers = list(map(math.exp, scores.tolist()))
    whole = math.fsum(powers)
    shares = [power / whole for power in powers]
    columns = zip(*states.tolist(), strict=True)  # d columns of S numbers each
    blended = [math.fsum(share * number for share, number in zip(shares, column, strict=True)) for column in columns]
    return torch.tensor(blended, dtype=torch.float32, device=states.device)

# %% correct: a blend that is drawn towards each new state

# Keeps a context of the states so far and moves it towards the next by that state's share of the sum so far.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    context, total = states[0].double(), math.exp(scores[0].item())
    for score, state in zip(scores[1:].tolist(), states[1:].double(), strict=True):
        e = math.exp(score)
        total += e
        context = context + e / total * (state - context)
    return context.to(torch.float32)

# %% wrong: weights and states multiplied without an axis
# weights (S,) times states (S, d) multiplies columns, not rows: it raises where S and d differ, gives nonsense where they
# are equal, and for d = 1 gives (S,) where (1,) is promised.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = torch.exp(scores)
    weights = exponentials / exponentials.sum()
    return (weights * states).sum(dim=0)


# %% wrong: a little something against division by zero
# 1e-8 is added to the sum of the exponentials. Scores go down to -50, where the sum itself is about 1e-22: the weights
# then no longer add up to one and the context is nearly zero. Shows where all scores are below about -10.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = [torch.exp(score) for score in scores]
    total = sum(exponentials) + 1e-8
    context = torch.zeros_like(states[0])
    for exponential, state in zip(exponentials, states, strict=True):
        context = context + exponential / total * state
    return context


# %% wrong: added up inside the first state
# context = states[0] is no copy: the products are written into the caller's states, whose first row is the context
# afterwards. The result is right; shows in `states` after the call, and on the second call.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = torch.exp(scores)
    weights = exponentials / exponentials.sum()
    context = states[0]
    context *= weights[0]
    for j in range(1, len(states)):
        context += weights[j] * states[j]
    return context


# %% wrong: divided by the sum so far
# Sum and context grow in the same loop, so each state is divided by the sum of the exponentials up to its own, not by
# that of all S. Shows for S above 1; the first state always has the weight 1.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    total, context = 0.0, torch.zeros(states.shape[1], dtype=states.dtype, device=states.device)
    for score, state in zip(scores, states, strict=True):
        exponential = torch.exp(score)
        total = total + exponential
        context = context + exponential / total * state
    return context


# %% correct: plain numbers and exact sums

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = [math.exp(score) for score in scores.tolist()]
    total = math.fsum(exponentials)
    columns = states.detach().T.tolist()  # d lists of S numbers
    blended = [math.fsum(e * number for e, number in zip(exponentials, column, strict=True)) for column in columns]
    return torch.tensor([number / total for number in blended], dtype=states.dtype, device=states.device)


# %% correct: a running mean that moves towards each state

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    weight_so_far = scores[0].exp()
    mean = states[0].clone()
    for score, state in zip(scores[1:], states[1:], strict=True):
        weight_so_far = weight_so_far + score.exp()
        share = score.exp() / weight_so_far  # between 0 and 1
        mean = (1 - share) * mean + share * state
    return mean

# %% wrong: not divided by the sum
# The exponentials are used as weights and never divided by their sum: the weights do not sum to one, as equation 6 asks.
# Hint: what do your weights add up to?

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    context = torch.zeros_like(states[0])
    for score, state in zip(scores, states):
        context = context + torch.exp(score) * state
    return context


# %% wrong: summed over the features
# The products are summed over the width and not over the positions, so S numbers come back in place of d.
# Hint: which axis has to be gone at the end, S or d?

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = torch.exp(scores)
    weights = exponentials / exponentials.sum()
    return (weights.unsqueeze(1) * states).sum(dim=1)


# %% wrong: shares of the scores themselves
# The scores are divided by their own sum without the exponential: weights can be negative, or 0/0 where the scores sum to zero.
# Hint: look at the fifth column of the table; what becomes of a score of -2.42?

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    weights = scores / scores.sum()
    return sum(weight * state for weight, state in zip(weights, states))


# %% wrong: states weighted in place
# The caller's states are multiplied in place, so the second call (c_2 in the next cell) works with spoiled states.
# Hint: print the states after your function has been called once.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    weights = torch.softmax(scores, dim=0)
    for j in range(len(scores)):
        states[j] *= weights[j]
    return states.sum(dim=0)


# %% correct: two running sums in one loop

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    above = below = 0.0
    for e, h in zip(scores.unbind(), states.unbind(), strict=True):
        share = e.exp()
        above = above + share * h
        below = below + share
    return above / below

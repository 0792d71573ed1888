# %% wrong: divides by the sum so far
# The sum of the exponentials is still growing while the weights are made: each state is divided by the sum up to
# itself, so that the first one always has the weight 1.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    """One context vector, as equations 5 and 6 of Bahdanau et al. (2015) read."""
    total = 0
    context = torch.zeros_like(states[0])
    for e, h in zip(scores, states):
        exponential = torch.exp(e)
        total = total + exponential
        alpha = exponential / total
        context = context + alpha * h
    return context


# %% wrong: exponentials in a dictionary by score
# Two positions with the same score share one entry of the dictionary, so that their exponential is counted once in
# the sum. Right only where all scores differ, as in the table.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    """One context vector, as equations 5 and 6 of Bahdanau et al. (2015) read."""
    exponentials = {e.item(): torch.exp(e) for e in scores}
    total = sum(exponentials.values())
    context = 0
    for e, h in zip(scores, states):
        context = context + exponentials[e.item()] / total * h
    return context


# %% wrong: squeeze takes away too much
# squeeze() also removes the axis of width one: states (S, 1) give a number instead of a vector (1,), and one single
# state (1, d) makes the product fail.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    """One context vector, as equations 5 and 6 of Bahdanau et al. (2015) read."""
    exponentials = scores.exp()
    alpha = exponentials / exponentials.sum()
    return alpha @ states.squeeze()


# %% wrong: made for states of two numbers
# Only the first two numbers of each state are summed, as in the table of the notebook; wider states are cut off.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    """One context vector, as equations 5 and 6 of Bahdanau et al. (2015) read."""
    alphas = [torch.exp(e) for e in scores]
    total = sum(alphas)
    first = 0.0
    second = 0.0
    for a, h in zip(alphas, states):
        first = first + a / total * h[0]
        second = second + a / total * h[1]
    return torch.stack([first, second])


# %% wrong: the largest score is taken off only above the line
# The trick against overflow is applied to the numerator alone, so that the weights do not sum to one.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    """One context vector, as equations 5 and 6 of Bahdanau et al. (2015) read."""
    stable = scores - scores.max()
    denominator = torch.exp(scores).sum()
    context = torch.zeros_like(states[0])
    for j in range(len(scores)):
        context = context + torch.exp(stable[j]) / denominator * states[j]
    return context


# %% correct: recursion that merges two halves

def _blend(scores, states):
    """The log of the sum of exponentials and the context of a piece of the sequence."""
    if len(scores) == 1:
        return scores[0], states[0]
    middle = len(scores) // 2
    left_log, left = _blend(scores[:middle], states[:middle])
    right_log, right = _blend(scores[middle:], states[middle:])
    both = torch.logaddexp(left_log, right_log)
    return both, torch.exp(left_log - both) * left + torch.exp(right_log - both) * right


def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    """One context vector, as equations 5 and 6 of Bahdanau et al. (2015) read."""
    return _blend(scores, states)[1]


# %% correct: logsumexp and a matrix product

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    """One context vector, as equations 5 and 6 of Bahdanau et al. (2015) read."""
    log_alpha = scores - torch.logsumexp(scores, dim=0)
    return torch.matmul(states.T, log_alpha.exp())

# %% wrong: divided by the total so far
# The exponentials are summed in the same loop that uses the sum, so that all states but the last are divided by a sum that is
# too small. Shows for any two or more scores, as the table's five.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    total = 0.0
    context = torch.zeros(states.shape[1])
    for score, state in zip(scores.tolist(), states, strict=True):
        exponential = math.exp(score)
        total += exponential
        context = context + exponential / total * state
    return context

# %% wrong: shifted by the first score
# "A softmax does not change under a shift", but the shift is by the first score instead of the largest one. With the scores
# (-50, 50) exp(100) is infinite in float32, and the context NaN.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = torch.exp(scores - scores[0])
    weights = exponentials / exponentials.sum()
    return (weights.unsqueeze(1) * states).sum(dim=0)

# %% wrong: added up in the first state
# context is the first row of states itself, so that *= and += write into the argument. The result is right; afterwards
# states[0] is the context, and a second call with the same tensors gives another result.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    weights = torch.exp(scores) / torch.exp(scores).sum()
    context = states[0]
    context *= weights[0]
    for j in range(1, len(states)):
        context += weights[j] * states[j]
    return context

# %% wrong: squeezed once too often
# squeeze() without an axis also drops the axis of the states' width. For states (S, 1) the result has the shape () and not (1,).

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = scores.exp()
    weights = (exponentials / exponentials.sum()).view(1, -1)
    return (weights @ states).squeeze()

# %% correct: one pass, with a running mean
# The context of the states so far is moved toward each new state by that state's share of the total so far.
def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    total = 0.0
    context = [0.0] * states.shape[1]
    for score, state in zip(scores.tolist(), states.tolist(), strict=True):
        exponential = math.exp(score)
        total += exponential
        share = exponential / total
        context = [mean + share * (number - mean) for mean, number in zip(context, state, strict=True)]
    return torch.tensor(context, dtype=torch.float32, device=states.device)

# %% correct: each weight as one over a sum of ratios
# exp(e_j) / sum_i exp(e_i) is 1 / sum_i exp(e_i - e_j): one column for each j, in float64.
def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    e = scores.double()
    weights = 1 / (e.unsqueeze(1) - e.unsqueeze(0)).exp().sum(dim=0)
    columns = [torch.dot(weights, column.double()) for column in states.unbind(dim=1)]
    return torch.stack(columns).float()

# %% wrong: the largest score is subtracted above the line only
# The exponentials of the weights are shifted by the largest score, those of the sum are not. Shows wherever the
# largest score is not 0: for scores (2, 2) the two weights are 0.07 each, for (-50, -50) the context explodes.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    largest = max(scores.tolist())
    total = sum(math.exp(score) for score in scores.tolist())
    context = torch.zeros(states.shape[1], device=states.device)
    for score, state in zip(scores.tolist(), states):
        weight = math.exp(score - largest) / total
        context = context + weight * state
    return context


# %% wrong: a safe division
# 1e-12 is added to the sum against a division by zero, which the text forbids: with all scores near -50 the sum is
# some 1e-21, and the context comes out as zero.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = torch.exp(scores)
    weights = exponentials / (exponentials.sum() + 1e-12)
    return (weights.unsqueeze(1) * states).sum(dim=0)


# %% wrong: a context with a batch axis
# The row vector of weights times the matrix of states is (1, d) and stays so; (d,) is promised. Shows for every input.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = scores.exp()
    weights = exponentials / exponentials.sum()
    return weights.unsqueeze(0) @ states


# %% wrong: the states are weighed where they lie
# Each state is multiplied by its weight in place, as in the table's last column: the context is right, but the
# caller's states are changed, and a second call gives another result. Shows with two states or more.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = [math.exp(score) for score in scores.tolist()]
    total = sum(exponentials)
    for j in range(len(exponentials)):
        states[j] *= exponentials[j] / total
    return states.sum(dim=0)


# %% correct: each weight as one over a sum of differences

# exp(e_j) / sum_i exp(e_i) = 1 / sum_i exp(e_i - e_j), in Python's numbers.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    numbers = scores.tolist()
    weights = [1 / math.fsum(math.exp(other - one) for other in numbers) for one in numbers]
    columns = zip(*states.tolist(), strict=True)
    context = [math.fsum(w * x for w, x in zip(weights, column, strict=True)) for column in columns]
    return torch.tensor(context, dtype=torch.float32, device=states.device)


# %% correct: a running mean over the states

# One pass: each state pulls the mean towards itself by its share of the weight so far.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    so_far = 0.0
    context = [0.0] * states.shape[1]
    for score, state in zip(scores.tolist(), states.tolist(), strict=True):
        weight = math.exp(score)
        so_far += weight
        context = [c + (x - c) * (weight / so_far) for c, x in zip(context, state, strict=True)]
    return torch.tensor(context, dtype=torch.float32, device=states.device)

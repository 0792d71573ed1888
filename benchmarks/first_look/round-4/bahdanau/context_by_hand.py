# %% wrong: the scores are divided by their sum without exponentials
# The weights are the scores themselves over their sum. Negative scores give negative weights, and a sum near zero blows everything up.
# Hint: look at the column of the table between score and weight: what is done to 3.07 to get 21.54?

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    total = scores.sum()
    context = torch.zeros_like(states[0])
    for score, state in zip(scores, states):
        context = context + score / total * state
    return context


# %% wrong: the denominator is still growing while it is used
# The sum of the exponentials is gathered in the same loop as the blend, so each weight is divided by what was summed up to there. The first state always gets weight one.
# Hint: work out the weight of the first state for two equal scores: which sum does it need, and when is that sum known?

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    context = torch.zeros(states.shape[1], dtype=states.dtype)
    total = 0.0
    for j in range(len(scores)):
        e = torch.exp(scores[j])
        total = total + e
        context = context + (e / total) * states[j]
    return context


# %% wrong: the weighted states are averaged instead of summed
# The weights are right, but their products with the states are averaged over the positions, so that the context is too short by the factor S.
# Hint: the weights sum to one already; what does another division by S do to five equal states?

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    weights = torch.exp(scores) / torch.exp(scores).sum()
    return (weights.unsqueeze(1) * states).mean(dim=0)


# %% wrong: the context has the width two of the example
# The sum starts from a vector of two zeros, as in the worked example. States of any other width do not fit, and states of width one give a context of width two.
# Hint: from what can you read how wide the context has to be?

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = torch.exp(scores)
    weights = exponentials / exponentials.sum()
    context = torch.zeros(2)
    for j in range(len(states)):
        context = context + weights[j] * states[j]
    return context


# %% correct: numerator and denominator summed side by side and divided once

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    top = max(scores.detach())
    numerator = torch.zeros_like(states[0])
    denominator = torch.zeros_like(scores[0])
    for e, h in zip((scores - top).exp().unbind(), states.unbind(), strict=True):
        numerator = numerator + e * h
        denominator = denominator + e
    return numerator / denominator


# %% correct: weights through the logarithm and a product of vector and matrix

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    log_weights = scores - torch.logsumexp(scores, dim=0)
    return torch.einsum("s,sd->d", log_weights.exp(), states)

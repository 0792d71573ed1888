# %% wrong: a running total
# Divides each exponential by the sum so far, not by the sum of all S. Shows for any S of 2 or more
# (the first state gets the weight 1, the weights sum to more than one).

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    total = 0.0
    context = [0.0] * states.shape[1]
    for j in range(len(scores)):
        exponential = math.exp(scores[j].item())
        total += exponential
        weight = exponential / total
        for i in range(states.shape[1]):
            context[i] += weight * states[j, i].item()
    return torch.tensor(context, device=states.device)

# %% wrong: looks the position up by its score
# list.index finds the first of two equal scores, so both get the first one's state. Shows where two
# positions have the same score, such as scores (7, 7, 7) with the values 2, 4, 9.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    numbers = scores.tolist()
    total = sum(math.exp(e) for e in numbers)
    context = torch.zeros(states.shape[1], device=states.device)
    for e in numbers:
        j = numbers.index(e)
        context = context + math.exp(e) / total * states[j]
    return context

# %% wrong: adds up in the caller's first row
# context is a view of states[0]: the result is right, but the caller's states are changed. Shows for
# any input when states is looked at afterwards (or the function is called twice).

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = [math.exp(e) for e in scores.tolist()]
    weights = [e / sum(exponentials) for e in exponentials]
    context = states[0]
    context *= weights[0]
    for weight, state in zip(weights[1:], states[1:], strict=True):
        context += weight * state
    return context

# %% wrong: comes back in double precision
# Adds up in float64 for accuracy and returns that: the text asks for a float32 tensor. Shows for any input.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = scores.double().exp()
    weights = exponentials / exponentials.sum()
    context = torch.zeros(states.shape[1], dtype=torch.float64, device=states.device)
    for weight, state in zip(weights, states.double(), strict=True):
        context += weight * state
    return context

# %% correct: one pass, rescaled whenever a larger score comes

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    highest, total = -math.inf, 0.0
    context = [0.0] * states.shape[1]
    for score, state in zip(scores.tolist(), states.tolist(), strict=True):
        new_highest = max(highest, score)
        shrink = math.exp(highest - new_highest)
        share = math.exp(score - new_highest)
        total = total * shrink + share
        context = [c * shrink + share * h for c, h in zip(context, state, strict=True)]
        highest = new_highest
    return torch.tensor([c / total for c in context], dtype=torch.float32, device=states.device)

# %% correct: a column of ones carries the denominator

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    wide = F.pad(states.detach().double(), (0, 1), value=1.0)
    sums = torch.mv(wide.t(), scores.detach().double().exp())
    return (sums[:-1] / sums[-1]).to(torch.float32)

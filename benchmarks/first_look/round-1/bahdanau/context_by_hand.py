# %% wrong: numbers taken out of the tensors
# math.exp(scores[j]) makes plain Python numbers of the scores: the context is right, but no gradient flows to the scores. A good message: "no gradient reaches scores: torch.exp keeps the record, math.exp and item() cut it".

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = [math.exp(score) for score in scores]
    total = sum(exponentials)
    context = torch.zeros_like(states[0])
    for e, state in zip(exponentials, states, strict=True):
        context = context + e / total * state
    return context

# %% wrong: divided by the sum so far
# The sum of exponentials is built in the same loop that uses it, so that each weight but the last is divided by too little. A good message: "the weights do not sum to one: the sum over all S first, then the weights".

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    total = 0
    context = 0
    for j in range(len(scores)):
        e = torch.exp(scores[j])
        total = total + e
        context = context + (e / total) * states[j]
    return context

# %% wrong: weights along the wrong axis
# (S,) times (S, d) lines the weights up with the columns: an error, or, where S equals d, silently each number of a state with another weight. A good message: "S = d: wrong numbers without an error; the weights need an axis behind them, (S, 1)".

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    e = scores.exp()
    weights = e / e.sum()
    return (weights * states).sum(dim=0)

# %% correct: a running weighted mean

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    context = torch.zeros_like(states[0])
    total = scores.new_full((), -math.inf)
    for score, state in zip(scores.unbind(), states.unbind(), strict=True):
        total = torch.logaddexp(total, score)
        context = context + (score - total).exp() * (state - context)
    return context

# %% correct: a dot product with softmax weights

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    return torch.mv(states.mT, F.softmax(scores, dim=-1))

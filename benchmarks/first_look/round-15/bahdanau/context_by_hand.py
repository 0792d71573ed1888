# %% wrong: each exponential is divided by the sum so far
# Sum and context grow in one loop, so only the last weight is divided by the whole sum. Right for S = 1; the weights sum to
# more than one for any S above.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    context = torch.zeros(states.shape[1])
    total = 0.0
    for score, state in zip(scores.tolist(), states.detach(), strict=True):
        total += math.exp(score)
        context = context + math.exp(score) / total * state
    return context


# %% wrong: the exponentials overwrite the scores
# exp_ works in place: the context is right, and the caller's scores are changed. A second call with them gives another one.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = scores.detach().exp_()
    return (exponentials / exponentials.sum()) @ states


# %% wrong: the states are reshaped where they should be transposed
# reshape(d, S) mixes the numbers of different states. It shows wherever S and d are both above 1.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    S, d = states.shape
    weights = scores.exp() / scores.exp().sum()
    return states.reshape(d, S) @ weights


# %% wrong: small weights are skipped
# Positions with less than a hundredth are left out, "as they do not matter". The weights of the rest sum to less than one,
# as for scores (0, -5, -5); and many small ones, such as 200 equal scores, leave nothing at all.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = [math.exp(score) for score in scores.tolist()]
    total = sum(exponentials)
    context = torch.zeros_like(states[0])
    for exponential, state in zip(exponentials, states, strict=True):
        weight = exponential / total
        if weight >= 0.01:
            context = context + weight * state
    return context


# %% correct: plain numbers, column by column

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = [math.exp(score) for score in scores.tolist()]
    total = math.fsum(exponentials)
    weights = [e / total for e in exponentials]
    columns = zip(*states.tolist(), strict=True)
    context = [math.fsum(w * x for w, x in zip(weights, column, strict=True)) for column in columns]
    return torch.tensor(context, dtype=torch.float32, device=states.device)


# %% correct: each weight from the differences to all scores

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exact = scores.detach().double()
    differences = exact.unsqueeze(0) - exact.unsqueeze(1)  # row j: every score minus score j
    weights = 1 / differences.exp().sum(dim=1)
    return torch.einsum("s,sd->d", weights, states.detach().double()).float()

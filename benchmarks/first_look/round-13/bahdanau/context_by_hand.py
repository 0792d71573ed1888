# %% wrong: something small added to the sum
# A guard against dividing by zero: where all scores are near -50 the sum is about 1e-22, far below 1e-9, and the
# context comes out as nearly zero.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = torch.exp(scores)
    weights = exponentials / (exponentials.sum() + 1e-9)
    return (weights.unsqueeze(1) * states).sum(dim=0)

# %% wrong: divided by the sum so far
# One loop instead of two: each exponential is divided by the sum up to its own position, not by the sum of all S.
# It shows for any two or more scores, as the first state always enters with weight 1.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    total = 0.0
    context = torch.zeros(states.shape[1])
    for score, state in zip(scores.tolist(), states, strict=True):
        exponential = math.exp(score)
        total += exponential
        context = context + exponential / total * state
    return context

# %% wrong: adds into the first state
# The running sum starts as the first row of states itself, a view, and is changed in place: the context is right,
# but the caller's states have another first row afterwards, and a second call gives another result.

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = [math.exp(score) for score in scores.tolist()]
    total = sum(exponentials)
    context = states[0]
    context *= exponentials[0] / total
    for exponential, state in zip(exponentials[1:], states[1:], strict=True):
        context += exponential / total * state
    return context

# %% wrong: states of two numbers
# Written for the table's states of width 2: for d = 1 it fails with an IndexError, for d > 2 the result is (2,).

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = [math.exp(score) for score in scores.tolist()]
    total = sum(exponentials)
    first, second = 0.0, 0.0
    for j in range(len(exponentials)):
        weight = exponentials[j] / total
        first += weight * states[j][0].item()
        second += weight * states[j][1].item()
    return torch.tensor([first, second])

# %% correct: exact sums in plain Python, column by column

def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    exponentials = [math.exp(score) for score in scores.tolist()]
    total = math.fsum(exponentials)
    columns = zip(*states.tolist(), strict=True)
    context = [
        math.fsum(e * number for e, number in zip(exponentials, column, strict=True)) / total
        for column in columns
    ]
    return torch.tensor(context, dtype=torch.float32)

# %% correct: two halves, merged by a sigmoid

def merged(scores: Tensor, states: Tensor) -> tuple[Tensor, Tensor]:
    """The logarithm of the sum of exponentials, and the context."""
    if len(scores) == 1:
        return scores[0], states[0]
    middle = len(scores) // 2
    left_size, left = merged(scores[:middle], states[:middle])
    right_size, right = merged(scores[middle:], states[middle:])
    share = torch.sigmoid(left_size - right_size)
    other = torch.sigmoid(right_size - left_size)
    return torch.logaddexp(left_size, right_size), share * left + other * right


def context_by_hand(scores: Tensor, states: Tensor) -> Tensor:
    return merged(scores.double(), states.double())[1].float()

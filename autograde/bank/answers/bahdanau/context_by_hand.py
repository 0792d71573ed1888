# %% wrong: the scores themselves are the weights
# The scores were divided by their sum without an exponential, so a negative score gives a negative weight. Take the
# exponential of each score first. See section 2.2.

# --- before
    exponentials = [torch.exp(score) for score in scores]
# --- after
    exponentials = [score for score in scores]

# %% wrong: the exponentials are not divided by their sum
# The weights do not sum to one, so the context grows with the sentence. Divide each exponential by the sum of all of
# them. See section 2.2.

# --- before
        context = context + exponential / total * state
# --- after
        context = context + exponential * state

# %% wrong: the plain mean of the states
# Every state counts the same whatever its score. Multiply each state by its own weight. See section 2.2.

# --- before
        context = context + exponential / total * state
# --- after
        context = context + state / len(scores)

# %% wrong: the weights multiply features instead of states
# The weights (S,) lie along the last axis of states (S, d), which is the features'. One weight belongs to one state:
# give the weights an axis of length one at the end.

def context_by_hand(scores, states):
    weights = torch.softmax(scores, dim=0)
    return (weights * states).sum(dim=0)

# %% wrong: the weighted states are not summed
# What came back are all the states, each times its weight, as in the table's last column. The context is their sum,
# one vector as wide as a state.

def context_by_hand(scores, states):
    return torch.softmax(scores, dim=0).unsqueeze(1) * states

# %% correct: torch.softmax and a matrix product
def context_by_hand(scores, states):
    return torch.softmax(scores, dim=0) @ states

# %% correct: plain floats
def context_by_hand(scores, states):
    exps = [2.718281828459045 ** s for s in scores.tolist()]
    total = sum(exps)
    columns = range(states.shape[1])
    return torch.tensor([sum(e / total * states[j, i].item() for j, e in enumerate(exps)) for i in columns])

# %% correct: the highest score taken away first
def context_by_hand(scores, states):
    e = torch.exp(scores - scores.max())
    return (e[:, None] * states).sum(0) / e.sum()

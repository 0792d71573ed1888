# %% wrong: means instead of sums
# cross_entropy takes the mean unless told otherwise, over B * T predictions in one pass and over B in a prefix. The
# docstring asks for sums, and only sums can be compared.

# --- before
        logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum"
# --- after
        logits.flatten(0, 1), tokens[:, 1:].flatten()
# --- before
        prefixes = prefixes + F.cross_entropy(last, tokens[:, t], reduction="sum")
# --- after
        prefixes = prefixes + F.cross_entropy(last, tokens[:, t])

# %% wrong: every prefix counts all its places
# Each prefix trained all of its places, so the first prediction counts T times. Of a prefix only the last row of
# logits is used: the rest was the business of shorter prefixes.

# --- before
        last = model(tokens[:, :t])[:, -1]  # (B, t, V) -> (B, V)
        prefixes = prefixes + F.cross_entropy(last, tokens[:, t], reduction="sum")
# --- after
        logits = model(tokens[:, :t])
        prefixes = prefixes + F.cross_entropy(
            logits.flatten(0, 1), tokens[:, 1 : t + 1].flatten(), reduction="sum"
        )

# %% wrong: the first prediction is left out
# The shortest prefix is missing: one token is context enough to predict the second. t goes from 1 to T.

# --- before
    for t in range(1, tokens.shape[1]):
# --- after
    for t in range(2, tokens.shape[1]):

# %% wrong: the prefixes are cut from one pass
# Nothing was computed a second time: the rows come from the one pass, so the two gradients are equal whatever the
# model does. Call the model on each prefix.

# --- before
        last = model(tokens[:, :t])[:, -1]  # (B, t, V) -> (B, V)
# --- after
        last = logits[:, t - 1]  # (B, t, V) -> (B, V)

# %% wrong: the prefix holds the token that is asked for
# The prefix goes one token too far: it holds the token that is to be predicted. The prefix for token t is the tokens 0
# to t - 1.

# --- before
        last = model(tokens[:, :t])[:, -1]  # (B, t, V) -> (B, V)
# --- after
        last = model(tokens[:, : t + 1])[:, -1]  # (B, t, V) -> (B, V)

# %% wrong: the targets of the one pass are not shifted
# In the one pass each place was asked for the token that went in there. Its target is the next one.

# --- before
        logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum"
# --- after
        logits.flatten(0, 1), tokens[:, :-1].flatten(), reduction="sum"

# %% wrong: the gradients are left in .grad, and add up
# backward adds to what stands in .grad, so the second list holds both gradients, and the model keeps them.
# torch.autograd.grad returns gradients and leaves .grad alone.

def prefixes_equal_one_pass(model, tokens):
    logits = model(tokens[:, :-1])
    F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum").backward()
    one_pass = [p.grad.clone() for p in model.parameters()]
    for t in range(1, tokens.shape[1]):
        F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t], reduction="sum").backward()
    return one_pass, [p.grad for p in model.parameters()]

# %% wrong: the two lists change places
# Both gradients are there, the wrong way round: the one pass comes first.

# --- before
    return (
# --- after
    one_pass, prefixes = prefixes, one_pass
    return (

# %% wrong: only the last prefix counts
# Only the longest prefix is left: each one replaced the one before. Add them up.

# --- before
        prefixes = prefixes + F.cross_entropy(last, tokens[:, t], reduction="sum")
# --- after
        prefixes = F.cross_entropy(last, tokens[:, t], reduction="sum")

# %% wrong: each prefix is its last token alone
# The model was given one token at a time, without those before it. A prefix begins at the beginning.

# --- before
        last = model(tokens[:, :t])[:, -1]  # (B, t, V) -> (B, V)
# --- after
        last = model(tokens[:, t - 1 : t])[:, -1]  # (B, t, V) -> (B, V)

# %% correct: a gradient for each prefix, added up
def prefixes_equal_one_pass(model, tokens):
    parameters = list(model.parameters())
    loss = F.cross_entropy(model(tokens[:, :-1]).transpose(1, 2), tokens[:, 1:], reduction="sum")
    one_pass = torch.autograd.grad(loss, parameters)
    total = [torch.zeros_like(p) for p in parameters]
    for t in range(1, tokens.shape[1]):
        loss = F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t], reduction="sum")
        total = [a + b for a, b in zip(total, torch.autograd.grad(loss, parameters))]
    return list(one_pass), total

# %% correct: backward on a copy of the model
def prefixes_equal_one_pass(model, tokens):
    import copy

    found = []
    for way in ("one", "many"):
        twin = copy.deepcopy(model)
        twin.zero_grad()
        for t in range(1, tokens.shape[1]) if way == "many" else [0]:
            if way == "one":
                logits, targets = twin(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten()
            else:
                logits, targets = twin(tokens[:, :t])[:, -1], tokens[:, t]
            F.cross_entropy(logits, targets, reduction="sum").backward()
        found.append([p.grad for p in twin.parameters()])
    return tuple(found)

# %% correct: the mean, times the number of predictions
def prefixes_equal_one_pass(model, tokens):
    weights = [*model.parameters()]
    B, T = tokens.shape[0], tokens.shape[1] - 1
    mean = F.cross_entropy(model(tokens[:, :T]).flatten(0, 1), tokens[:, 1:].flatten())
    many = [B * F.cross_entropy(model(tokens[:, :t])[:, t - 1], tokens[:, t]) for t in range(1, T + 1)]
    return list(torch.autograd.grad(mean * B * T, weights)), list(torch.autograd.grad(sum(many), weights))

# %% correct: log_softmax by hand
def prefixes_equal_one_pass(model, tokens):
    def surprise(logits, targets):
        return -logits.log_softmax(-1).gather(-1, targets.unsqueeze(-1)).sum()

    p = list(model.parameters())
    a = torch.autograd.grad(surprise(model(tokens[:, :-1]), tokens[:, 1:]), p)
    losses = [surprise(model(tokens[:, :t])[:, -1], tokens[:, t]) for t in range(1, tokens.size(1))]
    b = torch.autograd.grad(torch.stack(losses).sum(), p)
    return [*a], [*b]

# %% correct: one sentence at a time
def prefixes_equal_one_pass(model, tokens):
    p = list(model.parameters())
    one, many = 0.0, 0.0
    for row in tokens:
        one = one + F.cross_entropy(model(row[None, :-1])[0], row[1:], reduction="sum")
        for t in range(1, len(row)):
            many = many + F.cross_entropy(model(row[None, :t])[0, -1:], row[t : t + 1], reduction="sum")
    return list(torch.autograd.grad(one, p)), list(torch.autograd.grad(many, p))

# %% wrong: gradients never cleared
# backward adds to the gradients that are there, and nothing cleared the old ones. Clear them in every step. (Without
# its parentheses `optimizer.zero_grad` does nothing.) See section 0.6.

# --- before
    optimizer.zero_grad()
# --- after

# %% wrong: gradients cleared before the step
# The gradients were cleared between backward and step, so the optimizer found none and nothing moved. Clear before
# backward. See section 0.7.

# --- before
    optimizer.zero_grad()
# --- after
# --- before
    loss.backward()
# --- after
    loss.backward()
    optimizer.zero_grad()

# %% wrong: gradients cleared only afterwards
# Clearing at the end works for this function's own steps, but what somebody else left behind still counts in the first
# one. Clear before backward. See section 0.7.

# --- before
    optimizer.zero_grad()
# --- after
# --- before
    optimizer.step()
# --- after
    optimizer.step()
    optimizer.zero_grad()

# %% wrong: the step before backward
# The optimizer moved before this batch's gradients existed. backward comes first. See section 0.7.

# --- before
    loss.backward()
    optimizer.step()
# --- after
    optimizer.step()
    loss.backward()

# %% wrong: no backward
# Nothing computed gradients, so the optimizer had none to follow: backward is missing, or lacks its parentheses. See
# section 0.7.

# --- before
    loss.backward()
# --- after

# %% wrong: no step
# The gradients were computed, but the optimizer never took a step: `step()` is missing, or lacks its parentheses. See
# section 0.7.

# --- before
    optimizer.step()
# --- after

# %% wrong: the loss after the step
# The loss was computed once more after the parameters had moved. The one from before the step is asked for, and it is
# already there. See section 0.7.

# --- before
    return loss.item()
# --- after
    return F.cross_entropy(model(inputs), targets).item()

# %% wrong: softmax before cross-entropy
# cross_entropy takes logits and does the softmax itself. With a softmax before it the loss can never come near zero.
# Pass the logits as they are. See section 0.7.

# --- before
    loss = F.cross_entropy(model(inputs), targets)
# --- after
    loss = F.cross_entropy(torch.softmax(model(inputs), dim=-1), targets)

# %% wrong: the sum over the batch
# The loss is as many times too large as there are examples: they were summed. Take the mean, so that the step does not
# grow with the batch. See section 0.7.

# --- before
    loss = F.cross_entropy(model(inputs), targets)
# --- after
    loss = F.cross_entropy(model(inputs), targets, reduction="sum")

# %% wrong: the loss as a tensor
# The loss came back as a tensor, and with it the whole graph it was computed by: a list of such losses keeps every
# step's graph in memory. Return the plain number. See section 0.7.

# --- before
    return loss.item()
# --- after
    return loss

# %% wrong: no record of the forward pass
# The loss came with no record of how it was made, because of no_grad or detach, so there is nothing for backward to
# walk along. See section 0.6.

# --- before
    loss = F.cross_entropy(model(inputs), targets)
# --- after
    with torch.no_grad():
        loss = F.cross_entropy(model(inputs), targets)

# %% wrong: the logarithm of a softmax
# The formula is right, but a probability too small for float32 became 0, and its logarithm is minus infinity. Let
# cross_entropy, or log_softmax, do both in one go. See section 0.4.

# --- before
    loss = F.cross_entropy(model(inputs), targets)
# --- after
    loss = -torch.softmax(model(inputs), -1)[torch.arange(len(targets)), targets].log().mean()

# %% correct: cleared through the model
# --- before
    optimizer.zero_grad()
# --- after
    model.zero_grad()

# %% correct: cleared just before backward
# --- before
    optimizer.zero_grad()
    loss = F.cross_entropy(model(inputs), targets)
# --- after
    loss = F.cross_entropy(model(inputs), targets)
    optimizer.zero_grad()

# %% correct: cross-entropy by hand
# --- before
    loss = F.cross_entropy(model(inputs), targets)
# --- after
    loss = -model(inputs).log_softmax(-1)[torch.arange(len(targets)), targets].mean()

# %% correct: log-sum-exp minus the right logit
def train_step_cpu(model, optimizer, inputs, targets):
    def closure():
        optimizer.zero_grad(set_to_none=False)
        logits = model(inputs)
        right = logits.gather(1, targets[:, None]).squeeze(1)
        loss = (logits.logsumexp(dim=1) - right).mean()
        loss.backward()
        return loss
    return optimizer.step(closure).item()

# %% correct: autograd.grad
def train_step_cpu(model, optimizer, inputs, targets):
    parameters = list(model.parameters())
    criterion = nn.CrossEntropyLoss()
    loss = criterion(model(inputs), targets)
    for parameter, gradient in zip(parameters, torch.autograd.grad(loss, parameters)):
        parameter.grad = gradient
    optimizer.step()
    return float(loss.detach())

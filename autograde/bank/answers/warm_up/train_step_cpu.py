# %% wrong: gradients never cleared
# backward adds to the gradients that are there, and nothing took the old ones away (a name without parentheses does
# nothing). Clear them in every step. See section 0.6.

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

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    """One step of training on one batch.

    model(inputs) gives logits (B, V); targets (B,) holds the right class of each, int64. The
    loss is their cross-entropy in nats, the mean over the batch. The optimizer takes one step
    down this loss's gradient: gradients left in the parameters from before do not count.
    Returns the loss as it was before the step, as a Python float.
    """
    optimizer.zero_grad()
    loss = F.cross_entropy(model(inputs), targets)
    optimizer.step()
    loss.backward()
    return loss.item()

# %% wrong: no backward
# Nothing computed gradients, so the optimizer had none to follow: backward is missing, or stands there without its
# parentheses. See section 0.7.

# --- before
    loss.backward()
# --- after

# %% wrong: no step
# The gradients were computed, but the optimizer that was handed in was never asked to step (a name without parentheses
# asks nothing). See section 0.7.

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
# Hand the logits over as they are. See section 0.7.

# --- before
    loss = F.cross_entropy(model(inputs), targets)
# --- after
    loss = F.cross_entropy(torch.softmax(model(inputs), dim=-1), targets)

# %% wrong: logits taken for logarithms
# nll_loss expects logarithms of probabilities and got logits, so the loss has no floor and can be negative. Use the
# loss that does the softmax itself. See section 0.7.

# --- before
    loss = F.cross_entropy(model(inputs), targets)
# --- after
    loss = F.nll_loss(model(inputs), targets)

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

# %% wrong: up the gradient
# The loss goes up: the gradient was taken of its negative. An optimizer already walks downhill. See section 0.7.

# --- before
    loss.backward()
# --- after
    (-loss).backward()

# %% wrong: the loss in bits
# The loss is 1.44 times too large: it was turned into bits. Nats are asked for, as cross_entropy gives them. See
# section 0.7.

# --- before
    return loss.item()
# --- after
    return loss.item() / 0.6931471805599453

# %% wrong: the arguments of the loss swapped
# cross_entropy takes the logits first and the targets second; here they came the other way round. See section 0.7.

# --- before
    loss = F.cross_entropy(model(inputs), targets)
# --- after
    loss = F.cross_entropy(targets, model(inputs))

# %% wrong: named but not called
# Nothing moved and no gradient was computed. A method's name without parentheses after it calls nothing. See section
# 0.7.

# --- before
    loss.backward()
    optimizer.step()
# --- after
    loss.backward
    optimizer.step

# %% wrong: the loss printed
# None is what a function gives back that returns nothing. Printing shows a number to people; return hands it on. See
# section 0.7.

# --- before
    return loss.item()
# --- after
    print(loss.item())

# %% wrong: two steps
# The optimizer stepped twice along the same gradient. Once is asked for. See section 0.7.

# --- before
    optimizer.step()
# --- after
    optimizer.step()
    optimizer.step()

# %% wrong: no record of the forward pass
# The loss came with no record of how it was made, because of no_grad or detach, so there is nothing for backward to
# walk along. See section 0.6.

# --- before
    loss = F.cross_entropy(model(inputs), targets)
# --- after
    with torch.no_grad():
        loss = F.cross_entropy(model(inputs), targets)

# %% wrong: softmax over the batch
# The softmax ran along the batch, so the examples compete with one another. It is the classes of one example that
# share out its probability. See section 0.7.

# --- before
    loss = F.cross_entropy(model(inputs), targets)
# --- after
    loss = F.nll_loss(F.log_softmax(model(inputs), 0), targets)

# %% wrong: the logarithm of a softmax
# The formula is right, but a probability too small for float32 became 0, and its logarithm is minus infinity. Let
# cross_entropy, or log_softmax, do both in one go. See section 0.4.

# --- before
    loss = F.cross_entropy(model(inputs), targets)
# --- after
    loss = -torch.softmax(model(inputs), -1)[torch.arange(len(targets)), targets].log().mean()

# %% wrong: the targets not used
# The mean runs over all classes, so the targets play no part. Only the probability of the right class counts. See
# section 0.7.

# --- before
    loss = F.cross_entropy(model(inputs), targets)
# --- after
    loss = -torch.log(torch.softmax(model(inputs), -1)).mean()

# %% wrong: smoothed labels
# This is the loss with smoothed labels, which comes in chapter 06. Leave the smoothing out. See section 0.7.

# --- before
    loss = F.cross_entropy(model(inputs), targets)
# --- after
    loss = F.cross_entropy(model(inputs), targets, label_smoothing=0.1)

# %% wrong: an optimizer of its own
# Another optimizer than the one handed in took the step, made anew each time. Use the argument. See section 0.7.

# --- before
    """
# --- after
    """
    optimizer = torch.optim.Adam(model.parameters())

# %% wrong: the parameters moved by hand
# The parameters were moved by hand, past the optimizer, which knows the learning rate and more. Ask it to step. See
# section 0.7.

# --- before
    optimizer.step()
# --- after
    with torch.no_grad():
        for p in model.parameters():
            p -= 0.1 * p.grad

# %% correct: cleared through the model

# --- before
    optimizer.zero_grad()
# --- after
    model.zero_grad()

# %% correct: cleared just before backward

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    """One step of training on one batch.

    model(inputs) gives logits (B, V); targets (B,) holds the right class of each, int64. The
    loss is their cross-entropy in nats, the mean over the batch. The optimizer takes one step
    down this loss's gradient: gradients left in the parameters from before do not count.
    Returns the loss as it was before the step, as a Python float.
    """
    loss = F.cross_entropy(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()

# %% correct: cleared before and after

# --- before
    optimizer.step()
# --- after
    optimizer.step()
    optimizer.zero_grad()

# %% correct: gradients set to None by hand

# --- before
    optimizer.zero_grad()
# --- after
    for p in model.parameters():
        p.grad = None

# %% correct: cross-entropy by hand

# --- before
    loss = F.cross_entropy(model(inputs), targets)
# --- after
    loss = -model(inputs).log_softmax(-1)[torch.arange(len(targets)), targets].mean()

# %% correct: one-hot targets

# --- before
    loss = F.cross_entropy(model(inputs), targets)
# --- after
    loss = -(F.one_hot(targets, model(inputs).shape[-1]) * model(inputs).log_softmax(-1)).sum(-1).mean()

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

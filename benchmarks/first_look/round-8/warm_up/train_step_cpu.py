# %% wrong: the gradients are cleared after the step
# Nothing is left over between two calls of this function, but what was in .grad before the first one (a backward() of
# somebody else's) is added to this batch's gradient.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    logits = model(inputs)
    loss = F.cross_entropy(logits, targets)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()

# %% wrong: softmax before the cross-entropy
# F.cross_entropy does the softmax itself; with probabilities for logits the loss is another one (never far below ln V), and so
# is the gradient. Shows in the value returned and in the step.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad()
    probabilities = torch.softmax(model(inputs), dim=-1)
    loss = F.cross_entropy(probabilities, targets)
    loss.backward()
    optimizer.step()
    return loss.item()

# %% wrong: the loss after the step
# The loss is measured once more for the report, when the parameters have moved: not the loss as it was before the step.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad()
    F.cross_entropy(model(inputs), targets).backward()
    optimizer.step()
    with torch.no_grad():
        return F.cross_entropy(model(inputs), targets).item()

# %% wrong: down the gradient of the sum
# The value returned is the mean, but backward() starts from the sum over the batch: with SGD the step is B times too long.
# (With Adam it hardly shows, with B = 1 not at all.)

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad()
    loss = F.cross_entropy(model(inputs), targets, reduction="sum")
    loss.backward()
    optimizer.step()
    return loss.item() / len(targets)

# %% correct: the whole step in a closure

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    def closure():
        optimizer.zero_grad()
        model.zero_grad()
        log_shares = model(inputs).log_softmax(dim=1)
        loss = F.nll_loss(log_shares, targets)
        loss.backward()
        return loss

    return float(optimizer.step(closure))

# %% correct: gradients asked for and laid into place by hand

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    logits = model(inputs)
    right = logits.gather(1, targets.unsqueeze(1)).squeeze(1)
    loss = (torch.logsumexp(logits, dim=1) - right).mean()
    moved = [p for group in optimizer.param_groups for p in group["params"]]
    asked = [p for p in moved if p.requires_grad]
    slopes = torch.autograd.grad(loss, asked, allow_unused=True)
    for p in moved:
        p.grad = None
    for p, slope in zip(asked, slopes):
        p.grad = slope
    optimizer.step()
    return loss.detach().item()

# %% wrong: softmax before the cross-entropy
# F.cross_entropy does the softmax itself; here it gets probabilities in place of logits, and the softmax is applied twice.
# Breaks "The loss is their cross-entropy": the value and the gradient are others. Hint: what does F.cross_entropy want, logits or probabilities?

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad()
    probabilities = torch.softmax(model(inputs), dim=-1)
    loss = F.cross_entropy(probabilities, targets)
    loss.backward()
    optimizer.step()
    return loss.item()


# %% wrong: cleared between backward and step
# zero_grad stands behind backward and throws away the very gradients that the step should use.
# Breaks "takes one step down this loss's gradient": nothing moves. Hint: which gradients are in .grad when optimizer.step() looks?

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    logits = model(inputs)
    loss = F.cross_entropy(logits, targets)
    loss.backward()
    optimizer.zero_grad()
    optimizer.step()
    return loss.item()


# %% wrong: tidied up only afterwards
# The gradients are cleared after the step and not before it; that is enough from the second call on, but not for what was left before the first.
# Breaks "gradients left in the parameters from before do not count". Hint: what if somebody else called backward before you?

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    loss = F.cross_entropy(model(inputs), targets)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()


# %% wrong: the loss measured after the step
# The value that is returned comes from a second forward pass with the weights after the step.
# Breaks "Returns the loss as it was before the step". Hint: on the first call, is your first loss near ln V or already below it?

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad()
    F.cross_entropy(model(inputs), targets).backward()
    optimizer.step()
    with torch.no_grad():
        return F.cross_entropy(model(inputs), targets).item()


# %% correct: gradients asked for and put in place

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    log_probabilities = F.log_softmax(model(inputs), dim=1)
    loss = -log_probabilities.gather(dim=1, index=targets[:, None]).mean()
    moving = [p for group in optimizer.param_groups for p in group["params"] if p.requires_grad]
    for parameter, gradient in zip(moving, torch.autograd.grad(loss, moving, allow_unused=True), strict=True):
        parameter.grad = gradient  # replaces what was there
    optimizer.step()
    return float(loss.detach())


# %% correct: old gradients removed by the model, loss in a helper

def _mean_nats(logits: Tensor, targets: Tensor) -> Tensor:
    right = logits[torch.arange(logits.shape[0], device=logits.device), targets]
    return (torch.logsumexp(logits, dim=1) - right).mean()


def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    loss = _mean_nats(model(inputs), targets)
    before = loss.item()
    model.zero_grad(set_to_none=True)
    optimizer.zero_grad(set_to_none=True)
    torch.autograd.backward(loss)
    optimizer.step()
    return before

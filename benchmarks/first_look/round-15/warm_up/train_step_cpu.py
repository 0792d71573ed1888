# %% wrong: the gradients are cleared after the step
# Right from the second call on. Gradients that are left in the parameters before the first call are added to this
# batch's.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    loss = F.cross_entropy(model(inputs), targets)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()


# %% wrong: a step down the sum, and the mean is reported
# The number that comes back is right, but the gradient is B times too long. With SGD the step is B times the right one for
# any batch above 1 (Adam hardly shows it).

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad()
    loss = F.cross_entropy(model(inputs), targets, reduction="sum")
    loss.backward()
    optimizer.step()
    return loss.item() / len(targets)


# %% wrong: gradients are clipped on the way
# A line from other training loops. Where the gradient's norm is above 1, the step is shorter than the loss's gradient asks
# for.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad()
    loss = F.cross_entropy(model(inputs), targets)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    optimizer.step()
    return loss.item()


# %% wrong: the model is asked twice
# A first look without gradients, for the loss "before the step". With dropout it is another loss than the one that is
# descended, and batch norm in training mode updates its running mean twice.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    with torch.no_grad():
        before = F.cross_entropy(model(inputs), targets).item()
    optimizer.zero_grad()
    F.cross_entropy(model(inputs), targets).backward()
    optimizer.step()
    return before


# %% correct: the gradients are asked for and put in place by hand

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    for parameter in model.parameters():
        parameter.grad = None
    learning = [parameter for parameter in model.parameters() if parameter.requires_grad]
    logits = model(inputs)
    right = logits.gather(1, targets.unsqueeze(1)).squeeze(1)
    loss = (torch.logsumexp(logits, dim=1) - right).mean()
    for parameter, slope in zip(learning, torch.autograd.grad(loss, learning, allow_unused=True), strict=True):
        parameter.grad = slope
    optimizer.step()
    return float(loss.detach())


# %% correct: a closure for the optimizer

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    def closure() -> Tensor:
        optimizer.zero_grad()
        log_shares = F.log_softmax(model(inputs), dim=-1)
        loss = F.nll_loss(log_shares, targets)
        loss.backward()
        return loss

    return optimizer.step(closure).item()

# %% wrong: clears after the step, not before it
# The gradients are cleared at the end, so those left by somebody else before the first call are counted.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    loss = F.cross_entropy(model(inputs), targets)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()


# %% wrong: only the first group of parameters is cleared
# An optimizer may hold several groups; the gradients of the second one and all behind it pile up.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    for parameter in optimizer.param_groups[0]["params"]:
        parameter.grad = None
    logits = model(inputs)
    loss = F.cross_entropy(logits, targets)
    loss.backward()
    optimizer.step()
    return float(loss.detach())


# %% wrong: clips the gradient
# Gradients longer than 1 are shortened, a habit from other loops: the step is no longer down this loss's gradient as is.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad()
    loss = F.cross_entropy(model(inputs), targets)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    optimizer.step()
    return loss.item()


# %% wrong: moves the parameters by hand
# The update is plain gradient descent with the optimizer's learning rate; the optimizer itself takes no step.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    model.zero_grad()
    loss = F.cross_entropy(model(inputs), targets)
    loss.backward()
    with torch.no_grad():
        for group in optimizer.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p -= group["lr"] * p.grad
    return loss.item()


# %% wrong: the loss is rounded for printing
# The loss is returned with two digits behind the point and not as it was.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad()
    log_probabilities = torch.log_softmax(model(inputs), dim=1)
    loss = F.nll_loss(log_probabilities, targets)
    loss.backward()
    optimizer.step()
    return round(loss.item(), 2)


# %% correct: gradients asked for, then put in place

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    owned = [p for group in optimizer.param_groups for p in group["params"]]
    for p in owned:
        p.grad = None
    loss = F.cross_entropy(model(inputs), targets)
    learning = [p for p in owned if p.requires_grad]
    for p, slope in zip(learning, torch.autograd.grad(loss, learning, allow_unused=True), strict=True):
        p.grad = slope
    optimizer.step()
    return float(loss.detach())


# %% correct: a closure for the optimizer, cross-entropy by hand

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    seen: list[float] = []

    def measure() -> Tensor:
        optimizer.zero_grad()
        logits = model(inputs)
        of_the_right_one = logits.gather(1, targets.unsqueeze(1)).squeeze(1)
        nats = (torch.logsumexp(logits, dim=1) - of_the_right_one).mean()
        nats.backward()
        seen.append(nats.item())
        return nats

    optimizer.step(measure)
    return seen[0]

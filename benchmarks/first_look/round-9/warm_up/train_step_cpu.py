# %% wrong: clears afterwards
# The gradients are cleared at the end of the step, for the next one; what was there before the first one still counts.
# Shows where the parameters come with gradients from elsewhere.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    loss = F.cross_entropy(model(inputs), targets)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()

# %% wrong: softmax twice
# cross_entropy wants logits and does the softmax itself; given probabilities, it does a second one.
# Shows for any logits that are not all equal: another loss and another, flatter gradient.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad()
    probabilities = safe_softmax(model(inputs), dim=1)
    loss = F.cross_entropy(probabilities, targets)
    loss.backward()
    optimizer.step()
    return loss.item()

# %% wrong: measures again after the step
# The loss that comes back is that of the model after it has moved, not the one before.
# Shows wherever the step changes anything.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    model.zero_grad()
    F.cross_entropy(model(inputs), targets).backward()
    optimizer.step()
    with torch.no_grad():
        loss = F.cross_entropy(model(inputs), targets)
    return loss.item()

# %% wrong: walks downhill itself
# Moves the parameters by the learning rate times the slope, as section 0.1 did, and never asks the optimizer to step.
# Right for plain SGD; shows with momentum from the second step, and with Adam at once.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad()
    loss = F.cross_entropy(model(inputs), targets)
    loss.backward()
    with torch.no_grad():
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    parameter -= group["lr"] * parameter.grad
    return loss.item()

# %% correct: gradients asked for and handed over

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    held = [p for group in optimizer.param_groups for p in group["params"]]
    moving = [p for p in held if p.requires_grad]
    log_shares = torch.log_softmax(model(inputs), dim=1)
    loss = -log_shares[torch.arange(len(targets), device=targets.device), targets].mean()
    slopes = torch.autograd.grad(loss, moving, allow_unused=True)
    for p in held:
        p.grad = None
    for p, slope in zip(moving, slopes, strict=True):
        p.grad = slope
    optimizer.step()
    return float(loss.detach())

# %% correct: a closure, and the loss from logsumexp

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    seen = []

    def closure() -> Tensor:
        for p in model.parameters():
            p.grad = None
        optimizer.zero_grad(set_to_none=True)
        logits = model(inputs)
        right = logits.gather(1, targets.unsqueeze(1)).squeeze(1)
        loss = (logits.logsumexp(dim=1) - right).mean()
        loss.backward()
        seen.append(loss.item())
        return loss

    optimizer.step(closure)
    return seen[0]

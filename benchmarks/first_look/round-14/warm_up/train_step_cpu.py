# %% wrong: probabilities into the loss
# cross_entropy applies the softmax itself, so here it is applied twice: another loss and another gradient. Shows for any
# logits that are not all equal.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad()
    probabilities = torch.softmax(model(inputs), dim=1)
    loss = F.cross_entropy(probabilities, targets)
    loss.backward()
    optimizer.step()
    return loss.item()


# %% wrong: cleans up behind itself only
# Clears the gradients after the step and not before it. Shows at the first call where some code has left gradients in the
# parameters before: they are added to this batch's.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    loss = F.cross_entropy(model(inputs), targets)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()


# %% wrong: the primer's step by hand
# Takes the step of plain gradient descent itself, with the optimizer's learning rate. Right for SGD without extras. Shows for
# Adam, for momentum and for weight decay: the parameters land elsewhere, and the optimizer's own sums stay empty.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    parameters = list(model.parameters())
    loss = F.cross_entropy(model(inputs), targets)
    slopes = torch.autograd.grad(loss, parameters)
    learning_rate = optimizer.param_groups[0]["lr"]
    with torch.no_grad():
        for parameter, slope in zip(parameters, slopes, strict=True):
            parameter -= learning_rate * slope
    return loss.item()


# %% wrong: asks the model twice
# Measures the loss in a run of its own before the one that is trained on. Shows for a model with dropout in training mode
# (another loss than the step's), and with batch normalization, whose running mean moves twice.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    with torch.no_grad():
        before = F.cross_entropy(model(inputs), targets).item()
    optimizer.zero_grad()
    F.cross_entropy(model(inputs), targets).backward()
    optimizer.step()
    return before


# %% correct: slopes laid into .grad by hand, log-probabilities picked out

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    logits = model(inputs)
    log_probabilities = torch.log_softmax(logits, dim=1)
    loss = -log_probabilities.gather(1, targets.unsqueeze(1)).mean()
    moving = [parameter for parameter in model.parameters() if parameter.requires_grad]
    slopes = torch.autograd.grad(loss, moving, allow_unused=True)
    for parameter in model.parameters():
        parameter.grad = None
    for parameter, slope in zip(moving, slopes, strict=True):
        parameter.grad = slope
    optimizer.step()
    return float(loss.detach())


# %% correct: the optimizer calls a closure

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    seen = []

    def closure() -> Tensor:
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                parameter.grad = None
        log_probabilities = F.log_softmax(model(inputs), dim=-1)
        loss = F.nll_loss(log_probabilities, targets)
        loss.backward()
        seen.append(loss.item())
        return loss

    optimizer.step(closure)
    return seen[0]

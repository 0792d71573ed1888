# %% wrong: the model is asked a second time for the loss to return
# Two forward passes: with dropout in training mode the returned loss is not that of the pass that was trained on, and
# batch norm's running statistics move twice in one step.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    with torch.no_grad():
        before = F.cross_entropy(model(inputs), targets).item()
    optimizer.zero_grad()
    F.cross_entropy(model(inputs), targets).backward()
    optimizer.step()
    return before


# %% wrong: the primer's step by hand with the optimizer's learning rate
# Moves every parameter by lr times its slope, whatever the optimizer is. Right for plain SGD; wrong for Adam, momentum or
# weight decay.

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


# %% wrong: one-hot targets as wide as the largest class in the batch
# F.one_hot without the number of classes takes the largest target plus one. A batch in which the last class does not occur
# raises an error: the shapes differ.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad()
    logits = model(inputs)
    loss = F.cross_entropy(logits, F.one_hot(targets).to(logits.dtype))
    loss.backward()
    optimizer.step()
    return loss.item()


# %% wrong: the logarithm of the softmax in two steps
# Where the right class trails by more than about 104, its softmax is 0 in float32, and its logarithm minus infinity:
# logits [[0, -200]] with target 1 give a loss of inf and nan in the weights; it should be 200.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad()
    probabilities = torch.softmax(model(inputs), dim=-1)
    chosen = probabilities[torch.arange(len(targets), device=targets.device), targets]
    loss = -torch.log(chosen).mean()
    loss.backward()
    optimizer.step()
    return loss.item()


# %% correct: a closure for the optimizer, which returns its loss

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(inputs), targets)
        loss.backward()
        return loss

    return optimizer.step(closure).item()


# %% correct: slopes from autograd.grad laid into .grad, the loss from logsumexp

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    logits = model(inputs)
    costs = logits.logsumexp(dim=1) - logits.gather(1, targets.unsqueeze(1)).squeeze(1)
    loss = costs.sum() / len(targets)
    for parameter in model.parameters():
        parameter.grad = None
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    for parameter, slopes in zip(trained, torch.autograd.grad(loss, trained, allow_unused=True), strict=True):
        parameter.grad = slopes
    optimizer.step()
    return loss.detach().item()

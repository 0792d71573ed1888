# %% wrong: clears only after the step
# The gradients are cleared for the next time; those that stand in the parameters before this call are added to its own.
# Shows where a backward() ran before the first step.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    loss = F.cross_entropy(model(inputs), targets)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()

# %% wrong: softmax before the cross-entropy
# F.cross_entropy applies a softmax itself; a second one makes another, flatter loss, and another step.
# Shows for every input, in the loss and in the parameters.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad()
    probabilities = safe_softmax(model(inputs), dim=-1)
    loss = F.cross_entropy(probabilities, targets)
    loss.backward()
    optimizer.step()
    return loss.item()

# %% wrong: always in training mode
# model.train() switches a model in evaluation mode over, and leaves it so.
# Shows for a model in evaluation mode: its flag afterwards, and the loss where it has dropout.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    model.train()
    optimizer.zero_grad()
    loss = F.cross_entropy(model(inputs), targets)
    loss.backward()
    optimizer.step()
    return loss.item()

# %% wrong: reports the loss after the step
# The loss is measured once more when the parameters have moved, to see the success.
# Shows wherever the step changes the loss: what comes back is not the loss as it was before the step.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    def loss_now() -> Tensor:
        return F.cross_entropy(model(inputs), targets)

    optimizer.zero_grad()
    loss_now().backward()
    optimizer.step()
    with torch.no_grad():
        return loss_now().item()

# %% correct: the slopes asked for and put into place

# torch.autograd.grad in place of backward: .grad is replaced, so that nothing old can count.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    parameters = list(model.parameters())
    trained = [p for p in parameters if p.requires_grad]
    logits = model(inputs)
    logits = logits - logits.detach().amax(dim=1, keepdim=True)
    of_truth = logits.gather(1, targets.unsqueeze(1)).squeeze(1)
    loss = (torch.logsumexp(logits, dim=1) - of_truth).mean()
    slopes = torch.autograd.grad(loss, trained, allow_unused=True)
    for parameter in parameters:
        parameter.grad = None
    for parameter, slope in zip(trained, slopes, strict=True):
        parameter.grad = slope
    optimizer.step()
    return loss.item()

# %% correct: a closure for the optimizer

# The optimizer calls the function itself, and hands back the loss from before its step.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    def ask() -> Tensor:
        model.zero_grad()
        costs = -F.log_softmax(model(inputs), dim=1)[torch.arange(len(targets), device=targets.device), targets]
        loss = costs.sum() / len(targets)
        loss.backward()
        return loss

    return float(optimizer.step(ask).detach())

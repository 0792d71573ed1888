# %% wrong: softmax before the cross-entropy
# F.cross_entropy applies the softmax itself: with it twice, the loss and its gradient are others for all logits
# that are not all equal.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad()
    probabilities = model(inputs).softmax(dim=1)
    loss = F.cross_entropy(probabilities, targets)
    loss.backward()
    optimizer.step()
    return loss.item()


# %% wrong: cleared at the end
# Its own steps are clean, but gradients that stand in the parameters when it is called (a backward before)
# count in the first step.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    loss = F.cross_entropy(model(inputs), targets)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()


# %% wrong: it switches training mode on
# A model in evaluation mode runs with dropout, and is left in training mode. Shows for model.eval().

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    model.train()
    optimizer.zero_grad()
    logits = model(inputs)
    loss = F.cross_entropy(logits, targets)
    loss.backward()
    optimizer.step()
    return float(loss)


# %% wrong: the loss after the step
# It asks the model once more and returns the new loss. Shows for every step that moves the model (and dropout
# draws a second time).

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    def measure():
        return F.cross_entropy(model(inputs), targets)

    optimizer.zero_grad()
    measure().backward()
    optimizer.step()
    with torch.no_grad():
        return measure().item()


# %% correct: the gradient by autograd.grad, put where the optimizer looks

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    loss = F.nll_loss(F.log_softmax(model(inputs), dim=1), targets)
    parameters = [p for p in model.parameters() if p.requires_grad]
    gradients = torch.autograd.grad(loss, parameters, allow_unused=True)
    for parameter in model.parameters():
        parameter.grad = None
    for parameter, gradient in zip(parameters, gradients, strict=True):
        parameter.grad = gradient
    optimizer.step()
    return loss.item()


# %% correct: the cross-entropy by hand

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    logits = model(inputs)
    right = logits.gather(1, targets.view(-1, 1)).squeeze(1)
    loss = (torch.logsumexp(logits, dim=1) - right).sum() / len(targets)
    before = loss.item()
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            parameter.grad = None
    loss.backward()
    optimizer.step()
    return before

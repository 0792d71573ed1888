# %% wrong: clears the gradients at the end only
# The next step of the same loop is clean, but gradients that stand in .grad when the function is called, say from a
# backward of the caller's, count in this step.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    loss = F.cross_entropy(model(inputs), targets)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()


# %% wrong: the optimizer's step by hand
# Every parameter moves by its rate times its gradient. For Adam, for momentum and for weight decay the optimizer
# itself would move them otherwise.

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


# %% wrong: the logarithm of a softmax, made safe with a small number
# A right class whose probability is below 1e-9, e.g. logits [0, 100] with target 0, costs 20.7 instead of 100 and
# gives no gradient.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad()
    probabilities = safe_softmax(model(inputs), dim=-1)
    right = probabilities[torch.arange(len(targets), device=targets.device), targets]
    loss = -torch.log(right + 1e-9).mean()
    loss.backward()
    optimizer.step()
    return loss.item()


# %% wrong: training mode during the step, and back
# The mode is restored at the end, but the model runs in training mode: one in evaluation mode drops out at random,
# and its loss differs. Parts that were frozen in evaluation mode come back in training mode, too.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    was_training = model.training
    model.train()
    optimizer.zero_grad()
    loss = F.cross_entropy(model(inputs), targets)
    loss.backward()
    optimizer.step()
    model.train(was_training)
    return loss.item()


# %% correct: gradients from autograd.grad, put into .grad by hand
def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    logits = model(inputs)
    costs = logits.logsumexp(dim=1) - logits.gather(1, targets.unsqueeze(1)).squeeze(1)
    loss = costs.mean()
    for parameter in model.parameters():
        parameter.grad = None
    learned = [parameter for parameter in model.parameters() if parameter.requires_grad]
    for parameter, gradient in zip(learned, torch.autograd.grad(loss, learned, allow_unused=True), strict=True):
        parameter.grad = gradient
    optimizer.step()
    return float(loss.detach())


# %% correct: the five parts in a closure that the optimizer calls
def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    measured = []

    def closure():
        optimizer.zero_grad()
        log_probabilities = F.log_softmax(model(inputs), dim=1)
        loss = F.nll_loss(log_probabilities, targets)
        loss.backward()
        measured.append(loss.item())
        return loss

    optimizer.step(closure)
    return measured[0]

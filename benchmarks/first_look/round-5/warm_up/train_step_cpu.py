# %% wrong: tidies up afterwards
# Gradients are cleared after the step only: what stands in the parameters from before the call still counts.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    loss = F.cross_entropy(model(inputs), targets)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()  # ready for the next batch
    return loss.item()


# %% wrong: long gradients are clipped
# A habit from other training loops: where the gradient is longer than 1 the step is shorter than the one that was asked for.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad()
    loss = F.cross_entropy(model(inputs), targets)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.item()


# %% wrong: divided by the batch size of the notebook
# The sum is divided by 64, which is the mean only for the batches shown; for any other size loss and step are wrong.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    BATCH_SIZE = 64
    optimizer.zero_grad()
    logits = model(inputs)
    loss = F.cross_entropy(logits, targets, reduction="sum") / BATCH_SIZE
    loss.backward()
    optimizer.step()
    return loss.item()


# %% wrong: clears gradients that are not there yet
# Before the first backward every grad is None, so that the first call on a fresh model ends with an AttributeError.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    for parameter in model.parameters():
        parameter.grad.zero_()
    logits = model(inputs)
    loss = F.cross_entropy(logits, targets)
    loss.backward()
    optimizer.step()
    return float(loss)


# %% wrong: probabilities where nll_loss wants their logarithms
# nll_loss takes log-probabilities; on probabilities it is minus the mean probability, a negative number and another gradient.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    model.zero_grad()
    optimizer.zero_grad()
    probabilities = F.softmax(model(inputs), dim=1)
    loss = F.nll_loss(probabilities, targets)
    loss.backward()
    before = loss.item()
    optimizer.step()
    return before


# %% correct: the optimizer calls a closure

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    seen = []

    def closure() -> Tensor:
        optimizer.zero_grad()
        cost = nn.CrossEntropyLoss()(model(inputs), targets)
        cost.backward()
        seen.append(cost.item())
        return cost

    optimizer.step(closure)
    return seen[0]


# %% correct: gradients asked for and put in by hand

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    log_probabilities = model(inputs).log_softmax(dim=1)  # (B, V)
    loss = -log_probabilities.gather(1, targets.unsqueeze(1)).mean()
    everything = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    learning = [parameter for parameter in everything if parameter.requires_grad]
    slopes = torch.autograd.grad(loss, learning, allow_unused=True)
    for parameter in everything:
        parameter.grad = None
    for parameter, slope in zip(learning, slopes, strict=True):
        parameter.grad = slope
    optimizer.step()
    return float(loss.detach())

# %% wrong: gradients are cleared only after the step
# A loop of such steps is fine, but gradients that stand in the parameters when it is called are added to the first one.
# Hint: call backward on something of the model's before your step; does the step come out the same?

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    logits = model(inputs)
    loss = F.cross_entropy(logits, targets)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()


# %% wrong: a softmax before the cross entropy
# F.cross_entropy takes logits and does the softmax itself; with probabilities handed in it is done twice, the loss is
# another and cannot come near zero.
# Hint: what is the lowest loss that this can give with 20 classes, when one probability is 1 and the others are 0?

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad()
    probabilities = torch.softmax(model(inputs), dim=-1)
    loss = F.cross_entropy(probabilities, targets)
    loss.backward()
    optimizer.step()
    return loss.item()


# %% wrong: the step goes down the sum of the losses
# It reports the mean and follows the gradient of the sum, which is larger by the size of the batch: the learning rate
# is in truth B times as large.
# Hint: compare the step for a batch with that for the same batch laid behind itself; should they differ?

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad()
    loss = F.cross_entropy(model(inputs), targets, reduction="sum")
    loss.backward()
    optimizer.step()
    return loss.item() / len(targets)


# %% wrong: gradients clipped by habit
# It cuts the gradient to length 1 before the step, so wherever the gradient is longer the optimizer takes another step
# than the one asked for.
# Hint: list the five things that one step consists of; which line of yours is none of them?

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad(set_to_none=True)
    loss = F.cross_entropy(model(inputs), targets)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    optimizer.step()
    return loss.item()


# %% wrong: the loss is measured after the step
# The step is right, but the model is asked once more, and the loss that comes back is that of the moved weights.
# Hint: the docstring says of which moment the loss should be; do you have that number already?

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad()
    F.cross_entropy(model(inputs), targets).backward()
    optimizer.step()
    with torch.no_grad():
        loss = F.cross_entropy(model(inputs), targets)
    return loss.item()


# %% correct: gradients asked for and put in place by hand

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    for parameter in parameters:
        parameter.grad = None
    trainable = [parameter for parameter in parameters if parameter.requires_grad]
    log_probabilities = torch.log_softmax(model(inputs), dim=1)
    loss = -log_probabilities.gather(1, targets.unsqueeze(1)).mean()
    gradients = torch.autograd.grad(loss, trainable, allow_unused=True)
    for parameter, gradient in zip(trainable, gradients, strict=True):
        parameter.grad = gradient
    optimizer.step()
    return float(loss.detach())


# %% correct: a closure handed to the optimizer

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    measured = []
    criterion = nn.CrossEntropyLoss()

    def forget_ask_measure_differentiate() -> Tensor:
        optimizer.zero_grad()
        loss = criterion(model(inputs), targets)
        loss.backward()
        measured.append(loss.item())
        return loss

    optimizer.step(forget_ask_measure_differentiate)
    return measured[0]

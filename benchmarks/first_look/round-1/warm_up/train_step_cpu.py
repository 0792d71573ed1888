# %% wrong: clears at the end
# Clears the gradients after the step, "for the next one". Gradients that stood in the parameters before the first call are added to this loss's. A good message: "gradients left from before this call moved the parameters: clear before backward".

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    loss = F.cross_entropy(model(inputs), targets)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()

# %% wrong: logarithm of a softmax
# Writes the cross-entropy as -log(softmax): right for tame logits; where a right class has a probability of 0 in float32 the loss is infinite and the gradient NaN. A good message: "for logits of a few hundred the loss must be finite: log_softmax or cross_entropy do it safely".

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad()
    probabilities = torch.softmax(model(inputs), dim=1)
    right = probabilities[torch.arange(len(targets)), targets]
    loss = -torch.log(right).mean()
    loss.backward()
    optimizer.step()
    return loss.item()

# %% wrong: clips the gradient for safety
# A clipping by norm, copied from another project, stands between backward and step. Invisible with small gradients; with large ones the step is not the one down this loss's gradient. A good message: "the step is shorter than the learning rate times the gradient".

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad()
    loss = F.cross_entropy(model(inputs), targets)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return float(loss)

# %% wrong: measures after the step, in evaluation mode
# Returns the loss of a second forward pass after the step, and leaves the model in evaluation mode. A good message: "the loss is that of after the step; and the model's mode was changed".

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    model.train()
    optimizer.zero_grad()
    F.cross_entropy(model(inputs), targets).backward()
    optimizer.step()
    model.eval()
    with torch.no_grad():
        return F.cross_entropy(model(inputs), targets).item()

# %% correct: torch.autograd.grad, written into .grad

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    loss = nn.CrossEntropyLoss()(model(inputs), targets)
    parameters = [p for group in optimizer.param_groups for p in group["params"] if p.requires_grad]
    for p, g in zip(parameters, torch.autograd.grad(loss, parameters, allow_unused=True), strict=True):
        p.grad = g
    optimizer.step()
    return loss.item()

# %% correct: log-softmax picked by gather, model.zero_grad and the optimizer's

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    log_probabilities = model(inputs).log_softmax(dim=-1)
    loss = log_probabilities.gather(1, targets[:, None]).neg().mean()
    model.zero_grad()
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    before = loss.detach().item()
    optimizer.step()
    return before

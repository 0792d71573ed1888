# %% wrong: the model is asked twice
# Once for the loss to report, once for the gradient. Shows with dropout in training mode (the reported loss is not the one that was stepped
# down) and with batch norm (its running mean moves twice).

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    with torch.no_grad():
        loss_before = F.cross_entropy(model(inputs), targets).item()
    optimizer.zero_grad()
    F.cross_entropy(model(inputs), targets).backward()
    optimizer.step()
    return loss_before

# %% wrong: the logarithm of the shares
# safe_softmax is finite, its logarithm is not: a share that underflows to 0 costs infinity, and the gradient is nan. Shows for logits more
# than about 104 apart, such as [0., 200.] with target 0: inf instead of 200, and the parameters become nan.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad()
    shares = safe_softmax(model(inputs), dim=1)  # (B, V)
    right = shares.gather(1, targets.unsqueeze(1)).squeeze(1)  # (B,)
    loss = -torch.log(right).mean()
    loss.backward()
    optimizer.step()
    return loss.item()

# %% wrong: one-hot without the number of classes
# one_hot makes as many columns as the largest target of this batch needs. Shows where the last class is not in the batch (an error), and where
# all targets are 0: its one column is stretched over all classes.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad()
    log_probs = F.log_softmax(model(inputs), dim=-1)
    loss = -(F.one_hot(targets) * log_probs).sum(dim=-1).mean()
    loss.backward()
    optimizer.step()
    return loss.item()

# %% wrong: gradients clipped, as in other loops
# clip_grad_norm_ is taken over from another training loop: the step is shorter than the gradient says. Shows with SGD where the norm of the
# gradient is above 1, for instance with large inputs.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad(set_to_none=True)
    loss = F.cross_entropy(model(inputs), targets)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    optimizer.step()
    return float(loss.item())

# %% correct: gradients by autograd.grad, laid in by hand

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    logits = model(inputs)
    log_probs = logits - logits.logsumexp(dim=1, keepdim=True)
    loss = -log_probs[torch.arange(len(targets), device=logits.device), targets].mean()
    for parameter in model.parameters():
        parameter.grad = None
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    for parameter, slope in zip(trained, torch.autograd.grad(loss, trained, allow_unused=True)):
        parameter.grad = slope
    optimizer.step()
    return loss.item()

# %% correct: a closure that the optimizer calls

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    measured = []

    def closure():
        optimizer.zero_grad()
        loss = F.nll_loss(F.log_softmax(model(inputs), dim=1), targets, reduction="sum") / targets.numel()
        loss.backward()
        measured.append(loss.item())
        return loss

    optimizer.step(closure)
    return measured[0]

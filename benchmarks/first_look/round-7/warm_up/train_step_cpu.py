# %% wrong: softmax before the cross-entropy
# F.cross_entropy does the softmax itself; here it gets probabilities for logits. Loss and step are wrong for every batch
# (but where all logits are equal the loss is right by chance).

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad()
    probabilities = torch.softmax(model(inputs), dim=1)
    loss = F.cross_entropy(probabilities, targets)
    loss.backward()
    optimizer.step()
    return loss.item()


# %% wrong: cleared at the end only
# Tidies up after itself, and so is right as long as nobody else leaves gradients: what is in .grad when it is called
# (from a backward elsewhere) counts in the step.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    loss = F.cross_entropy(model(inputs), targets)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()


# %% wrong: loss after the step
# The batch is asked once more after the parameters have moved, and that loss is returned: too small for every step.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    model.zero_grad()
    optimizer.zero_grad()
    F.cross_entropy(model(inputs), targets).backward()
    optimizer.step()
    with torch.no_grad():
        loss = F.cross_entropy(model(inputs), targets)
    return float(loss)


# %% wrong: gradients clipped
# A line taken over from a recurrent network's training: where the gradient is longer than 1 the step is not down this
# loss's gradient but down a shortened one. Shows with SGD and large inputs or weights.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad()
    loss = F.cross_entropy(model(inputs), targets)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.item()


# %% correct: the optimizer calls back

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    losses = []

    def closure():
        optimizer.zero_grad()
        loss = F.nll_loss(F.log_softmax(model(inputs), dim=-1), targets)
        loss.backward()
        losses.append(loss.item())
        return loss

    optimizer.step(closure)
    return losses[0]


# %% correct: gradients put in by hand

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    logits = model(inputs)
    right = logits.gather(1, targets.unsqueeze(1)).squeeze(1)
    loss = (torch.logsumexp(logits, dim=1) - right).mean()
    held = [p for group in optimizer.param_groups for p in group["params"]]
    moving = [p for p in held if p.requires_grad]
    slopes = torch.autograd.grad(loss, moving, allow_unused=True)
    for p in held:
        p.grad = None
    for p, slope in zip(moving, slopes):
        p.grad = slope
    optimizer.step()
    return loss.item()

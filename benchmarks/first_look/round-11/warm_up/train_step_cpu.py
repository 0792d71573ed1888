# %% wrong: a softmax before the cross-entropy
# F.cross_entropy applies the softmax itself: here it is applied twice, and loss and gradient are wrong for every batch.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad()
    probabilities = safe_softmax(model(inputs), dim=-1)
    loss = F.cross_entropy(probabilities, targets)
    loss.backward()
    optimizer.step()
    return loss.item()

# %% wrong: cleared at the end
# What this step left is cleared, but not what somebody else left before it: with a gradient standing in .grad at the call
# (a backward before), the step follows the sum.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    loss = F.cross_entropy(model(inputs), targets)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()

# %% wrong: trained in training mode, and the mode put back
# The model must run in the mode that it is in: one with dropout in evaluation mode gets another loss, and parts that were
# in another mode than the whole come back changed.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    was_training = model.training
    model.train()
    optimizer.zero_grad()
    loss = F.cross_entropy(model(inputs), targets)
    loss.backward()
    optimizer.step()
    model.train(was_training)
    return loss.item()

# %% wrong: gradients cut to length 1
# Clipping, a line from elsewhere, is not asked for: wherever the gradient is longer than 1 (large inputs or weights), the
# step of SGD is too short.

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad(set_to_none=True)
    loss = F.cross_entropy(model(inputs), targets)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.item()

# %% correct: the loss as a closure of the optimizer

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    def loss_with_gradients() -> Tensor:
        optimizer.zero_grad()
        log_p = model(inputs).log_softmax(dim=1)
        loss = -log_p.take_along_dim(targets.unsqueeze(1), dim=1).mean()
        loss.backward()
        return loss

    return float(optimizer.step(loss_with_gradients).detach())

# %% correct: slopes asked for by name and put in place

def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    logits = model(inputs)
    loss = (logits.logsumexp(dim=1) - logits.gather(1, targets[:, None]).squeeze(1)).mean()
    held = [p for group in optimizer.param_groups for p in group["params"]]
    for parameter in held:
        parameter.grad = None
    learning = [p for p in held if p.requires_grad]
    for parameter, slope in zip(learning, torch.autograd.grad(loss, learning, allow_unused=True), strict=True):
        parameter.grad = slope
    optimizer.step()
    return loss.item()

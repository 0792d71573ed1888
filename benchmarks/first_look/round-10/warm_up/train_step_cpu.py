# %% wrong: softmax before the cross-entropy
# F.cross_entropy does the softmax itself; here it gets probabilities and takes the softmax of them. Loss and step are those of another
# function, for any logits that are not all equal: the loss returned is not the cross-entropy of the logits.


def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad()
    probabilities = torch.softmax(model(inputs), dim=-1)
    loss = F.cross_entropy(probabilities, targets)
    loss.backward()
    optimizer.step()
    return loss.item()


# %% wrong: the gradients are cleared at the end
# The step cleans up behind itself and trusts that it finds a clean place. Gradients that another backward has left in the parameters before
# the call count in this step, though the docstring says that they do not. Step after step on its own it is right.


def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    logits = model(inputs)
    loss = F.cross_entropy(logits, targets)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()


# %% wrong: the gradient of the sum
# The loss goes back as the sum over the batch and only the number returned is divided by B. The step is down B times the gradient of the
# mean: with SGD and B > 1 the parameters move B times too far. (Adam hides it nearly.)


def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad()
    total = F.cross_entropy(model(inputs), targets, reduction="sum")
    total.backward()
    optimizer.step()
    return total.item() / len(targets)


# %% wrong: switched to training and switched back
# "The model stays in the mode that it is in", so the mode is put back at the end; but the step itself runs in training mode: a model in eval
# with dropout gives another loss. And train(mode) sets every part: a frozen batch norm (eval inside a model in train) ends in train.


def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    mode = model.training
    model.train()
    optimizer.zero_grad()
    loss = F.cross_entropy(model(inputs), targets)
    loss.backward()
    optimizer.step()
    model.train(mode)
    return loss.item()


# %% correct: a closure that the optimizer calls


def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    losses = []

    def measure():
        model.zero_grad()
        loss = nn.CrossEntropyLoss()(model(inputs), targets)
        loss.backward()
        losses.append(float(loss.detach()))
        return loss

    optimizer.step(measure)
    return losses[0]


# %% correct: gradients asked for and handed over, the loss by hand


def train_step_cpu(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, targets: Tensor) -> float:
    logits = model(inputs)
    of_the_right_class = logits.gather(1, targets[:, None]).squeeze(1)
    loss = (torch.logsumexp(logits, dim=1) - of_the_right_class).mean()
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    for p in parameters:
        p.grad = None
    learning = [p for p in parameters if p.requires_grad]
    gradients = torch.autograd.grad(loss, learning, allow_unused=True)
    for p, gradient in zip(learning, gradients, strict=True):
        p.grad = gradient
    optimizer.step()
    return loss.item()

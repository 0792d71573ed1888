# %% wrong: the caller's vector is fitted
# requires_grad_ is called on the caller's own tensor, and Adam moves it: no copy is made.
# Breaks "Starting from `vector`, which is not changed". Hint: compare vector before and after the call; who owns it?

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    vector.requires_grad_(True)
    optimizer = torch.optim.Adam([vector], lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(vector, targets), targets, pad_id)
        (vector.grad,) = torch.autograd.grad(loss, [vector])
        optimizer.step()
        losses.append(loss.detach())
    return vector.detach(), torch.stack(losses)


# %% wrong: the vector's gradients pile up
# zero_grad is never called for the fitted vector, so each step goes down the sum of all gradients so far.
# Breaks "take steps of Adam on masked_cross_entropy": from the second step on vector and losses are others. Hint: what does backward do to what is in .grad?

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = vector.detach().clone().requires_grad_(True)
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        loss.backward(inputs=[fitted])
        optimizer.step()
        losses.append(loss.detach())
    return fitted.detach(), torch.stack(losses)


# %% wrong: gradients left in the model
# loss.backward() fills .grad of all the model's parameters too, and nobody asked for these gradients.
# Breaks "gradients (none added, none taken away)". Hint: only the optimizer's list is limited to the vector; to whom does backward give gradients?

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    fitted = vector.detach().clone().requires_grad_(True)
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return fitted.detach(), torch.stack(losses)


# %% wrong: frozen for good
# The parameters are frozen with requires_grad_(False) and never set free again.
# Breaks "every parameter still requires its gradient": training could not go on. Hint: print requires_grad of a weight after the call.

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    fitted = vector.detach().clone().requires_grad_(True)
    optimizer = torch.optim.Adam([fitted], lr=learning_rate)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = masked_cross_entropy(model.decode(fitted, targets), targets, pad_id)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return fitted.detach(), torch.stack(losses)


# %% correct: backward into the vector alone

def fit_the_vector(
    model: nn.Module, targets: Tensor, vector: Tensor, pad_id: int, steps: int, learning_rate: float
) -> tuple[Tensor, Tensor]:
    searched = nn.Parameter(vector.detach().clone())
    adam = torch.optim.Adam(params=[searched], lr=learning_rate)
    losses = searched.new_zeros(steps)
    for i in range(steps):
        loss = masked_cross_entropy(logits=model.decode(searched, targets), targets=targets, pad_id=pad_id)
        losses[i] = loss.item()
        adam.zero_grad(set_to_none=True)
        loss.backward(inputs=[searched])
        adam.step()
    return searched.data, losses

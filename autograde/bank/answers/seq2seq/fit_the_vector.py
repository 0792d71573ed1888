# %% wrong: the decoder is trained as well
# The decoder's weights move too, so success says nothing about the vector. Give the optimizer the vector alone.

# --- before
    optimizer = torch.optim.Adam([vector], lr=learning_rate)
# --- after
    optimizer = torch.optim.Adam([vector, *model.parameters()], lr=learning_rate)
# --- before
        (vector.grad,) = torch.autograd.grad(loss, vector)
# --- after
        optimizer.zero_grad()
        loss.backward()

# %% wrong: gradients pile up
# Each step adds its gradient to the ones before. Clear it before every backward pass (and leave none on the model).

# --- before
        (vector.grad,) = torch.autograd.grad(loss, vector)
# --- after
        loss.backward()

# %% wrong: backward leaves gradients on the model
# The vector is right, but the model's weights carry gradients afterwards, and the next training step would add to
# them. Ask for the vector's gradient alone.

# --- before
        (vector.grad,) = torch.autograd.grad(loss, vector)
# --- after
        optimizer.zero_grad()
        loss.backward()

# %% wrong: the model stays frozen
# The weights were frozen for the search and never thawed: the next training would run and change nothing. The
# optimizer holds the vector alone, so freezing is not needed.

# --- before
    """
# --- after
    """
    model.requires_grad_(False)

# %% wrong: the model stays in evaluation mode
# The model was switched to evaluation mode and not back. Leave the mode to the caller.

# --- before
    """
# --- after
    """
    model.eval()

# %% wrong: the loss is measured after the step
# Each loss is measured after its step, so the one of the vector you began with is missing. Note the loss that the step
# was computed from.

# --- before
        losses.append(loss.detach())
# --- after
        losses.append(masked_cross_entropy(model.decode(vector, targets), targets, pad_id).detach())

# %% wrong: padding counts
# The vector is asked to produce padding too. Use the loss that leaves padding out.

# --- before
        loss = masked_cross_entropy(model.decode(vector, targets), targets, pad_id)
# --- after
        loss = F.cross_entropy(model.decode(vector, targets).flatten(0, 1), targets.flatten())

# %% wrong: the vector keeps what lies behind it
# A vector that comes straight from an encoder has the encoder's graph behind it, and so has a clone of it. Adam takes
# only a tensor that begins a graph. Detach the vector before you ask for its gradient.

# --- before
    vector = vector.detach().clone().requires_grad_()
# --- after
    vector = vector.clone().requires_grad_()

# %% correct: backward to the vector alone
def fit_the_vector(model, targets, vector, pad_id, steps, learning_rate):
    v = nn.Parameter(vector.detach().clone())
    adam = torch.optim.Adam([v], lr=learning_rate)
    losses = torch.zeros(steps)
    for i in range(steps):
        adam.zero_grad()
        loss = masked_cross_entropy(model.decode(v, targets), targets, pad_id)
        loss.backward(inputs=[v])
        losses[i] = loss.item()
        adam.step()
    return v.data, losses

# %% correct: the model frozen for the time being
def fit_the_vector(model, targets, vector, pad_id, steps, learning_rate):
    weights = [p for p in model.parameters() if p.requires_grad]
    for p in weights:
        p.requires_grad_(False)
    v = vector.clone().detach().requires_grad_(True)
    opt, history = torch.optim.Adam([v], learning_rate), []
    for _ in range(steps):
        loss = masked_cross_entropy(model.decode(v, targets), targets, pad_id)
        opt.zero_grad()
        loss.backward()
        opt.step()
        history.append(loss.item())
    for p in weights:
        p.requires_grad_(True)
    return v.detach(), torch.tensor(history)

# %% correct: Adam written out
def fit_the_vector(model, targets, vector, pad_id, steps, learning_rate):
    v, m, s, losses = vector.detach().clone(), 0.0, 0.0, []
    for t in range(1, steps + 1):
        leaf = v.clone().requires_grad_()
        loss = masked_cross_entropy(model.decode(leaf, targets), targets, pad_id)
        g = torch.autograd.grad(loss, leaf)[0]
        m, s = 0.9 * m + 0.1 * g, 0.999 * s + 0.001 * g * g
        v = v - learning_rate * (m / (1 - 0.9**t)) / ((s / (1 - 0.999**t)).sqrt() + 1e-8)
        losses.append(loss.detach())
    return v, torch.stack(losses)

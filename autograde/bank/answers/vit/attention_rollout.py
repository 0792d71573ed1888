# %% wrong: no residual
# The identity is missing: the residual passes half of every token on as it is. The rows sum to one without it too, so
# the sums do not show it.

# --- before
        step = 0.5 * layer.mean(dim=1) + 0.5 * identity  # (B, H, T, T) -> (B, T, T)
# --- after
        step = layer.mean(dim=1)  # (B, H, T, T) -> (B, T, T)

# %% wrong: the identity whole, not half
# The rows sum to 2 to the power of the layers: attention and identity were added without halving. Each counts half.

# --- before
        step = 0.5 * layer.mean(dim=1) + 0.5 * identity  # (B, H, T, T) -> (B, T, T)
# --- after
        step = layer.mean(dim=1) + identity  # (B, H, T, T) -> (B, T, T)

# %% wrong: the layers the other way round
# The product runs from the last layer to the first. With one layer it is right; with two, the later layer's matrix
# stands on the left, because it reads what the earlier one wrote.

# --- before
        mixed = step @ mixed  # later layers read what earlier ones wrote
# --- after
        mixed = mixed @ step  # later layers read what earlier ones wrote

# %% wrong: the sum of the layers
# The layers were added. Information passes through one after another: multiply the matrices.

# --- before
    mixed = identity
# --- after
    mixed = torch.zeros_like(identity)
# --- before
        mixed = step @ mixed  # later layers read what earlier ones wrote
# --- after
        mixed = step + mixed  # later layers read what earlier ones wrote

# %% wrong: the last layer alone
# Only the last layer is in the result. The tokens that it reads are mixtures already.

# --- before
        mixed = step @ mixed  # later layers read what earlier ones wrote
# --- after
        mixed = step  # later layers read what earlier ones wrote

# %% wrong: the batch is averaged
# The mean was taken over the images of the batch and not over the heads. Axis 0 is the batch's.

# --- before
        step = 0.5 * layer.mean(dim=1) + 0.5 * identity  # (B, H, T, T) -> (B, T, T)
# --- after
        step = 0.5 * layer.mean(dim=0) + 0.5 * identity  # (B, H, T, T) -> (B, T, T)

# %% wrong: transposed
# The columns sum to one and not the rows. Row t is what token t is made of.

# --- before
    return mixed
# --- after
    return mixed.transpose(1, 2)

# %% wrong: each head by itself, and the mean at the end
# Every head was followed through the layers by itself, and the mean taken at the end. The heads of a layer write into
# one token, which the next layer reads: take their mean in each layer.

def attention_rollout(weights):
    identity = torch.eye(weights[0].shape[-1])
    mixed = identity
    for layer in weights:
        mixed = (0.5 * layer + 0.5 * identity) @ mixed
    return mixed.mean(dim=1)

# %% correct: from the identity on
def attention_rollout(weights):
    B, H, T, _ = weights[0].shape
    eye = torch.eye(T)
    rollout = eye.repeat(B, 1, 1)
    for layer in weights:
        rollout = torch.bmm((layer.mean(1) + eye) / 2, rollout)
    return rollout

# %% correct: normed by its rows
def attention_rollout(weights):
    rollout = None
    for layer in weights:
        step = layer.mean(dim=1) + torch.eye(layer.shape[-1])
        step = step / step.sum(dim=-1, keepdim=True)
        rollout = step if rollout is None else torch.einsum("bij,bjk->bik", step, rollout)
    return rollout

# %% correct: reduce, from the last layer back
def attention_rollout(weights):
    steps = [0.5 * w.mean(1) + 0.5 * torch.eye(w.shape[-1]) for w in weights]
    product = steps[-1]
    for step in reversed(steps[:-1]):
        product = product @ step
    return product

# %% correct: read, then keep half
def attention_rollout(weights):
    state = torch.eye(weights[0].shape[-1]).expand(weights[0].shape[0], -1, -1)
    for layer in weights:
        state = state + 0.5 * (layer.mean(dim=1) @ state - state)
    return state

# %% correct: heads in a loop
def attention_rollout(weights):
    rollout = torch.eye(weights[0].shape[-1]).expand(weights[0].shape[0], -1, -1)
    for layer in weights:
        heads = layer.unbind(dim=1)
        rollout = sum(head @ rollout for head in heads) / (2 * len(heads)) + rollout / 2
    return rollout

# %% wrong: the first layer on the left
# The product is A_1 A_2 ... A_L. Shows for two layers or more that do not commute.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    identity = torch.eye(weights[0].shape[-1], dtype=weights[0].dtype, device=weights[0].device)
    mixed = [(layer.mean(dim=1) + identity) / 2 for layer in weights]
    rollout = mixed[0]
    for layer in mixed[1:]:
        rollout = rollout @ layer
    return rollout


# %% wrong: each head rolled out by itself
# The layers are multiplied head by head and the mean over the heads is taken at the end. Shows for two heads and two
# layers or more: a product of means is no mean of products.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    identity = torch.eye(weights[0].shape[-1], dtype=weights[0].dtype, device=weights[0].device)
    rollout = identity
    for layer in weights:
        rollout = (0.5 * layer + 0.5 * identity) @ rollout  # (B, H, T, T)
    return rollout.mean(dim=1)


# %% wrong: the list turned round where it lies
# weights.reverse() puts the last layer on the left, and leaves the caller's list reversed: a second call with the same
# list gives the product the other way round. Shows for two layers or more.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    weights.reverse()
    rollout = None
    for layer in weights:
        mean = layer.mean(dim=1)
        mean = 0.5 * mean + 0.5 * torch.eye(mean.shape[1], dtype=mean.dtype, device=mean.device)
        rollout = mean if rollout is None else rollout @ mean
    return rollout


# %% wrong: it starts from an identity in float32
# The product begins with torch.eye(T), which is float32: for float64 weights the first @ raises an error.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    tokens = weights[0].shape[-1]
    rollout = torch.eye(tokens, device=weights[0].device)
    for layer in weights:
        mixed = 0.5 * layer.mean(dim=1)
        mixed = mixed + 0.5 * torch.eye(tokens, dtype=layer.dtype, device=layer.device)
        rollout = torch.matmul(mixed, rollout)
    return rollout


# %% correct: half stays, half is fetched

def attention_rollout(weights: list[Tensor]) -> Tensor:
    B, H, T, _ = weights[0].shape
    made_of = torch.diag_embed(weights[0].new_ones(B, T))  # before any layer each token is itself
    for layer in weights:
        fetched = sum(torch.bmm(layer[:, head], made_of) for head in range(layer.shape[1])) / layer.shape[1]
        made_of = torch.lerp(made_of, fetched, 0.5)
    return made_of


# %% correct: from the last layer down, one output token at a time

def attention_rollout(weights: list[Tensor]) -> Tensor:
    tokens = weights[-1].shape[-1]
    rows = []
    for t in range(tokens):
        asked = F.one_hot(torch.tensor(t, device=weights[-1].device), tokens).to(weights[-1].dtype)
        row = asked.expand(weights[-1].shape[0], tokens)  # (B, T)
        for layer in weights[::-1]:
            row = row / 2 + torch.einsum("bt,bhts->bs", row, layer) / (2 * layer.shape[1])
        rows.append(row)
    return torch.stack(rows, dim=1)

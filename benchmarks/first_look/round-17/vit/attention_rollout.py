# %% wrong: a rollout for each head, the mean at the end
# Half the head and half the identity are multiplied head by head, and only the products are averaged. The mean of products
# is not the product of means: shows for two or more layers with two or more heads.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    identity = torch.eye(weights[0].shape[-1], device=weights[0].device)
    rollout = identity
    for layer in weights:
        rollout = (0.5 * layer + 0.5 * identity) @ rollout  # (B, H, T, T)
    return rollout.mean(dim=1)


# %% wrong: the residual once, at the end
# The attentions are multiplied without the identity, which is mixed in only once. So a token cannot pass a single layer
# unchanged: shows from two layers on.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    product = weights[0].mean(dim=1)
    for layer in weights[1:]:
        product = layer.mean(dim=1) @ product
    return 0.5 * product + 0.5 * torch.eye(product.shape[-1], device=product.device)


# %% wrong: the first layer is taken out of the list
# pop(0) shortens the caller's list, which must be left as it was. The result is right; shows in len(weights) afterwards, and
# in a second call.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    def mix(layer: Tensor) -> Tensor:
        mean = layer.mean(dim=1)
        return (mean + torch.eye(mean.shape[1], device=mean.device)) / 2

    rollout = mix(weights.pop(0))
    for layer in weights:
        rollout = mix(layer) @ rollout
    return rollout


# %% wrong: the first layer mixes twice
# The product is started with layer 1, and then the loop runs over all layers, layer 1 again. Shows for every number of
# layers, one included.

def attention_rollout(weights: list[Tensor]) -> Tensor:
    length = weights[0].shape[-1]
    eye = torch.eye(length, device=weights[0].device)
    mixed = [0.5 * layer.mean(dim=1) + 0.5 * eye for layer in weights]
    rollout = mixed[0]
    for layer in mixed:
        rollout = torch.bmm(layer, rollout)
    return rollout


# %% correct: from the last layer down, rows divided by their sum

def attention_rollout(weights: list[Tensor]) -> Tensor:
    product = None
    for layer in reversed(weights):
        mixing = layer.mean(dim=1)
        mixing = mixing + torch.eye(mixing.shape[-1], dtype=mixing.dtype, device=mixing.device)
        mixing = mixing / mixing.sum(dim=-1, keepdim=True)
        product = mixing if product is None else torch.matmul(product, mixing)
    return product


# %% correct: sends one-hot tokens through the layers as a stream

def attention_rollout(weights: list[Tensor]) -> Tensor:
    batch, _, length, _ = weights[0].shape
    columns = []
    for token in range(length):
        # how much of this input token is in each place, layer after layer: (B, T)
        amount = torch.zeros(batch, length, dtype=weights[0].dtype, device=weights[0].device)
        amount[:, token] = 1.0
        for layer in weights:
            read = torch.einsum("bhts,bs->bt", layer, amount) / layer.shape[1]
            amount = (amount + read) / 2
        columns.append(amount)
    return torch.stack(columns, dim=2)

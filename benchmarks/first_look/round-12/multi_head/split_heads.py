# %% wrong: view there and view back
# Only line breaks change: head 0 gets the first T * d numbers of a sentence, features of few positions. Split and merge undo
# each other, but both are wrong for every input with T above 1 and H above 1.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{num_heads} heads do not divide {D}")
    return x.reshape(B, num_heads, T, D // num_heads)


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    return x.reshape(B, T, H * d)


# %% wrong: the features dealt out like cards
# The last axis is cut as (d, H), so head h gets the features h, h + H, h + 2 H, ... and not a block. It shows for H and d both
# above 1. The merge fits the split and is wrong in the same way.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError("num_heads must divide D")
    return x.reshape(B, T, D // num_heads, num_heads).permute(0, 3, 1, 2)


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    return x.permute(0, 2, 3, 1).reshape(B, T, H * d)


# %% wrong: merged by view, without a copy
# After the transpose, view cannot merge: a RuntimeError. It goes well for what split_heads gives (there and back), and fails
# for heads that lie in memory in order, as attention's output does.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError("num_heads must divide D")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    B, H, T, d = x.shape
    return x.transpose(1, 2).view(B, T, H * d)


# %% wrong: chunk finds the heads
# chunk(num_heads) cuts as well as it can where num_heads does not divide D: six features and four heads give three heads of
# two, and no ValueError.

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    return torch.stack(x.chunk(num_heads, dim=2), dim=1)


def merge_heads(x: Tensor) -> Tensor:
    return torch.cat(x.unbind(dim=1), dim=2)


# %% correct: a table of feature numbers

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    width, left_over = divmod(x.shape[-1], num_heads)
    if left_over:
        raise ValueError(f"{x.shape[-1]} features cannot be shared out to {num_heads} heads")
    feature = torch.arange(num_heads * width, device=x.device).view(num_heads, width)
    return torch.movedim(x[:, :, feature], 2, 1)


def merge_heads(x: Tensor) -> Tensor:
    numbers = torch.arange(x.shape[1] * x.shape[3], device=x.device)
    head = torch.div(numbers, x.shape[3], rounding_mode="floor")
    return x.permute(1, 3, 0, 2)[head, numbers % x.shape[3]].permute(1, 2, 0)


# %% correct: block by block into an empty tensor

def split_heads(x: Tensor, num_heads: int) -> Tensor:
    batch, length, features = x.shape
    if features != features // num_heads * num_heads:
        raise ValueError("the heads would be of unequal width")
    d = features // num_heads
    heads = x.new_empty(batch, num_heads, length, d)
    for h in range(num_heads):
        heads[:, h] = x[:, :, h * d : (h + 1) * d]
    return heads


def merge_heads(x: Tensor) -> Tensor:
    batch, heads, length, d = x.shape
    merged = x.new_empty(batch, length, heads * d)
    for h, own in enumerate(x.unbind(1)):
        merged[..., h * d : h * d + d] = own
    return merged

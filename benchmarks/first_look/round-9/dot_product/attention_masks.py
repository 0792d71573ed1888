# %% wrong: compared the wrong way round
# Key against query in place of query against key: the causal mask is the upper triangle, each query sees the future.
# Shows for every length above 1.

def causal_mask(length: int) -> Tensor:
    place = torch.arange(length)
    return place.unsqueeze(0) >= place.unsqueeze(1)


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    return (torch.arange(max_length, device=lengths.device) < lengths.unsqueeze(1)).unsqueeze(1)

# %% wrong: the axis of length one at the end
# The padding mask is (B, max_length, 1), so that it forbids padded queries and leaves every key open.
# Shows for every input with max_length above 1, in the shape.

def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length, dtype=torch.bool).tril()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    real = torch.arange(max_length, device=lengths.device).unsqueeze(0) < lengths.unsqueeze(1)  # (B, S)
    return real.unsqueeze(-1)

# %% wrong: positions made on the CPU
# torch.arange without a device is on the CPU and does not meet lengths on another one.
# Shows for lengths on a GPU (or any device that is not the CPU): an error.

def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones(length, length)).bool()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    positions = torch.arange(max_length)
    return positions[None, None, :] < lengths[:, None, None]

# %% wrong: as wide as the longest of the batch
# Takes the width from lengths and not from max_length.
# Shows where no sequence of the batch has the full max_length: lengths [2, 3] and max_length 5 give (2, 1, 3).

def causal_mask(length: int) -> Tensor:
    rows, columns = torch.arange(length).view(-1, 1), torch.arange(length).view(1, -1)
    return columns <= rows


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    longest = min(int(lengths.max()), max_length)
    positions = torch.arange(longest, device=lengths.device)
    return (positions < lengths.unsqueeze(1)).unsqueeze(1)

# %% correct: running sums

def causal_mask(length: int) -> Tensor:
    return torch.eye(length, dtype=torch.int64, device="cpu").cumsum(dim=0).bool()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    count = lengths.new_ones(len(lengths), 1, max_length).cumsum(dim=2)  # 1, 2, 3, ...
    return count.le(lengths.reshape(-1, 1, 1))

# %% correct: row by row, and what is left of each length

def causal_mask(length: int) -> Tensor:
    rows = [[True] * (t + 1) + [False] * (length - t - 1) for t in range(length)]
    return torch.tensor(rows, dtype=torch.bool, device="cpu").reshape(length, length)


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    left, columns = lengths.unsqueeze(1), []
    for _ in range(max_length):
        columns.append(left > 0)
        left = left - 1
    return torch.stack(columns, dim=2)

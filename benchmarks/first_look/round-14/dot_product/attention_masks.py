# %% wrong: the axis of length one is put at the keys
# padding_mask comes out as (B, max_length, 1): it hides padded queries instead of padded keys. Shows at every input with max_length > 1.

def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length, dtype=torch.bool).tril()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    places = torch.arange(max_length, device=lengths.device)
    return (places < lengths.unsqueeze(1)).unsqueeze(2)


# %% wrong: as wide as the longest sentence, not as max_length
# Where no sentence fills max_length, the mask is too narrow for the scores: lengths (2, 3) with max_length 6 give (2, 1, 3).

def causal_mask(length: int) -> Tensor:
    places = torch.arange(length)
    return places <= places.unsqueeze(1)


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    longest = min(int(lengths.max()), max_length)
    places = torch.arange(longest, device=lengths.device).view(1, 1, -1)
    return places < lengths.view(-1, 1, 1)


# %% wrong: places counted from one
# "The first n" read as "place number below n", with the places numbered from 1: the last real key of every sentence is hidden.
# A length of 3 allows two keys.

def causal_mask(length: int) -> Tensor:
    return ~torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    number = torch.arange(1, max_length + 1, device=lengths.device)
    return (number < lengths[:, None])[:, None, :]


# %% wrong: rows and columns of the causal mask exchanged
# position.unsqueeze(0) are the columns, so this is True where the key comes after the query. Query 0 sees everything, the last
# one only itself; right for length 1 alone.

def causal_mask(length: int) -> Tensor:
    query, key = torch.arange(length).unsqueeze(0), torch.arange(length).unsqueeze(1)
    return key <= query


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    return torch.arange(max_length, device=lengths.device).expand(len(lengths), 1, -1) < lengths.view(-1, 1, 1)


# %% correct: running sums

def causal_mask(length: int) -> Tensor:
    return torch.eye(length, dtype=torch.int64).cumsum(dim=0).bool()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    ends = torch.zeros(len(lengths), max_length + 1, dtype=torch.int64, device=lengths.device)
    ends = ends.scatter(1, lengths.unsqueeze(1), 1)
    return ends.cumsum(dim=1)[:, :max_length].eq(0).unsqueeze(1)


# %% correct: place by place

def causal_mask(length: int) -> Tensor:
    mask = torch.zeros(length, length, dtype=torch.bool)
    for query in range(length):
        for key in range(query + 1):
            mask[query, key] = True
    return mask


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    mask = torch.zeros(lengths.shape[0], 1, max_length, dtype=torch.bool, device=lengths.device)
    for key in range(max_length):
        mask[:, 0, key] = lengths.gt(key)
    return mask

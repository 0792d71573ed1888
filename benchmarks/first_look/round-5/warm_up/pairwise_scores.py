# %% wrong: reshaped where a transpose is needed
# The key is read anew as (B, D, S) and not transposed: the shape is right, the numbers are mixed across keys and width.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    batch, places, width = key.shape
    return torch.bmm(query, key.reshape(batch, width, places))


# %% wrong: the guard left to matmul
# The given guard is replaced by what matmul refuses; but matmul stretches a batch of one, so B = 1 against B = 4 passes without a word.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    try:
        return torch.matmul(query, key.transpose(-2, -1))
    except (RuntimeError, IndexError) as error:
        raise ValueError(f"query {tuple(query.shape)} and key {tuple(key.shape)} do not fit: {error}") from error


# %% wrong: numbers taken out with item
# Each dot product is turned into a Python number, so that no gradient flows to query or key.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    scores = [
        [[torch.dot(q, k).item() for k in sentence_keys] for q in sentence_queries]
        for sentence_queries, sentence_keys in zip(query, key, strict=True)
    ]
    return torch.tensor(scores, dtype=query.dtype).reshape(query.shape[0], query.shape[1], key.shape[1])


# %% wrong: queries meet the keys of all sentences
# tensordot pairs every query with every key of every batch entry, and the sum over the other batch axis mixes the sentences.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    table = torch.tensordot(query, key, dims=([2], [2]))  # every d is summed over
    return table.sum(dim=2)


# %% wrong: squeezed at the end
# The squeeze that removes the summed axis removes every other axis of size 1 too: a batch of one, one query or one key is lost.

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    rows = query[:, :, None, None, :]  # (B, T, 1, 1, D)
    columns = key[:, None, :, :, None]  # (B, 1, S, D, 1)
    return (rows @ columns).squeeze()


# %% correct: one width entry after the other, added up

def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() != 3 or key.dim() != 3 or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        raise ValueError(f"need query (B, T, D) and key (B, S, D), got {tuple(query.shape)} and {tuple(key.shape)}")
    total = query.new_zeros(query.shape[0], query.shape[1], key.shape[1])
    for q, k in zip(query.unbind(dim=2), key.unbind(dim=2), strict=True):  # (B, T) and (B, S), D times
        total = total + q.unsqueeze(2) * k.unsqueeze(1)
    return total


# %% correct: all pairs of sentences, then their diagonal

def _refuse_if_unlike(query: Tensor, key: Tensor) -> None:
    alike = query.dim() == key.dim() == 3 and (query.shape[0], query.shape[2]) == (key.shape[0], key.shape[2])
    if not alike:
        raise ValueError(f"query {tuple(query.shape)} and key {tuple(key.shape)} do not agree in B or D")


def pairwise_scores(query: Tensor, key: Tensor) -> Tensor:
    _refuse_if_unlike(query, key)
    everything = torch.tensordot(query, key, dims=([2], [2]))  # (B, T, B, S)
    own = everything.diagonal(dim1=0, dim2=2)  # (T, S, B)
    return own.permute(2, 0, 1)

# %% wrong: keys that hold the next token
# Counts the keys that hold the token which comes after the query: the same places on strings that repeat with a period,
# as in the notebook, other ones wherever a token is followed by different tokens, e.g. tokens 0 1 0 2 0.


def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    T = tokens.shape[1]
    coming = tokens[:, 1:]  # what the head should find
    here, keys = tokens[:, :-1], torch.arange(T - 1, device=tokens.device)
    earlier = keys.unsqueeze(0) < keys.unsqueeze(1)  # key before query
    counted = ((here.unsqueeze(2) == here.unsqueeze(1)) & earlier).any(dim=2)
    if not counted.any():
        raise ValueError("no token occurs a second time")
    target = (coming.unsqueeze(2) == here.unsqueeze(1)) & (keys.unsqueeze(0) <= keys.unsqueeze(1)) & (keys > 0)
    share = (weights[:, :, :-1, :-1] * target.unsqueeze(1)).sum(dim=3)  # (B, H, T - 1)
    return share.transpose(0, 1)[:, counted].mean(dim=1)


# %% wrong: the latest occurrence only
# Of several earlier occurrences only the last one counts: too low where a token stood twice or more before the query,
# e.g. tokens 0 1 0 2 0 with weight on place 1 in the last row.


def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    B, H, T, _ = weights.shape
    total, count = weights.new_zeros(H), 0
    for b in range(B):
        last_place = {}
        for t, token in enumerate(tokens[b].tolist()):
            if token in last_place:
                total = total + weights[b, :, t, last_place[token] + 1]
                count += 1
            last_place[token] = t
    if count == 0:
        raise ValueError("no token occurs a second time")
    return total / count


# %% wrong: an error for a sentence without repeats
# Raises ValueError as soon as one sentence of the batch has no repeated token, though another one has: wrong for tokens
# [[0, 1, 2], [0, 0, 1]], where the mean over the second sentence's queries is asked for.


def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    shares = []
    for w, line in zip(weights, tokens):  # (H, T, T), (T,)
        same = (line.unsqueeze(1) == line).tril(-1)  # an earlier place with the query's token
        counted = same.any(dim=1)
        if not counted.any():
            raise ValueError("no token occurs a second time")
        target = F.pad(same[:, :-1], (1, 0))  # the place after it
        shares.append((w * target).sum(dim=2)[:, counted])
    return torch.cat(shares, dim=1).mean(dim=1)


# %% wrong: what was seen is kept from sentence to sentence
# The set of tokens that occurred is made once for the batch, so a token that stood in an earlier sentence only makes its
# query count, with a share of 0: too low for two or more sentences that have tokens in common.


def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    B, H, T, _ = weights.shape
    seen = set()
    shares = []
    for b in range(B):
        for t in range(T):
            token = int(tokens[b, t])
            if token in seen:
                share = weights.new_zeros(H)
                for j in range(1, t + 1):
                    if tokens[b, j - 1] == token:
                        share = share + weights[b, :, t, j]
                shares.append(share)
            seen.add(token)
    if not shares:
        raise ValueError("no token occurs a second time")
    return torch.stack(shares).mean(dim=0)


# %% correct: a dictionary of the places after each token


def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    shares = []
    for sentence, line in zip(weights, tokens.tolist()):
        after = {}
        for t, token in enumerate(line):
            if token in after:
                shares.append(sentence[:, t, after[token]].sum(dim=1))
            after.setdefault(token, []).append(t + 1)
    if not shares:
        raise ValueError("no token of the batch occurs a second time")
    return sum(shares[1:], shares[0]) / len(shares)


# %% correct: one diagonal of the weights for each distance


def induction_score(weights: Tensor, tokens: Tensor) -> Tensor:
    B, H, T, _ = weights.shape
    total = torch.zeros(H, dtype=weights.dtype, device=weights.device)
    counted = torch.zeros(B, T, dtype=torch.bool, device=tokens.device)
    for back in range(1, T):  # the earlier occurrence stands `back` places before the query
        same = tokens[:, back:] == tokens[:, :-back]  # (B, T - back), query t = back + column
        counted[:, back:] |= same
        # query t, key t - back + 1: a diagonal that lies back - 1 below the main one and starts in row back - 1;
        # its first entry is key 0, after which no occurrence can have stood before it
        line = weights.diagonal(-(back - 1), dim1=2, dim2=3)[:, :, 1:]
        total = total + (line * same.unsqueeze(1)).sum(dim=(0, 2))
    number = int(counted.sum())
    if number == 0:
        raise ValueError("every token occurs once")
    return total / number

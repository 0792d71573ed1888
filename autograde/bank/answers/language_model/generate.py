# %% wrong: the token that crosses p is dropped
# The token with which the sum reaches top_p was dropped, so what is kept has less than top_p together. A token stays
# as long as those before it have not reached top_p.

# --- before
        ordered = ordered.masked_fill(before >= top_p, 0.0)
# --- after
        ordered = ordered.masked_fill((before + ordered > top_p) & (before > 0), 0.0)

# %% wrong: the token that crosses p is dropped, and perhaps all are
# The token with which the sum reaches top_p was dropped, and where the first one reaches it alone nothing is left. A
# token stays as long as those before it have not reached top_p.

# --- before
        ordered = ordered.masked_fill(before >= top_p, 0.0)
# --- after
        ordered = ordered.masked_fill(before + ordered > top_p, 0.0)

# %% wrong: top_p keeps one token too many
# A token was kept after those before it had reached top_p already. The one that reaches it is the last.

# --- before
        ordered = ordered.masked_fill(before >= top_p, 0.0)
# --- after
        ordered = ordered.masked_fill((before - ordered.roll(1, -1)).clamp(min=0) * (before > 0) >= top_p, 0.0)

# %% wrong: top_p as a threshold for each token
# Tokens were kept by their own probability. top_p is about the sum: the most likely ones, until together they have
# top_p.

# --- before
        ordered = ordered.masked_fill(before >= top_p, 0.0)
# --- after
        ordered = ordered.masked_fill((ordered < 1 - top_p) & (before > 0), 0.0)

# %% wrong: the logits are multiplied by the temperature
# A temperature below 1 made the distribution flatter. The logits are divided by it: small temperature, large
# differences.

# --- before
    ordered, order = torch.sort(torch.softmax(logits / temperature, dim=-1), dim=-1, descending=True, stable=True)
# --- after
    ordered, order = torch.sort(torch.softmax(logits * temperature, dim=-1), dim=-1, descending=True, stable=True)

# %% wrong: the temperature divides the probabilities
# The temperature came after a softmax, and then there was another. It divides the logits, before the only softmax.

# --- before
    ordered, order = torch.sort(torch.softmax(logits / temperature, dim=-1), dim=-1, descending=True, stable=True)
# --- after
    ordered, order = torch.sort(torch.softmax(torch.softmax(logits, dim=-1) / temperature, dim=-1), dim=-1, descending=True, stable=True)

# %% wrong: what is kept is not divided by its sum
# After dropping tokens the rest no longer sums to one. Divide what is kept by its sum.

# --- before
        ordered[:, top_k:] = 0.0
        ordered = ordered / ordered.sum(dim=-1, keepdim=True)
# --- after
        ordered[:, top_k:] = 0.0
# --- before
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        ordered = ordered / ordered.sum(dim=-1, keepdim=True)
# --- after
        ordered = ordered.masked_fill(before >= top_p, 0.0)

# %% wrong: top_p before top_k
# top_p was applied first, to all the tokens, and top_k to what it left. The docstring has it the other way round, and
# it matters: top_p counts shares of what top_k has kept.

# --- before
    if top_k is not None:
        ordered[:, top_k:] = 0.0
        ordered = ordered / ordered.sum(dim=-1, keepdim=True)
# --- after
# --- before
        ordered = ordered.masked_fill(before >= top_p, 0.0)
# --- after
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        ordered = ordered / ordered.sum(dim=-1, keepdim=True)
    if top_k is not None:
        ordered[:, top_k:] = 0.0

# %% wrong: the temperature is left out
# The temperature changes nothing. Divide the logits by it before the softmax.

# --- before
    ordered, order = torch.sort(torch.softmax(logits / temperature, dim=-1), dim=-1, descending=True, stable=True)
# --- after
    ordered, order = torch.sort(torch.softmax(logits, dim=-1), dim=-1, descending=True, stable=True)

# %% wrong: temperature 0 is not seen to
# Dividing by a temperature of 0 gives infinities and NaN. Treat 0 apart: the largest logit gets all.

# --- before
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=-1), logits.shape[-1]).to(logits.dtype)
# --- after

# %% wrong: the probabilities stay in sorted order
# The probabilities came back in falling order, so they belong to other tokens. Put each back to its own place in the
# vocabulary.

# --- before
    return torch.zeros_like(ordered).scatter(-1, order, ordered)  # back to the vocabulary's order
# --- after
    return ordered  # back to the vocabulary's order

# %% wrong: sorted order is undone the wrong way
# `order` says which token stands at each sorted place. Gathering with it sorts a second time; to go back, write each
# probability to its token's place.

# --- before
    return torch.zeros_like(ordered).scatter(-1, order, ordered)  # back to the vocabulary's order
# --- after
    return ordered.gather(-1, order)  # back to the vocabulary's order

# %% wrong: top_k fails above V
# A top_k larger than the vocabulary should keep all the tokens.

# --- before
    ordered, order = torch.sort(torch.softmax(logits / temperature, dim=-1), dim=-1, descending=True, stable=True)
# --- after
    ordered, order = torch.sort(torch.softmax(logits / temperature, dim=-1), dim=-1, descending=True, stable=True)
    if top_k is not None and top_k > ordered.shape[-1]:
        top_k = 1

# %% wrong: the first max_length tokens are read
# Once the text is longer than the window, the model went on reading its beginning. It needs the last max_length
# tokens.

# --- before
            logits = model(tokens[:, -max_length:])[:, -1]  # (B, T, V) -> (B, V)
# --- after
            logits = model(tokens[:, :max_length])[:, -1]

# %% wrong: the window is not cut
# The model was given more tokens than max_length. Cut the text to its last max_length tokens before each reading.

# --- before
            logits = model(tokens[:, -max_length:])[:, -1]  # (B, T, V) -> (B, V)
# --- after
            logits = model(tokens)[:, -1]

# %% wrong: only the newest token is read
# The model read one token at a time and so forgot the rest. Without a cache it has to read the whole window again for
# each new token.

# --- before
            logits = model(tokens[:, -max_length:])[:, -1]  # (B, T, V) -> (B, V)
# --- after
            logits = model(tokens[:, -1:])[:, -1]

# %% wrong: always the most likely token
# `generate` took the most likely token every time. It is to draw from the distribution; at temperature 0 that is the
# same.

# --- before
            tokens = torch.cat([tokens, torch.multinomial(probabilities, 1)], dim=1)
# --- after
            tokens = torch.cat([tokens, probabilities.argmax(dim=1, keepdim=True)], dim=1)

# %% wrong: the settings are not handed on
# top_k and top_p never reach `sampling_distribution`: `generate` draws from the whole distribution.

# --- before
            probabilities = sampling_distribution(logits, temperature, top_k, top_p)
# --- after
            probabilities = sampling_distribution(logits, temperature)

# %% wrong: only the new tokens come back
# The tokens that were given are missing from what comes back: they stand first, then the new ones.

# --- before
    """
    with torch.no_grad():
# --- after
    """
    given = tokens.shape[1]
    with torch.no_grad():
# --- before
    return tokens
# --- after
    return tokens[:, given:]

# %% wrong: none of the settings is handed on
# `generate` drew from the plain softmax of the logits: neither the temperature nor top_k nor top_p had any part. Hand
# all three to `sampling_distribution`.

# --- before
            probabilities = sampling_distribution(logits, temperature, top_k, top_p)
# --- after
            probabilities = sampling_distribution(logits)

# %% wrong: what top_k keeps is not divided by its sum
# After top_k the rest no longer sums to one, and top_p then counts shares of the whole. Divide what top_k keeps by its
# sum at once.

# --- before
        ordered[:, top_k:] = 0.0
        ordered = ordered / ordered.sum(dim=-1, keepdim=True)
# --- after
        ordered[:, top_k:] = 0.0

# %% wrong: top_p keeps one more where p is met exactly
# Where the tokens before have exactly top_p together, one more was kept. The fewest that have at least top_p are asked
# for.

# --- before
        ordered = ordered.masked_fill(before >= top_p, 0.0)
# --- after
        ordered = ordered.masked_fill(before > top_p, 0.0)

# %% wrong: the least likely are kept
# top_k kept the k least likely tokens. Sort in falling order, or take the other end.

# --- before
        ordered[:, top_k:] = 0.0
# --- after
        ordered[:, : max(0, ordered.shape[1] - top_k)] = 0.0

# %% wrong: the softmax runs over the batch
# The softmax ran over the rows of the batch. Each row is a distribution over the vocabulary: the last axis.

# --- before
    ordered, order = torch.sort(torch.softmax(logits / temperature, dim=-1), dim=-1, descending=True, stable=True)
# --- after
    ordered, order = torch.sort(torch.softmax(logits / temperature, dim=0), dim=-1, descending=True, stable=True)

# %% wrong: all equals share at temperature 0
# At temperature 0 several equal logits shared the probability. The first of them gets it all.

# --- before
        return F.one_hot(logits.argmax(dim=-1), logits.shape[-1]).to(logits.dtype)
# --- after
        best = (logits == logits.amax(dim=-1, keepdim=True)).to(logits.dtype)
        return best / best.sum(dim=-1, keepdim=True)

# %% wrong: every place is handed to sampling_distribution
# The logits of all places (B, T, V) went into `sampling_distribution`, which takes (B, V). Take the last row of logits
# first.

# --- before
            logits = model(tokens[:, -max_length:])[:, -1]  # (B, T, V) -> (B, V)
# --- after
            logits = model(tokens[:, -max_length:])  # (B, T, V) -> (B, V)
# --- before
            tokens = torch.cat([tokens, torch.multinomial(probabilities, 1)], dim=1)
# --- after
            tokens = torch.cat([tokens, torch.multinomial(probabilities[:, -1], 1)], dim=1)

# %% wrong: the beginning is cut once
# A beginning longer than the window was cut for good: some of the given tokens are missing from what comes back. Cut
# only what the model reads, and do it at each step.

# --- before
    """
    with torch.no_grad():
# --- after
    """
    tokens = tokens[:, -max_length:]
    with torch.no_grad():

# %% wrong: the same random numbers at each step
# The random numbers begin afresh at each step, so each draw repeats the one before. Leave the seed to the caller.

# --- before
            tokens = torch.cat([tokens, torch.multinomial(probabilities, 1)], dim=1)
# --- after
            tokens = torch.cat([tokens, torch.multinomial(probabilities, 1, generator=torch.Generator().manual_seed(0))], dim=1)

# %% wrong: a seed is set inside
# A seed is set inside `generate`, so that every run writes the same. Leave the seed to the caller.

# --- before
    """
    with torch.no_grad():
# --- after
    """
    torch.manual_seed(0)
    with torch.no_grad():

# %% wrong: one draw for the whole batch
# One token was drawn for all the rows of the batch. Each row draws from its own distribution.

# --- before
            tokens = torch.cat([tokens, torch.multinomial(probabilities, 1)], dim=1)
# --- after
            tokens = torch.cat([tokens, torch.multinomial(probabilities[:1], 1).expand(len(tokens), 1)], dim=1)

# %% wrong: gradients are kept
# The model ran with gradients switched on, so each step stores what only training needs. Write under torch.no_grad.

# --- before
    with torch.no_grad():
# --- after
    with torch.enable_grad():

# %% wrong: the caller's tokens are changed
# The new tokens were put into the caller's own tensor. Make a new one and leave what was given as it is.

# --- before
            tokens = torch.cat([tokens, torch.multinomial(probabilities, 1)], dim=1)
# --- after
            tokens.data = torch.cat([tokens, torch.multinomial(probabilities, 1)], dim=1)

# %% wrong: the caller's logits are changed
# The logits were divided in place, so the caller's own tensor changed. Divide into a new one.

# --- before
    ordered, order = torch.sort(torch.softmax(logits / temperature, dim=-1), dim=-1, descending=True, stable=True)
# --- after
    logits /= temperature
    ordered, order = torch.sort(torch.softmax(logits, dim=-1), dim=-1, descending=True, stable=True)

# %% wrong: a token stays if its own probability reaches p
# Tokens were kept by their own probability, and where none reaches top_p nothing is left. top_p is about the sum: the
# most likely ones, until together they have top_p.

# --- before
        ordered = ordered.masked_fill(before >= top_p, 0.0)
# --- after
        ordered = ordered.masked_fill(ordered < top_p, 0.0)

# %% correct: minus infinity in the logits, step by step

def sampling_distribution(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature < 0:
        raise ValueError("temperature")
    if top_k is not None and top_k < 1:
        raise ValueError("top_k")
    if top_p is not None and (top_p <= 0 or top_p > 1):
        raise ValueError("top_p")
    if temperature == 0:
        p = torch.zeros_like(logits)
        p[torch.arange(len(p)), logits.argmax(1)] = 1.0
        return p
    logits = logits / temperature
    if top_k is not None and top_k < logits.shape[1]:
        smallest = logits.topk(top_k).values[:, -1:]
        logits = logits.masked_fill(logits < smallest, float("-inf"))
    if top_p is not None:
        values, order = logits.sort(descending=True)
        together = values.softmax(1).cumsum(1)
        drop = torch.cat([torch.zeros_like(together[:, :1], dtype=torch.bool), together[:, :-1] >= top_p], dim=1)
        logits = logits.masked_fill(torch.zeros_like(drop).scatter(1, order, drop), float("-inf"))
    return logits.softmax(1)


@torch.no_grad()
def generate(model, tokens, count, max_length, temperature=1.0, top_k=None, top_p=None):
    for _ in range(count):
        window = tokens if tokens.shape[1] <= max_length else tokens[:, tokens.shape[1] - max_length :]
        p = sampling_distribution(model(window)[:, -1, :], temperature, top_k, top_p)
        tokens = torch.cat((tokens, torch.multinomial(p, num_samples=1)), dim=-1)
    return tokens

# %% correct: row by row in plain Python

def sampling_distribution(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature < 0 or (top_k is not None and top_k < 1) or (top_p is not None and not 0 < top_p <= 1):
        raise ValueError("out of range")
    rows = []
    for row in logits:
        if temperature == 0:
            p = [0.0] * len(row)
            p[int(row.argmax())] = 1.0
            rows.append(p)
            continue
        p = (row / temperature).softmax(0).tolist()
        kept = sorted(range(len(p)), key=lambda i: -p[i])
        if top_k is not None:
            kept = kept[:top_k]
        if top_p is not None:
            whole, so_far, few = sum(p[i] for i in kept), 0.0, []
            for i in kept:
                if so_far >= top_p:
                    break
                few.append(i)
                so_far += p[i] / whole
            kept = few
        whole = sum(p[i] for i in kept)
        rows.append([p[i] / whole if i in kept else 0.0 for i in range(len(p))])
    return torch.tensor(rows)


def generate(model, tokens, count, max_length, temperature=1.0, top_k=None, top_p=None):
    written = tokens.clone()
    for _ in range(count):
        with torch.no_grad():
            last = model(written[:, -max_length:])[:, -1]
        new = torch.multinomial(sampling_distribution(last, temperature, top_k, top_p), 1)
        written = torch.cat([written, new], 1)
    return written

# %% correct: Gumbel's trick in place of multinomial

# --- before
            tokens = torch.cat([tokens, torch.multinomial(probabilities, 1)], dim=1)
# --- after
            tokens = torch.cat([tokens, (probabilities.log() - (-torch.rand_like(probabilities).log()).log()).argmax(1, keepdim=True)], dim=1)

# %% correct: the inverse of the cumulated distribution

# --- before
            tokens = torch.cat([tokens, torch.multinomial(probabilities, 1)], dim=1)
# --- after
            tokens = torch.cat([tokens, (probabilities.cumsum(1) < torch.rand(len(tokens), 1)).sum(1, keepdim=True).clamp(max=probabilities.shape[1] - 1)], dim=1)

# %% correct: ranks instead of scatter

# --- before
    return torch.zeros_like(ordered).scatter(-1, order, ordered)  # back to the vocabulary's order
# --- after
    return ordered.gather(-1, order.argsort(dim=-1))  # back to the vocabulary's order

# %% correct: a table for the text, under inference_mode

# --- before
    with torch.no_grad():
        for _ in range(count):
            logits = model(tokens[:, -max_length:])[:, -1]  # (B, T, V) -> (B, V)
# --- after
    T = tokens.shape[1]
    text = torch.cat([tokens, torch.zeros(len(tokens), count, dtype=tokens.dtype)], dim=1)
    with torch.inference_mode():
        for i in range(T, T + count):
            logits = model(text[:, max(0, i - max_length) : i])[:, -1]
# --- before
            tokens = torch.cat([tokens, torch.multinomial(probabilities, 1)], dim=1)
    return tokens
# --- after
            text[:, i] = torch.multinomial(probabilities, 1)[:, 0]
    return text

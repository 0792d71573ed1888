# %% wrong: the token that crosses p is dropped
# The token with which the sum reaches top_p was dropped, so what is kept has less than top_p together. A token stays
# as long as those before it have not reached top_p.

# --- before
        ordered = ordered.masked_fill(before >= top_p, 0.0)
# --- after
        ordered = ordered.masked_fill((before + ordered > top_p) & (before > 0), 0.0)

# %% wrong: top_p keeps one token too many
# A token was kept after those before it had reached top_p already. The one that reaches it is the last.

# --- before
        ordered = ordered.masked_fill(before >= top_p, 0.0)
# --- after
        ordered = ordered.masked_fill((before - ordered.roll(1, -1)).clamp(min=0) * (before > 0) >= top_p, 0.0)

# %% wrong: the logits are multiplied by the temperature
# A temperature below 1 made the distribution flatter. The logits are divided by it: small temperature, large
# differences.

# --- before
        torch.softmax(logits / temperature, dim=-1),
# --- after
        torch.softmax(logits * temperature, dim=-1),

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

# %% wrong: gradients left off
# After a call, gradients stay off for the rest of the program. Switch them off for the call alone, with
# `torch.no_grad()`.

# --- before
    with torch.no_grad():
# --- after
    torch.set_grad_enabled(False)
    if count > 0:

# %% wrong: top_p before top_k
# top_p counted shares of all the tokens: it was applied first, or to what top_k had kept before that was divided by its
# sum. It counts shares of what top_k has kept.

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
    return torch.zeros_like(ordered).scatter(-1, order, ordered)
# --- after
    return ordered

# %% wrong: top_k fails above V
# A top_k larger than the vocabulary should keep all the tokens: keep V of them at most.

# --- before
    )
# --- after
    )
    if top_k is not None and top_k > ordered.shape[-1]:
        top_k = 1

# %% wrong: the first max_length tokens are read
# Once the text is longer than the window, the model went on reading its beginning. It needs the last max_length tokens.

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
# `generate` took the most likely token every time. It should draw from the distribution; only at temperature 0 are the
# two the same.

# --- before
            tokens = torch.cat([tokens, torch.multinomial(probabilities, 1)], dim=1)
# --- after
            tokens = torch.cat([tokens, probabilities.argmax(dim=1, keepdim=True)], dim=1)

# %% wrong: the settings are not handed on
# top_k and top_p never reach `sampling_distribution`: `generate` draws from the whole distribution. Pass all three
# settings to it.

# --- before
            probabilities = sampling_distribution(logits, temperature, top_k, top_p)
# --- after
            probabilities = sampling_distribution(logits, temperature)

# %% wrong: the softmax runs over the batch
# The softmax ran over the rows of the batch. Each row is a distribution over the vocabulary: the last axis.

# --- before
        torch.softmax(logits / temperature, dim=-1),
# --- after
        torch.softmax(logits / temperature, dim=0),

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
    return torch.zeros_like(ordered).scatter(-1, order, ordered)
# --- after
    return ordered.gather(-1, order.argsort(dim=-1))

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

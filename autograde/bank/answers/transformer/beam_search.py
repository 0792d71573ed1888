# %% wrong: the state stays in its old order
# Hypotheses went on from each other's states: after the best have been chosen, row i of the state has to belong to
# hypothesis i. Reorder it with the rows they came from.

# --- before
        rows = torch.tensor([row for _, _, row in live], device=token.device)
# --- after
        rows = torch.arange(len(live)) % max(row + 1 for _, _, row in live)

# %% wrong: greedy, whatever the beam
# With a beam of 1 it is right, with 3 it is still greedy: only one hypothesis is kept, or all that are kept are the same.

# --- before
    live: list[tuple[list[int], float, int]] = [([], 0.0, 0)]
# --- after
    live: list[tuple[list[int], float, int]] = [([], 0.0, 0)]
    beam_size = 1
# --- before
        beam = sorted(finished + extended, key=score, reverse=True)[:beam_size]
# --- after
        beam = extended[:1]

# %% wrong: finished hypotheses are dropped
# A hypothesis that had ended was forgotten at the next step. It stays in the beam and competes.

# --- before
        beam = sorted(finished + extended, key=score, reverse=True)[:beam_size]
# --- after
        beam = sorted(extended, key=score, reverse=True)[:beam_size]

# %% wrong: the first that ends is returned
# The search stopped when the first hypothesis had ended. Another, still being written, may come out better: go on
# until all in the beam are finished.

# --- before
        if not live:
            break
# --- after
        if finished:
            return torch.tensor(finished[0][0]), score(finished[0])

# %% wrong: only finished hypotheses may win
# A hypothesis that was cut off at max_length was passed over though its score is the highest. All that are in the beam
# compete.

# --- before
    best = max(finished + live, key=score)
# --- after
    best = max(finished or live, key=score)

# %% wrong: the length penalty is not used
# With a length penalty the result does not change. Divide the sum by the number of tokens to that power.

# --- before
        return total / len(tokens) ** length_penalty
# --- after
        return total

# %% wrong: the length penalty is used at the end only
# The beam was filled by the plain sums, and the length came in only at the end. Compare by score, with the penalty, at
# every step: hypotheses in the beam have different lengths.

# --- before
        beam = sorted(finished + extended, key=score, reverse=True)[:beam_size]
# --- after
        beam = sorted(finished + extended, key=lambda hypothesis: hypothesis[1], reverse=True)[:beam_size]

# %% wrong: logits are summed
# The logits were summed as they are, so rows with large numbers win. Turn them into log-probabilities first.

# --- before
        totals = totals + F.log_softmax(logits, dim=1)  # (rows, V)
# --- after
        totals = totals + logits

# %% wrong: each hypothesis keeps its own best
# Every hypothesis was extended by its own best word only. The extensions of all hypotheses compete with each other:
# two of the best may come from the same one.

# --- before
        beam = sorted(finished + extended, key=score, reverse=True)[:beam_size]
# --- after
        beam = sorted(finished + [max((e for e in extended if e[2] == r), key=score) for r in range(len(live)) if any(e[2] == r for e in extended)] if len(live) > 1 else finished + extended, key=score, reverse=True)[:beam_size]

# %% wrong: finished hypotheses take no place in the beam
# Finished hypotheses were put aside, and the beam was filled without them. They stay in it and compete: each takes the
# place of one that is still being written.

# --- before
        beam = sorted(finished + extended, key=score, reverse=True)[:beam_size]
        finished = [hypothesis for hypothesis in beam if hypothesis[0][-1] == eos_id]
# --- after
        beam = sorted(extended, key=score, reverse=True)[:beam_size]
        finished += [hypothesis for hypothesis in beam if hypothesis[0][-1] == eos_id]

# %% wrong: the search ends when the best has ended
# The search stopped as soon as the best of the beam had ended. With a length penalty one that is still being written
# can overtake it: go on until all that are kept are finished.

# --- before
        if not live:
# --- after
        if not live or (finished and max(map(score, finished)) >= max(map(score, live))):

# %% wrong: bos_id and eos_id are taken to be 1 and 2
# Other vocabularies have other ids for the beginning and the end. Use those that the caller gives.

# --- before
    token = torch.full((1,), bos_id, device=first.device)
# --- after
    bos_id, eos_id = 1, 2
    token = torch.full((1,), bos_id, device=first.device)

# %% wrong: the score that comes back is the sum
# The right sentence came back with its sum of log-probabilities. Its score is that sum divided by the length to the
# power of the penalty.

# --- before
    return torch.tensor(best[0], device=token.device), score(best)
# --- after
    return torch.tensor(best[0], device=token.device), best[1]

# %% correct: one sorted list of everything
def beam_search(step, state, bos_id, eos_id, beam_size, max_length, length_penalty=0.0):
    if beam_size < 1 or max_length < 1:
        raise ValueError("beam_size and max_length must be 1 or more")
    rank = lambda h: h["sum"] / len(h["tokens"]) ** length_penalty
    beam = [{"tokens": [], "sum": 0.0, "state": state, "last": bos_id, "done": False}]
    for _ in range(max_length):
        pool = [h for h in beam if h["done"]]
        for h in beam:
            if h["done"]:
                continue
            logits, after = step(torch.tensor([h["last"]]), h["state"])
            for token, log_p in enumerate(torch.log_softmax(logits[0], 0).tolist()):
                pool.append({"tokens": h["tokens"] + [token], "sum": h["sum"] + log_p, "state": after, "last": token, "done": token == eos_id})
        beam = sorted(pool, key=rank, reverse=True)[:beam_size]
        if all(h["done"] for h in beam):
            break
    return torch.tensor(beam[0]["tokens"]), rank(beam[0])

# %% correct: finished rows in the same tensors
@torch.no_grad()
def beam_search(step, state, bos_id, eos_id, beam_size, max_length, length_penalty=0.0):
    if min(beam_size, max_length) < 1:
        raise ValueError("at least 1")
    parts = state if isinstance(state, tuple) else (state,)
    tokens, sums, lengths = torch.zeros(1, 0, dtype=torch.long), torch.zeros(1), torch.zeros(1)
    last, done = torch.tensor([bos_id]), torch.tensor([False])
    for _ in range(max_length):
        logits, new = step(last, parts if isinstance(state, tuple) else parts[0])
        new = new if isinstance(new, tuple) else (new,)
        log_p = torch.log_softmax(logits, 1)
        V = log_p.shape[1]
        frozen = torch.full((V,), float("-inf"))
        frozen[eos_id] = 0.0
        log_p = torch.where(done[:, None], frozen, log_p)
        total = sums[:, None] + log_p
        length = (lengths + (~done).float())[:, None].expand(-1, V)
        scores = (total / length**length_penalty).flatten()
        chosen = scores.topk(min(beam_size, int(scores.isfinite().sum()))).indices
        row, word = chosen // V, chosen % V
        tokens = torch.cat([tokens[row], word[:, None]], 1)
        sums, lengths = total.flatten()[chosen], length.flatten()[chosen]
        done, last = done[row] | (word == eos_id), word
        parts = tuple(p[row] for p in new)
        if done.all():
            break
    best = int((sums / lengths**length_penalty).argmax())
    return tokens[best, : int(lengths[best])], float(sums[best] / lengths[best] ** length_penalty)

# %% correct: a heap
def beam_search(step, state, bos_id, eos_id, beam_size, max_length, length_penalty=0.0):
    import heapq

    if beam_size < 1 or max_length < 1:
        raise ValueError((beam_size, max_length))
    normal = lambda total, n: total / n**length_penalty
    done, alive = [], [(0.0, (), None)]
    word = torch.tensor([bos_id])
    for n in range(1, max_length + 1):
        logits, state = step(word, state)
        table = logits.log_softmax(-1).tolist()
        pool = [(normal(s, len(t)), s, t, -1) for s, t, _ in done]
        for i, (s, t, _) in enumerate(alive):
            pool += [(normal(s + p, n), s + p, (*t, v), i) for v, p in enumerate(table[i])]
        kept = heapq.nlargest(beam_size, pool, key=lambda entry: entry[0])
        done = [(s, t, None) for _, s, t, _ in kept if t[-1] == eos_id]
        alive = [(s, t, i) for _, s, t, i in kept if t[-1] != eos_id]
        if not alive:
            break
        rows = [i for _, _, i in alive]
        state = tuple(p[rows] for p in state) if isinstance(state, tuple) else state[rows]
        word = torch.tensor([t[-1] for _, t, _ in alive])
    s, t, _ = max(done + alive, key=lambda h: normal(h[0], len(h[1])))
    return torch.tensor(t), normal(s, len(t))

# %% correct: index_select for the state
# --- before
            tuple(part[rows] for part in state)
            if isinstance(state, tuple)
            else state[rows]
# --- after
            tuple(part.index_select(0, rows) for part in state)
            if isinstance(state, tuple)
            else state.index_select(0, rows)

# %% correct: the score kept as a tensor until the end
# --- before
    return torch.tensor(best[0], device=token.device), score(best)
# --- after
    result = torch.tensor(score(best), dtype=torch.float64)
    return torch.tensor(best[0], dtype=torch.int64), result.item()

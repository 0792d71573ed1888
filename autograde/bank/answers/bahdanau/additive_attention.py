# %% wrong: no tanh
# Without the tanh the query adds the same amount to every score of a row, and the softmax cancels it: the weights no
# longer depend on the query at all. See section 2.4.

# --- before
        hidden = torch.tanh(self.W_a(query).unsqueeze(1) + self.U_a(keys))
# --- after
        hidden = (self.W_a(query).unsqueeze(1) + self.U_a(keys))

# %% wrong: the query's new axis is missing or in front
# (B, d_hidden) against (B, S, d_hidden) lines up B with S. That is an error, unless B equals S: then every position is
# scored with another sentence's query, and nothing complains. Give the query an axis for the keys, after the batch.

# --- before
        hidden = torch.tanh(self.W_a(query).unsqueeze(1) + self.U_a(keys))
# --- after
        hidden = torch.tanh(self.W_a(query) + self.U_a(keys))

# %% wrong: query and key are multiplied
# The projected query and key were multiplied. Additive attention adds them, and takes the tanh of the sum.

# --- before
        hidden = torch.tanh(self.W_a(query).unsqueeze(1) + self.U_a(keys))
# --- after
        hidden = torch.tanh(self.W_a(query).unsqueeze(1) * self.U_a(keys))

# %% wrong: the mask is not used
# Padding gets weight as if it were a word. Pass the mask to masked_softmax.

# --- before
        weights = masked_softmax(scores, mask)
# --- after
        weights = masked_softmax(scores, None)

# %% wrong: softmax over the batch
# The columns of the weights sum to one: sentences of the batch compete with each other for one position. Let the
# positions of one sentence share the weight: the softmax runs over the last axis.

# --- before
        weights = masked_softmax(scores, mask)
# --- after
        weights = masked_softmax(scores.T, None if mask is None else mask.T).T

# %% wrong: the mask comes after the softmax
# Padding has no weight, but the rows no longer sum to one: the softmax had given weight to the padding. Use
# masked_softmax.

# --- before
        weights = masked_softmax(scores, mask)
# --- after
        weights = torch.softmax(scores, dim=1)
        weights = weights if mask is None else weights * mask

# %% wrong: the scores are returned in the weights' place
# The second thing that came back is the scores: they do not sum to one. Return the weights.

# --- before
        return torch.einsum("bs,bsd->bd", weights, values), weights
# --- after
        return torch.einsum("bs,bsd->bd", weights, values), scores

# %% wrong: the keys are averaged instead of the values
# The output is a mean of the keys. Keys say where to look; values are what is taken from there.

# --- before
        return torch.einsum("bs,bsd->bd", weights, values), weights
# --- after
        return torch.einsum("bs,bsd->bd", weights, keys), weights

# %% wrong: a bare squeeze of the scores
# A squeeze without an axis removes every axis of length one: with one sentence, or one position, that is one too many.
# Name the axis that is to go.

# --- before
        scores = self.v_a(hidden).squeeze(2)  # (B, S, 1) -> (B, S)
# --- after
        scores = self.v_a(hidden).squeeze()  # (B, S, 1) -> (B, S)

# %% wrong: softmax over an axis of length one
# Every weight is 1: v_a gives (B, S, 1), and the softmax ran over its last axis. Remove that axis before the softmax
# and not after it.

# --- before
        scores = self.v_a(hidden).squeeze(2)  # (B, S, 1) -> (B, S)
# --- after
        scores = self.v_a(hidden)  # (B, S, 1) -> (B, S)
# --- before
        return torch.einsum("bs,bsd->bd", weights, values), weights
# --- after
        return (weights * values).sum(dim=1), weights.squeeze(2)

# %% correct: broadcast with None, weighted sum by hand
# --- before
        hidden = torch.tanh(self.W_a(query).unsqueeze(1) + self.U_a(keys))
        scores = self.v_a(hidden).squeeze(2)  # (B, S, 1) -> (B, S)
# --- after
        scores = self.v_a((self.W_a(query)[:, None, :] + self.U_a(keys)).tanh())[..., 0]
# --- before
        return torch.einsum("bs,bsd->bd", weights, values), weights
# --- after
        return (weights[..., None] * values).sum(1), weights

# %% correct: query and key side by side through one matrix
# --- before
        hidden = torch.tanh(self.W_a(query).unsqueeze(1) + self.U_a(keys))
        scores = self.v_a(hidden).squeeze(2)  # (B, S, 1) -> (B, S)
# --- after
        pairs = torch.cat([query.unsqueeze(1).expand(-1, keys.shape[1], -1), keys], dim=2)
        both = torch.cat([self.W_a.weight, self.U_a.weight], dim=1)
        scores = torch.tanh(pairs @ both.T) @ self.v_a.weight[0]

# %% correct: loops as the equation reads
# --- before
        hidden = torch.tanh(self.W_a(query).unsqueeze(1) + self.U_a(keys))
        scores = self.v_a(hidden).squeeze(2)  # (B, S, 1) -> (B, S)
# --- after
        scores = [[self.v_a(torch.tanh(self.W_a(s) + self.U_a(h)))[0] for h in row] for s, row in zip(query, keys)]
        scores = torch.stack([torch.stack(row) for row in scores])
# --- before
        return torch.einsum("bs,bsd->bd", weights, values), weights
# --- after
        return torch.stack([w @ v for w, v in zip(weights, values)]), weights

# %% correct: einsum throughout
# --- before
        hidden = torch.tanh(self.W_a(query).unsqueeze(1) + self.U_a(keys))
        scores = self.v_a(hidden).squeeze(2)  # (B, S, 1) -> (B, S)
# --- after
        asked = torch.einsum("bq,hq->bh", query, self.W_a.weight)
        kept = torch.einsum("bsk,hk->bsh", keys, self.U_a.weight)
        scores = torch.einsum("h,bsh->bs", self.v_a.weight.squeeze(0), torch.tanh(asked.unsqueeze(1) + kept))

# %% correct: keys first along the axes
# --- before
        hidden = torch.tanh(self.W_a(query).unsqueeze(1) + self.U_a(keys))
        scores = self.v_a(hidden).squeeze(2)  # (B, S, 1) -> (B, S)
# --- after
        by_position = self.U_a(keys).transpose(0, 1) + self.W_a(query)
        scores = self.v_a(torch.tanh(by_position)).squeeze(-1).transpose(0, 1)

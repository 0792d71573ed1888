# %% wrong: no tanh
# Without the tanh the query adds the same amount to every score of a row, and softmax takes it away again: the weights
# no longer depend on the query at all. See section 2.4.

# --- before
        hidden = torch.tanh(self.W_a(query).unsqueeze(1) + self.U_a(keys))  # (B, 1, d_hidden) + (B, S, d_hidden)
# --- after
        hidden = (self.W_a(query).unsqueeze(1) + self.U_a(keys))  # (B, 1, d_hidden) + (B, S, d_hidden)

# %% wrong: the query's new axis is missing or in front
# (B, d_hidden) met (B, S, d_hidden) with its B against the S: an error, or where B equals S another sentence's query
# for every position, and nothing complains. Give the query an axis for the keys, after the batch.

# --- before
        hidden = torch.tanh(self.W_a(query).unsqueeze(1) + self.U_a(keys))  # (B, 1, d_hidden) + (B, S, d_hidden)
# --- after
        hidden = torch.tanh(self.W_a(query) + self.U_a(keys))  # (B, 1, d_hidden) + (B, S, d_hidden)

# %% wrong: a tanh for each side before they are added
# Query and key went through a tanh of their own and were added afterwards; the query's part is then the same for all
# keys, and softmax takes it away. Add first, then the tanh.

# --- before
        hidden = torch.tanh(self.W_a(query).unsqueeze(1) + self.U_a(keys))  # (B, 1, d_hidden) + (B, S, d_hidden)
# --- after
        hidden = torch.tanh(self.W_a(query)).unsqueeze(1) + torch.tanh(self.U_a(keys))  # (B, 1, d_hidden) + (B, S, d_hidden)

# %% wrong: the tanh comes last
# The tanh was put on the scores, which keeps them between -1 and 1, so that no key can stand out. It belongs inside,
# between the two layers of the small network.

# --- before
        hidden = torch.tanh(self.W_a(query).unsqueeze(1) + self.U_a(keys))  # (B, 1, d_hidden) + (B, S, d_hidden)
        scores = self.v_a(hidden).squeeze(2)  # (B, S, 1) -> (B, S)
# --- after
        hidden = (self.W_a(query).unsqueeze(1) + self.U_a(keys))  # (B, 1, d_hidden) + (B, S, d_hidden)
        scores = torch.tanh(self.v_a(hidden).squeeze(2))  # (B, S, 1) -> (B, S)

# %% wrong: query and key are multiplied
# The projected query and key were multiplied. The name says what happens to them here: they are added.

# --- before
        hidden = torch.tanh(self.W_a(query).unsqueeze(1) + self.U_a(keys))  # (B, 1, d_hidden) + (B, S, d_hidden)
# --- after
        hidden = torch.tanh(self.W_a(query).unsqueeze(1) * self.U_a(keys))  # (B, 1, d_hidden) + (B, S, d_hidden)

# %% wrong: the mask is not used
# Padding gets weight as if it were a word. Hand the mask on to masked_softmax.

# --- before
        weights = masked_softmax(scores, mask)
# --- after
        weights = masked_softmax(scores, None)

# %% wrong: softmax over the batch
# The columns of the weights sum to one: sentences of the batch compete with each other for one position. The positions
# of one sentence are what share the weight.

# --- before
        weights = masked_softmax(scores, mask)
# --- after
        weights = masked_softmax(scores.T, None if mask is None else mask.T).T

# %% wrong: the mask comes after the softmax
# Padding has no weight, but the rows no longer sum to one: softmax had shared weight out to the padding. Use
# masked_softmax.

# --- before
        weights = masked_softmax(scores, mask)
# --- after
        weights = torch.softmax(scores, dim=1)
        weights = weights if mask is None else weights * mask

# %% wrong: the scores are returned in the weights' place
# The second thing that came back are scores: they do not sum to one. Return the weights.

# --- before
        return torch.einsum("bs,bsd->bd", weights, values), weights
# --- after
        return torch.einsum("bs,bsd->bd", weights, values), scores

# %% wrong: weights and output in the other order
# The two came back in the other order. Attention returns (output, weights) all through the course.

# --- before
        return torch.einsum("bs,bsd->bd", weights, values), weights
# --- after
        return weights, torch.einsum("bs,bsd->bd", weights, values)

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

# %% wrong: a bare squeeze of the output
# A squeeze without an axis removes every axis of length one: with one sentence, the batch's too. Name the axis that is
# to go.

# --- before
        return torch.einsum("bs,bsd->bd", weights, values), weights
# --- after
        return (weights.unsqueeze(1) @ values).squeeze(), weights

# %% wrong: the output keeps an axis of length one
# The product of (B, 1, S) and (B, S, d_v) is (B, 1, d_v): the axis that was put in for it is still there. Take it out
# again, by its number.

# --- before
        return torch.einsum("bs,bsd->bd", weights, values), weights
# --- after
        return weights.unsqueeze(1) @ values, weights

# %% wrong: v_a's last axis is left on the scores
# v_a gives (B, S, 1), and the scores are to be (B, S). Softmax and mask then meet an axis of length one. Remove the
# last axis first.

# --- before
        scores = self.v_a(hidden).squeeze(2)  # (B, S, 1) -> (B, S)
# --- after
        scores = self.v_a(hidden)  # (B, S, 1) -> (B, S)

# %% wrong: v_a's last axis is left on the scores, and every weight is 1
# v_a gives (B, S, 1), so the softmax ran over a last axis of length one, where every share is 1. Remove that axis
# first: the scores are (B, S).

# --- before
        scores = self.v_a(hidden).squeeze(2)  # (B, S, 1) -> (B, S)
# --- after
        scores = self.v_a(hidden)  # (B, S, 1) -> (B, S)
# --- before
        return torch.einsum("bs,bsd->bd", weights, values), weights
# --- after
        return (weights * values).sum(dim=1), weights

# %% wrong: a sentence without keys is NaN
# A softmax of its own was written here, and a sentence without keys comes out NaN. Your masked_softmax knows what to
# do with it: use that.

# --- before
        weights = masked_softmax(scores, mask)
# --- after
        weights = scores if mask is None else scores.masked_fill(~mask, -torch.inf)
        weights = torch.softmax(weights, dim=1)

# %% wrong: a ReLU in the place of the tanh
# A ReLU stands between the two layers of the small network. The equation has a tanh there.

# --- before
        hidden = torch.tanh(self.W_a(query).unsqueeze(1) + self.U_a(keys))  # (B, 1, d_hidden) + (B, S, d_hidden)
# --- after
        hidden = torch.relu(self.W_a(query).unsqueeze(1) + self.U_a(keys))  # (B, 1, d_hidden) + (B, S, d_hidden)

# %% wrong: the mean of the weighted values instead of their sum
# The weights sum to one already, so the weighted values are summed; a mean divides by S once more.

# --- before
        return torch.einsum("bs,bsd->bd", weights, values), weights
# --- after
        return (weights.unsqueeze(2) * values).mean(dim=1), weights

# %% wrong: softmax over the features
# The softmax ran over the features of the hidden layer, where every sum is 1, so all keys come out equal. Scores
# first, one for each key; then softmax over the keys.

# --- before
        scores = self.v_a(hidden).squeeze(2)  # (B, S, 1) -> (B, S)
# --- after
        scores = torch.softmax(self.v_a.weight * hidden, dim=2).sum(dim=2)  # (B, S, 1) -> (B, S)

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

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, keys, values, mask=None):
        check_attention(query, keys, values, mask, self.d_query, self.d_key)

        e = self.v_a((self.W_a(query)[:, None, :] + self.U_a(keys)).tanh())[..., 0]
        a = masked_softmax(e, mask)
        return (a[..., None] * values).sum(1), a

# %% correct: query and key side by side through one matrix

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, keys, values, mask=None):
        check_attention(query, keys, values, mask, self.d_query, self.d_key)

        S = keys.shape[1]
        pairs = torch.cat([query.unsqueeze(1).expand(-1, S, -1), keys], dim=2)
        both = torch.cat([self.W_a.weight, self.U_a.weight], dim=1)
        scores = torch.tanh(pairs @ both.T) @ self.v_a.weight[0]
        weights = masked_softmax(scores, mask)
        return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights

# %% correct: loops as the equation reads

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, keys, values, mask=None):
        check_attention(query, keys, values, mask, self.d_query, self.d_key)

        rows = []
        for b in range(len(query)):
            asked = self.W_a(query[b])
            rows.append(torch.stack([self.v_a(torch.tanh(asked + self.U_a(h)))[0] for h in keys[b]]))
        weights = masked_softmax(torch.stack(rows), mask)
        return torch.stack([w @ v for w, v in zip(weights, values)]), weights

# %% correct: einsum throughout

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, keys, values, mask=None):
        check_attention(query, keys, values, mask, self.d_query, self.d_key)

        asked = torch.einsum("bq,hq->bh", query, self.W_a.weight)
        kept = torch.einsum("bsk,hk->bsh", keys, self.U_a.weight)
        scores = torch.einsum("h,bsh->bs", self.v_a.weight.squeeze(0), torch.tanh(asked.unsqueeze(1) + kept))
        weights = masked_softmax(scores, mask)
        return torch.einsum("bsd,bs->bd", values, weights), weights

# %% correct: keys first along the axes, and a helper

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, keys, values, mask=None):
        check_attention(query, keys, values, mask, self.d_query, self.d_key)

        weights = masked_softmax(self.scores(query, keys), mask)
        return (values.transpose(1, 2) @ weights.unsqueeze(2)).squeeze(2), weights

    def scores(self, query, keys):
        by_position = self.U_a(keys).transpose(0, 1) + self.W_a(query)
        return self.v_a(torch.tanh(by_position)).squeeze(-1).transpose(0, 1)

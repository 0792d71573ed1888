# %% wrong: squeezes every axis of one
# squeeze() is to take away the last axis of the scores, and takes the batch or the source axis too where they are 1. A good message: "weights (S,) for a batch of one: squeeze(-1)".

from course.components import masked_softmax


class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        hidden = torch.tanh(self.W_a(query).unsqueeze(1) + self.U_a(keys))
        scores = self.v_a(hidden).squeeze()
        weights = masked_softmax(scores, mask)
        output = torch.einsum("bs,bsd->bd", weights, values)
        return output, weights

# %% wrong: biases as nn.Linear makes them
# Rewrites the constructor "more simply" and leaves the biases in: other parameters than the docstring's, so that weights saved under those names do not load, and the scores are others. A good message: "W_a, U_a, v_a have a bias: bias=False".

from course.components import masked_softmax


class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden)
        self.U_a = nn.Linear(d_key, d_hidden)
        self.v_a = nn.Linear(d_hidden, 1)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = self.v_a(torch.tanh(self.W_a(query)[:, None] + self.U_a(keys)))[..., 0]
        weights = masked_softmax(scores, mask)
        return (weights[..., None] * values).sum(1), weights

# %% wrong: two tanhs
# tanh(W_a query) + tanh(U_a key): the query then adds the same number to all scores and drops out of the softmax: the weights do not depend on what is asked. A good message: "the weights do not change with the query: the tanh is around the sum".

from course.components import masked_softmax


class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = self.v_a(torch.tanh(self.W_a(query)).unsqueeze(1) + torch.tanh(self.U_a(keys))).squeeze(-1)
        weights = masked_softmax(scores, mask)
        return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights

# %% wrong: the padded values taken out, the mask left out of the softmax
# The mask wipes the weights after an ordinary softmax: the weights of a padded row do not sum to one and its output is too short. A good message: "with a mask the weights do not sum to one: the softmax must know of it".

class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        scores = self.v_a(torch.tanh(self.W_a(query).unsqueeze(1) + self.U_a(keys))).squeeze(2)
        weights = torch.softmax(scores, dim=1)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights

# %% correct: query and key side by side, one stacked matrix

from course.components import masked_softmax


class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        asked = query[:, None, :].expand(-1, keys.shape[1], -1)
        pairs = torch.cat([asked, keys], dim=-1)
        hidden = F.linear(pairs, torch.cat([self.W_a.weight, self.U_a.weight], dim=1)).tanh()
        weights = masked_softmax(hidden @ self.v_a.weight[0], mask)
        return (values.mT @ weights[:, :, None])[:, :, 0], weights

# %% correct: hidden layer in front, einsum for the rest

from course.components import masked_softmax


class AdditiveAttention(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_query, self.d_key = d_query, d_key
        self.W_a = nn.Linear(d_query, d_hidden, bias=False)
        self.U_a = nn.Linear(d_key, d_hidden, bias=False)
        self.v_a = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        check_attention(query, keys, values, mask, self.d_query, self.d_key)
        hidden = torch.einsum("hq,bq->bh", self.W_a.weight, query).unsqueeze(-1)
        hidden = hidden + torch.einsum("hk,bsk->bhs", self.U_a.weight, keys)  # (B, h, S)
        scores = torch.einsum("oh,bhs->bs", self.v_a.weight, torch.tanh(hidden))
        weights = masked_softmax(scores, mask)
        return torch.einsum("bs,bsv->bv", weights, values), weights

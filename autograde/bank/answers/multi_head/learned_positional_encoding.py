# %% wrong: it goes by sentence, not by position
# Every sentence got a vector of its own, the same at all its positions. Rows of the table belong to positions: they
# lie along the axis T.

# --- before
        return x + self.weight[:length]
# --- after
        return x + self.weight[: len(x)].unsqueeze(1)

# %% wrong: past its end the table begins again
# Past its last row the table was used from the start again, in silence: two places with the same position. The
# docstring asks for an error there.

# --- before
        if length > max_length:
# --- after
        if length > max_length:
            return x + self.weight[torch.arange(length) % max_length]

# %% wrong: no error of its own
# A sentence that is too long ends in torch's complaint about sizes. Raise a ValueError with the numbers before you add.

# --- before
        if length > max_length:
# --- after
        if False:

# %% wrong: the rows alone
# The positions came back without x. Add them to it.

# --- before
        return x + self.weight[:length]
# --- after
        return self.weight[:length].expand_as(x)

# %% wrong: the table has another name
# The parameter called `weight` is not there or not used. The constructor that is given makes it: keep it as it is, so
# that saved tables fit.

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length, d_model):
        super().__init__()
        self.table = nn.Embedding(max_length, d_model)

    def forward(self, x):
        if x.shape[1] > self.table.num_embeddings:
            raise ValueError(f"at most {self.table.num_embeddings} positions")
        return x + self.table(torch.arange(x.shape[1]))

# %% wrong: the error is left to the addition
# A table of a single row goes with any length: it was repeated, without an error. Compare the lengths yourself.

# --- before
        if length > max_length:
# --- after
        if length > max_length > 1:

# %% correct: looked up by position
# --- before
        return x + self.weight[:length]
# --- after
        return x + nn.functional.embedding(torch.arange(length, device=x.device), self.weight)

# %% correct: position by position
# --- before
        return x + self.weight[:length]
# --- after
        return torch.stack([x[:, t] + self.weight[t] for t in range(length)], dim=1)

# %% correct: the size compared the other way
class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_length, d_model):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, x):
        rows = self.weight.unsqueeze(0)[:, : x.size(1)]
        if rows.size(1) != x.size(1):
            raise ValueError(f"at most {len(self.weight)} positions")
        return torch.add(x, rows)

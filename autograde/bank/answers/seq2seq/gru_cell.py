# %% wrong: the update gate is the wrong way round
# The gate lets the new candidate through where it should keep the old state. In this form of the GRU (PyTorch's;
# papers have both) z multiplies the OLD state. See the last of the four equations.

# --- before
        return (1 - update) * candidate + update * hidden
# --- after
        return update * candidate + (1 - update) * hidden

# %% wrong: the reset gate acts before the matrix
# The reset gate multiplies h before W_hn does, as in the first paper. Here r multiplies W_hn h + b_hn, so that one
# matrix product serves all three parts.

# --- before
        candidate = torch.tanh(x_n + reset * h_n)
# --- after
        w_hn, b_hn = self.weight_hh[2 * self.hidden_size :], self.bias_hh[2 * self.hidden_size :]
        candidate = torch.tanh(x_n + F.linear(reset * hidden, w_hn, b_hn))

# %% wrong: the reset gate leaves the bias b_hn alone
# The bias b_hn is added after the reset gate has acted. It belongs inside the parentheses that r multiplies.

# --- before
        candidate = torch.tanh(x_n + reset * h_n)
# --- after
        b_hn = self.bias_hh[2 * self.hidden_size :]
        candidate = torch.tanh(x_n + reset * (h_n - b_hn) + b_hn)

# %% wrong: there is no reset gate
# The candidate looks the same whatever the reset gate says. Multiply the state's part of the candidate, W_hn h + b_hn,
# by r.

# --- before
        candidate = torch.tanh(x_n + reset * h_n)
# --- after
        candidate = torch.tanh(x_n + h_n)

# %% wrong: reset and update are taken in the other order
# The first H rows of the stacked weights are taken for the update gate. The order is r, z, n.

# --- before
        x_r, x_z, x_n = F.linear(input, self.weight_ih, self.bias_ih).chunk(3, dim=1)
        h_r, h_z, h_n = F.linear(hidden, self.weight_hh, self.bias_hh).chunk(3, dim=1)
# --- after
        x_z, x_r, x_n = F.linear(input, self.weight_ih, self.bias_ih).chunk(3, dim=1)
        h_z, h_r, h_n = F.linear(hidden, self.weight_hh, self.bias_hh).chunk(3, dim=1)

# %% wrong: the candidate goes through a sigmoid
# The candidate is never negative. Gates are sigmoids because they are shares; the candidate is a state, and its
# squashing is tanh.

# --- before
        candidate = torch.tanh(x_n + reset * h_n)
# --- after
        candidate = torch.sigmoid(x_n + reset * h_n)

# %% wrong: the candidate has no tanh
# The candidate leaves the range from -1 to 1, and over many steps the state can grow without bound. Squash it with
# tanh.

# --- before
        candidate = torch.tanh(x_n + reset * h_n)
# --- after
        candidate = x_n + reset * h_n

# %% wrong: the old state is not carried over
# Where the update gate is at 1 nothing is left. The second term of the last equation carries the old state over: that
# path is the point of the cell.

# --- before
        return (1 - update) * candidate + update * hidden
# --- after
        return (1 - update) * candidate

# %% wrong: the state's bias is forgotten
# bias_hh has no effect. Both the input's and the state's product have a bias of their own.

# --- before
        h_r, h_z, h_n = F.linear(hidden, self.weight_hh, self.bias_hh).chunk(3, dim=1)
# --- after
        h_r, h_z, h_n = F.linear(hidden, self.weight_hh).chunk(3, dim=1)

# %% wrong: no guard
# The new state is right, but the stub's check of the shapes is gone: one old state beside a batch of inputs is
# broadcast over all of them, and no error is raised. Put the check back.

# --- before
        if (
# --- after
        if False and (

# %% correct: one slice a gate
# --- before
        x_r, x_z, x_n = F.linear(input, self.weight_ih, self.bias_ih).chunk(3, dim=1)
        h_r, h_z, h_n = F.linear(hidden, self.weight_hh, self.bias_hh).chunk(3, dim=1)
# --- after
        H = self.hidden_size
        gi = input @ self.weight_ih.T + self.bias_ih
        gh = hidden @ self.weight_hh.T + self.bias_hh
        x_r, x_z, x_n = gi[:, :H], gi[:, H : 2 * H], gi[:, 2 * H :]
        h_r, h_z, h_n = gh[:, :H], gh[:, H : 2 * H], gh[:, 2 * H :]
# --- before
        return (1 - update) * candidate + update * hidden
# --- after
        return candidate + update * (hidden - candidate)

# %% correct: six matrices with their names
# --- before
        x_r, x_z, x_n = F.linear(input, self.weight_ih, self.bias_ih).chunk(3, dim=1)
        h_r, h_z, h_n = F.linear(hidden, self.weight_hh, self.bias_hh).chunk(3, dim=1)
        reset = torch.sigmoid(x_r + h_r)
        update = torch.sigmoid(x_z + h_z)
        candidate = torch.tanh(x_n + reset * h_n)
        return (1 - update) * candidate + update * hidden
# --- after
        x, h = input, hidden
        W_ir, W_iz, W_in = self.weight_ih.chunk(3)
        W_hr, W_hz, W_hn = self.weight_hh.chunk(3)
        b_ir, b_iz, b_in = self.bias_ih.chunk(3)
        b_hr, b_hz, b_hn = self.bias_hh.chunk(3)
        r = (x @ W_ir.T + b_ir + h @ W_hr.T + b_hr).sigmoid()
        z = (x @ W_iz.T + b_iz + h @ W_hz.T + b_hz).sigmoid()
        n = (x @ W_in.T + b_in + r * (h @ W_hn.T + b_hn)).tanh()
        return (1 - z) * n + z * h

# %% correct: einsum
# --- before
        x_r, x_z, x_n = F.linear(input, self.weight_ih, self.bias_ih).chunk(3, dim=1)
        h_r, h_z, h_n = F.linear(hidden, self.weight_hh, self.bias_hh).chunk(3, dim=1)
# --- after
        from_input = torch.einsum("bi,gi->bg", input, self.weight_ih) + self.bias_ih
        from_hidden = torch.einsum("bh,gh->bg", hidden, self.weight_hh) + self.bias_hh
        x_r, x_z, x_n = from_input.unflatten(1, (3, -1)).unbind(1)
        h_r, h_z, h_n = from_hidden.unflatten(1, (3, -1)).unbind(1)
# --- before
        return (1 - update) * candidate + update * hidden
# --- after
        return torch.lerp(candidate, hidden, update)

# %% correct: a loop over the batch
# --- before
        x_r, x_z, x_n = F.linear(input, self.weight_ih, self.bias_ih).chunk(3, dim=1)
        h_r, h_z, h_n = F.linear(hidden, self.weight_hh, self.bias_hh).chunk(3, dim=1)
        reset = torch.sigmoid(x_r + h_r)
        update = torch.sigmoid(x_z + h_z)
        candidate = torch.tanh(x_n + reset * h_n)
        return (1 - update) * candidate + update * hidden
# --- after
        rows = []
        for x, h in zip(input, hidden):
            i = self.weight_ih @ x + self.bias_ih
            g = self.weight_hh @ h + self.bias_hh
            H = len(h)
            r, z = torch.sigmoid(i[:H] + g[:H]), torch.sigmoid(i[H:2*H] + g[H:2*H])
            rows.append(z * h + (1 - z) * torch.tanh(i[2*H:] + r * g[2*H:]))
        return torch.stack(rows)

# %% correct: gates together, the exponential written out
# --- before
        reset = torch.sigmoid(x_r + h_r)
        update = torch.sigmoid(x_z + h_z)
        candidate = torch.tanh(x_n + reset * h_n)
# --- after
        gates = torch.cat([x_r + h_r, x_z + h_z], dim=1)
        reset, update = (1 / (1 + torch.exp(-gates))).chunk(2, dim=1)
        candidate = 2 * torch.sigmoid(2 * (x_n + reset * h_n)) - 1

# %% wrong: the same layer many times
# A list times a number repeats the same object: the layers share one set of weights. Make each layer anew.

# --- before
            EncoderLayer(
# --- after
            [EncoderLayer(
# --- before
            )
            for _ in range(num_layers)
# --- after
            )] * num_layers

# %% wrong: the layers in a plain list
# The module does not know its layers: a plain list hides their parameters from the optimizer. Use nn.ModuleList.

# --- before
        self.layers = nn.ModuleList(
# --- after
        self.layers = [
# --- before
            for _ in range(num_layers)
        )
# --- after
            for _ in range(num_layers)
        ]

# %% wrong: no norm at the end
# With norm_first nothing has normed the end of the stream. Give it self.norm at the very end.

# --- before
        return self.norm(x)
# --- after
        return x

# %% wrong: the norm comes after every layer
# The stream is normed after every layer. self.norm is for the end of the stack alone.

# --- before
            x = layer(x, mask)
        return self.norm(x)
# --- after
            x = self.norm(layer(x, mask))
        return x

# %% wrong: the mask is not handed on
# The mask changes nothing. Pass it to every layer.

# --- before
            x = layer(x, mask)
# --- after
            x = layer(x)

# %% wrong: the mask for the first layer alone
# With one layer the mask works, with two it does not: only the first got it. What is forbidden is forbidden in every
# layer.

# --- before
        for layer in self.layers:
            x = layer(x, mask)
# --- after
        for i, layer in enumerate(self.layers):
            x = layer(x, mask if i == 0 else None)

# %% wrong: every layer reads the tower's input
# Each layer was given the input of the whole stack, so only the last one counts. A layer reads what the one before has
# left.

# --- before
        for layer in self.layers:
            x = layer(x, mask)
# --- after
        start = x
        for layer in self.layers:
            x = layer(start, mask)

# %% wrong: norm_first does not reach the layers
# The layers were built without norm_first and use their own default. Pass it to them.

# --- before
                norm_first=norm_first,
# --- after

# %% wrong: the dropout does not reach the layers
# In training nothing is dropped: the layers were built without the stack's dropout. Pass it to them.

# --- before
                dropout=dropout,
# --- after

# %% wrong: the activation does not reach the layers
# The layers were built without the stack's activation and use relu. Pass it to them.

# --- before
                activation=activation,
# --- after

# %% wrong: eps does not reach the layers
# The layers were built without layer_norm_eps and use their own default. Pass it to them.

# --- before
                layer_norm_eps=layer_norm_eps,
# --- after

# %% wrong: eps does not reach the last norm
# The last norm was built without layer_norm_eps. Pass it to that norm too.

# --- before
            nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()
# --- after
            nn.LayerNorm(d_model) if norm_first else nn.Identity()

# %% correct: append in a loop
class TransformerEncoder(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, num_layers, dropout=0.0, activation=F.relu, layer_norm_eps=1e-5, norm_first=True):
        super().__init__()

        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(
                EncoderLayer(d_model, num_heads, d_ff, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first)
            )
        self.norm = nn.LayerNorm(d_model, layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x, mask=None):
        for i in range(len(self.layers)):
            x = self.layers[i](x, mask)
        return self.norm(x)

# %% correct: copies of one layer
class TransformerEncoder(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, num_layers, dropout=0.0, activation=F.relu, layer_norm_eps=1e-5, norm_first=True):
        super().__init__()

        import copy

        layer = EncoderLayer(d_model, num_heads, d_ff, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first)
        self.layers = nn.ModuleList([copy.deepcopy(layer) for _ in range(num_layers)])
        self.norm = nn.Identity() if not norm_first else nn.LayerNorm(d_model, eps=layer_norm_eps)

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask=mask)
        return self.norm(x)

# %% correct: nn.Sequential as the list
class TransformerEncoder(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, num_layers, dropout=0.0, activation=F.relu, layer_norm_eps=1e-5, norm_first=True):
        super().__init__()

        self.layers = nn.Sequential(*[EncoderLayer(d_model, num_heads, d_ff, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first) for _ in range(num_layers)])
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x, mask=None):
        stream = x
        for layer in self.layers:
            stream = layer(stream, mask)
        return self.norm(stream)

# %% correct: functools.reduce
# --- before
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)
# --- after
        from functools import reduce

        return self.norm(reduce(lambda stream, layer: layer(stream, mask), self.layers, x))

# %% correct: the norm put in where it is wanted
# --- before
        self.norm = (
            nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()
        )
# --- after
        self.norm = nn.Identity()
        if norm_first:
            self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)

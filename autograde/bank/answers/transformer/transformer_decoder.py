# %% wrong: only the first layer sees the memory's mask
# After the first layer the memory's mask is gone. Every layer of the decoder gets all of its arguments.

# --- before
            x = layer(x, memory, mask, memory_mask)
# --- after
            x, memory_mask = layer(x, memory, mask, memory_mask), None

# %% wrong: the decoder's tower without its last norm
# The end of the decoder's stream is not normed: self.norm is not used. Apply it once, after the last layer.

# --- before
        return self.norm(x)
# --- after
        return x

# %% wrong: the masks are exchanged in the decoder's tower
# The two masks go to the layers in the wrong order: first comes that of the stream, then that of the memory.

# --- before
            x = layer(x, memory, mask, memory_mask)
# --- after
            x = layer(x, memory, memory_mask, mask)

# %% wrong: the norm comes after every layer
# The stream is normed after every layer. self.norm is for the end of the stack alone.

# --- before
            x = layer(x, memory, mask, memory_mask)
        return self.norm(x)
# --- after
            x = self.norm(layer(x, memory, mask, memory_mask))
        return x

# %% wrong: every layer reads the tower's input
# Each layer was given the input of the whole stack, so only the last one counts. A layer reads what the one before has
# left.

# --- before
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
# --- after
        start = x
        for layer in self.layers:
            x = layer(start, memory, mask, memory_mask)

# %% wrong: the stream's mask for the first layer alone
# With one layer the stream's mask works, with two it does not: only the first got it. What is forbidden is forbidden in
# every layer.

# --- before
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
# --- after
        for i, layer in enumerate(self.layers):
            x = layer(x, memory, mask if i == 0 else None, memory_mask)

# %% wrong: the stream's mask is not handed on
# The stream's mask changes nothing, so every place may read the later ones. Pass it to every layer.

# --- before
            x = layer(x, memory, mask, memory_mask)
# --- after
            x = layer(x, memory, None, memory_mask)

# %% wrong: the memory's mask is not handed on
# The memory's mask changes nothing, so the source's padding is read. Pass it to every layer.

# --- before
            x = layer(x, memory, mask, memory_mask)
# --- after
            x = layer(x, memory, mask)

# %% wrong: the layer's output becomes the memory
# From the second layer on, the memory is what a layer has left. Every layer reads the encoder's outputs as they are.

# --- before
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
# --- after
        first = memory
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask if memory is first else None)
            memory = x

# %% wrong: the last layer is left out
# One layer too few has run: the loop ends before the last.

# --- before
        for layer in self.layers:
# --- after
        for layer in self.layers[:-1]:

# %% wrong: the dropout does not reach the layers
# In training nothing is dropped: the layers were built without the stack's dropout. Pass it to them.

# --- before
                dropout=dropout,
# --- after

# %% correct: by index
# --- before
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
# --- after
        for i in range(len(self.layers)):
            x = self.layers[i](x, memory, mask=mask, memory_mask=memory_mask)

# %% correct: functools.reduce
# --- before
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
        return self.norm(x)
# --- after
        from functools import reduce

        return self.norm(reduce(lambda stream, layer: layer(stream, memory, mask, memory_mask), self.layers, x))

# %% correct: a function that calls itself
# --- before
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)
        return self.norm(x)
# --- after
        def run(stream: Tensor, layers: list) -> Tensor:
            return run(layers[0](stream, memory, mask, memory_mask), layers[1:]) if layers else stream

        return self.norm(run(x, list(self.layers)))

# %% correct: append in a loop
class TransformerDecoder(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, num_layers, dropout=0.0, activation=F.relu, layer_norm_eps=1e-5, norm_first=True):
        super().__init__()

        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(
                DecoderLayer(d_model, num_heads, d_ff, dropout=dropout, activation=activation, layer_norm_eps=layer_norm_eps, norm_first=norm_first)
            )
        self.norm = nn.LayerNorm(d_model, layer_norm_eps) if norm_first else nn.Identity()

    def forward(self, x, memory, mask=None, memory_mask=None):
        stream = x
        for layer in self.layers:
            stream = layer(stream, memory, mask, memory_mask)
        return self.norm(stream)

"""Wrong and correct answers of chapter 07."""

from autograde.bank import Bank, Correct, Wrong, edit

# ---- bits_per_character ---------------------------------------------------------------------------------------------

bits_per_character = Bank(
    "bits_per_character",
    wrong=[
        Wrong(
            "nats instead of bits",
            edit((" / math.log(2)", "")),
            "The mean is right, in nats: PyTorch's cross-entropy takes the natural logarithm. Divide by ln 2 to get "
            "bits. See section 7.2.",
        ),
        Wrong(
            "multiplied by ln 2",
            edit((" / math.log(2)", " * math.log(2)")),
            "The change from nats to bits goes the other way: one bit is 0.69 nats, so the number of bits is the larger "
            "of the two.",
        ),
        Wrong(
            "a mean of the batches' means",
            """
def bits_per_character(model, batches):
    bits = []
    for windows in batches:
        logits = model(windows[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten())
        bits.append(loss.item() / math.log(2))
    return sum(bits) / len(bits)
""",
            "Every batch counts the same here, so a character in a small batch counts more than one in a large batch. "
            "Sum over all predictions, and divide once by how many there were.",
        ),
        Wrong(
            "weighted by windows, not by predictions",
            """
def bits_per_character(model, batches):
    total, count = 0.0, 0
    for windows in batches:
        logits = model(windows[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten())
        total += loss.item() * len(windows)
        count += len(windows)
    return total / count / math.log(2)
""",
            "Every window counts the same here, also where it is shorter. Count predictions: windows times the length "
            "of each.",
        ),
        Wrong(
            "the targets are not shifted",
            edit(("model(windows[:, :-1]), windows[:, 1:]", "model(windows[:, :-1]), windows[:, :-1]")),
            "Each character was compared with the logits that were made from itself. The target of a place is the "
            "character after it: one place to the right in the window.",
        ),
        Wrong(
            "divided by every character of the windows",
            edit(("count += targets.numel()", "count += windows.numel()")),
            "The sum is over T predictions a window, and was divided by its T + 1 characters: the first one is never "
            "predicted. Count the targets.",
        ),
        Wrong(
            "only the last place of each window counts",
            """
def bits_per_character(model, batches):
    nats, count = 0.0, 0
    for windows in batches:
        logits = model(windows[:, :-1])[:, -1]
        nats += F.cross_entropy(logits, windows[:, -1], reduction="sum").item()
        count += len(windows)
    return nats / count / math.log(2)
""",
            "One prediction a window was scored, the last. Every place of a window makes a prediction, and all of them "
            "count.",
        ),
        Wrong(
            "the probability is taken first, and its logarithm is infinite",
            """
def bits_per_character(model, batches):
    bits, count = 0.0, 0
    for windows in batches:
        p = torch.softmax(model(windows[:, :-1]), dim=-1)
        p = p.gather(-1, windows[:, 1:].unsqueeze(-1))
        bits += -torch.log2(p).sum().item()
        count += p.numel()
    return bits / count
""",
            "A probability that is too small for a float becomes 0, and its logarithm infinite. Take the logarithm and "
            "the softmax together, as log_softmax and cross_entropy do.",
        ),
        Wrong(
            "the whole window is read, and the last row thrown away",
            edit(
                (
                    "logits, targets = model(windows[:, :-1]), windows[:, 1:]",
                    "logits, targets = model(windows)[:, :-1], windows[:, 1:]",
                )
            ),
            "All T + 1 characters went in, though nothing comes after the last one. A model with T positions cannot read "
            "them: cut the last character off before the model reads.",
        ),
        Wrong(
            "cross_entropy takes the places for the classes",
            """
def bits_per_character(model, batches):
    nats, count = 0.0, 0
    for windows in batches:
        logits, targets = model(windows[:, :-1]), windows[:, 1:]
        nats += F.cross_entropy(logits, targets, reduction="sum").item()
        count += targets.numel()
    return nats / count / math.log(2)
""",
            "cross_entropy wants the classes in the second axis, and (B, T, V) has the places there. Flatten B and T into "
            "one axis, or transpose.",
        ),
        Wrong(
            "a softmax before cross_entropy",
            edit(("F.cross_entropy(logits.flatten(0, 1)", "F.cross_entropy(logits.softmax(dim=-1).flatten(0, 1)")),
            "cross_entropy takes the softmax itself, and was given probabilities: the softmax was taken twice. Give it "
            "the logits.",
        ),
        Wrong(
            "the logarithm of the mean probability",
            """
def bits_per_character(model, batches):
    p = [model(w[:, :-1]).softmax(dim=-1).gather(2, w[:, 1:].unsqueeze(2)).flatten() for w in batches]
    return -torch.cat(p).mean().log2().item()
""",
            "The probabilities were averaged first. The score is the mean of the logarithms: one character that the "
            "model thought impossible must cost a lot.",
        ),
        Wrong(
            "perplexity instead of bits",
            edit(("return nats / count / math.log(2)", "return 2 ** (nats / count / math.log(2))")),
            "This is the perplexity, 2 to the power of the bits. The exponent itself is asked for.",
        ),
        Wrong(
            "a small number is added in the logarithm",
            """
def bits_per_character(model, batches):
    bits, count = 0.0, 0
    for windows in batches:
        p = torch.softmax(model(windows[:, :-1]), dim=-1).gather(-1, windows[:, 1:].unsqueeze(-1))
        bits += -torch.log2(p + 1e-9).sum().item()
        count += p.numel()
    return bits / count
""",
            "Adding a small number to the probability keeps the logarithm finite and makes it wrong: no character can "
            "cost more than the logarithm of that number. Take softmax and logarithm together, as cross_entropy does.",
        ),
    ],
    correct=[
        Correct(
            "log_softmax and gather",
            """
def bits_per_character(model, batches):
    surprises = []
    for windows in batches:
        log_p = torch.log_softmax(model(windows[:, :-1]), dim=-1)
        surprises.append(-log_p.gather(2, windows[:, 1:, None]).flatten())
    return (torch.cat(surprises).mean() / math.log(2)).item()
""",
        ),
        Correct(
            "weighted means",
            """
def bits_per_character(model, batches):
    total = sum((w.shape[1] - 1) * w.shape[0] for w in batches)
    bits = 0.0
    for w in batches:
        share = (w.shape[1] - 1) * w.shape[0] / total
        loss = F.cross_entropy(model(w[:, :-1]).transpose(1, 2), w[:, 1:])
        bits += share * float(loss) / 0.6931471805599453
    return bits
""",
        ),
        Correct(
            "one window at a time, logsumexp",
            """
def bits_per_character(model, batches):
    found = []
    for windows in batches:
        for window in windows:
            logits = model(window[None, :-1])[0]
            right = logits[torch.arange(len(logits)), window[1:]]
            found += ((logits.logsumexp(1) - right) * math.log2(math.e)).tolist()
    return sum(found) / len(found)
""",
        ),
    ],
)

# ---- causal_language_model ------------------------------------------------------------------------------------------

_EMBED = "x = self.dropout(self.positions(self.token_embedding(tokens)))  # (B, T) -> (B, T, D)"
_LOGITS = "return F.linear(self.norm(x), self.token_embedding.weight)  # (B, T, D) -> (B, T, V)"
_LOSS = """        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())"""

causal_language_model = Bank(
    "causal_language_model",
    wrong=[
        Wrong(
            "the mask is transposed",
            edit(
                (
                    "mask = causal_mask(tokens.shape[1]).to(tokens.device)",
                    "mask = causal_mask(tokens.shape[1]).T",
                )
            ),
            "Each place saw itself and what comes after it, and nothing before. Row t of the mask is what place t may see: "
            "0 to t.",
        ),
        Wrong(
            "too many tokens are cut off without a word",
            edit(
                (
                    "        mask = causal_mask(",
                    "        tokens = tokens[:, -len(self.positions.weight) :]\n        mask = causal_mask(",
                )
            ),
            "More tokens than positions were cut down to the window in silence. The docstring promises a ValueError: "
            "whoever calls decides what to leave out.",
        ),
        Wrong(
            "no mask",
            edit(("x = layer(x, mask)", "x = layer(x)")),
            "Every place saw the whole text, the character it is to predict included. Hand each layer the causal mask. "
            "See section 7.3.",
        ),
        Wrong(
            "the mask lets a place see the next one",
            edit(
                (
                    "mask = causal_mask(tokens.shape[1]).to(tokens.device)",
                    "mask = torch.ones(tokens.shape[1], tokens.shape[1]).tril(1).bool()",
                )
            ),
            "A place may see the one after it: exactly the token it is to predict, a leak of one. The mask allows the "
            "place itself and those before it.",
        ),
        Wrong(
            "the mask hides the place itself",
            edit(
                (
                    "mask = causal_mask(tokens.shape[1]).to(tokens.device)",
                    "mask = torch.ones(tokens.shape[1], tokens.shape[1]).tril(-1).bool()",
                )
            ),
            "A place may not see itself, so the newest token is missing when the next one is predicted. The diagonal is "
            "allowed; the shift stands in the targets and not in the mask.",
        ),
        Wrong(
            "the mask is turned round",
            edit(
                (
                    "mask = causal_mask(tokens.shape[1]).to(tokens.device)",
                    "mask = ~causal_mask(tokens.shape[1])",
                )
            ),
            "The places may see the future and not the past. In this course True means that a key may be attended to.",
        ),
        Wrong(
            "the first layer alone gets the mask",
            edit(
                (
                    "for layer in self.layers:\n            x = layer(x, mask)",
                    "for i, layer in enumerate(self.layers):\n            x = layer(x, mask if i == 0 else None)",
                )
            ),
            "The first layer keeps to the past and the others do not, so the future comes in one layer higher. Every "
            "layer needs the mask.",
        ),
        Wrong(
            "no positions",
            edit((_EMBED, "x = self.dropout(self.token_embedding(tokens))")),
            "The positions are missing, so the model cannot tell the order of what it may see. Send the embeddings "
            "through `positions`.",
        ),
        Wrong(
            "no last norm",
            edit((_LOGITS, "return F.linear(x, self.token_embedding.weight)")),
            "The stream goes into the logits without the last norm. With the norm first in each layer, nothing else norms "
            "what comes out at the end.",
        ),
        Wrong(
            "the embedding is scaled by the root of d_model",
            edit(
                (
                    "self.positions(self.token_embedding(tokens))",
                    "self.positions(self.token_embedding(tokens) * self.token_embedding.weight.shape[1] ** 0.5)",
                )
            ),
            "The embeddings were multiplied by the root of d_model, as in Vaswani et al. (2017, section 3.4). GPT-2, and "
            "the docstring, do without.",
        ),
        Wrong(
            "the dropout is left out",
            edit((_EMBED, "x = self.positions(self.token_embedding(tokens))")),
            "The constructor's dropout is not used: embedding plus positions go through it before the first layer.",
        ),
        Wrong(
            "the loss compares each place with its own token",
            edit((_LOSS, _LOSS.replace("tokens[:, 1:]", "tokens[:, :-1]"))),
            "The logits at a place were compared with the token that went in there. A place is to say what comes next: "
            "the targets start one token later.",
        ),
        Wrong(
            "the loss is shifted twice",
            edit(
                (
                    _LOSS,
                    "        logits = self(tokens[:, :-1])[:, :-1]\n"
                    "        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 2:].flatten())",
                )
            ),
            "Each place was asked for the token after the next. Input and targets differ by one place: cut the last "
            "token off the input and the first off the targets, and nothing more.",
        ),
        Wrong(
            "the loss of the last place alone",
            edit(
                (
                    _LOSS,
                    "        return F.cross_entropy(self(tokens[:, :-1])[:, -1], tokens[:, -1])",
                )
            ),
            "Only the last place of each window was a target. Every token but the first is one: that is where a language "
            "model's many examples come from. See section 7.4.",
        ),
        Wrong(
            "the loss is a sum",
            edit((_LOSS, _LOSS.replace("flatten())", 'flatten(), reduction="sum")'))),
            "The loss is the sum over all predictions; the docstring asks for their mean.",
        ),
        Wrong(
            "all tokens go in, and the last row is thrown away",
            edit(
                (
                    _LOSS,
                    "        logits = self(tokens)[:, :-1]\n"
                    "        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())",
                )
            ),
            "The T + 1 tokens all went in, though nothing comes after the last: a window that fills the model has one "
            "more than there are positions. Cut the last token off before the model reads.",
        ),
        Wrong(
            "the last layer is not used",
            edit(("for layer in self.layers:", "for layer in self.layers[:-1]:")),
            "One layer never runs. Send x through all of `layers`, in their order.",
        ),
        Wrong(
            "probabilities instead of logits",
            edit(
                (
                    _LOGITS,
                    "return torch.softmax(F.linear(self.norm(x), self.token_embedding.weight), dim=-1)",
                )
            ),
            "The rows are probabilities already. Logits are asked for: cross_entropy takes the softmax itself, and would "
            "take it twice.",
        ),
        Wrong(
            "the last norm after every layer",
            edit(("x = layer(x, mask)", "x = self.norm(layer(x, mask))"), ("F.linear(self.norm(x), ", "F.linear(x, ")),
            "The last norm was applied after each layer. It comes once, after all of them: between the layers the plain "
            "stream goes on.",
        ),
        Wrong(
            "the norm comes before the layers",
            edit(
                ("        for layer in self.layers:", "        x = self.norm(x)\n        for layer in self.layers:"),
                ("F.linear(self.norm(x), ", "F.linear(x, "),
            ),
            "The last norm was applied to what goes into the layers. Each layer norms its own input; this one is for what "
            "comes out of the last.",
        ),
        Wrong(
            "the logits are scaled",
            edit((_LOGITS, "return F.linear(self.norm(x), self.token_embedding.weight) / x.shape[-1] ** 0.5")),
            "The logits were divided by the root of d_model. That belongs to attention scores; logits are the plain dot "
            "products.",
        ),
        Wrong(
            "logarithms of probabilities instead of logits",
            edit((_LOGITS, "return F.linear(self.norm(x), self.token_embedding.weight).log_softmax(dim=-1)")),
            "The rows are logarithms of probabilities already. Logits are asked for: the dot products as they are.",
        ),
        Wrong(
            "the embedding learns from one end only",
            edit((_LOGITS, "return F.linear(self.norm(x), self.token_embedding.weight.detach())")),
            "The matrix was cut off from its gradients at the output (detach or .data). It is one parameter with two uses, "
            "and learns from both.",
        ),
        Wrong(
            "a head of its own, not tied",
            edit(
                (
                    "        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)\n",
                    "        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)\n"
                    "        self.head = nn.Linear(d_model, vocab_size, bias=False)\n",
                ),
                (_LOGITS, "return self.head(self.norm(x))"),
            ),
            "The logits come from a matrix of their own. Input and output share one: the embedding's.",
        ),
        Wrong(
            "the loss is a bare number",
            edit(
                (
                    "return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())",
                    "return torch.tensor(F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten()).item())",
                )
            ),
            "The loss was cut off from the computation that made it (item, no_grad or detach), so no optimiser could learn "
            "anything from it. Return what cross_entropy gives.",
        ),
        Wrong(
            "the loss switches dropout off",
            edit((_LOSS, "        self.eval()\n" + _LOSS)),
            "`loss` puts the model into eval mode and leaves it there, so dropout is off for the rest of the training. The "
            "mode is the caller's business.",
        ),
        Wrong(
            "dropout before the positions",
            edit((_EMBED, "x = self.positions(self.dropout(self.token_embedding(tokens)))")),
            "Dropout acted on the embedding alone and the positions were added afterwards. It acts on their sum.",
        ),
        Wrong(
            "dropout at the output in place of the input",
            edit(
                (_EMBED, "x = self.positions(self.token_embedding(tokens))"),
                ("F.linear(self.norm(x), ", "F.linear(self.dropout(self.norm(x)), "),
            ),
            "Dropout acted on the last norm's output. It acts on embedding plus position, before the first layer.",
        ),
        Wrong(
            "dropout at both ends",
            edit(("F.linear(self.norm(x), ", "F.linear(self.dropout(self.norm(x)), ")),
            "Dropout acted a second time, on the last norm's output. It acts once, before the first layer.",
        ),
        Wrong(
            "a dropout of another rate",
            edit((_EMBED, "x = F.dropout(self.positions(self.token_embedding(tokens)), 0.1, self.training)")),
            "The rate given to the constructor was not used. `self.dropout` has it.",
        ),
        Wrong(
            "the loss in bits",
            edit(
                (
                    "return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())",
                    "return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten()) / math.log(2)",
                )
            ),
            "The loss was divided by ln 2. The docstring asks for nats, what cross_entropy gives.",
        ),
        Wrong(
            "the loss is summed over the places",
            edit((_LOSS, _LOSS + " * logits.shape[1]")),
            "The loss is a mean over the batch and a sum over the places; the docstring asks for the mean over all B * T "
            "predictions.",
        ),
        Wrong(
            "cross_entropy takes the places for the classes",
            edit((_LOSS, "        return F.cross_entropy(self(tokens[:, :-1]), tokens[:, 1:])")),
            "cross_entropy wants the classes in the second axis, and (B, T, V) has the places there. Flatten B and T into "
            "one axis, or transpose.",
        ),
        Wrong(
            "the last norm at both ends",
            edit(("        for layer in self.layers:", "        x = self.norm(x)\n        for layer in self.layers:")),
            "The last norm was applied to what goes into the layers as well. Each layer norms its own input; this one comes "
            "once, after the last.",
        ),
    ],
    correct=[
        Correct(
            "a matrix product, cross_entropy over the transposed",
            edit(
                (_LOGITS, "return self.norm(x) @ self.token_embedding.weight.T"),
                (
                    _LOSS,
                    "        return F.cross_entropy(self(tokens[:, :-1]).transpose(1, 2), tokens[:, 1:])",
                ),
            ),
        ),
        Correct(
            "positions looked up by hand",
            edit(
                (
                    _EMBED,
                    "length = tokens.shape[1]\n"
                    "        if length > len(self.positions.weight):\n"
                    '            raise ValueError(f"{length} tokens are too many")\n'
                    "        x = self.token_embedding.weight[tokens]\n"
                    "        x = self.dropout(x + self.positions.weight[None, torch.arange(length)])",
                )
            ),
        ),
        Correct(
            "a mask of its own, an einsum at the end",
            edit(
                (
                    "mask = causal_mask(tokens.shape[1]).to(tokens.device)",
                    "places = torch.arange(tokens.shape[1])\n        mask = places[:, None] >= places[None, :]",
                ),
                (_LOGITS, 'return torch.einsum("btd,vd->btv", self.norm(x), self.token_embedding.weight)'),
            ),
        ),
        Correct(
            "log_softmax and gather in the loss",
            edit(
                (
                    _LOSS,
                    "        goes_in, comes_next = tokens[:, :-1], tokens[:, 1:]\n"
                    "        log_p = self.forward(goes_in).log_softmax(dim=-1)\n"
                    "        return -log_p.gather(-1, comes_next.unsqueeze(-1)).mean()",
                )
            ),
        ),
        Correct(
            "a mask with a batch axis",
            edit(
                (
                    "mask = causal_mask(tokens.shape[1]).to(tokens.device)",
                    "B, T = tokens.shape\n        mask = causal_mask(T).expand(B, T, T)",
                )
            ),
        ),
        Correct(
            "a head that is tied in the constructor",
            edit(
                (
                    "        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)\n",
                    "        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps)\n"
                    "        self.head = nn.Linear(d_model, vocab_size, bias=False)\n"
                    "        self.head.weight = self.token_embedding.weight\n",
                ),
                (_LOGITS, "return self.head(self.norm(x))"),
            ),
        ),
        Correct(
            "a pass for every prefix",
            edit(
                (
                    "        mask = causal_mask(tokens.shape[1]).to(tokens.device)\n",
                    "        if self.training:  # one mask of what is dropped for all prefixes\n"
                    "            return self.in_one_pass(tokens)\n"
                    "        passes = [self.in_one_pass(tokens[:, : t + 1])[:, -1] for t in range(tokens.shape[1])]\n"
                    "        return torch.stack(passes, dim=1)\n\n"
                    "    def in_one_pass(self, tokens):\n"
                    "        mask = causal_mask(tokens.shape[1]).to(tokens.device)\n",
                )
            ),
        ),
        Correct(
            "a loss place by place",
            edit(
                (
                    _LOSS,
                    "        logits = self(tokens[:, :-1])\n"
                    "        losses = [F.cross_entropy(logits[:, t], tokens[:, t + 1]) for t in range(logits.shape[1])]\n"
                    "        return torch.stack(losses).mean()",
                )
            ),
        ),
    ],
)

# ---- prefixes_equal_one_pass ----------------------------------------------------------------------------------------

_PREFIXES = """        last = model(tokens[:, :t])[:, -1]  # (B, t, V) -> (B, V)
        prefixes = prefixes + F.cross_entropy(last, tokens[:, t], reduction="sum")
"""

prefixes_equal_one_pass = Bank(
    "prefixes_equal_one_pass",
    wrong=[
        Wrong(
            "means instead of sums",
            edit((', reduction="sum"', "")),
            "cross_entropy takes the mean unless told otherwise, over B * T predictions in one pass and over B in a "
            "prefix. The docstring asks for sums, and only sums can be compared.",
        ),
        Wrong(
            "the one pass is a mean",
            edit(('tokens[:, 1:].flatten(), reduction="sum")', "tokens[:, 1:].flatten())")),
            "In one pass the mean over all predictions was taken, and over the prefixes a sum. Take the sum in both.",
        ),
        Wrong(
            "every prefix counts all its places",
            edit(
                (
                    _PREFIXES,
                    "        logits = model(tokens[:, :t])\n"
                    "        prefixes = prefixes + F.cross_entropy(\n"
                    '            logits.flatten(0, 1), tokens[:, 1 : t + 1].flatten(), reduction="sum"\n'
                    "        )\n",
                )
            ),
            "Each prefix trained all of its places, so the first prediction counts T times. Of a prefix only the last row "
            "of logits is used: the rest was the business of shorter prefixes.",
        ),
        Wrong(
            "the whole prefix is left out at the end",
            edit(("range(1, tokens.shape[1])", "range(1, tokens.shape[1] - 1)")),
            "The longest prefix is missing: the last token of the window is a target as well. t goes from 1 to T.",
        ),
        Wrong(
            "the first prediction is left out",
            edit(("range(1, tokens.shape[1])", "range(2, tokens.shape[1])")),
            "The shortest prefix is missing: one token is context enough to predict the second. t goes from 1 to T.",
        ),
        Wrong(
            "the prefixes are cut from one pass",
            edit(("last = model(tokens[:, :t])[:, -1]", "last = logits[:, t - 1]")),
            "Nothing was computed a second time: the rows come from the one pass, so the two gradients are equal whatever "
            "the model does. Call the model on each prefix.",
        ),
        Wrong(
            "the prefix holds the token that is asked for",
            edit(("model(tokens[:, :t])[:, -1]", "model(tokens[:, : t + 1])[:, -1]")),
            "The prefix goes one token too far: it holds the token that is to be predicted. The prefix for token t is the "
            "tokens 0 to t - 1.",
        ),
        Wrong(
            "the targets of the one pass are not shifted",
            edit(("tokens[:, 1:].flatten()", "tokens[:, :-1].flatten()")),
            "In the one pass each place was asked for the token that went in there. Its target is the next one.",
        ),
        Wrong(
            "the gradients are left in .grad, and add up",
            """
def prefixes_equal_one_pass(model, tokens):
    logits = model(tokens[:, :-1])
    F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum").backward()
    one_pass = [p.grad.clone() for p in model.parameters()]
    for t in range(1, tokens.shape[1]):
        F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t], reduction="sum").backward()
    return one_pass, [p.grad for p in model.parameters()]
""",
            "backward adds to what stands in .grad, so the second list holds both gradients, and the model keeps them. "
            "torch.autograd.grad returns gradients and leaves .grad alone.",
        ),
        Wrong(
            "the two lists change places",
            edit(
                ("grad(one_pass, parameters)", "grad(THE_OTHER, parameters)"),
                ("grad(prefixes, parameters)", "grad(one_pass, parameters)"),
                ("THE_OTHER", "prefixes"),
            ),
            "Both gradients are there, the wrong way round: the one pass comes first.",
        ),
        Wrong(
            "both lists hold the same tensors",
            """
def prefixes_equal_one_pass(model, tokens):
    model.zero_grad()
    logits = model(tokens[:, :-1])
    F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum").backward()
    one_pass = [p.grad for p in model.parameters()]
    model.zero_grad(set_to_none=False)
    for t in range(1, tokens.shape[1]):
        F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t], reduction="sum").backward()
    return one_pass, [p.grad for p in model.parameters()]
""",
            "Both lists hold the model's own .grad tensors, so what came second has overwritten the first. "
            "torch.autograd.grad returns gradients that are nobody else's.",
        ),
        Wrong(
            "the .grad fields are wiped",
            """
def prefixes_equal_one_pass(model, tokens):
    found = []
    logits = model(tokens[:, :-1])
    one_pass = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum")
    prefixes = sum(
        F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t], reduction="sum") for t in range(1, tokens.shape[1])
    )
    for loss in (one_pass, prefixes):
        model.zero_grad()
        loss.backward()
        found.append([p.grad.clone() for p in model.parameters()])
    model.zero_grad()
    return tuple(found)
""",
            "Both gradients are right, and whatever stood in the model's .grad fields is wiped out. torch.autograd.grad "
            "leaves them alone.",
        ),
        Wrong(
            "the prefixes are means over the batch",
            edit(('F.cross_entropy(last, tokens[:, t], reduction="sum")', "F.cross_entropy(last, tokens[:, t])")),
            "In the prefixes the mean over the batch was taken, and in one pass the sum. Take the sum in both.",
        ),
        Wrong(
            "the first row of each prefix",
            edit(("model(tokens[:, :t])[:, -1]", "model(tokens[:, :t])[:, 0]")),
            "Of each prefix the first row of logits was used: it has seen one token. The last row has seen them all.",
        ),
        Wrong(
            "only the last prefix counts",
            edit(("prefixes = prefixes + F.cross_entropy", "prefixes = F.cross_entropy")),
            "Only the longest prefix is left: each one replaced the one before. Add them up.",
        ),
        Wrong(
            "the one pass reads the whole window",
            edit(("logits = model(tokens[:, :-1])\n", "logits = model(tokens)[:, :-1]\n")),
            "In one pass the model was given the last token too. Nothing comes after it, and a model that reads in both "
            "directions, or has T positions, notices: cut it off before the model reads.",
        ),
        Wrong(
            "each prefix is its last token alone",
            edit(("model(tokens[:, :t])[:, -1]", "model(tokens[:, t - 1 : t])[:, -1]")),
            "The model was given one token at a time, without those before it. A prefix begins at the beginning.",
        ),
        Wrong(
            "the prefixes are cut from one pass, its graph kept",
            edit(
                ("last = model(tokens[:, :t])[:, -1]", "last = logits[:, t - 1]"),
                (
                    "torch.autograd.grad(one_pass, parameters)",
                    "torch.autograd.grad(one_pass, parameters, retain_graph=True)",
                ),
            ),
            "Nothing was computed a second time: the rows come from the one pass, so the two gradients are equal whatever "
            "the model does. Call the model on each prefix.",
        ),
    ],
    correct=[
        Correct(
            "a gradient for each prefix, added up",
            """
def prefixes_equal_one_pass(model, tokens):
    parameters = list(model.parameters())
    loss = F.cross_entropy(model(tokens[:, :-1]).transpose(1, 2), tokens[:, 1:], reduction="sum")
    one_pass = torch.autograd.grad(loss, parameters)
    total = [torch.zeros_like(p) for p in parameters]
    for t in range(1, tokens.shape[1]):
        loss = F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t], reduction="sum")
        total = [a + b for a, b in zip(total, torch.autograd.grad(loss, parameters))]
    return list(one_pass), total
""",
        ),
        Correct(
            "backward on a copy of the model",
            """
def prefixes_equal_one_pass(model, tokens):
    import copy

    found = []
    for way in ("one", "many"):
        twin = copy.deepcopy(model)
        twin.zero_grad()
        for t in range(1, tokens.shape[1]) if way == "many" else [0]:
            if way == "one":
                logits, targets = twin(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten()
            else:
                logits, targets = twin(tokens[:, :t])[:, -1], tokens[:, t]
            F.cross_entropy(logits, targets, reduction="sum").backward()
        found.append([p.grad for p in twin.parameters()])
    return tuple(found)
""",
        ),
        Correct(
            "the mean, times the number of predictions",
            """
def prefixes_equal_one_pass(model, tokens):
    weights = [*model.parameters()]
    B, T = tokens.shape[0], tokens.shape[1] - 1
    mean = F.cross_entropy(model(tokens[:, :T]).flatten(0, 1), tokens[:, 1:].flatten())
    many = [B * F.cross_entropy(model(tokens[:, :t])[:, t - 1], tokens[:, t]) for t in range(1, T + 1)]
    return list(torch.autograd.grad(mean * B * T, weights)), list(torch.autograd.grad(sum(many), weights))
""",
        ),
        Correct(
            "log_softmax by hand",
            """
def prefixes_equal_one_pass(model, tokens):
    def surprise(logits, targets):
        return -logits.log_softmax(-1).gather(-1, targets.unsqueeze(-1)).sum()

    p = list(model.parameters())
    a = torch.autograd.grad(surprise(model(tokens[:, :-1]), tokens[:, 1:]), p)
    losses = [surprise(model(tokens[:, :t])[:, -1], tokens[:, t]) for t in range(1, tokens.size(1))]
    b = torch.autograd.grad(torch.stack(losses).sum(), p)
    return [*a], [*b]
""",
        ),
        Correct(
            "one sentence at a time",
            """
def prefixes_equal_one_pass(model, tokens):
    p = list(model.parameters())
    one, many = 0.0, 0.0
    for row in tokens:
        one = one + F.cross_entropy(model(row[None, :-1])[0], row[1:], reduction="sum")
        for t in range(1, len(row)):
            many = many + F.cross_entropy(model(row[None, :t])[0, -1:], row[t : t + 1], reduction="sum")
    return list(torch.autograd.grad(one, p)), list(torch.autograd.grad(many, p))
""",
        ),
        Correct(
            "backward, with the .grad fields put back",
            """
def prefixes_equal_one_pass(model, tokens):
    before = [p.grad for p in model.parameters()]

    def gradients(loss):
        for p in model.parameters():
            p.grad = None
        loss.backward()
        return [p.grad for p in model.parameters()]

    one = gradients(F.cross_entropy(model(tokens[:, :-1]).transpose(1, 2), tokens[:, 1:], reduction="sum"))
    many = 0.0
    for t in range(1, tokens.shape[1]):
        many = many + F.cross_entropy(model(tokens[:, :t])[:, -1], tokens[:, t], reduction="sum")
    many = gradients(many)
    for p, grad in zip(model.parameters(), before):
        p.grad = grad
    return one, many
""",
        ),
    ],
)

# ---- induction_score ------------------------------------------------------------------------------------------------

_EARLIER = "earlier = (tokens.unsqueeze(2) == tokens.unsqueeze(1)).tril(-1)"
_AFTER = "after = F.pad(earlier[:, :, :-1], (1, 0))"
_MEAN = "return shares.transpose(1, 2)[asked].mean(dim=0)"

induction_score = Bank(
    "induction_score",
    wrong=[
        Wrong(
            "no token repeats, and nothing is said",
            edit(
                (
                    """    if not asked.any():
        raise ValueError(f"no token of {tuple(tokens.shape)} occurs a second time")
""",
                    "",
                )
            ),
            "Where no token occurs a second time there is nothing to average, and the docstring promises a ValueError.",
        ),
        Wrong(
            "the earlier occurrence itself",
            edit((_AFTER, "after = earlier")),
            "You measured the weight on the earlier occurrences of the token. An induction head looks one place further, "
            "at what came after them.",
        ),
        Wrong(
            "what came before the earlier occurrence",
            edit((_AFTER, "after = F.pad(earlier[:, :, 1:], (0, 1))")),
            "You measured the weight one place before each earlier occurrence. What came after it stands one place to the "
            "right.",
        ),
        Wrong(
            "the token counts as its own earlier occurrence",
            edit((_EARLIER, _EARLIER.replace("tril(-1)", "tril()"))),
            "A query's own place, or a later one, was taken for an earlier occurrence of its token, so queries without one "
            "counted too. Earlier means before the query.",
        ),
        Wrong(
            "the mean over all queries",
            edit((_MEAN, "return shares.mean(dim=(0, 2))")),
            "Queries whose token did not occur before took part in the mean with a share of zero. They count nowhere.",
        ),
        Wrong(
            "a mean of the sentences' means",
            edit(
                (
                    _MEAN,
                    "return ((shares * asked.unsqueeze(1)).sum(2) / asked.sum(1, keepdim=True).clamp(min=1)).mean(0)",
                )
            ),
            "Each sentence counts the same here. Every query whose token occurred before counts the same, whichever "
            "sentence it stands in.",
        ),
        Wrong(
            "only the last earlier occurrence",
            edit(
                (_AFTER, "after = F.pad(earlier[:, :, :-1], (1, 0))\n    after &= after.flip(2).cumsum(2).flip(2) == 1")
            ),
            "Only the place after the latest occurrence was counted. The docstring counts the places after all earlier "
            "ones.",
        ),
        Wrong(
            "queries and keys change places",
            edit(("weights * after.unsqueeze(1)", "weights.transpose(2, 3) * after.unsqueeze(1)")),
            "Rows and columns of the weights were taken for one another: rows are queries, and each row sums to one.",
        ),
        Wrong(
            "one number for all heads",
            edit((_MEAN, "return shares.transpose(1, 2)[asked].mean()")),
            "The heads were averaged away. One number for each head is asked for.",
        ),
        Wrong(
            "the mean weight on a place instead of the sum",
            edit(("sum(dim=3)", "sum(dim=3) / after.sum(dim=2).clamp(min=1).unsqueeze(1)")),
            "Where a token occurred several times before, the share is the sum of the weights on all the places after, "
            "and not their mean.",
        ),
        Wrong(
            "the query's own place is left out",
            edit(
                (
                    _MEAN,
                    "return (shares - (weights * after.unsqueeze(1)).diagonal(dim1=2, dim2=3)).transpose(1, 2)[asked].mean(dim=0)",
                )
            ),
            "Where a token stands twice in a row, the place after the first is the query's own, and it counts: j - 1 < t "
            "allows j = t.",
        ),
        Wrong(
            "only the first earlier occurrence",
            edit((_AFTER, "after = F.pad(earlier[:, :, :-1], (1, 0))\n    after &= after.cumsum(2) == 1")),
            "Only the place after the first occurrence was counted. The docstring counts the places after all earlier "
            "ones.",
        ),
        Wrong(
            "divided by the number of places",
            edit((_MEAN, "return shares.sum(dim=(0, 2)) / after.sum()")),
            "The sum was divided by the number of pairs of query and place. A query with three places counts once, like "
            "one with a single place: divide by the number of queries.",
        ),
        Wrong(
            "a sentence without a repeat is refused",
            edit(("if not asked.any():", "if not asked.any(dim=1).all():")),
            "An error was raised because one sentence had no repeat. It is for the case that no token of the whole batch "
            "occurs a second time.",
        ),
        Wrong(
            "a token right before itself is no occurrence",
            edit((_EARLIER, _EARLIER.replace("tril(-1)", "tril(-2)"))),
            "Where a token stands twice in a row, the first of the two was not taken for an earlier occurrence: j - 1 < t "
            "allows j = t.",
        ),
    ],
    correct=[
        Correct(
            "loops, as the docstring reads",
            """
def induction_score(weights, tokens):
    B, H, T, _ = weights.shape
    shares = []
    for b in range(B):
        for t in range(T):
            places = [j for j in range(1, t + 1) if tokens[b, j - 1] == tokens[b, t] and j - 1 < t]
            if places:
                shares.append(sum(weights[b, :, t, j] for j in places))
    if not shares:
        raise ValueError("nothing occurs twice")
    return torch.stack(shares).mean(dim=0)
""",
        ),
        Correct(
            "torch.roll and an einsum",
            """
def induction_score(weights, tokens):
    T = tokens.shape[1]
    same = tokens[:, :, None] == tokens[:, None, :]
    same = same & (torch.arange(T)[:, None] > torch.arange(T)[None, :])
    after = torch.roll(same, 1, dims=2)
    after[:, :, 0] = False
    count = after.any(2).sum()
    if count == 0:
        raise ValueError(f"tokens {tuple(tokens.shape)} hold no repeat")
    return torch.einsum("bhts,bts->h", weights, after.to(weights.dtype)) / count
""",
        ),
        Correct(
            "the tokens shifted instead of the mask",
            """
def induction_score(weights, tokens):
    previous = torch.cat([torch.full_like(tokens[:, :1], -1), tokens[:, :-1]], dim=1)
    T = tokens.shape[1]
    hits = (previous[:, None, :] == tokens[:, :, None]) & torch.ones(T, T, dtype=torch.bool).tril()
    rows = hits.any(-1)
    if rows.sum() == 0:
        raise ValueError("no repeats")
    on = (weights * hits[:, None]).sum(-1)
    return (on * rows[:, None]).sum((0, 2)) / rows.sum()
""",
        ),
        Correct(
            "head by head",
            """
def induction_score(weights, tokens):
    earlier = torch.tril(tokens[..., None] == tokens[:, None], diagonal=-1)
    after = torch.zeros_like(earlier)
    after[:, :, 1:] = earlier[:, :, :-1]
    asked = earlier[:, :, :].any(-1)
    if not bool(asked.any()):
        raise ValueError("no token twice")
    return torch.stack([weights[:, h].masked_fill(~after, 0).sum(-1)[asked].mean() for h in range(weights.shape[1])])
""",
        ),
        Correct(
            "masked_select by sentence",
            """
def induction_score(weights, tokens):
    total, count = torch.zeros(weights.shape[1]), 0
    for w, row in zip(weights, tokens):
        seen = {}
        for t, token in enumerate(row.tolist()):
            if token in seen:
                total = total + w[:, t, [place + 1 for place in seen[token]]].sum(dim=1)
                count += 1
            seen.setdefault(token, []).append(t)
    if not count:
        raise ValueError("all tokens differ")
    return total / count
""",
        ),
    ],
)

# ---- generate -------------------------------------------------------------------------------------------------------

_TEMPERATURE_ZERO = """    if temperature == 0:
        return F.one_hot(logits.argmax(dim=-1), logits.shape[-1]).to(logits.dtype)
"""
_SOFTMAX = "torch.softmax(logits / temperature, dim=-1)"
_KEEP = "ordered.masked_fill(before >= top_p, 0.0)"
_READ = "logits = model(tokens[:, -max_length:])[:, -1]  # (B, T, V) -> (B, V)"
_TOP_K = """    if top_k is not None:
        ordered[:, top_k:] = 0.0
        ordered = ordered / ordered.sum(dim=-1, keepdim=True)
"""
_TOP_P = """    if top_p is not None:
        before = ordered.cumsum(dim=-1) - ordered  # what the more likely tokens have together
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        ordered = ordered / ordered.sum(dim=-1, keepdim=True)
"""

generate = Bank(
    "generate",
    wrong=[
        Wrong(
            "the token that crosses p is dropped",
            edit(
                (
                    _KEEP,
                    "ordered.masked_fill((before + ordered > top_p) & (before > 0), 0.0)",
                )
            ),
            "The token with which the sum reaches top_p was dropped, so what is kept has less than top_p together. A "
            "token stays as long as those before it have not reached top_p.",
        ),
        Wrong(
            "the token that crosses p is dropped, and perhaps all are",
            edit((_KEEP, "ordered.masked_fill(before + ordered > top_p, 0.0)")),
            "The token with which the sum reaches top_p was dropped, and where the first one reaches it alone nothing is "
            "left. A token stays as long as those before it have not reached top_p.",
        ),
        Wrong(
            "top_p keeps one token too many",
            edit(
                (_KEEP, "ordered.masked_fill((before - ordered.roll(1, -1)).clamp(min=0) * (before > 0) >= top_p, 0.0)")
            ),
            "A token was kept after those before it had reached top_p already. The one that reaches it is the last.",
        ),
        Wrong(
            "top_p as a threshold for each token",
            edit((_KEEP, "ordered.masked_fill((ordered < 1 - top_p) & (before > 0), 0.0)")),
            "Tokens were kept by their own probability. top_p is about the sum: the most likely ones, until together they "
            "have top_p.",
        ),
        Wrong(
            "the logits are multiplied by the temperature",
            edit((_SOFTMAX, "torch.softmax(logits * temperature, dim=-1)")),
            "A temperature below 1 made the distribution flatter. The logits are divided by it: small temperature, large "
            "differences.",
        ),
        Wrong(
            "the temperature divides the probabilities",
            edit(
                (
                    _SOFTMAX,
                    "torch.softmax(torch.softmax(logits, dim=-1) / temperature, dim=-1)",
                )
            ),
            "The temperature came after a softmax, and then there was another. It divides the logits, before the only "
            "softmax.",
        ),
        Wrong(
            "what is kept is not divided by its sum",
            edit(("        ordered = ordered / ordered.sum(dim=-1, keepdim=True)\n", "")),
            "After dropping tokens the rest no longer sums to one. Divide what is kept by its sum.",
        ),
        Wrong(
            "top_p before top_k",
            edit((_TOP_K, ""), (_TOP_P, _TOP_P + _TOP_K)),
            "top_p was applied first, to all the tokens, and top_k to what it left. The docstring has it the other way "
            "round, and it matters: top_p counts shares of what top_k has kept.",
        ),
        Wrong(
            "the temperature is left out",
            edit((_SOFTMAX, "torch.softmax(logits, dim=-1)")),
            "The temperature changes nothing. Divide the logits by it before the softmax.",
        ),
        Wrong(
            "temperature 0 is not seen to",
            edit((_TEMPERATURE_ZERO, "")),
            "Dividing by a temperature of 0 gives infinities and NaN. Treat 0 apart: the largest logit gets all.",
        ),
        Wrong(
            "the probabilities stay in sorted order",
            edit(("return torch.zeros_like(ordered).scatter(-1, order, ordered)", "return ordered")),
            "The probabilities came back in falling order, so they belong to other tokens. Put each back to its own place "
            "in the vocabulary.",
        ),
        Wrong(
            "sorted order is undone the wrong way",
            edit(("torch.zeros_like(ordered).scatter(-1, order, ordered)", "ordered.gather(-1, order)")),
            "`order` says which token stands at each sorted place. Gathering with it sorts a second time; to go back, "
            "write each probability to its token's place.",
        ),
        Wrong(
            "top_k fails above V",
            edit(
                (
                    _TOP_K,
                    _TOP_K.replace(
                        "    if top_k",
                        "    if top_k is not None and top_k > ordered.shape[-1]:\n        top_k = 1\n    if top_k",
                        1,
                    ),
                )
            ),
            "A top_k larger than the vocabulary should keep all the tokens.",
        ),
        Wrong(
            "the first max_length tokens are read",
            edit((_READ, "logits = model(tokens[:, :max_length])[:, -1]")),
            "Once the text is longer than the window, the model went on reading its beginning. It needs the last "
            "max_length tokens.",
        ),
        Wrong(
            "the window is not cut",
            edit((_READ, "logits = model(tokens)[:, -1]")),
            "The model was given more tokens than max_length. Cut the text to its last max_length tokens before each "
            "reading.",
        ),
        Wrong(
            "only the newest token is read",
            edit((_READ, "logits = model(tokens[:, -1:])[:, -1]")),
            "The model read one token at a time and so forgot the rest. Without a cache it has to read the whole window "
            "again for each new token.",
        ),
        Wrong(
            "always the most likely token",
            edit(("torch.multinomial(probabilities, 1)", "probabilities.argmax(dim=1, keepdim=True)")),
            "`generate` took the most likely token every time. It is to draw from the distribution; at temperature 0 that "
            "is the same.",
        ),
        Wrong(
            "the settings are not handed on",
            edit(
                (
                    "sampling_distribution(logits, temperature, top_k, top_p)",
                    "sampling_distribution(logits, temperature)",
                )
            ),
            "top_k and top_p never reach `sampling_distribution`: `generate` draws from the whole distribution.",
        ),
        Wrong(
            "only the new tokens come back",
            edit(
                (
                    "    with torch.no_grad():\n        for",
                    "    given = tokens.shape[1]\n    with torch.no_grad():\n        for",
                ),
                ("dim=1)\n    return tokens", "dim=1)\n    return tokens[:, given:]"),
            ),
            "The tokens that were given are missing from what comes back: they stand first, then the new ones.",
        ),
        Wrong(
            "none of the settings is handed on",
            edit(("sampling_distribution(logits, temperature, top_k, top_p)", "sampling_distribution(logits)")),
            "`generate` drew from the plain softmax of the logits: neither the temperature nor top_k nor top_p had any "
            "part. Hand all three to `sampling_distribution`.",
        ),
        Wrong(
            "what top_k keeps is not divided by its sum",
            edit((_TOP_K, _TOP_K.replace("        ordered = ordered / ordered.sum(dim=-1, keepdim=True)\n", ""))),
            "After top_k the rest no longer sums to one, and top_p then counts shares of the whole. Divide what top_k keeps "
            "by its sum at once.",
        ),
        Wrong(
            "top_p keeps one more where p is met exactly",
            edit((_KEEP, "ordered.masked_fill(before > top_p, 0.0)")),
            "Where the tokens before have exactly top_p together, one more was kept. The fewest that have at least top_p "
            "are asked for.",
        ),
        Wrong(
            "the least likely are kept",
            edit(("ordered[:, top_k:] = 0.0", "ordered[:, : max(0, ordered.shape[1] - top_k)] = 0.0")),
            "top_k kept the k least likely tokens. Sort in falling order, or take the other end.",
        ),
        Wrong(
            "the softmax runs over the batch",
            edit((_SOFTMAX, "torch.softmax(logits / temperature, dim=0)")),
            "The softmax ran over the rows of the batch. Each row is a distribution over the vocabulary: the last axis.",
        ),
        Wrong(
            "all equals share at temperature 0",
            edit(
                (
                    "return F.one_hot(logits.argmax(dim=-1), logits.shape[-1]).to(logits.dtype)",
                    "best = (logits == logits.amax(dim=-1, keepdim=True)).to(logits.dtype)\n"
                    "        return best / best.sum(dim=-1, keepdim=True)",
                )
            ),
            "At temperature 0 several equal logits shared the probability. The first of them gets it all.",
        ),
        Wrong(
            "every place is handed to sampling_distribution",
            edit(
                ("max_length:])[:, -1]", "max_length:])"),
                ("torch.multinomial(probabilities, 1)", "torch.multinomial(probabilities[:, -1], 1)"),
            ),
            "The logits of all places (B, T, V) went into `sampling_distribution`, which takes (B, V). Take the last row of "
            "logits first.",
        ),
        Wrong(
            "the beginning is cut once",
            edit(
                (
                    "    with torch.no_grad():\n        for",
                    "    tokens = tokens[:, -max_length:]\n    with torch.no_grad():\n        for",
                ),
                ("model(tokens[:, -max_length:])", "model(tokens[:, -max_length:])"),
            ),
            "A beginning longer than the window was cut for good: some of the given tokens are missing from what comes "
            "back. Cut only what the model reads, and do it at each step.",
        ),
        Wrong(
            "the same random numbers at each step",
            edit(
                (
                    "torch.multinomial(probabilities, 1)",
                    "torch.multinomial(probabilities, 1, generator=torch.Generator().manual_seed(0))",
                )
            ),
            "The random numbers begin afresh at each step, so each draw repeats the one before. Leave the seed to the "
            "caller.",
        ),
        Wrong(
            "a seed is set inside",
            edit(
                (
                    "    with torch.no_grad():\n        for",
                    "    torch.manual_seed(0)\n    with torch.no_grad():\n        for",
                )
            ),
            "A seed is set inside `generate`, so that every run writes the same. Leave the seed to the caller.",
        ),
        Wrong(
            "one draw for the whole batch",
            edit(
                (
                    "torch.multinomial(probabilities, 1)",
                    "torch.multinomial(probabilities[:1], 1).expand(len(tokens), 1)",
                )
            ),
            "One token was drawn for all the rows of the batch. Each row draws from its own distribution.",
        ),
        Wrong(
            "gradients are kept",
            edit(("with torch.no_grad():", "with torch.enable_grad():")),
            "The model ran with gradients switched on, so each step stores what only training needs. Write under "
            "torch.no_grad.",
        ),
        Wrong(
            "the caller's tokens are changed",
            edit(
                (
                    "tokens = torch.cat([tokens, torch.multinomial(probabilities, 1)], dim=1)",
                    "tokens.data = torch.cat([tokens, torch.multinomial(probabilities, 1)], dim=1)",
                )
            ),
            "The new tokens were put into the caller's own tensor. Make a new one and leave what was given as it is.",
        ),
        Wrong(
            "the caller's logits are changed",
            edit(
                (
                    "    ordered, order = torch.sort(torch.softmax(logits / temperature,",
                    "    logits /= temperature\n    ordered, order = torch.sort(torch.softmax(logits,",
                )
            ),
            "The logits were divided in place, so the caller's own tensor changed. Divide into a new one.",
        ),
        Wrong(
            "a token stays if its own probability reaches p",
            edit((_KEEP, "ordered.masked_fill(ordered < top_p, 0.0)")),
            "Tokens were kept by their own probability, and where none reaches top_p nothing is left. top_p is about the "
            "sum: the most likely ones, until together they have top_p.",
        ),
    ],
    correct=[
        Correct(
            "minus infinity in the logits, step by step",
            """
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
""",
        ),
        Correct(
            "row by row in plain Python",
            """
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
""",
        ),
        Correct(
            "Gumbel's trick in place of multinomial",
            edit(
                (
                    "torch.multinomial(probabilities, 1)",
                    "(probabilities.log() - (-torch.rand_like(probabilities).log()).log()).argmax(1, keepdim=True)",
                )
            ),
        ),
        Correct(
            "the inverse of the cumulated distribution",
            edit(
                (
                    "torch.multinomial(probabilities, 1)",
                    "(probabilities.cumsum(1) < torch.rand(len(tokens), 1)).sum(1, keepdim=True).clamp(max=probabilities.shape[1] - 1)",
                )
            ),
        ),
        Correct(
            "ranks instead of scatter",
            edit(
                (
                    "return torch.zeros_like(ordered).scatter(-1, order, ordered)",
                    "return ordered.gather(-1, order.argsort(dim=-1))",
                )
            ),
        ),
        Correct(
            "a table for the text, under inference_mode",
            edit(
                (
                    "    with torch.no_grad():\n        for _ in range(count):\n",
                    "    T = tokens.shape[1]\n"
                    "    text = torch.cat([tokens, torch.zeros(len(tokens), count, dtype=tokens.dtype)], dim=1)\n"
                    "    with torch.inference_mode():\n        for i in range(T, T + count):\n",
                ),
                (_READ, "logits = model(text[:, max(0, i - max_length) : i])[:, -1]"),
                (
                    "            tokens = torch.cat([tokens, torch.multinomial(probabilities, 1)], dim=1)\n    return tokens",
                    "            text[:, i] = torch.multinomial(probabilities, 1)[:, 0]\n    return text",
                ),
            ),
        ),
    ],
)

# ---- key_value_cache ------------------------------------------------------------------------------------------------

_POSITIONS = "model.positions.weight[past:now]"
_ROWS = "mask = causal_mask(now)[past:].to(tokens.device)"
_KEEP_KEYS = "self.keys[i], self.values[i] = keys, values"

key_value_cache = Bank(
    "key_value_cache",
    wrong=[
        Wrong(
            "the position starts again at 0",
            edit((_POSITIONS, "model.positions.weight[: now - past]")),
            "New tokens took the positions from 0 on, whatever had been read before. Their positions come after those "
            "read: `length` says where to go on.",
        ),
        Wrong(
            "the position is one too far",
            edit(
                (
                    _POSITIONS,
                    "model.positions.weight[torch.arange(past + (past > 0), now + (past > 0)).clamp(max=max_length - 1)]",
                )
            ),
            "From the second reading on the positions are one too high. The first new token takes the position `length`: "
            "counting starts from 0.",
        ),
        Wrong(
            "the keys are not kept",
            edit((_KEEP_KEYS, "self.keys[i], self.values[i] = None, None")),
            "New tokens met nothing but themselves: keys and values of earlier readings are lost. Put the joined tensors "
            "back for the next call.",
        ),
        Wrong(
            "only the newest keys are kept",
            edit(
                (
                    "        if self.keys[i] is not None:",
                    "        fresh = keys, values\n        if self.keys[i] is not None:",
                ),
                (_KEEP_KEYS, "self.keys[i], self.values[i] = fresh"),
            ),
            "Each reading overwrote the cache with its own keys and values, so that only the last piece is remembered. "
            "Keep the joined ones.",
        ),
        Wrong(
            "the values are not joined",
            edit(
                (
                    "values = torch.cat([self.values[i], values], dim=2)",
                    "values = torch.cat([self.values[i][:, :, :0], values.repeat(1, 1, keys.shape[2], 1)[:, :, : keys.shape[2]]], dim=2)",
                )
            ),
            "The keys go back to the beginning, the values do not. Both are kept, and joined in the same order.",
        ),
        Wrong(
            "new keys come first",
            edit(
                ("torch.cat([self.keys[i], keys], dim=2)", "torch.cat([keys, self.keys[i]], dim=2)"),
                ("torch.cat([self.values[i], values], dim=2)", "torch.cat([values, self.values[i]], dim=2)"),
            ),
            "The new keys were put before the old ones, so the causal mask cuts the wrong columns. The old ones come "
            "first.",
        ),
        Wrong(
            "no mask among the new tokens",
            edit((_ROWS, "mask = None")),
            "Where several new tokens come at once, each saw those after it. They need the causal mask among themselves: "
            "the last rows of the mask for all tokens.",
        ),
        Wrong(
            "the mask covers the new tokens alone",
            edit((_ROWS, "mask = F.pad(causal_mask(now - past), (past, 0))")),
            "The new tokens may see one another and nothing that was read before. They may attend to all earlier tokens "
            "too.",
        ),
        Wrong(
            "the first rows of the mask",
            edit((_ROWS, "mask = causal_mask(now)[: now - past]")),
            "The mask's first rows are those of the first tokens. The new tokens are the last ones, so theirs are the last "
            "rows.",
        ),
        Wrong(
            "everything is read again",
            edit(
                (
                    "mask = causal_mask(now)[past:].to(tokens.device)  # the rows of the new tokens: (T, now)",
                    "self.seen = tokens if past == 0 else torch.cat([self.seen, tokens], dim=1)\n"
                    "        self.length = now\n"
                    "        return model(self.seen)[:, past:]",
                )
            ),
            "The logits are right, and nothing was saved: all tokens went through the model again. Send the new ones alone "
            "through the layers.",
        ),
        Wrong(
            "one cache for all layers",
            edit(("self.keys[i]", "self.keys[0]"), ("self.values[i]", "self.values[0]")),
            "All layers share one list of keys and values, so each joins its own to another layer's. Every layer keeps its "
            "own.",
        ),
        Wrong(
            "all caches share their lists",
            edit(
                ("    def __init__(self, model):\n", "    shared = {}\n\n    def __init__(self, model):\n"),
                (
                    "self.keys = [None] * len(model.layers)",
                    "self.keys = self.shared.setdefault((id(model), 'k'), [None] * len(model.layers))",
                ),
                (
                    "self.values = [None] * len(model.layers)",
                    "self.values = self.shared.setdefault((id(model), 'v'), [None] * len(model.layers))",
                ),
            ),
            "Two caches of one model write into the same lists. Each cache begins empty, with lists of its own.",
        ),
        Wrong(
            "the second norm is left out",
            edit(("layer.feed_forward(layer.norm2(x))", "layer.feed_forward(x)")),
            "The feed-forward reads the stream without its norm. With the norm first, each part reads the normed stream "
            "and adds to the plain one.",
        ),
        Wrong(
            "the residual is left out",
            edit(("x = x + self._attend", "x = self._attend")),
            "The attention's output replaced the stream where it should be added to it.",
        ),
        Wrong(
            "no output projection",
            edit(("return attention.W_O(merge_heads(output))", "return merge_heads(output)")),
            "The heads were merged and not projected: W_O is missing.",
        ),
        Wrong(
            "a full window is not refused",
            edit(
                (
                    'raise ValueError(f"{past} tokens are read and {now - past} are new, the model has {max_length} positions")',
                    "now = max_length\n            tokens = tokens[:, : now - past]",
                )
            ),
            "More tokens than positions did not raise what the docstring promises. Compare length + T with the number of "
            "rows of the position table, before anything is read.",
        ),
        Wrong(
            "a refused reading has been counted",
            edit(
                ("        if now > max_length:", "        self.length = now\n        if now > max_length:"),
            ),
            "After a reading was refused the cache took its tokens for read. Nothing may change before the check.",
        ),
        Wrong(
            "joined along the heads",
            edit(
                ("torch.cat([self.keys[i], keys], dim=2)", "torch.cat([self.keys[i], keys], dim=1)"),
                ("torch.cat([self.values[i], values], dim=2)", "torch.cat([self.values[i], values], dim=1)"),
            ),
            "Keys and values were joined along the axis of the heads. In (B, H, length, D / H) the places are the third "
            "axis.",
        ),
        Wrong(
            "length stays 0",
            edit(("        self.length = now\n", "")),
            "`length` was never moved on, so each reading takes itself for the first: positions from 0 and a mask too "
            "small. Add the number of new tokens at the end.",
        ),
        Wrong(
            "length is not kept",
            edit(
                (
                    "model, past, now = self.model, self.length, self.length + tokens.shape[1]",
                    "past = 0 if self.keys[0] is None else self.keys[0].shape[2]\n"
                    "        model, now = self.model, past + tokens.shape[1]",
                ),
                ("        self.length = now\n", ""),
            ),
            "The logits are right, and `length` does not say how many tokens were read. Move it on at the end of each "
            "reading.",
        ),
        Wrong(
            "the cache is filled and not used",
            edit(
                (
                    """            x = x + self._attend(i, layer.self_attention, layer.norm1(x), mask)
            x = x + layer.feed_forward(layer.norm2(x))
""",
                    """            self._attend(i, layer.self_attention, layer.norm1(x), mask)
            x = layer(x, causal_mask(now - past))
""",
                ),
            ),
            "Keys and values are kept, and then the layer ran on the new tokens alone, so what was kept is never looked at. "
            "Let the new queries attend to the joined keys.",
        ),
        Wrong(
            "keys and values are kept unsplit",
            edit(
                (
                    "            split_heads(project(x), attention.num_heads)  # (B, T, D) -> (B, H, T, D / H)",
                    "            project(x)",
                ),
                ("torch.cat([self.keys[i], keys], dim=2)", "torch.cat([self.keys[i], keys], dim=1)"),
                ("torch.cat([self.values[i], values], dim=2)", "torch.cat([self.values[i], values], dim=1)"),
                (
                    "        output, _ = scaled",
                    "        queries, keys, values = (split_heads(x, attention.num_heads) for x in (queries, keys, values))\n"
                    "        output, _ = scaled",
                ),
            ),
            "The logits are right, and what is kept has another form than promised: (B, H, length, D / H), split into heads.",
        ),
        Wrong(
            "the model is put into training mode",
            edit(
                (
                    "        max_length = len(model.positions.weight)",
                    "        model.train()\n        max_length = len(model.positions.weight)",
                )
            ),
            "Reading put the model into training mode, where dropout acts. The mode is the caller's business.",
        ),
        Wrong(
            "the first norm is left out",
            edit(("layer.self_attention, layer.norm1(x), mask", "layer.self_attention, x, mask")),
            "Queries, keys and values were made from the stream without its norm. With the norm first, each part reads the "
            "normed stream and adds to the plain one.",
        ),
        Wrong(
            "no residual around the feed-forward",
            edit(("x = x + layer.feed_forward(layer.norm2(x))", "x = layer.feed_forward(layer.norm2(x))")),
            "The feed-forward's output replaced the stream where it should be added to it.",
        ),
        Wrong(
            "no last norm",
            edit(
                ("F.linear(model.norm(x), model.token_embedding.weight)", "F.linear(x, model.token_embedding.weight)")
            ),
            "The stream went into the logits without the model's last norm. Finish as the model does.",
        ),
        Wrong(
            "the scores are not scaled",
            edit(
                (
                    "output, _ = scaled_dot_product_attention(queries, keys, values, mask)",
                    "output = (queries @ keys.transpose(2, 3)).masked_fill(~mask, -torch.inf).softmax(dim=-1) @ values",
                )
            ),
            "The attention scores were not divided by the root of the heads' width. scaled_dot_product_attention does it.",
        ),
        Wrong(
            "a mask at the first reading only",
            edit((_ROWS, "mask = causal_mask(now) if past == 0 else None")),
            "The first reading has its mask, and later ones have none: where several new tokens come at once, each saw "
            "those after it.",
        ),
        Wrong(
            "heads cut by view",
            edit(
                (
                    "split_heads(project(x), attention.num_heads)",
                    "project(x).view(len(x), attention.num_heads, x.shape[1], -1)",
                )
            ),
            "The heads were cut with one view, which mixes places and columns as soon as there is more than one place. "
            "split_heads splits the width first and then exchanges the axes.",
        ),
        Wrong(
            "the layers' inputs are kept, and keys and values made anew",
            edit(
                (
                    "            x = x + self._attend(i, layer.self_attention, layer.norm1(x), mask)",
                    "            new = layer.norm1(x)\n"
                    "            self.keys[i] = new if past == 0 else torch.cat([self.keys[i], new], dim=1)\n"
                    "            self.values[i] = self.keys[i]\n"
                    "            x = x + layer.self_attention(new, self.keys[i], self.values[i], mask)[0]",
                )
            ),
            "The inputs of the layers were kept, and the keys and values of all tokens are made from them again at each "
            "reading. Keep what W_K and W_V have made of them.",
        ),
        Wrong(
            "only the last place's logits",
            edit(("F.linear(model.norm(x), model", "F.linear(model.norm(x[:, -1:]), model")),
            "Only the newest place's logits came back. All the new tokens have theirs: (B, T, V).",
        ),
    ],
    correct=[
        Correct(
            "written out without a helper",
            """
class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens):
        B, T = tokens.shape
        if self.length + T > self.model.positions.weight.shape[0]:
            raise ValueError("the window is full")
        here = torch.arange(self.length, self.length + T)
        x = self.model.token_embedding(tokens) + self.model.positions.weight[here]
        mask = here[:, None] >= torch.arange(self.length + T)[None, :]
        for i, layer in enumerate(self.model.layers):
            a = layer.self_attention
            y = layer.norm1(x)
            q, k, v = (f(y).view(B, T, a.num_heads, -1).transpose(1, 2) for f in (a.W_Q, a.W_K, a.W_V))
            self.keys[i] = k if self.keys[i] is None else torch.cat((self.keys[i], k), 2)
            self.values[i] = v if self.values[i] is None else torch.cat((self.values[i], v), 2)
            out = F.scaled_dot_product_attention(q, self.keys[i], self.values[i], attn_mask=mask)
            x = x + a.W_O(out.transpose(1, 2).reshape(B, T, -1))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += T
        return self.model.norm(x) @ self.model.token_embedding.weight.T
""",
        ),
        Correct(
            "one token at a time inside",
            """
class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length = 0

    def forward(self, tokens):
        if self.length + tokens.shape[1] > len(self.model.positions.weight):
            raise ValueError(f"no room for {tokens.shape[1]} more")
        return torch.cat([self.one(token) for token in tokens.split(1, dim=1)], dim=1)

    def one(self, token):
        x = self.model.token_embedding(token) + self.model.positions.weight[self.length]
        for i, layer in enumerate(self.model.layers):
            attention, normed = layer.self_attention, layer.norm1(x)
            k, v = split_heads(attention.W_K(normed), attention.num_heads), split_heads(attention.W_V(normed), attention.num_heads)
            if self.length:
                k, v = torch.cat([self.keys[i], k], 2), torch.cat([self.values[i], v], 2)
            self.keys[i], self.values[i] = k, v
            q = split_heads(attention.W_Q(normed), attention.num_heads)
            x = x + attention.W_O(merge_heads(scaled_dot_product_attention(q, k, v)[0]))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length += 1
        return F.linear(self.model.norm(x), self.model.token_embedding.weight)
""",
        ),
        Correct(
            "room for the whole window from the start",
            """
class KeyValueCache(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.keys = [None] * len(model.layers)
        self.values = [None] * len(model.layers)
        self.length, self.room = 0, []

    def forward(self, tokens):
        room, D = self.model.positions.weight.shape
        start, stop = self.length, self.length + tokens.shape[1]
        if stop > room:
            raise ValueError(f"{stop} tokens for {room} positions")
        x = self.model.token_embedding(tokens) + self.model.positions.weight[start:stop]
        allowed = causal_mask(room)[start:stop]
        for i, layer in enumerate(self.model.layers):
            a = layer.self_attention
            if start == 0:
                shape = 2, len(tokens), a.num_heads, room, D // a.num_heads
                self.room.append(torch.zeros(shape, dtype=x.dtype))
            n = layer.norm1(x)
            self.room[i][0, :, :, start:stop] = split_heads(a.W_K(n), a.num_heads).detach()
            self.room[i][1, :, :, start:stop] = split_heads(a.W_V(n), a.num_heads).detach()
            self.keys[i], self.values[i] = self.room[i][:, :, :, :stop]
            out, _ = scaled_dot_product_attention(split_heads(a.W_Q(n), a.num_heads), *self.room[i], allowed)
            x = x + a.W_O(merge_heads(out))
            x = x + layer.feed_forward(layer.norm2(x))
        self.length = stop
        return F.linear(self.model.norm(x), self.model.token_embedding.weight)
""",
        ),
        Correct(
            "joined where length is above 0",
            edit(
                (
                    "self.keys[i] is not None",
                    "self.length > 0",
                ),
                (
                    "x = x + layer.feed_forward(layer.norm2(x))",
                    "x = torch.add(x, layer.feed_forward(layer.norm2(x)))",
                ),
            ),
        ),
        Correct(
            "no mask where one token comes",
            edit((_ROWS, "mask = None if now - past == 1 else causal_mask(now)[-(now - past) :]")),
        ),
    ],
)

# ---- fix_the_split --------------------------------------------------------------------------------------------------

_AS_FOUND = """
def split_windows(tokens, length, stride, held_out):
    windows = tokens.unfold(0, length + 1, stride)
    order = torch.randperm(len(windows), generator=torch.Generator().manual_seed(0))
    count = max(1, len(windows) * held_out // len(tokens))
    return windows[order[count:]], windows[order[:count]]
"""
_PARTS = "parts = tokens[:border], tokens[border:]"

fix_the_split = Bank(
    "fix_the_split",
    wrong=[
        Wrong(
            "the function as it was found",
            _AS_FOUND,
            "Windows overlap, and they were dealt out after they had been cut: nearly every character of a validation "
            "window stands in a training window as well. Cut the text in two first.",
        ),
        Wrong(
            "the windows are no longer shuffled, and still cut first",
            """
def split_windows(tokens, length, stride, held_out):
    windows = tokens.unfold(0, length + 1, stride)
    count = max(1, len(windows) * held_out // len(tokens))
    return windows[:-count], windows[-count:]
""",
            "Without the shuffling only the windows at the border overlap, and they still do. Cut the text in two, then "
            "each part into windows.",
        ),
        Wrong(
            "windows that do not overlap, dealt out at random",
            """
def split_windows(tokens, length, stride, held_out):
    windows = tokens.unfold(0, length + 1, max(stride, length + 1))
    order = torch.randperm(len(windows), generator=torch.Generator().manual_seed(0))
    count = max(1, len(windows) * held_out // len(tokens))
    return windows[order[count:]], windows[order[:count]]
""",
            "Windows without overlap share no place, but the stride that was asked for is gone, and the validation is "
            "scattered over the text. Cut the text in two, and give each part its own windows.",
        ),
        Wrong(
            "the beginning of the text is held out",
            edit((_PARTS, "parts = tokens[held_out:], tokens[:held_out]")),
            "The first held_out tokens were put aside; the docstring asks for the last.",
        ),
        Wrong(
            "the validation reaches back for context",
            edit((_PARTS, "parts = tokens[:border], tokens[max(0, border - length) :]")),
            "The validation part begins inside the training text, so that its first characters stand in both.",
        ),
        Wrong(
            "the parts change places",
            edit(("return training, validation", "return validation, training")),
            "Training and validation came back the wrong way round.",
        ),
        Wrong(
            "windows without the last target",
            edit(("part.unfold(0, length + 1, stride)", "part.unfold(0, length, stride)")),
            "The windows are length wide. A window of length inputs needs one token more, the last target.",
        ),
        Wrong(
            "the stride is the window's length",
            edit(("part.unfold(0, length + 1, stride)", "part.unfold(0, length + 1, length + 1)")),
            "The windows begin every length + 1 tokens, whatever the stride. Within a part they may overlap.",
        ),
        Wrong(
            "the training windows are shuffled",
            edit(
                (
                    "return training, validation",
                    "return training[torch.randperm(len(training), generator=torch.Generator().manual_seed(0))], validation",
                )
            ),
            "The split is right, but the training windows come in another order than the text's.",
        ),
        Wrong(
            "held_out counts windows",
            """
def split_windows(tokens, length, stride, held_out):
    windows = tokens.unfold(0, length + 1, stride)
    return windows[: len(windows) - held_out], windows[len(windows) - held_out :]
""",
            "held_out was taken for a number of windows. It is a number of tokens at the end of the text, and windows are "
            "cut after the split.",
        ),
        Wrong(
            "the windows of the whole text, those across the border left out",
            """
def split_windows(tokens, length, stride, held_out):
    windows = tokens.unfold(0, length + 1, stride)
    starts = torch.arange(len(windows)) * stride
    border = len(tokens) - held_out
    training, validation = windows[starts + length < border], windows[starts >= border]
    if len(training) == 0 or len(validation) == 0:
        raise ValueError("a part is too short")
    return training, validation
""",
            "The validation windows begin where the whole text's happen to, and not at the first held-out token. Cut the "
            "text in two, then each part into windows.",
        ),
        Wrong(
            "the stride is left out",
            edit(("part.unfold(0, length + 1, stride)", "part.unfold(0, length + 1, 1)")),
            "A window begins at every token, whatever the stride.",
        ),
        Wrong(
            "the last window is missing",
            edit(
                (
                    "training, validation = (part.unfold(0, length + 1, stride) for part in parts)",
                    "training, validation = (\n"
                    "        torch.stack([part[i : i + length + 1] for i in range(0, max(1, len(part) - length - 1), stride)])\n"
                    "        for part in parts\n    )",
                )
            ),
            "A window that ends with the part's last token is missing. It fits: the last start is the part's length minus "
            "length + 1.",
        ),
    ],
    correct=[
        Correct(
            "slices in a loop",
            """
def split_windows(tokens, length, stride, held_out):
    border = len(tokens) - held_out
    found = []
    for part in (tokens[:border], tokens[border:]):
        if len(part) < length + 1:
            raise ValueError(f"{len(part)} tokens are too few for a window of {length + 1}")
        found.append(torch.stack([part[i : i + length + 1] for i in range(0, len(part) - length, stride)]))
    return found[0], found[1]
""",
        ),
        Correct(
            "indices by broadcasting",
            """
def split_windows(tokens, length, stride, held_out):
    def windows(part):
        if len(part) <= length:
            raise ValueError("too short")
        first = torch.arange(0, len(part) - length, stride)
        return part[first[:, None] + torch.arange(length + 1)]

    n = len(tokens) - held_out
    return windows(tokens[:n]), windows(tokens[n:])
""",
        ),
        Correct(
            "torch.split, then unfold",
            """
def split_windows(tokens, length, stride, held_out):
    if held_out <= length or len(tokens) - held_out <= length:
        raise ValueError("a part is too short")
    training, validation = tokens.split([len(tokens) - held_out, held_out])
    return training.unfold(0, length + 1, stride), validation.unfold(0, length + 1, stride)
""",
        ),
        Correct(
            "windows over all, those across the border left out",
            """
def split_windows(tokens, length, stride, held_out):
    border = len(tokens) - held_out
    starts = torch.arange(0, len(tokens) - length)
    first = starts[(starts + length < border) & (starts % stride == 0)]
    second = starts[(starts >= border) & ((starts - border) % stride == 0)]
    if len(first) == 0 or len(second) == 0:
        raise ValueError("no window fits")
    offsets = torch.arange(length + 1)
    return tokens[first[:, None] + offsets], tokens[second[:, None] + offsets]
""",
        ),
        Correct(
            "as_strided on copies",
            """
def split_windows(tokens, length, stride, held_out):
    result = []
    for part in (tokens[: len(tokens) - held_out].clone(), tokens[len(tokens) - held_out :].clone()):
        count = (len(part) - length - 1) // stride + 1
        if len(part) < length + 1:
            raise ValueError(f"need {length + 1} tokens, got {len(part)}")
        result.append(part.as_strided((count, length + 1), (stride, 1)).clone())
    return tuple(result)
""",
        ),
        Correct(
            "minus held_out as an index",
            """
def split_windows(tokens, length, stride, held_out):
    parts = tokens[:-held_out], tokens[-held_out:]
    if min(len(part) for part in parts) < length + 1:
        raise ValueError("a part is too short")
    return parts[0].unfold(0, length + 1, stride), parts[1].unfold(0, length + 1, stride)
""",
        ),
    ],
)

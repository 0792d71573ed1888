"""Other people's weights in the course's modules: a peer's state dict in, ours out.

Every function here takes the `state_dict()` of a module that PyTorch or `transformers` wrote (or what is read from a
published file: a plain dict of names and tensors) and gives a dict for `load_state_dict` of the course's module of the
same kind:

    layer.load_state_dict(encoder_layer_from_torch(peer.state_dict()))

Only names change, a stacked matrix is cut into its parts, a transposed one is turned back. Nothing is copied: the
tensors are views where they can be, and `load_state_dict` copies. All of it is linear, so the same functions carry a
dict of gradients over, which is how the tests compare them.

What a name cannot say has to be said again when the course's module is made: number of heads, `norm_first`, the
activation and `layer_norm_eps`. Each docstring says what the peer uses. Where a name is missing or one is left over, a
ValueError names it: silence would mean a layer left at random.
"""

import re
from collections.abc import Iterable, Mapping

from torch import Tensor

State = Mapping[str, Tensor]
Names = dict[str, tuple[str, ...]]  # a peer's name -> ours; several where the peer stacks them along the first axis


def _same(theirs: str, *ours: str) -> Names:
    """A linear map, a norm or an embedding: weight and bias; several of ours where theirs holds them in one."""
    return {f"{theirs}.{kind}": tuple(f"{name}.{kind}" for name in ours) for kind in ("weight", "bias")}


def _inside(theirs: str, names: Names, ours: str) -> Names:
    """The same names one level further in, on either side."""
    return {f"{theirs}.{name}": tuple(f"{ours}.{other}" for other in others) for name, others in names.items()}


def _tower(state: Iterable[str], theirs: str, layer: Names, ours: str = "layers") -> Names:
    """A layer's names, for as many layers as `theirs`.0, `theirs`.1, ... occur in the state; at least one."""
    matches = [re.match(rf"{re.escape(theirs)}\.(\d+)\.", name) for name in state]
    count = max((int(match[1]) + 1 for match in matches if match), default=1)
    names: Names = {}
    for i in range(count):
        names |= _inside(f"{theirs}.{i}", layer, f"{ours}.{i}")
    return names


def _translate(state: State, names: Names, peer: str) -> dict[str, Tensor]:
    """Each tensor under our name. Raises ValueError unless the state holds exactly the names expected."""
    missing, left_over = sorted(names.keys() - state.keys()), sorted(state.keys() - names.keys())
    if missing or left_over:
        sentences = [
            f"{what} {', '.join(which)}" for what, which in (("missing", missing), ("left over", left_over)) if which
        ]
        raise ValueError(f"this is not the state dict of {peer}: {'; '.join(sentences)}")
    translated: dict[str, Tensor] = {}
    for name, ours in names.items():
        translated.update(zip(ours, state[name].chunk(len(ours)), strict=True))
    return translated


# ---- torch.nn -------------------------------------------------------------------------------------------------------

_MULTI_HEAD: Names = {
    "in_proj_weight": ("W_Q.weight", "W_K.weight", "W_V.weight"),
    "in_proj_bias": ("W_Q.bias", "W_K.bias", "W_V.bias"),
    **_same("out_proj", "W_O"),
}
_ENCODER_LAYER: Names = {
    **_inside("self_attn", _MULTI_HEAD, "self_attention"),
    **_same("linear1", "feed_forward.linear1"),
    **_same("linear2", "feed_forward.linear2"),
    **_same("norm1", "norm1"),
    **_same("norm2", "norm2"),
}
_DECODER_LAYER: Names = {
    **_ENCODER_LAYER,
    **_inside("multihead_attn", _MULTI_HEAD, "cross_attention"),
    **_same("norm3", "norm3"),
}


def gru_cell_from_torch(state: State, layer: int = 0, reverse: bool = False) -> dict[str, Tensor]:
    """One direction of one layer of `nn.GRU` as a `GRUCell(input_size, hidden_size)`.

    A `nn.GRU` holds a cell for each layer and direction; the others are passed over. `nn.GRUCell` needs no mapping: its
    four names are ours. Raises ValueError where that layer and direction is not there, or a name is no `nn.GRU`'s.
    """
    ending = f"_l{layer}" + ("_reverse" if reverse else "")
    names: Names = {f"{name}{ending}": (name,) for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")}
    others = {name for name in state if re.fullmatch(r"(weight|bias)_[ih]h_l\d+(_reverse)?", name)} - names.keys()
    return _translate({name: state[name] for name in state if name not in others}, names, "nn.GRU")


def multi_head_from_torch(state: State) -> dict[str, Tensor]:
    """`nn.MultiheadAttention(d_model, num_heads)` as a `MultiHeadAttention(d_model, num_heads)`.

    The peer stacks the projections of query, key and value in one matrix (3 d_model, d_model). Its masks are the other
    way round (True = may not attend). Raises ValueError where it was made without bias, with keys or values of another
    width, or with `add_bias_kv`.
    """
    return _translate(state, _MULTI_HEAD, "nn.MultiheadAttention")


def encoder_layer_from_torch(state: State) -> dict[str, Tensor]:
    """`nn.TransformerEncoderLayer` as an `EncoderLayer`, with the same `norm_first`, activation and eps.

    Raises ValueError where it was made without bias, or is another kind of layer.
    """
    return _translate(state, _ENCODER_LAYER, "nn.TransformerEncoderLayer")


def decoder_layer_from_torch(state: State) -> dict[str, Tensor]:
    """`nn.TransformerDecoderLayer` as a `DecoderLayer`, with the same `norm_first`, activation and eps.

    Raises ValueError where it was made without bias, or is another kind of layer.
    """
    return _translate(state, _DECODER_LAYER, "nn.TransformerDecoderLayer")


def encoder_from_torch(state: State) -> dict[str, Tensor]:
    """`nn.TransformerEncoder` as a `TransformerEncoder` of as many layers, with the same `norm_first`.

    The norm behind the last layer is an option of the peer's (`norm=`); ours has it exactly where norm_first. Raises
    ValueError for names missing or left over.
    """
    return _tower_from_torch(state, _ENCODER_LAYER, "nn.TransformerEncoder")


def decoder_from_torch(state: State) -> dict[str, Tensor]:
    """`nn.TransformerDecoder` as a `TransformerDecoder` of as many layers, with the same `norm_first`.

    For the norm behind the last layer see `encoder_from_torch`. Raises ValueError for names missing or left over.
    """
    return _tower_from_torch(state, _DECODER_LAYER, "nn.TransformerDecoder")


def _tower_from_torch(state: State, layer: Names, peer: str) -> dict[str, Tensor]:
    names = _tower(state, "layers", layer)
    if any(name.startswith("norm.") for name in state):
        names |= _same("norm", "norm")
    return _translate(state, names, peer)


# ---- transformers ---------------------------------------------------------------------------------------------------

_BERT_LAYER: Names = {
    **_same("attention.self.query", "self_attention.W_Q"),
    **_same("attention.self.key", "self_attention.W_K"),
    **_same("attention.self.value", "self_attention.W_V"),
    **_same("attention.output.dense", "self_attention.W_O"),
    **_same("attention.output.LayerNorm", "norm1"),
    **_same("intermediate.dense", "feed_forward.linear1"),
    **_same("output.dense", "feed_forward.linear2"),
    **_same("output.LayerNorm", "norm2"),
}


def encoder_from_bert(state: State) -> dict[str, Tensor]:
    """The layers of BERT (Devlin et al., 2019) as a `TransformerEncoder`.

    state: of a `BertModel`, of its `encoder`, or of a published file, whatever stands before `layer.0.`. Make ours with
    `norm_first=False`, `activation=F.gelu` and `layer_norm_eps=1e-12`. The embeddings, the pooler and the heads are not
    the encoder's and are passed over. Raises ValueError for names missing or left over within the layers.
    """
    layers = {}
    for name, tensor in state.items():
        if match := re.search(r"(^|\.)(layer\.\d+\..*)", name):
            # the published files call a norm's weight gamma and its bias beta
            layers[re.sub(r"gamma$", "weight", re.sub(r"beta$", "bias", match[2]))] = tensor
    return _translate(layers, _tower(layers, "layer", _BERT_LAYER), "BertModel")


_GPT2_BLOCK: Names = {
    **_same("ln_1", "norm1"),
    **_same("attn.c_attn", "self_attention.W_Q", "self_attention.W_K", "self_attention.W_V"),
    **_same("attn.c_proj", "self_attention.W_O"),
    **_same("ln_2", "norm2"),
    **_same("mlp.c_fc", "feed_forward.linear1"),
    **_same("mlp.c_proj", "feed_forward.linear2"),
}


def language_model_from_gpt2(state: State) -> dict[str, Tensor]:
    """GPT-2 (Radford et al., 2019) as a `CausalLanguageModel`.

    state: of a `GPT2LMHeadModel`, of a `GPT2Model`, or of a published file of either. Make ours with d_ff = 4 d_model
    and `activation=partial(F.gelu, approximate="tanh")`. The peer keeps its linear maps the other way up, (in, out),
    and query, key and value in one; the causal masks that old files hold are passed over. Raises ValueError for names
    missing or left over, and where the logits have a matrix of their own: ours shares the token embedding's.
    """
    ours = {}
    for name, tensor in state.items():
        name = name.removeprefix("transformer.")
        if name.endswith((".attn.bias", ".attn.masked_bias")):
            continue
        if re.search(r"\.(c_attn|c_proj|c_fc)\.weight$", name):
            tensor = tensor.T  # (in, out) -> (out, in), as in nn.Linear
        ours[name] = tensor
    head = ours.pop("lm_head.weight", None)
    names = {
        "wte.weight": ("token_embedding.weight",),
        "wpe.weight": ("positions.weight",),
        **_tower(ours, "h", _GPT2_BLOCK),
        **_same("ln_f", "norm"),
    }
    translated = _translate(ours, names, "GPT2LMHeadModel")
    if head is not None and not head.equal(translated["token_embedding.weight"]):
        raise ValueError("lm_head.weight differs from wte.weight, and a CausalLanguageModel has one matrix for both")
    return translated


_VIT_LAYER: Names = {
    **_same("attention.q_proj", "self_attention.W_Q"),
    **_same("attention.k_proj", "self_attention.W_K"),
    **_same("attention.v_proj", "self_attention.W_V"),
    **_same("attention.o_proj", "self_attention.W_O"),
    **_same("layernorm_before", "norm1"),
    **_same("layernorm_after", "norm2"),
    **_same("mlp.fc1", "feed_forward.linear1"),
    **_same("mlp.fc2", "feed_forward.linear2"),
}
# The published files, and transformers before version 5, have other names within a layer.
_VIT_FILE_NAMES = (
    (r"^encoder\.layer\.", "layers."),
    (r"attention\.attention\.(query|key|value)\.", lambda match: f"attention.{match[1][0]}_proj."),
    (r"attention\.output\.dense\.", "attention.o_proj."),
    (r"intermediate\.dense\.", "mlp.fc1."),
    (r"(layers\.\d+)\.output\.dense\.", r"\1.mlp.fc2."),
)


def vit_from_transformers(state: State) -> dict[str, Tensor]:
    """ViT (Dosovitskiy et al., 2021) as a `VisionTransformer` with `pool="class"`.

    state: of a `ViTForImageClassification`, of a `ViTModel`, or of a published file of either. A `ViTModel` has no
    classes, and its pooler is passed over: set `head = nn.Identity()` on ours before loading, and it gives the class
    token's last state. `layer_norm_eps` is 1e-12 in the published weights. The peer's convolution over patches and our
    linear map hold the same numbers in the same order: (D, C, P, P) is (D, C P P). Raises ValueError for names missing
    or left over.
    """
    ours = {}
    for name, tensor in state.items():
        name = name.removeprefix("vit.")
        for pattern, replacement in _VIT_FILE_NAMES:
            name = re.sub(pattern, replacement, name)
        if not name.startswith("pooler."):
            ours[name] = tensor
    names = {
        "embeddings.cls_token": ("class_token",),
        "embeddings.position_embeddings": ("positions.weight",),
        **_same("embeddings.patch_embeddings.projection", "patches.projection"),
        **_tower(ours, "layers", _VIT_LAYER, "encoder.layers"),
        **_same("layernorm", "encoder.norm"),
    }
    if any(name.startswith("classifier.") for name in ours):
        names |= _same("classifier", "head")
    translated = _translate(ours, names, "ViTModel or ViTForImageClassification")
    translated["patches.projection.weight"] = translated["patches.projection.weight"].flatten(1)
    translated["positions.weight"] = translated["positions.weight"].squeeze(0)  # (1, T, D) -> (T, D)
    return translated

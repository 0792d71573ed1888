"""The mappings of names, on plain dicts: what goes where, what is refused. tests/solutions/peers has whole models."""

import re

import pytest
import torch
from torch import nn

from course import weights

D = 4


def encoder_layer() -> dict[str, torch.Tensor]:
    return nn.TransformerEncoderLayer(D, 2, 6).state_dict()


def gpt2(blocks: int = 2, prefix: str = "transformer.") -> dict[str, torch.Tensor]:
    """A plain dict under GPT-2's names, each tensor of its own."""
    shapes = {"wte.weight": (7, D), "wpe.weight": (5, D), "ln_f.weight": (D,), "ln_f.bias": (D,)}
    for i in range(blocks):
        for name, shape in {
            "ln_1.weight": (D,),
            "ln_1.bias": (D,),
            "attn.c_attn.weight": (D, 3 * D),
            "attn.c_attn.bias": (3 * D,),
            "attn.c_proj.weight": (D, D),
            "attn.c_proj.bias": (D,),
            "ln_2.weight": (D,),
            "ln_2.bias": (D,),
            "mlp.c_fc.weight": (D, 6),
            "mlp.c_fc.bias": (6,),
            "mlp.c_proj.weight": (6, D),
            "mlp.c_proj.bias": (D,),
        }.items():
            shapes[f"h.{i}.{name}"] = shape
    return {f"{prefix}{name}": torch.randn(shape) for name, shape in shapes.items()}


def test_stacked_projections_are_cut_in_the_order_query_key_value():
    stacked = torch.arange(3 * D).unsqueeze(1).expand(3 * D, D)
    state = nn.MultiheadAttention(D, 2).state_dict() | {"in_proj_weight": stacked}
    ours = weights.multi_head_from_torch(state)
    assert [ours[f"W_{letter}.weight"][0, 0].item() for letter in "QKV"] == [0, D, 2 * D]
    assert sorted(ours) == sorted(f"W_{letter}.{kind}" for letter in "QKVO" for kind in ("weight", "bias"))


def test_nothing_is_copied_and_nothing_changed():
    state = encoder_layer()
    before = {name: tensor.clone() for name, tensor in state.items()}
    ours = weights.encoder_layer_from_torch(state)
    assert ours["self_attention.W_Q.weight"].data_ptr() == state["self_attn.in_proj_weight"].data_ptr()
    assert state.keys() == before.keys() and all(torch.equal(state[name], before[name]) for name in state)


def test_gpt2s_matrices_are_turned_and_its_masks_passed_over():
    state = gpt2()
    old = state | {f"transformer.h.{i}.attn.{name}": torch.ones(1) for i in (0, 1) for name in ("bias", "masked_bias")}
    ours = weights.language_model_from_gpt2(old)
    c_attn = state["transformer.h.1.attn.c_attn.weight"]
    assert torch.equal(ours["layers.1.self_attention.W_K.weight"], c_attn[:, D : 2 * D].T)
    assert torch.equal(ours["layers.0.feed_forward.linear1.weight"], state["transformer.h.0.mlp.c_fc.weight"].T)
    assert ours.keys() == weights.language_model_from_gpt2(gpt2(prefix="")).keys()


def test_gpt2_with_a_head_of_its_own_is_refused():
    state = gpt2()
    shared = weights.language_model_from_gpt2(state | {"lm_head.weight": state["transformer.wte.weight"].clone()})
    assert "lm_head.weight" not in shared
    with pytest.raises(ValueError, match=r"lm_head\.weight differs from wte\.weight"):
        weights.language_model_from_gpt2(state | {"lm_head.weight": torch.zeros(7, D)})


def test_berts_published_file_calls_weight_and_bias_of_a_norm_gamma_and_beta():
    names = [
        *(f"attention.self.{part}.{kind}" for part in ("query", "key", "value") for kind in ("weight", "bias")),
        *(
            f"{part}.dense.{kind}"
            for part in ("attention.output", "intermediate", "output")
            for kind in ("weight", "bias")
        ),
        *(f"{part}.LayerNorm.{kind}" for part in ("attention.output", "output") for kind in ("gamma", "beta")),
    ]
    state = {f"bert.encoder.layer.{i}.{name}": torch.randn(D) for i in range(2) for name in names}
    ours = weights.encoder_from_bert(
        {**state, "bert.embeddings.LayerNorm.gamma": torch.ones(D), "cls.x": torch.ones(1)}
    )
    assert len(ours) == len(state)
    assert torch.equal(ours["layers.1.norm2.weight"], state["bert.encoder.layer.1.output.LayerNorm.gamma"])
    assert torch.equal(ours["layers.0.norm1.bias"], state["bert.encoder.layer.0.attention.output.LayerNorm.beta"])


def test_a_gru_gives_the_cell_that_is_asked_for():
    state = nn.GRU(3, 5, num_layers=2, bidirectional=True).state_dict()
    cell = weights.gru_cell_from_torch(state, layer=1, reverse=True)
    assert cell.keys() == nn.GRUCell(10, 5).state_dict().keys()
    assert torch.equal(cell["weight_ih"], state["weight_ih_l1_reverse"])
    with pytest.raises(ValueError, match=r"missing bias_hh_l2, bias_ih_l2, weight_hh_l2, weight_ih_l2$"):
        weights.gru_cell_from_torch(state, layer=2)


MAPPINGS = {
    "nn.GRU": (weights.gru_cell_from_torch, lambda: nn.GRU(3, 5).state_dict(), "bias_hh_l0"),
    "nn.MultiheadAttention": (
        weights.multi_head_from_torch,
        lambda: nn.MultiheadAttention(D, 2).state_dict(),
        "in_proj_bias",
    ),
    "nn.TransformerEncoderLayer": (weights.encoder_layer_from_torch, encoder_layer, "norm2.bias"),
    "nn.TransformerDecoderLayer": (
        weights.decoder_layer_from_torch,
        lambda: nn.TransformerDecoderLayer(D, 2, 6).state_dict(),
        "multihead_attn.in_proj_weight",
    ),
    "nn.TransformerEncoder": (
        weights.encoder_from_torch,
        lambda: {f"layers.{i}.{name}": tensor for i in (0, 1) for name, tensor in encoder_layer().items()},
        "layers.0.linear1.bias",
    ),
    "GPT2LMHeadModel": (weights.language_model_from_gpt2, lambda: gpt2(prefix=""), "h.0.mlp.c_fc.bias"),
}


@pytest.mark.parametrize("peer", MAPPINGS)
def test_names_missing_and_left_over_are_told(peer):
    translate, state, one = MAPPINGS[peer]
    whole = state()
    translate(whole)
    message = rf"^this is not the state dict of {re.escape(peer)}: "
    with pytest.raises(ValueError, match=rf"{message}missing {re.escape(one)}$"):
        translate({name: tensor for name, tensor in whole.items() if name != one})
    with pytest.raises(ValueError, match=rf"{message}left over bias_k$"):
        translate(whole | {"bias_k": torch.ones(1)})
    with pytest.raises(ValueError, match=rf"{message}missing .*{re.escape(one)}.*; left over bias_k, surprise$"):
        translate({"bias_k": torch.ones(1), "surprise": torch.ones(1)})


@pytest.mark.parametrize("translate", [weights.encoder_from_bert, weights.vit_from_transformers])
def test_another_models_names_are_refused(translate):
    with pytest.raises(ValueError, match=r"^this is not the state dict of .*missing "):
        translate(encoder_layer())

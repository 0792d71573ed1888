"""Published parameter counts come out exactly. The models are built without memory, on the meta device."""

import pytest
import torch
from torch import nn

from solutions.language_model import CausalLanguageModel
from solutions.transformer import EncoderLayer, Transformer, parameter_count
from solutions.vit import VisionTransformer


def count(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


@pytest.fixture(autouse=True)
def _meta():
    with torch.device("meta"):
        yield


@pytest.mark.parametrize(
    ("name", "patch_size", "d_model", "num_heads", "num_layers", "published"),
    [
        ("ViT-B/16", 16, 768, 12, 12, 86_567_656),
        ("ViT-L/16", 16, 1024, 16, 24, 304_326_632),
        ("ViT-H/14", 14, 1280, 16, 32, 632_045_800),
    ],
)
def test_vision_transformers_for_a_thousand_classes(name, patch_size, d_model, num_heads, num_layers, published):
    """Dosovitskiy et al. (2021), table 1, at 224 x 224 pixels."""
    model = VisionTransformer(224, patch_size, d_model, num_heads, num_layers, 4 * d_model, num_classes=1000)
    assert count(model) == published, name


def test_gpt2_small():
    """Radford et al. (2019), the smallest: the output shares the token embedding's matrix."""
    assert count(CausalLanguageModel(50_257, 1024, 768, 12, 4 * 768, 12)) == 124_439_808


def test_a_layer_of_bert_base():
    """Devlin et al. (2019): twelve of these are 85 of the model's 110 million."""
    layer = count(EncoderLayer(768, 12, 4 * 768))
    assert layer == 7_087_872
    embeddings, pooler = (30_522 + 512 + 2) * 768 + 2 * 768, 768 * 768 + 768
    assert 12 * layer + embeddings + pooler == 109_482_240


@pytest.mark.parametrize(("d_model", "num_heads", "millions"), [(512, 8, 63.1), (1024, 16, 214.2)], ids=["base", "big"])
def test_the_transformer_of_2017(d_model, num_heads, millions):
    """By formula, with one vocabulary of 37,000 (Vaswani et al., 2017, table 3 says 65 and 213), and by building it.

    What is built has a matrix for each language and one for the output, with a bias; the paper has one for all three.
    """
    vocabulary = 37_000
    by_formula = parameter_count(d_model, 4 * d_model, 6, vocabulary)
    assert round(by_formula / 1e6, 1) == millions
    model = Transformer(
        vocabulary, vocabulary, d_model, num_heads, 4 * d_model, num_layers=6, bos_id=1, norm_first=False
    )
    assert count(model) == by_formula + 2 * vocabulary * d_model + vocabulary

"""The course's modules against BERT, GPT-2 and ViT as the library `transformers` has them, with the same weights.

Small models, all sizes different, nothing downloaded. The library's import takes seconds: this is the only module of
the tests that pays for it, once, and not before a test runs.
"""

import re
from functools import partial
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course.watch import watch_attention
from course.weights import encoder_from_bert, language_model_from_gpt2, vit_from_transformers
from solutions.dot_product import padding_mask
from solutions.language_model import CausalLanguageModel, KeyValueCache, sampling_distribution
from solutions.transformer import TransformerEncoder
from solutions.vit import VisionTransformer
from tests.solutions.peers.compare import TOLERANCE, assert_close, assert_equal_to_peer, generator, randomize

B, T, V, D, H, D_FF, LAYERS, CLASSES = 3, 6, 11, 12, 2, 20, 3, 5
EPS = 0.1  # large: one that is not passed on shows
DTYPES = pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
IMAGES = pytest.mark.parametrize("size", [(8, 8), (8, 12), (12, 4)], ids=lambda size: f"{size[0]}x{size[1]}")
P, C = 4, 3
gelu_tanh = partial(F.gelu, approximate="tanh")


@pytest.fixture(scope="module")
def transformers():
    import transformers

    transformers.logging.set_verbosity_error()
    return transformers


def normal(*shape: int, dtype: torch.dtype, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=generator(seed), dtype=dtype)


def ids(*shape: int) -> Tensor:
    return torch.randint(0, V, shape, generator=generator(1))


def bert(transformers, dtype: torch.dtype) -> nn.Module:
    config = transformers.BertConfig(
        vocab_size=V,
        hidden_size=D,
        num_hidden_layers=LAYERS,
        num_attention_heads=H,
        intermediate_size=D_FF,
        max_position_embeddings=9,
        layer_norm_eps=EPS,
        attn_implementation="eager",
    )
    return randomize(transformers.BertModel(config).to(dtype))


def gpt2(transformers, dtype: torch.dtype) -> nn.Module:
    config = transformers.GPT2Config(
        vocab_size=V,
        n_positions=9,
        n_embd=D,
        n_layer=LAYERS,
        n_head=H,
        n_inner=D_FF,
        layer_norm_epsilon=EPS,
        bos_token_id=0,
        eos_token_id=0,
        attn_implementation="eager",
    )
    return randomize(transformers.GPT2LMHeadModel(config).to(dtype))


def vit(transformers, dtype: torch.dtype, size: tuple[int, int], classes: bool = True) -> nn.Module:
    """With the fused attention in float64: the other one takes its softmax in float32 whatever goes in."""
    config = transformers.ViTConfig(
        hidden_size=D,
        num_hidden_layers=LAYERS,
        num_attention_heads=H,
        intermediate_size=D_FF,
        image_size=size,
        patch_size=P,
        num_channels=C,
        num_labels=CLASSES,
        layer_norm_eps=EPS,
        attn_implementation="eager" if dtype == torch.float32 else "sdpa",
    )
    kind = transformers.ViTForImageClassification if classes else transformers.ViTModel
    return randomize(kind(config).to(dtype))


def our_encoder() -> TransformerEncoder:
    return TransformerEncoder(D, H, D_FF, LAYERS, activation=F.gelu, layer_norm_eps=EPS, norm_first=False)


def our_language_model() -> CausalLanguageModel:
    return CausalLanguageModel(V, 9, D, H, D_FF, LAYERS, activation=gelu_tanh, layer_norm_eps=EPS)


def our_vit(size: int | tuple[int, int]) -> VisionTransformer:
    return VisionTransformer(size, P, D, H, LAYERS, D_FF, CLASSES, num_channels=C, layer_norm_eps=EPS)


# ---- BERT -----------------------------------------------------------------------------------------------------------


@DTYPES
@pytest.mark.parametrize("padded", [False, True], ids=["open", "padded"])
def test_our_encoder_is_berts(transformers, dtype, padded):
    theirs, ours = bert(transformers, dtype), our_encoder().to(dtype)
    mask = padding_mask(torch.tensor([6, 2, 5] if padded else [6, 6, 6]), T)  # (B, 1, T)
    assert_equal_to_peer(
        ours,
        theirs,
        encoder_from_bert,
        lambda x: (ours(theirs.embeddings(inputs_embeds=x), mask),),
        lambda x: (theirs(inputs_embeds=x, attention_mask=mask[:, 0].long()).last_hidden_state,),
        normal(B, T, D, dtype=dtype),
    )


# ---- GPT-2 ----------------------------------------------------------------------------------------------------------


@DTYPES
def test_our_language_model_is_gpt2(transformers, dtype):
    theirs, ours = gpt2(transformers, dtype), our_language_model().to(dtype)
    assert_equal_to_peer(
        ours,
        theirs,
        language_model_from_gpt2,
        lambda tokens: (ours(tokens),),
        lambda tokens: (theirs(tokens).logits,),
        ids(B, T),
    )


def test_our_language_models_loss_is_gpt2s(transformers):
    """In float32 alone: the peer's loss turns whatever it gets into that."""
    theirs, ours = gpt2(transformers, torch.float32), our_language_model()
    assert_equal_to_peer(
        ours,
        theirs,
        language_model_from_gpt2,
        lambda tokens: (ours.loss(tokens),),
        lambda tokens: (theirs(tokens, labels=tokens).loss,),
        ids(B, T),
    )


@DTYPES
@torch.no_grad()
def test_our_cache_is_gpt2s(transformers, dtype):
    """Four tokens, then two: logits, and what each layer keeps."""
    theirs, ours, tokens = gpt2(transformers, dtype), our_language_model().to(dtype).eval(), ids(B, T)
    ours.load_state_dict(language_model_from_gpt2(theirs.state_dict()))
    cache, past = KeyValueCache(ours), None
    for piece in tokens.split([4, 2], dim=1):
        said = theirs(piece, past_key_values=past, use_cache=True)
        past = said.past_key_values
        assert_close(cache(piece), said.logits)
    for layer, keys, values in zip(past.layers, cache.keys, cache.values, strict=True):
        assert_close(keys, layer.keys)
        assert_close(values, layer.values)


@pytest.mark.parametrize("top_p", [0.3, 0.8, 0.97])
@pytest.mark.parametrize("top_k", [1, 4, V])
def test_our_sampling_is_the_librarys(transformers, top_k, top_p):
    logits = 2 * normal(40, V, dtype=torch.float64)
    left = logits
    for warper in (
        transformers.TemperatureLogitsWarper(0.7),
        transformers.TopKLogitsWarper(top_k),
        transformers.TopPLogitsWarper(top_p),
    ):
        left = warper(None, left)
    assert_close(sampling_distribution(logits, 0.7, top_k, top_p), left.softmax(dim=-1))


# ---- ViT ------------------------------------------------------------------------------------------------------------


@DTYPES
@IMAGES
def test_our_vision_transformer_is_vit(transformers, dtype, size):
    """Height and width unequal too: rows of patches come before columns on both sides."""
    theirs, ours = vit(transformers, dtype, size), our_vit(size).to(dtype)
    assert_equal_to_peer(
        ours,
        theirs,
        vit_from_transformers,
        lambda images: (ours(images),),
        lambda images: (theirs(images).logits,),
        normal(B, C, *size, dtype=dtype),
    )


@DTYPES
def test_our_vision_transformer_is_vit_without_classes(transformers, dtype):
    """Every token's last state, and the class token's where the head passes it through."""
    theirs, ours = vit(transformers, dtype, (8, 12), classes=False), our_vit((8, 12)).to(dtype)
    ours.head = nn.Identity()
    assert_equal_to_peer(
        ours,
        theirs,
        vit_from_transformers,
        lambda images: (ours.encode(images), ours(images)),
        lambda images: (theirs(images).last_hidden_state, theirs(images).last_hidden_state[:, 0]),
        normal(B, C, 8, 12, dtype=dtype),
    )


# ---- each head's weights --------------------------------------------------------------------------------------------


@torch.no_grad()
def each_heads_weights(model: str, transformers, dtype: torch.dtype) -> tuple[dict[str, Tensor], tuple[Tensor, ...]]:
    """What watch_attention sees in ours, and what the peer says of itself, layer by layer."""
    asked, images = {"output_attentions": True}, normal(B, C, 8, 12, dtype=dtype)
    if model == "bert":
        theirs, ours, translate = bert(transformers, dtype), our_encoder(), encoder_from_bert
        mask = padding_mask(torch.tensor([6, 2, 5]), T)
        inputs = theirs.embeddings(ids(B, T)), mask
        said = theirs(ids(B, T), attention_mask=mask[:, 0].long(), **asked)
    elif model == "gpt2":
        theirs, ours, translate = gpt2(transformers, dtype), our_language_model(), language_model_from_gpt2
        inputs, said = (ids(B, T),), theirs(ids(B, T), **asked)
    else:
        theirs, ours, translate = vit(transformers, dtype, (8, 12)), our_vit((8, 12)), vit_from_transformers
        inputs, said = (images,), theirs(images, **asked)
    ours.to(dtype).eval().load_state_dict(translate(theirs.state_dict()))
    with watch_attention(ours) as weights:
        ours(*inputs)
    return weights, said.attentions


@pytest.mark.parametrize(
    ("model", "dtype"),
    [
        (model, dtype)
        for model in ("bert", "gpt2", "vit")
        for dtype in TOLERANCE
        if (model, dtype) != ("vit", torch.float64)
    ],
    ids=str,
)
def test_each_heads_weights_are_the_peers(transformers, model, dtype):
    """Not ViT in float64, where the peer's fused attention keeps no weights and the other rounds them to float32."""
    weights, expected = each_heads_weights(model, transformers, dtype)
    prefix = "encoder.layers" if model == "vit" else "layers"
    assert list(weights) == [f"{prefix}.{i}.self_attention" for i in range(LAYERS)]
    for ours, theirs in zip(weights.values(), expected, strict=True):
        assert ours.shape[1] == H
        assert_close(ours, theirs)


# ---- published files ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["bert", "gpt2", "vit", "vit without classes"])
def test_the_names_in_published_files_give_the_same(transformers, model, tmp_path):
    """The library writes files under the names that are published, which are not all its own modules' names."""
    from safetensors.torch import load_file

    peer, translate = {
        "bert": (lambda: bert(transformers, torch.float32), encoder_from_bert),
        "gpt2": (lambda: gpt2(transformers, torch.float32), language_model_from_gpt2),
        "vit": (lambda: vit(transformers, torch.float32, (8, 12)), vit_from_transformers),
        "vit without classes": (
            lambda: vit(transformers, torch.float32, (8, 12), classes=False),
            vit_from_transformers,
        ),
    }[model]
    theirs = peer()
    theirs.save_pretrained(tmp_path)
    from_file, from_model = translate(load_file(tmp_path / "model.safetensors")), translate(theirs.state_dict())
    assert from_file.keys() == from_model.keys()
    assert all(torch.equal(from_file[name], from_model[name]) for name in from_model)


def test_the_mappings_follow_the_librarys_own_modules(transformers):
    """Also below the whole model: BERT's encoder alone, GPT-2 without its head."""
    peer = bert(transformers, torch.float32)
    assert encoder_from_bert(peer.encoder.state_dict()).keys() == encoder_from_bert(peer.state_dict()).keys()
    peer = gpt2(transformers, torch.float32)
    expected = language_model_from_gpt2(peer.state_dict()).keys()
    assert language_model_from_gpt2(peer.transformer.state_dict()).keys() == expected


# ---- the page on real weights ---------------------------------------------------------------------------------------

PAGE = Path(__file__).resolve().parents[3] / "book" / "weights.md"


def code_of_the_page() -> dict[str, str]:
    """The page's Python, by the heading it stands under."""
    _, *sections = PAGE.read_text("utf-8").split("\n## ")
    blocks = {text.split("\n", 1)[0]: re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S) for text in sections}
    return {heading: "".join(code) for heading, code in blocks.items() if code}


class WordTokenizer:
    """As much of a tokenizer as the page uses: a number for each word, 0 for padding."""

    def __init__(self):
        self.words: list[str] = ["<pad>"]

    def convert_tokens_to_ids(self, word: str) -> int:
        if word not in self.words:
            self.words.append(word)
        return self.words.index(word)

    def __call__(self, text: str | list[str], return_tensors: str, padding: bool = False) -> dict[str, Tensor]:
        texts = [text] if isinstance(text, str) else text
        rows = [torch.tensor([self.convert_tokens_to_ids(word) for word in row.split()]) for row in texts]
        tokens = nn.utils.rnn.pad_sequence(rows, batch_first=True)
        return {"input_ids": tokens, "attention_mask": (tokens > 0).long()}

    def decode(self, tokens: Tensor) -> str:
        return " ".join(self.words[i] if i < len(self.words) else f"<{i}>" for i in tokens.tolist())


def test_the_pages_three_models():
    assert list(code_of_the_page()) == ["GPT-2", "BERT", "ViT-B/16"]


@pytest.mark.parametrize("heading", ["GPT-2", "BERT", "ViT-B/16"])
def test_the_pages_code_runs_and_gives_the_peers_answer(transformers, heading, monkeypatch, capsys):
    """With small models of random weights where the page downloads, and the reference for the reader's own parts."""
    sizes = {"num_hidden_layers": LAYERS, "num_attention_heads": H, "hidden_size": D, "intermediate_size": D_FF}
    kind, config = {
        "GPT-2": (
            transformers.GPT2LMHeadModel,
            transformers.GPT2Config(
                vocab_size=60, n_positions=30, n_embd=D, n_layer=LAYERS, n_head=H, bos_token_id=0, eos_token_id=0
            ),
        ),
        "BERT": (transformers.BertModel, transformers.BertConfig(vocab_size=60, **sizes)),
        "ViT-B/16": (
            transformers.ViTForImageClassification,
            transformers.ViTConfig(image_size=32, patch_size=8, num_labels=CLASSES, **sizes),
        ),
    }[heading]
    monkeypatch.setattr(kind, "from_pretrained", lambda name: randomize(kind(config)))
    monkeypatch.setattr(transformers.AutoTokenizer, "from_pretrained", lambda name: WordTokenizer())
    monkeypatch.setenv("COURSE_STRICT", "1")
    names: dict = {}
    exec(compile(code_of_the_page()[heading], f"{PAGE.name}: {heading}", "exec"), names)
    assert names["difference"] < 1e-5 * max(1.0, names.get("logits", torch.ones(1)).abs().max().item())
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("largest difference between the l")
    assert len(said) == {"GPT-2": 2, "BERT": 7, "ViT-B/16": 4}[heading]
    if heading == "BERT":  # the same word at the same place, until the layers have looked around
        (_, stream, money), (_, stream_last, money_last) = (names[x][names["is_bank"]] for x in ("first", "x"))
        assert torch.equal(stream, money) and (stream_last - money_last).abs().max() > 1e-3
    if heading == "GPT-2":
        assert said[1].startswith("The library was quiet,") and len(said[1].split()) == 9 + 40

"""Checks of chapter 08: what is looked at in each exercise, case by case.

A case draws inputs, calls the student's code and returns what it saw; the engine compares. Safe to change: titles,
explanations. After any other change the tables are recorded afresh (`make refresh`).
"""

import re
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from course.checks.common import drawn, raised
from course.checks.engine import Arguments, Axis, Check, Draw, Fixture
from course.checks.engine.declare import scaled
from course.protocol.student import Module, Student, StudentError
from course.wording import listed

# ---- patchify -------------------------------------------------------------------------------------------------------

patchify = Check("patchify", components=("patchify",))


@patchify.takes("patchify", B=2, C=3, H=Axis(4, least=2), W=Axis(6, least=2), P=Axis(2, long=2))
def _(draw: Draw, B: int, C: int, H: int, W: int, P: int) -> Arguments:
    return {"images": draw.normal(B, C, H, W), "patch_size": P}


def _numbered(batch: int, channels: int, height: int, width: int) -> Tensor:
    """Images whose every value says where it stands: image, channel, row and column as the digits of one number."""
    axes = [torch.arange(size, dtype=torch.float32) for size in (batch, channels, height, width)]
    image, channel, row, column = torch.meshgrid(*axes, indexing="ij")
    return 1000 * image + 100 * channel + 10 * row + column


def _explain_patches(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    """Which pixel stands in the first wrong place, and which belongs there."""
    for name, right in expected.items():
        seen = observed.get(name)
        if not isinstance(seen, Tensor) or seen.shape != right.shape:
            return None
        wrong = (seen != right).nonzero()
        if not len(wrong):
            continue

        def pixel(value: Tensor) -> str:
            number = round(float(value))
            image, channel, row, column = (number // 1000, number // 100 % 10, number // 10 % 10, number % 10)
            return f"image {image}, channel {channel}, row {row}, column {column}"

        b, n, i = wrong[0].tolist()
        return (
            f"Number {i} of patch {n} should be the pixel of {pixel(right[b, n, i])}; "
            f"what stands there is that of {pixel(seen[b, n, i])}."
        )
    return None


@patchify.case("wide images of three channels", weight=2, explain=_explain_patches)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"patches": student.patchify(_numbered(2, 3, 4, 6), 2)}


@patchify.case("tall images of two channels, patches of 3 x 3", explain=_explain_patches)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"patches": student.patchify(_numbered(2, 2, 9, 6), 3)}


@patchify.case("square images, where rows and columns can change places unnoticed", explain=_explain_patches)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"patches": student.patchify(_numbered(2, 1, 6, 6), 2)}


@patchify.case("whole numbers: pixels are moved, whatever their dtype", weight=0.5, explain=_explain_patches)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"patches": student.patchify(_numbered(2, 1, 4, 6).long(), 2)}


@patchify.case("patches that do not tile, or another number of axes, raise ValueError", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    patches = student.patchify(draw.normal(2, 3, 4, 6), 2)  # first, so that raising always proves nothing
    return {
        "the shape where they tile": str(tuple(patches.shape)),
        "a height of 5": student.error_of("patchify", draw.normal(2, 3, 5, 6), 2),
        "a width of 7": student.error_of("patchify", draw.normal(2, 3, 4, 7), 2),
        "as many pixels as whole patches have": student.error_of("patchify", draw.normal(2, 1, 2, 8), 4),
        "an image without a batch": student.error_of("patchify", draw.normal(3, 4, 6), 2),
        "one axis more": student.error_of("patchify", draw.normal(1, 2, 3, 4, 6), 2),
    }


# ---- PatchEmbedding -------------------------------------------------------------------------------------------------

patch_embedding = Check("patch_embedding", components=("PatchEmbedding",))


@patch_embedding.takes(
    "PatchEmbedding",
    new=lambda B, C, H, W, P, D: (P, C, D),
    B=2, C=3, H=Axis(4, least=2), W=Axis(6, least=2), P=Axis(2, long=2), D=5,
)  # fmt: skip
def _(draw: Draw, B: int, C: int, H: int, W: int, P: int, D: int) -> Arguments:
    return {"images": draw.normal(B, C, H, W)}


def _shapes(module: Module) -> str:
    """The module's state as one line, in alphabetical order."""
    return ", ".join(f"{name} {tuple(shape)}" for name, shape in sorted(module.state_shapes().items()))


def _explain_state(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    """Of two lists of parameters only what differs: other shapes, what is missing, what is too many."""
    sentences = []
    for name, right in expected.items():
        if observed[name] == right:
            continue
        seen, wanted = (dict(re.findall(r"(\S+) (\([^)]*\))", state)) for state in (observed[name], right))
        said = [
            f"`{key}` is {seen[key]}, and {shape} is asked for"
            for key, shape in wanted.items()
            if seen.get(key, shape) != shape
        ]
        missing, extra = [key for key in wanted if key not in seen], [key for key in seen if key not in wanted]
        said += [f"{_names(missing)} missing"] * bool(missing) + [f"{_names(extra)} too many"] * bool(extra)
        more = [f"and {len(said) - 3} more differences"] * (len(said) > 3)
        where = "" if len(expected) == 1 else f'With pool = "{name}": '
        sentences.append(f"{where}{'; '.join(said[:3] + more)}.")
    return " ".join(sentences) or None


def _names(keys: list[str]) -> str:
    """Some parameters as the beginning of a sentence with its verb."""
    return f"{listed([f'`{key}`' for key in keys], 3)} {'is' if len(keys) == 1 else 'are'}"


@patch_embedding.case("the parameters are one linear map with bias, `projection`", weight=0.5, explain=_explain_state)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"state": _shapes(student.PatchEmbedding(2, 3, 5))}


@patch_embedding.case("wide images of three channels", weight=4)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"tokens": drawn(student, draw, "PatchEmbedding", 2, 3, 5)(draw.normal(2, 3, 4, 6))}


@patch_embedding.case("patches that do not tile the image raise ValueError", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    embedding = drawn(student, draw, "PatchEmbedding", 2, 3, 5)
    tokens = embedding(draw.normal(2, 3, 4, 6))
    return {
        "the shape where they tile": str(tuple(tokens.shape)),
        "a height of 5": raised(embedding, draw.normal(2, 3, 5, 6)),
        "a width of 7": raised(embedding, draw.normal(2, 3, 4, 7)),
    }


# ---- VisionTransformer ----------------------------------------------------------------------------------------------

vision_transformer = Check("vision_transformer", components=("VisionTransformer",))

_SIZES = {"patch_size": 2, "d_model": 8, "num_heads": 2, "num_layers": 2, "d_ff": 12, "num_classes": 5}


@vision_transformer.takes(
    "VisionTransformer",
    new=lambda B, C, H, W, P, D, K: ((H, W), P, D, 2 if D % 2 == 0 else 1, 2, 12, K, "class", C),
    B=2, C=3, H=Axis(4, least=2), W=Axis(6, least=2), P=Axis(2, long=2), D=8, K=5,
)  # fmt: skip
def _(draw: Draw, B: int, C: int, H: int, W: int, P: int, D: int, K: int) -> Arguments:
    return {"images": draw.normal(B, C, H, W)}


def _vit(student: Student, draw: Draw, image_size: Any = (4, 6), **options: Any) -> Module:
    return drawn(student, draw, "VisionTransformer", image_size, **{**_SIZES, "num_channels": 3, **options}).eval()


def _read(module: Module, images: Tensor) -> dict[str, Any]:
    return {"tokens": module.method("encode", images), "logits": module(images)}


def _pooled(module: Module, images: Tensor) -> dict[str, Any]:
    """The logits, and of the tokens their number alone: other cases look at their values."""
    return {"tokens": module.method("encode", images).shape[1], "logits": module(images)}


def _explain_vit(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    """Whether the tokens are wrong already, or only what is read from them."""
    tokens, right = observed["tokens"], expected["tokens"]
    if isinstance(right, int):
        return (
            None if tokens == right else f"The encoder saw {tokens} tokens, which are not as many as this pool needs."
        )
    if not isinstance(tokens, Tensor):
        return None
    if tokens.ndim == 3 and tokens.shape[1] != right.shape[1]:
        few = "more" if tokens.shape[1] < right.shape[1] else "fewer"
        return f"The encoder saw {tokens.shape[1]} tokens; with this pool there are {few}."
    if tokens.shape != right.shape:
        return None
    if not torch.allclose(tokens, right, atol=1e-4):
        return "What `encode` says of the tokens is not right, so the logits cannot be."
    logits = observed["logits"]
    if isinstance(logits, Tensor) and logits.shape == expected["logits"].shape:
        return "What `encode` says of the tokens is right; the logits are not."
    return None


@vision_transformer.case("the parts, by their names and shapes, with a class token and without", explain=_explain_state)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {pool: _shapes(_vit(student, draw, pool=pool)) for pool in ("class", "mean", "first", "last")}


@vision_transformer.case('pool = "class": wide images', weight=2, explain=_explain_vit)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _read(_vit(student, draw), draw.normal(2, 3, 4, 6))


@vision_transformer.case('pool = "class": square images, the size given as one number', explain=_explain_vit)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _read(_vit(student, draw, 6, patch_size=3, num_channels=1), draw.normal(2, 1, 6, 6))


@vision_transformer.case('pool = "mean"', explain=_explain_vit)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _pooled(_vit(student, draw, pool="mean"), draw.normal(3, 3, 4, 6))


@vision_transformer.case('pool = "first"', weight=0.5, explain=_explain_vit)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _pooled(_vit(student, draw, pool="first"), draw.normal(3, 3, 4, 6))


@vision_transformer.case('pool = "last"', weight=0.5, explain=_explain_vit)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _pooled(_vit(student, draw, pool="last"), draw.normal(3, 3, 4, 6))


@vision_transformer.case("another depth, a large epsilon in the norms; no dropout in training", explain=_explain_vit)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    deep = _vit(student, draw, (2, 6), num_layers=3, layer_norm_eps=0.5).train()
    return _read(deep, draw.normal(2, 3, 2, 6))


@vision_transformer.case("impossible settings and other images raise ValueError", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    model = _vit(student, draw, (4, 6))
    logits = model(draw.normal(2, 3, 4, 6))
    return {
        "the logits' shape where all fits": str(tuple(logits.shape)),
        "another pool": student.error_of("VisionTransformer", (4, 6), **_SIZES, pool="max"),
        "patches that do not tile the width": student.error_of("VisionTransformer", (4, 5), **_SIZES),
        "patches that do not tile the height": student.error_of("VisionTransformer", (5, 4), **_SIZES),
        "larger images": raised(model, draw.normal(2, 3, 6, 6)),
        "smaller images": raised(model, draw.normal(2, 3, 4, 4)),
        "smaller images, to encode": raised(model, draw.normal(2, 3, 2, 6), method="encode"),
        "as many patches, turned round": raised(model, draw.normal(2, 3, 6, 4)),
    }


# ---- augment --------------------------------------------------------------------------------------------------------

augment = Check("augment", components=("augment",))


@augment.takes(
    "augment",
    B=2, C=3, H=4, W=5,
    draws=True, apart=True,
    excused={"gradients": "Images are given, and nothing is learned through them: copies may be made in any way."},
)  # fmt: skip
def _(draw: Draw, B: int, C: int, H: int, W: int) -> Arguments:
    return {"images": draw.normal(B, C, H, W), "max_shift": 0}  # what is drawn then moves nothing


_INCOMING: dict[str, dict[str, Any]] = {  # what may come in where an image moves away, as F.pad makes it
    "zeros": {},
    "what left on the other side": {"mode": "circular"},
    "the edge, repeated": {"mode": "replicate"},
    "the image, mirrored": {"mode": "reflect"},
    "ones": {"value": 1.0},
}


def _is_shifted(original: Tensor, moved: Tensor, most: int, **padding: Any) -> Tensor:
    """Of which images (B,) what came back is the whole image moved by up to `most`, with this padding coming in."""
    padded = F.pad(original, (most,) * 4, **padding)
    windows = padded.unfold(2, original.shape[2], 1).unfold(3, original.shape[3], 1)
    return (windows == moved[:, :, None, None]).all(dim=5).all(dim=4).all(dim=1).flatten(1).any(dim=1)


def _moves(original: Tensor, moved: Tensor, most: int) -> list[tuple[int, int]]:
    """By how much the images were moved down and to the right, by what is left of them alone; whatever came in."""
    height, width = original.shape[2:]
    shifts = []
    for down in range(-most, most + 1):
        for right in range(-most, most + 1):
            rows, columns = slice(max(down, 0), height + min(down, 0)), slice(max(right, 0), width + min(right, 0))
            kept = original.roll((down, right), (2, 3))[:, :, rows, columns] == moved[:, :, rows, columns]
            shifts += [(down, right)] * int(kept.flatten(1).all(dim=1).sum())
    return shifts


def _moved(student: Student, images: Tensor, most: int) -> Tensor:
    moved = student.augment(images, most)
    if not isinstance(moved, Tensor) or moved.shape != images.shape:
        raise ValueError(f"images {tuple(images.shape)} are to come back in their own shape")
    return moved


def _seed(student: Student, draw: Draw) -> None:
    student.seed(draw.seed())


def _coming_in(original: Tensor, moved: Tensor, most: int) -> dict[str, Any]:
    """Whether all images are their own shifts, and if not whether something else than zeros came in."""
    right = _is_shifted(original, moved, most)
    fitting = [name for name, way in _INCOMING.items() if bool(_is_shifted(original, moved, most, **way).all())]
    return {
        "all moved by whole pixels, zeros coming in": bool(right.all()),
        "what comes in": fitting[0] if fitting else "nothing known",
        "_right": int(right.sum()),
        "_of": len(right),
    }


def _explain_coming_in(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    what = observed["what comes in"]
    if what not in ("zeros", "nothing known"):
        return f"The images move, but what comes in at the side is {what}. Zeros are asked for."
    return (
        f"{observed['right']} of the {observed['of']} images are the image moved by whole pixels with zeros coming in."
    )


def _explain_shifts(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    count, right = observed["different shifts"], expected["different shifts"]
    if count != right:
        few = "more" if count < right else "fewer"
        return f"{count} different shifts occurred; {few} are possible with max_shift = 2."
    return f"All shifts occur, but not equally often: {observed['how often']}."


def _explain_state_of_generator(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    if not observed["the same state, the same shifts"]:
        return "From the same state of torch's global generator two calls gave different shifts."
    return "Another state of torch's global generator gave the same shifts."


@augment.case("each image comes back moved by whole pixels, with zeros coming in", weight=2, explain=_explain_coming_in)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    _seed(student, draw)
    images = draw.normal(40, 2, 7, 6)
    return _coming_in(images, _moved(student, images, 2), 2)


@augment.case("each image by a shift of its own: all 25 occur, about equally often", weight=2, explain=_explain_shifts)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    _seed(student, draw)
    images = draw.normal(1500, 1, 5, 5)  # small: there are many of them
    shifts = _moves(images, _moved(student, images, 2), 2)
    counts = {shift: shifts.count(shift) for shift in set(shifts)}
    corners = sum(counts.get((down, right), 0) for down in (-2, 2) for right in (-2, 2))
    # Of 1,500 fair draws a shift gets 60 and the corners 240: both bounds are more than five deviations away.
    often = "about equally often"
    if max(counts.values(), default=0) > 120:
        often = "one comes more than twice as often as it should"
    elif corners < 160:
        often = "the four furthest, to the corners, come too rarely"
    return {"different shifts": len(counts), "how often": often}


@augment.case("up and down, left and right, as far as max_shift and no further")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    _seed(student, draw)
    images = draw.normal(400, 1, 5, 5)
    shifts = _moves(images, _moved(student, images, 1), 2)
    if not shifts:
        return {"down": "no image is a moved one", "to the right": "no image is a moved one"}
    downs, rights = zip(*shifts, strict=True)
    return {"down": f"{min(downs)} to {max(downs)}", "to the right": f"{min(rights)} to {max(rights)}"}


@augment.case(
    "afresh at every call: two calls differ, and the state of torch's generator decides",
    explain=_explain_state_of_generator,
)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    images = draw.normal(30, 1, 6, 6)
    student.seed(3)
    first, again = student.augment(images, 2), student.augment(images, 2)
    student.seed(4)
    other = student.augment(images, 2)
    return {"the same state, the same shifts": torch.equal(first, again), "others": not torch.equal(first, other)}


@augment.case("all channels of an image move together; wide images too", explain=_explain_coming_in)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    _seed(student, draw)
    images = draw.normal(40, 3, 4, 9)
    return _coming_in(images, _moved(student, images, 3), 3)


@augment.case("the caller's images stay as they were, and so does all else but torch's random numbers", weight=0.5,
             contract=True)  # fmt: skip
def _(student: Student, draw: Draw) -> dict[str, Any]:
    call = {"op": "call", "name": "augment", "args": [draw.normal(4, 1, 5, 6), 2], "watch": ["images", "max_shift"]}
    (reply,) = student.calls([call])
    if reply.raised is not None:
        raise StudentError(*reply.raised)
    return {"changed": ", ".join(name for name in reply.changed if name != "PyTorch's random numbers")}


# ---- HybridVisionTransformer ----------------------------------------------------------------------------------------

hybrid_vision_transformer = Check("hybrid_vision_transformer", components=("HybridVisionTransformer",))


@hybrid_vision_transformer.takes(
    "HybridVisionTransformer",
    new=lambda B, H, W, P, D, K: (Fixture("Stem", (2, 5)), 5, (H, W), P, D, 2 if D % 2 == 0 else 1, 1, 12, K, "last"),
    B=2, H=Axis(4, least=2), W=Axis(6, least=2), P=Axis(2, long=2), D=8, K=5,
)  # fmt: skip
def _(draw: Draw, B: int, H: int, W: int, P: int, D: int, K: int) -> Arguments:
    return {"images": draw.normal(B, 2, 2 * H, W)}  # the stem halves the height


def _hybrid(student: Student, draw: Draw, feature_size: tuple[int, int], patch_size: int, **options: Any) -> Module:
    stem = student.fixture("Stem", 2, 5)  # not 3: that is what the transformer takes where it is told nothing
    sizes = {**_SIZES, "num_layers": 1, "patch_size": patch_size, **options}
    return drawn(student, draw, "HybridVisionTransformer", stem, 5, feature_size, **sizes).eval()


@hybrid_vision_transformer.case("the parts, by their names and shapes", weight=0.5, explain=_explain_state)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    stem = student.fixture("Stem", 2, 5)
    return {"state": _shapes(student.HybridVisionTransformer(stem, 5, (4, 6), **_SIZES))}


@hybrid_vision_transformer.case("patches are cut from the backbone's features", weight=3, explain=_explain_vit)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _read(_hybrid(student, draw, (4, 6), 2), draw.normal(2, 2, 8, 6))


@hybrid_vision_transformer.case("every cell of the features a token of its own, read by the mean", explain=_explain_vit)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return _read(_hybrid(student, draw, (2, 2), 1, pool="mean"), draw.normal(2, 2, 4, 2))


@hybrid_vision_transformer.case(
    "features that lie close together, where the norm's default eps shows", weight=0.5, explain=_explain_vit
)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    stem = student.fixture("Stem", 2, 5)
    stem.load(draw.state(stem))  # whoever does not have it among its parts keeps these
    model = student.HybridVisionTransformer(stem, 5, (4, 6), **{**_SIZES, "num_layers": 1, "pool": "mean"})
    # what enters the stream is a thousandth of the usual, and the norms are as they are made
    state = draw.state(model)
    model.load({name: value if ".norm" in name else 1e-3 * value for name, value in state.items()})
    return _read(model.eval(), draw.normal(2, 2, 8, 6))


# ---- patch_labels ---------------------------------------------------------------------------------------------------

patch_labels = Check("patch_labels", components=("patch_labels",))


@patch_labels.takes("patch_labels", B=2, H=Axis(4, least=2), W=Axis(6, least=2), P=Axis(2, long=2), K=5)
def _(draw: Draw, B: int, H: int, W: int, P: int, K: int) -> Arguments:
    return {"labels": _pixels(draw, B, H, W, K, ink=0.4, classes=K), "patch_size": P, "background": K}


def _pixels(draw: Draw, batch: int, height: int, width: int, background: int, ink: float, classes: int = 6) -> Tensor:
    """Pixel labels 0 to `classes` - 1, with about a share `ink` of them not background."""
    labels = draw.integers(0, classes, batch, height, width)
    return torch.where(draw.uniform(batch, height, width) < ink, labels, background)


@patch_labels.case("the class that most pixels of a patch have: wide pictures", weight=2)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"labels": student.patch_labels(_pixels(draw, 3, 6, 9, 7, ink=1.0) // 2, 3, 7)}


@patch_labels.case("mostly background, with a little of a class: that class", weight=2)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"labels": student.patch_labels(_pixels(draw, 3, 6, 9, 6, ink=0.2), 3, 6)}


@patch_labels.case("nothing but background: background")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    labels = _pixels(draw, 2, 4, 8, 6, ink=0.8)
    labels[0, :2] = labels[1, :, 4:6] = 6
    return {"labels": student.patch_labels(labels, 2, 6)}


@patch_labels.case("background may be any number: 0, or one between the classes")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {
        "background 0": student.patch_labels(_pixels(draw, 2, 4, 8, 0, ink=0.4), 2, 0),
        "background 3": student.patch_labels(_pixels(draw, 2, 16, 12, 3, ink=0.4), 4, 3),
    }


@patch_labels.case("two classes with equally many pixels: the lower number")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    first_row = [[5, 2, 9, 1, 8, 1], [2, 5, 1, 9, 1, 8]]  # 2 of 5 and 2; 1; 1 of 8 and 1
    second_row = [[2, 4, 7, 8, 3, 6], [4, 2, 8, 7, 3, 3]]  # 2 of 2 and 4; 7 of 7 and 8; 3, and 6 is higher
    labels = torch.tensor([first_row + second_row])
    return {"labels": student.patch_labels(labels, 2, 9)}


@patch_labels.case("int64, and a ValueError where patches do not tile", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    labels = student.patch_labels(_pixels(draw, 2, 4, 6, 6, ink=0.5), 2, 6)
    return {
        "the shape where they tile": str(tuple(labels.shape)),
        "int64": labels.dtype == torch.int64,
        "a height of 5": student.error_of("patch_labels", _pixels(draw, 2, 5, 6, 6, ink=0.5), 2, 6),
        "a width of 7": student.error_of("patch_labels", _pixels(draw, 2, 4, 7, 6, ink=0.5), 2, 6),
    }


# ---- attention_rollout ----------------------------------------------------------------------------------------------

attention_rollout = Check("attention_rollout", components=("attention_rollout",))


_READ_OFF = "what it is given are maps that were read off a model, in its float32 and for a figure"


@attention_rollout.takes("attention_rollout", L=2, B=2, H=3, T=5, excused={"float64": _READ_OFF, "device": _READ_OFF})
def _(draw: Draw, L: int, B: int, H: int, T: int) -> Arguments:
    return {"weights": _layers(draw, L, B, H, T)}


def _layers(draw: Draw, layers: int, batch: int, heads: int, tokens: int) -> list[Tensor]:
    return [torch.softmax(2 * draw.normal(batch, heads, tokens, tokens), dim=-1) for _ in range(layers)]


@attention_rollout.case("one layer of three heads: half their mean, half the identity")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"rollout": student.attention_rollout(_layers(draw, 1, 2, 3, 5))}


@attention_rollout.case("two layers: the later one reads what the earlier one wrote", weight=2)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"rollout": student.attention_rollout(_layers(draw, 2, 2, 3, 5))}


@attention_rollout.case("four layers of one head, and every row sums to one")
def _(student: Student, draw: Draw) -> dict[str, Any]:
    rollout = student.attention_rollout(_layers(draw, 4, 2, 1, 4))
    return {"rollout": rollout, "the rows' sums": rollout.sum(dim=-1)}


# ---- partial_auc ----------------------------------------------------------------------------------------------------

partial_auc = Check("partial_auc", components=("partial_auc",))


@partial_auc.takes(
    "partial_auc",
    N=Axis(12, least=2),
    extremes={"scores of 1e-30": scaled("scores", 1e-30), "scores of 1e30": scaled("scores", 1e30)},
    excused={"gradients": "it gives a number, which counts and has no gradient"},
)
def _(draw: Draw, N: int) -> Arguments:
    scores, positive = _ranked(draw, N)
    return {"scores": scores, "positive": positive, "min_true_positive_rate": 0.6}


def _ranked(draw: Draw, count: int) -> tuple[Tensor, Tensor]:
    """Scores without ties that say something of who is positive, and who is."""
    positive = draw.uniform(count) < 0.4
    positive[:2] = torch.tensor([True, False])
    return draw.normal(count) + positive, positive


def _explain_area(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    """The first number that is off, and on which side it lies."""
    for name, right in expected.items():
        if type(observed[name]) not in (int, float):
            return None
        if abs(observed[name] - right) > 1e-5:
            return (
                f"`{name}`: {observed[name]:.4f} came back, which is too {'low' if observed[name] < right else 'high'}."
            )
    return None


@partial_auc.case(
    "true positive rates above 0.6, and above 0.75, right where the curve falls", weight=2, explain=_explain_area
)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    negatives = draw.integers(0, 3, 13)  # with scores above the best of 12 positives, and below each of them
    negatives[[0, 9]] += 1  # 9 of 12 are 0.75
    positive = torch.zeros(12 + int(negatives.sum()), dtype=torch.bool)
    positive[torch.arange(12) + negatives[:12].cumsum(0)] = True
    order = draw.permutation(len(positive))
    scores, positive = -0.1 * order, positive[order]
    return {
        "above 0.6": student.partial_auc(scores, positive, 0.6),
        "above 0.75": student.partial_auc(scores, positive, 0.75),
    }


@partial_auc.case("a rate between two points of the curve, where it falls", explain=_explain_area)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    counts = draw.integers(1, 4, 2, 4)  # positives and negatives of each of four scores, so every piece slopes
    scores = torch.cat([torch.arange(4.0).repeat_interleave(count) for count in counts])
    positive = torch.arange(len(scores)) < counts[0].sum()
    order = draw.permutation(len(scores))
    points = counts[0].flip(0).cumsum(0) / counts[0].sum()
    rates = {"a little above a point": 0.7 * points[1] + 0.3 * points[2], "in the middle": (points[0] + points[1]) / 2}
    return {name: student.partial_auc(scores[order], positive[order], float(rate)) for name, rate in rates.items()}


@partial_auc.case("from 0: the whole area under the curve", explain=_explain_area)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    scores, positive = _ranked(draw, 30)
    return {"the area": student.partial_auc(scores, positive, 0.0)}


@partial_auc.case("equal scores pass together, whatever their order", explain=_explain_area)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    positive = draw.uniform(30) < 0.5
    positive[:2] = torch.tensor([True, False])
    scores = (2 * draw.normal(30) + positive).round()
    order = positive.float().argsort(descending=True)
    near, order64 = 1 + 1e-10 * draw.permutation(30).double(), positive & (draw.uniform(30) < 0.7)
    order64[:2] = torch.tensor([True, False])
    return {
        "a few scores, many times each": student.partial_auc(scores, positive, 0.6),
        "float64 scores that differ in the tenth digit": student.partial_auc(near, order64, 0.6),
        "the positives first": student.partial_auc(scores[order], positive[order], 0.6),
        "the negatives first": student.partial_auc(scores[order.flip(0)], positive[order.flip(0)], 0.6),
    }


@partial_auc.case("a perfect ranking, a reversed one, and all scores equal", explain=_explain_area)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    positive = torch.arange(10) > 5
    return {
        "perfect": student.partial_auc(draw.uniform(10) + positive, positive, 0.8),
        "reversed": student.partial_auc(draw.uniform(10) - positive.float(), positive, 0.8),
        "all equal": student.partial_auc(torch.full((10,), 0.3), positive, 0.8),
    }


@partial_auc.case("nothing to rank, or an impossible rate, raises ValueError", weight=0.5, contract=True)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    scores, positive = _ranked(draw, 8)
    return {
        "between 0 and 1 where there is something": 0 <= student.partial_auc(scores, positive, 0.8) <= 1,
        "no positives": student.error_of("partial_auc", scores, torch.zeros(8, dtype=torch.bool), 0.8),
        "no negatives": student.error_of("partial_auc", scores, torch.ones(8, dtype=torch.bool), 0.8),
        "a rate of 1": student.error_of("partial_auc", scores, positive, 1.0),
        "a rate below 0": student.error_of("partial_auc", scores, positive, -0.1),
    }


# ---- fix_the_resized_positions --------------------------------------------------------------------------------------

fix_the_resized_positions = Check("fix_the_resized_positions", components=("resize_positions",))


@fix_the_resized_positions.takes("resize_positions", H=2, W=3, D=4)
def _(draw: Draw, H: int, W: int, D: int) -> Arguments:
    return {"table": draw.normal(1 + H * W, D), "old_grid": (H, W), "new_grid": (H + 1, 2 * W - 1)}


def _explain_table(observed: dict[str, Any], expected: dict[str, Any]) -> str | None:
    """Whether the class token's row is right, and how many of the patches' rows are."""
    table, right = observed["table"], expected["table"]
    if not isinstance(table, Tensor) or table.shape != right.shape:
        return None
    if not torch.allclose(table[0], right[0], atol=1e-5):
        return "The class token's row has changed."
    good = int(torch.isclose(table[1:], right[1:], atol=1e-4).all(dim=1).sum())
    return f"Of the {len(right) - 1} patches' rows {good} are right."


@fix_the_resized_positions.case("a wider grid", weight=2, explain=_explain_table)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"table": student.resize_positions(draw.normal(1 + 6, 4), (2, 3), (2, 5))}


@fix_the_resized_positions.case("a higher grid, with fewer columns", weight=2, explain=_explain_table)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"table": student.resize_positions(draw.normal(1 + 12, 5), (4, 3), (5, 2))}


@fix_the_resized_positions.case("as many patches in another form", explain=_explain_table)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    return {"table": student.resize_positions(draw.normal(1 + 16, 4), (2, 8), (4, 4))}  # as many as a square has


@fix_the_resized_positions.case(
    "a table that holds each patch's row and column: so does the new one", explain=_explain_table
)
def _(student: Student, draw: Draw) -> dict[str, Any]:
    rows, columns = torch.meshgrid(torch.arange(2.0), torch.arange(3.0), indexing="ij")
    places = torch.stack([rows.flatten(), columns.flatten(), draw.normal(6)], dim=1)
    return {"table": student.resize_positions(torch.cat([draw.normal(1, 3), places]), (2, 3), (4, 6))}

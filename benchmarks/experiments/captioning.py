"""Chapter 03: captions by attention over a grid, the controls, and where the weights fall."""

from collections.abc import Iterator

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.experiments import Record, Settings, experiment, parameter_count
from course.data import BOS_ID, EOS_ID, PAD_ID, translation_accuracy
from course.data.scenes import (
    CELL,
    LONGEST_CAPTION,
    Scenes,
    scene_batches,
    scenes,
    scenes_vocabulary,
    single_objects,
    small_cnn,
    words_of_kind,
)
from course.training import fit
from solutions.captioning import CaptionDecoder, FrozenBackbone, GridEncoder, pointing_accuracy, pooled_baseline
from solutions.seq2seq import greedy_decode, masked_cross_entropy

CHANNELS = D_MODEL = 48
CELLS = 64  # of a picture of 32 x 32 pixels
STEPS, LONGER, LONG, BACKBONE_STEPS = 500, 800, 1_500, 300
SETTINGS: Settings = {
    "scenes": 6_000, "tested": 300, "batch_size": 64, "learning_rate": 1e-2, "embedding_size": 24, "hidden_size": 64,
    "channels": CHANNELS, "d_model": D_MODEL, "d_attention": 32, "steps": STEPS, "steps_without_coordinates": LONGER,
    "backbone_steps": BACKBONE_STEPS, "backbone_pictures": 3_000,
}  # fmt: skip
# The pooled decoder's attention has nothing to do; it is made wider until what it does use is more than attention has.
POOLED_HIDDEN = 72


class Captioner(nn.Module):
    """A grid encoder, what is made of its cells (nothing, their mean, one flat vector), and the decoder."""

    def __init__(self, kind: str, backbone: nn.Module | None = None):
        super().__init__()
        coordinates = not kind.startswith("no coordinates")
        self.encoder = GridEncoder(backbone or small_cnn(CHANNELS), CHANNELS, D_MODEL, coordinates)
        hidden = POOLED_HIDDEN if kind in ("pooled", "flattened") else 64
        self.decoder = CaptionDecoder(len(scenes_vocabulary()), 24, hidden, PAD_ID, D_MODEL, 32)
        self.flat = nn.Linear(CELLS * D_MODEL, D_MODEL) if kind == "flattened" else None
        self.pools = kind == "pooled"

    def memory(self, images: Tensor) -> Tensor:
        features = self.encoder(images)
        if self.flat is not None:
            return self.flat(features.flatten(1)).unsqueeze(1)  # (B, N, D) -> (B, 1, D), each cell by its own weights
        return pooled_baseline(features) if self.pools else features

    def forward(self, batch: Scenes) -> tuple[Tensor, Tensor]:
        return self.decoder(self.memory(batch.images), F.pad(batch.captions[:, :-1], (1, 0), value=BOS_ID))

    def used_parameters(self) -> int:
        """All but those of an attention that has a single cell to choose from."""
        idle = parameter_count(self.decoder.attention) if self.pools or self.flat is not None else 0
        return parameter_count(self) - idle


def trained_backbone(seed: int) -> tuple[nn.Module, float]:
    """Convolutions that learned to tell color and shape of single objects, and how well, from 0 to 1."""
    backbone, head = small_cnn(CHANNELS), nn.Linear(CHANNELS, 24)
    images, labels = single_objects(3_000, seed=5_000 + seed)
    generator = torch.Generator().manual_seed(seed)

    def drawn() -> Iterator[Tensor]:
        while True:
            yield torch.randint(len(images), (64,), generator=generator)

    def scores(pictures: Tensor) -> Tensor:
        return head(backbone(pictures).amax(dim=(2, 3)))  # wherever in the picture it is

    def loss_of(chosen: Tensor) -> Tensor:
        return F.cross_entropy(scores(images[chosen]), labels[chosen])

    fit(nn.ModuleList([backbone, head]), loss_of, drawn(), BACKBONE_STEPS, 1e-2, label="backbone")
    test_images, test_labels = single_objects(500, seed=9_500)
    with torch.no_grad():
        return backbone, (scores(test_images).argmax(1) == test_labels).double().mean().item()


def untrained_backbone(seed: int) -> nn.Module:
    """Random convolutions; their normalization has seen pictures, so that its outputs have the usual size."""
    backbone = small_cnn(CHANNELS)
    images, _ = single_objects(640, seed=5_000 + seed)
    with torch.no_grad():
        for part in images.split(64):
            backbone(part)
        for part in images.split(64):
            backbone(part)
    return backbone


@torch.no_grad()
def pointing_records(model: Captioner, test: Scenes, seed: int) -> list[Record]:
    """On what the most weighted cell lies while a color or a shape is written (true words go in)."""
    logits, weights = model(test)
    right = logits.argmax(dim=2) == test.captions
    other = torch.full_like(test.boxes, -1)  # the box of the object that is not being named
    for i in range(len(test)):
        named = [t for t in range(LONGEST_CAPTION) if test.boxes[i, t, 0] >= 0]
        first, second = named[:2], named[2:]
        other[i, first], other[i, second] = test.boxes[i, second], test.boxes[i, first]
    records = []
    for kind in ("color", "shape"):
        here = torch.isin(test.captions, torch.tensor(scenes_vocabulary().encode(words_of_kind(kind))[:-1]))

        def share(boxes: Tensor, counted: Tensor) -> float:
            return pointing_accuracy(weights, boxes.masked_fill(~counted.unsqueeze(2), -1), 8, CELL)

        records.append(
            {
                "measure": "pointing",
                "seed": seed,
                "kind": kind,
                "on_the_object": share(test.boxes, here),
                "on_the_other": share(other, here),
                "top_weight": weights.amax(dim=2)[here].mean().item(),
                "written_right": right[here].double().mean().item(),
                "on_the_object_where_right": share(test.boxes, here & right),
            }
        )
    return records


@torch.no_grad()
def by_chance(test: Scenes, seed: int = 0) -> float:
    """How often a cell drawn at random lies on the object."""
    weights = torch.rand(len(test), LONGEST_CAPTION, CELLS, generator=torch.Generator().manual_seed(seed))
    return pointing_accuracy(weights, test.boxes, 8, CELL)


def default_steps(kind: str) -> int:
    return LONGER if kind.startswith("no coordinates") else STEPS


def trained_captioner(kind: str, seed: int, steps: int) -> tuple[Captioner, Record]:
    """Train one model; it, and what is known of its training."""
    train = scenes(6_000, seed=1_000 + seed)
    torch.manual_seed(seed)
    shares: Record = {}
    backbone: nn.Module | None = None
    if kind == "frozen":
        trained, shares["backbone_accuracy"] = trained_backbone(seed)
        backbone = FrozenBackbone(trained)
    elif kind == "frozen, untrained":
        backbone = FrozenBackbone(untrained_backbone(seed))
    elif kind == "no coordinates, no edges":
        backbone = small_cnn(CHANNELS, padding_mode="circular")
    model = Captioner(kind, backbone)

    def loss_of(batch: Scenes) -> Tensor:
        return masked_cross_entropy(model(batch)[0], batch.captions, PAD_ID)

    losses = fit(model, loss_of, scene_batches(train, 64, seed), steps, 1e-2, label=kind)
    return model, {"steps": steps, "last_loss": sum(losses[-50:]) / 50, "parameters": model.used_parameters(), **shares}


@torch.no_grad()
def written_by(model: Captioner, test: Scenes) -> Tensor:
    """The captions (B, T) that the model writes by itself, the likeliest word at each step; all of one width."""
    state = model.decoder.start(model.memory(test.images))
    written = greedy_decode(model.decoder.step, state, BOS_ID, EOS_ID, LONGEST_CAPTION)
    return F.pad(written, (0, LONGEST_CAPTION - written.shape[1]), value=EOS_ID)


def caption_records(kind: str, seed: int) -> list[Record]:
    """Train one model; how many captions it writes right and, where it chooses, where it looks."""
    test = scenes(300, seed=9_000)
    model, training = trained_captioner(kind, seed, default_steps(kind))
    symbols, exact = translation_accuracy(written_by(model, test), test.captions)
    with torch.no_grad():
        teacher_forced = model(test)[0].argmax(dim=2)
    # what is said of the first object's place: "above" or "left", the word after its color and its shape
    relation = (teacher_forced[:, 3] == test.captions[:, 3]).double().mean().item()
    accuracy: Record = {
        "measure": "accuracy",
        "seed": seed,
        "exact": exact,
        "symbols": symbols,
        "relation": relation,
        "by_chance": by_chance(test),
        **training,
    }
    chooses = kind not in ("pooled", "flattened")
    records = [accuracy, *(pointing_records(model, test, seed) if chooses else [])]
    return [{"model": kind, **record} for record in records]


def wrong_words(kind: str, seed: int, steps: int) -> Record:
    """Train one model; what is wrong in the captions that it writes by itself, and which words (true words go in)."""
    test = scenes(300, seed=9_000)
    model, training = trained_captioner(kind, seed, steps)
    written = written_by(model, test)
    wrong = ~((written == test.captions) | (test.captions == PAD_ID)).all(dim=1)
    of_kind = {k: torch.tensor(scenes_vocabulary().encode(words_of_kind(k))[:-1]) for k in ("color", "shape")}
    names_shape = torch.isin(test.captions, of_kind["shape"])
    # every word right but shapes, and in the place of a shape stands another shape
    others = names_shape & torch.isin(written, of_kind["shape"]) | (test.captions == PAD_ID)
    only_shapes = wrong & ((written == test.captions) | others).all(dim=1)
    with torch.no_grad():
        right = model(test)[0].argmax(dim=2) == test.captions
    return {
        "model": kind,
        "seed": seed,
        "exact": translation_accuracy(written, test.captions)[1],
        "wrong": int(wrong.sum()),
        "wrong_in_shapes_only": int(only_shapes.sum()),
        "colors": right[torch.isin(test.captions, of_kind["color"])].double().mean().item(),
        "shapes": right[names_shape].double().mean().item(),
        "relation": right[:, 3].double().mean().item(),
        **training,
    }


KINDS = (
    "pooled", "flattened", "attention", "no coordinates", "no coordinates, no edges", "frozen", "frozen, untrained",
)  # fmt: skip


@experiment("captioning_scenes", SETTINGS)
def captioning_scenes(seed: int) -> list[Record]:
    """Captions of generated scenes: attention over a grid, one vector in its place, no coordinates, a frozen CNN."""
    return [record for kind in KINDS for record in caption_records(kind, seed)]


@experiment("captioning_longer", {**SETTINGS, "steps": [STEPS, LONG]})
def captioning_longer(seed: int) -> list[Record]:
    """Which words are wrong after 500 steps and after three times as many: one vector, one flat map, attention."""
    return [wrong_words(kind, seed, steps) for steps in (STEPS, LONG) for kind in ("pooled", "flattened", "attention")]

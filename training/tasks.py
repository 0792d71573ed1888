"""Chapter 10's training program: its three tasks, each a model with its data, its loss and its scores.

What makes batches is a small class, and no function inside another, so that it can be sent to other processes.
Letters: B batch, C channels, S source length, T target length or window, V vocabulary.
"""

import math
import tempfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course.data import BOS_ID, PAD_ID, numbers_in_words, numbers_vocabularies, pad
from course.data.digits import a_few, handwritten, on_canvas
from solutions.language_model import CausalLanguageModel
from solutions.scale import model_flops_utilisation
from solutions.transformer import Transformer, label_smoothing_loss
from solutions.vit import VisionTransformer, augment
from training.augment import erase, mix, with_stochastic_depth
from training.configuration import Configuration, TrainingError, nearest
from training.hub import column, hub_data
from training.images import Pictures, Rows, hold_out, image_folder, verify
from training.text import Windows, tokens_in

Batch = tuple[Tensor, ...]
KINDS = {
    "vit": ("generated", "images:FOLDER", "hub:NAME"),
    "transformer": ("generated",),
    "language-model": ("generated", "text:FILE", "text:FOLDER", "hub:NAME"),
}


@dataclass(frozen=True)
class Task:
    """What the training loop asks of a model and its data.

    batch_of: numbers of training samples -> a batch, on the CPU, drawn from torch's global random numbers where
    anything is. loss_sum: (model, batch) -> the sum of the losses of all predictions in the batch and their number,
    both scalars on the batch's device. scores: (model, batch of held_out) -> (len(score_names), 2) float64, a sum and
    a count for each name; the score is sum / count over all of held_out.
    """

    model: nn.Module
    num_samples: int
    fingerprint: str  # of the data: a run is not continued on other data
    batch_of: Callable[[list[int]], Batch]
    held_out: Sequence[Batch]
    loss_sum: Callable[[Any, Batch], tuple[Tensor, Tensor]]
    score_names: tuple[str, ...]
    scores: Callable[[Any, Batch], Tensor]
    is_causal: Callable[[str], bool] = lambda name: False  # which of the model's attentions, for `fuse_attention`
    verify: Callable[[], None] = lambda: None  # raises TrainingError for data that cannot be read
    decodes: bool = False  # a batch takes the processor so long that several should make them
    tokens_per_sample: int = 0  # 0 where samples differ; as what a model predicts, of text alone
    flops_per_sample: float = 0.0  # of training; 0 where samples differ
    tokenizer: Any = None  # of text: encode and decode
    temporary: Any = None  # the folder of a text's tokens, where it goes when the task does


def make_task(config: Configuration) -> Task:
    """The model, freshly drawn from config.seed, and its data. Raises TrainingError, ValueError or OSError.

    Text is encoded into the folder config.out, where it is not yet; without one into a temporary one.
    """
    kind, _, where = config.data.partition(":")
    allowed = KINDS[config.model]
    if (kind, bool(where)) not in [(name.partition(":")[0], ":" in name) for name in allowed]:
        names = [name.partition(":")[0] for name in allowed]
        hint = "" if kind in names else nearest(kind, names)
        raise TrainingError(f"data for {config.model} is one of {', '.join(allowed)}, got {config.data!r}{hint}")
    if config.model == "vit":
        return vision(config, kind, where)
    if config.model == "transformer":
        return translation(config)
    return language(config, kind, where)


@dataclass(frozen=True)
class HeldOut(Sequence):
    """Batches of held-out data, each made when it is asked for."""

    batch_of: Callable[[list[int]], Batch]
    num_samples: int
    batch_size: int

    def __len__(self) -> int:
        return -(-self.num_samples // self.batch_size)

    def __getitem__(self, index: Any) -> Batch:
        if index >= len(self):
            raise IndexError(index)
        start = index * self.batch_size
        return self.batch_of(list(range(start, min(start + self.batch_size, self.num_samples))))


def fingerprint(*tensors: Tensor) -> str:
    """Sizes and a checksum, the same for the same data."""
    checksum = 0
    for tensor in tensors:
        for rows in tensor.split(1024):  # copies of a few at a time
            checksum = zlib.crc32(rows.numpy().tobytes(), checksum)
    return f"{' and '.join(str(len(tensor)) for tensor in tensors)} samples, checksum {checksum:08x}"


def keep(count: int, of: int) -> int:
    """How many of the training samples to keep, 0 meaning all."""
    if count > of:
        raise TrainingError(f"samples is at most {of} with these data, got {count}")
    return count or of


def training_flops(num_parameters: int, num_tokens: int, config: Configuration) -> float:
    """Operations that training needs for one sample; num_parameters: those that every token is multiplied with. As the
    paper counts them: a causal attention's scores above the diagonal too."""
    return model_flops_utilisation(num_parameters, config.num_layers, config.d_model, num_tokens, 1.0, 1.0)


def linear_weights(model: nn.Module) -> int:
    return sum(part.weight.numel() for part in model.modules() if isinstance(part, nn.Linear))


# ---- images ---------------------------------------------------------------------------------------------------------


def vision_model(config: Configuration, num_classes: int, num_channels: int) -> nn.Module:
    """Drawn from config.seed."""
    torch.manual_seed(config.seed)
    model = VisionTransformer(
        config.image_size,
        config.patch_size,
        config.d_model,
        config.num_heads,
        config.num_layers,
        config.d_ff,
        num_classes,
        num_channels=num_channels,
    )
    return with_stochastic_depth(model, config.stochastic_depth)


def vision(config: Configuration, kind: str, where: str) -> Task:
    """Images and their classes; the loss is cross-entropy, with label smoothing and mixing in training."""
    train: Any
    test: Any
    if kind == "generated":
        if config.crop_scale < 1 or config.flip or config.rand_augment:
            raise TrainingError(
                "crop_scale, flip and rand_augment change pictures, not the generated digits: give --data images:FOLDER"
            )
        train, test = digits(config)
    else:
        train, test = pictures(config, kind, where)
    num_classes = int(max(train.labels.max(), test.labels.max())) + 1
    model = vision_model(config, num_classes, num_channels=1 if kind == "generated" else 3)

    def loss_sum(model, batch: Batch) -> tuple[Tensor, Tensor]:
        pixels, targets = as_floats(batch[0]), batch[1]
        if config.max_shift:
            pixels = augment(pixels, config.max_shift)
        if config.erasing:
            pixels = erase(pixels, config.erasing)
        pixels, share = mix(pixels, config.mixup, config.cutmix)
        logits = model(pixels)
        losses = F.cross_entropy(logits, targets, reduction="sum", label_smoothing=config.label_smoothing)
        if share < 1:  # the partners' share
            others = F.cross_entropy(logits, targets.flip(0), reduction="sum", label_smoothing=config.label_smoothing)
            losses = share * losses + (1 - share) * others
        return losses, torch.full_like(losses, len(targets))

    def scores(model, batch: Batch) -> Tensor:
        logits, targets = model(as_floats(batch[0])), batch[1]
        right = (logits.argmax(dim=1) == targets).sum()
        return with_counts(len(targets), F.cross_entropy(logits, targets, reduction="sum"), right)

    num_tokens = (config.image_size // config.patch_size) ** 2 + 1
    return Task(
        model=model,
        num_samples=len(train),
        fingerprint=train.fingerprint(),
        batch_of=train,
        held_out=HeldOut(test, len(test), config.batch_size),
        loss_sum=loss_sum,
        score_names=("loss", "accuracy"),
        scores=scores,
        verify=(lambda: None) if kind == "generated" else lambda: verify(train, test),
        decodes=kind != "generated",
        flops_per_sample=training_flops(linear_weights(model), num_tokens, config),
    )


def as_floats(images: Tensor) -> Tensor:
    """Bytes to numbers from -1 to 1 (Dosovitskiy et al., 2021, as published); what is float already stays."""
    return images.float() / 127.5 - 1 if images.dtype == torch.uint8 else images


def with_counts(count: int | Tensor, *sums: Tensor) -> Tensor:
    """Sums over the same number of predictions -> (len(sums), 2)."""
    return torch.stack(
        [torch.stack([one.double(), torch.as_tensor(count, device=one.device).double()]) for one in sums]
    )


@dataclass(frozen=True)
class InMemory:
    """Numbers -> images (B, C, H, W) and labels (B,) that lie there ready."""

    images: Tensor
    labels: Tensor

    def __len__(self) -> int:
        return len(self.labels)

    def __call__(self, numbers: list[int]) -> Batch:
        return self.images[numbers], self.labels[numbers]

    def fingerprint(self) -> str:
        return fingerprint(self.images, self.labels)


def digits(config: Configuration) -> tuple[InMemory, InMemory]:
    """scikit-learn's digits on a larger canvas; those held out are moved too, once and for all."""
    size = config.image_size
    train, test = (on_canvas(handwritten(split)[0], size, size) for split in ("train", "test"))
    train_labels, test_labels = handwritten("train")[1], handwritten("test")[1]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        test = augment(test, config.max_shift) if config.max_shift else test
    kept = a_few(train, train_labels, keep(config.samples, len(train)), seed=0)
    return InMemory(*kept), InMemory(test, test_labels)


def pictures(config: Configuration, kind: str, where: str) -> tuple[Pictures, Pictures]:
    """A folder's images, or a hub's; a tenth is held out where there is no other part."""
    train: Any
    test: Any
    if kind == "images":
        train, labels, test, test_labels = image_folder(where)
    else:
        (train, labels), (test, test_labels) = (
            (None, torch.empty(0)) if rows is None else hub_images(rows) for rows in hub_data(where)
        )
    if test is None:
        kept, tested = hold_out(len(train))
        test, test_labels = train, labels
    else:
        kept, tested = torch.randperm(len(train), generator=torch.Generator().manual_seed(0)), torch.arange(len(test))
    kept = kept[: keep(config.samples, len(kept))]
    return (
        Pictures(train, kept, labels[kept], config, augmented=True),
        Pictures(test, tested, test_labels[tested], config, augmented=False),
    )


def hub_images(rows: Any) -> tuple[Rows, Tensor]:
    labels = torch.tensor(rows[column(rows, ("label", "labels", "fine_label"))])
    return Rows(rows, column(rows, ("image", "img"))), labels


# ---- translation ----------------------------------------------------------------------------------------------------


def translation(config: Configuration) -> Task:
    """Numbers in words, English to German. Sentences held out are not among those trained on."""
    if config.d_model % 2:
        raise TrainingError(f"positions come as sines and cosines: d_model must be even, got {config.d_model}")
    english, german = numbers_vocabularies()
    sentences = numbers_in_words(config.samples or 20_000, 1, config.numbers, seed=1)
    seen = {sentence.source for sentence in sentences}
    unseen = [one for one in numbers_in_words(1000, 1, config.numbers, seed=2) if one.source not in seen]
    if not unseen:
        raise TrainingError(f"no sentence is left to hold out: raise numbers (now {config.numbers}) or lower samples")
    sources = [english.encode(one.source) for one in sentences]
    targets = [german.encode(one.target) for one in sentences]
    torch.manual_seed(config.seed)
    model = Transformer(
        len(english),
        len(german),
        config.d_model,
        config.num_heads,
        config.d_ff,
        config.num_layers,
        bos_id=BOS_ID,
        dropout=config.dropout,
    )

    def loss_sum(model, batch: Batch) -> tuple[Tensor, Tensor]:
        source, lengths, targets = batch
        tokens = (targets != PAD_ID).sum()
        mean = label_smoothing_loss(model(source, lengths, targets), targets, PAD_ID, config.label_smoothing)
        return mean * tokens, tokens.float()

    def scores(model, batch: Batch) -> Tensor:
        source, lengths, targets = batch
        logits, real = model(source, lengths, targets), targets != PAD_ID
        loss = label_smoothing_loss(logits, targets, PAD_ID, 0.0) * real.sum()
        right = (logits.argmax(dim=2) == targets) | ~real
        # A sentence is right here where every token is, given the true ones before it: then, token by token, greedy
        # decoding would have written the very same ones. So this is exact match without decoding.
        whole = with_counts(len(targets), right.all(dim=1).sum())
        return torch.cat([with_counts(real.sum(), loss, (right & real).sum()), whole])

    held_out = Pairs([english.encode(one.source) for one in unseen], [german.encode(one.target) for one in unseen])
    return Task(
        model=model,
        num_samples=len(sentences),
        fingerprint=fingerprint(pad(sources)[0], pad(targets)[0]),
        batch_of=Pairs(sources, targets),
        held_out=HeldOut(held_out, len(unseen), config.batch_size),
        loss_sum=loss_sum,
        score_names=("loss", "accuracy", "exact_match"),
        scores=scores,
        is_causal=lambda name: name.startswith("decoder.") and name.endswith(".self_attention"),
    )


@dataclass(frozen=True)
class Pairs:
    """Numbers -> source (B, S), lengths (B,) and targets (B, T), padded."""

    sources: list[list[int]]
    targets: list[list[int]]

    def __call__(self, numbers: list[int]) -> Batch:
        return (*pad([self.sources[i] for i in numbers]), pad([self.targets[i] for i in numbers])[0])


# ---- text -----------------------------------------------------------------------------------------------------------


def text_model(config: Configuration, vocab_size: int) -> CausalLanguageModel:
    """Drawn from config.seed."""
    torch.manual_seed(config.seed)
    return CausalLanguageModel(
        vocab_size, config.length, config.d_model, config.num_heads, config.d_ff, config.num_layers, config.dropout
    )


def language(config: Configuration, kind: str, where: str) -> Task:
    """The next token, everywhere. Text is laid out in stretches of `length`, and a sample is a window that begins
    somewhere in its stretch, at another place each time."""
    temporary = None if config.out else tempfile.TemporaryDirectory()
    folder = Path(temporary.name if temporary else config.out)
    training, validation, tokenizer, of_text = tokens_in(folder, config, kind, where)
    train = Windows(training, tokenizer.num_bytes, config.length, moved=True)
    test = Windows(validation, tokenizer.num_bytes, config.length, moved=False)
    if not len(train) or not len(test):
        raise TrainingError(
            f"data: windows of {config.length} + 1 tokens need {2 * config.length} to train on and {config.length + 1} "
            f"to hold out, got {training.count} and {validation.count}; lower length or take a longer text"
        )
    model = text_model(config, len(tokenizer.num_bytes))

    def loss_sum(model, batch: Batch) -> tuple[Tensor, Tensor]:
        tokens, _ = batch
        logits, targets = model(tokens[:, :-1]), tokens[:, 1:]
        losses = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="sum")
        return losses, torch.full_like(losses, targets.numel())

    def scores(model, batch: Batch) -> Tensor:
        losses, count = loss_sum(model, batch)
        of_tokens, of_bytes = with_counts(count, losses), with_counts(batch[1].sum(), losses / math.log(2))
        if config.tokens == "bpe":
            return torch.cat([of_tokens, of_bytes])
        return torch.cat([of_tokens, with_counts(count, losses / math.log(2)), of_bytes])

    multiplied = linear_weights(model) + model.token_embedding.weight.numel()  # the last product is with the embedding
    return Task(
        model=model,
        num_samples=keep(config.samples, len(train)),
        fingerprint=of_text,
        batch_of=train,
        held_out=HeldOut(test, len(test), config.batch_size),
        loss_sum=loss_sum,
        score_names=("loss", "bits_per_byte")
        if config.tokens == "bpe"
        else ("loss", "bits_per_character", "bits_per_byte"),
        scores=scores,
        is_causal=lambda name: True,
        tokens_per_sample=config.length,
        flops_per_sample=training_flops(multiplied, config.length, config),
        tokenizer=tokenizer,
        temporary=temporary,
    )

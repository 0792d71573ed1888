"""Text as tokens: encoded once, kept in the run's folder, and read from the disk a window at a time.

In the folder are `tokenizer.json` (characters.json for characters), learned from the training text alone, and in
`tokens/` the ids as plain arrays, training.bin and held_out.bin, with what they are in tokens.json, written last. A run
that goes on reads these and no longer the text. Letters: B batch, T window, V vocabulary.
"""

import functools
import importlib
import itertools
import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from course import files
from course.data.text import HELD_OUT, Characters, reference_text
from training.configuration import Configuration, TrainingError, explained
from training.hub import column, hub_data

Text = Callable[[], Iterator[str]]  # begun anew by each call; in pieces of about a million characters


# ---- where text comes from ------------------------------------------------------------------------------------------


def texts(kind: str, where: str) -> tuple[Text, Text]:
    """The text to train on, and the text held out: the last tenth of the characters where nothing else says."""
    if kind == "generated":
        training, held_out = reference_text()
        return lambda: iter([training]), lambda: iter([held_out])
    if kind == "text":
        if not Path(where).exists():
            raise TrainingError(f"data: there is no file or folder {where}")
        paths = sorted(Path(where).rglob("*.txt")) if Path(where).is_dir() else [Path(where)]
        if not paths:
            raise TrainingError(f"data: {where} has no files that end in .txt")
        text = functools.partial(of_files, paths)
    else:
        train, test = hub_data(where)
        if test is not None:
            return functools.partial(of_rows, train), functools.partial(of_rows, test)
        text = functools.partial(of_rows, train)
    total = sum(map(len, text()))
    if not total:
        raise TrainingError(f"data: {where} has no text in it")
    cut = int(total * (1 - HELD_OUT))
    return functools.partial(part, text, 0, cut), functools.partial(part, text, cut, total)


def of_files(paths: Iterable[Path]) -> Iterator[str]:
    for path in paths:
        with path.open(encoding="utf-8") as file:
            while piece := file.read(2**20):
                yield piece + file.readline(2**16)  # to the line's end, so that few words are cut in two


def of_rows(rows: Any) -> Iterator[str]:
    name, gathered, size = column(rows, ("text",)), list[str](), 0
    for row in rows:
        gathered.append(row[name] + "\n\n")
        size += len(gathered[-1])
        if size >= 2**20:
            yield "".join(gathered)
            gathered, size = [], 0
    yield "".join(gathered)


def part(text: Text, start: int, stop: int) -> Iterator[str]:
    """The characters from start to stop."""
    place = 0
    for piece in text():
        if chosen := piece[max(0, start - place) : max(0, stop - place)]:
            yield chosen
        place += len(piece)


# ---- tokenizers -----------------------------------------------------------------------------------------------------


class ByCharacter:
    """A token is a character of the training text; all others are one token, UNKNOWN."""

    file = "characters.json"

    def __init__(self, characters: str):
        self.characters = Characters(characters)
        self.num_bytes = np.array([len(c.encode()) for c in self.characters.characters])  # (V,)

    @classmethod
    def learned(cls, text: Text, vocab_size: int) -> "ByCharacter":
        return cls("".join(sorted(set().union(*map(set, text())))))

    @classmethod
    def load(cls, path: Path) -> "ByCharacter":
        return cls("".join(json.loads(path.read_text(encoding="utf-8"))))

    def save(self, path: Path) -> None:
        files.replace(path, json.dumps(self.characters.characters[1:]))

    def encode(self, pieces: list[str]) -> list[int]:
        return self.characters.encode("".join(pieces)).tolist()

    def decode(self, ids: list[int]) -> str:
        return self.characters.decode(torch.tensor(ids, dtype=torch.int64))


class ByBPE:
    """Byte-level byte-pair encoding, as GPT-2's (Radford et al., 2019): a token is a run of bytes that is frequent in
    the training text, and every text can be written. Learned and applied by Hugging Face's `tokenizers`."""

    file = "tokenizer.json"

    def __init__(self, tokenizer: Any):
        self.tokenizer = tokenizer
        names = (tokenizer.id_to_token(i) for i in range(tokenizer.get_vocab_size()))
        self.num_bytes = np.array([len(name) for name in names])  # (V,): a byte is one letter of a token's name

    @classmethod
    def learned(cls, text: Text, vocab_size: int) -> "ByBPE":
        library = tokenizers_library()
        tokenizer = library.Tokenizer(library.models.BPE())
        tokenizer.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = library.decoders.ByteLevel()
        trainer = library.trainers.BpeTrainer(
            vocab_size=vocab_size,
            initial_alphabet=library.pre_tokenizers.ByteLevel.alphabet(),  # all 256 bytes
            show_progress=False,
        )
        tokenizer.train_from_iterator(text(), trainer)
        return cls(tokenizer)

    @classmethod
    def load(cls, path: Path) -> "ByBPE":
        library = tokenizers_library()
        try:
            return cls(library.Tokenizer.from_file(str(path)))
        except Exception as error:  # the library raises nothing narrower
            raise TrainingError(f"{path} is no tokenizer: {error}") from error

    def save(self, path: Path) -> None:
        files.replace(path, self.tokenizer.to_str())

    def encode(self, pieces: list[str]) -> list[int]:
        return [i for encoded in self.tokenizer.encode_batch_fast(pieces) for i in encoded.ids]

    def decode(self, ids: list[int]) -> str:
        return self.tokenizer.decode(ids)


def tokenizers_library() -> Any:
    try:
        return importlib.import_module("tokenizers")
    except ImportError:
        raise TrainingError("--tokens bpe needs the library tokenizers: pip install tokenizers") from None


Tokenizer = ByCharacter | ByBPE
TOKENIZERS: dict[str, type[ByCharacter] | type[ByBPE]] = {"characters": ByCharacter, "bpe": ByBPE}


# ---- tokens on the disk ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tokens:
    """The ids of one part of a text, in a file. count: how many; dtype: NumPy's name of their type."""

    path: Path
    dtype: str
    count: int

    def ids(self) -> np.ndarray:
        """Mapped, not read: (count,). Raises TrainingError where the file has another size."""
        with explained(f"cannot read {self.path}"):
            ids = np.memmap(self.path, self.dtype, mode="r")
        if len(ids) != self.count:
            raise TrainingError(f"{self.path} has {len(ids)} tokens where {self.count} were written; {MEND}")
        return ids


MEND = "remove the folder it is in, and the same command encodes the text again"


@dataclass(frozen=True)
class Windows:
    """Numbers -> windows (B, T + 1) int64 that begin at every T-th token, and how many bytes each one's last T tokens
    stand for, (B,). With moved=True a window begins up to T - 1 tokens later, at another place each time."""

    tokens: Tokens
    num_bytes: np.ndarray  # (V,)
    length: int
    moved: bool

    def __len__(self) -> int:
        return max(0, (self.tokens.count - 1) // self.length - self.moved)

    def __call__(self, numbers: list[int]) -> tuple[Tensor, Tensor]:
        starts = torch.tensor(numbers) * self.length
        if self.moved:
            starts = starts + torch.randint(self.length, (len(numbers),))
        windows = self.tokens.ids()[starts.numpy()[:, None] + np.arange(self.length + 1)].astype(np.int64)
        return torch.from_numpy(windows), torch.from_numpy(self.num_bytes[windows[:, 1:]].sum(axis=1))


def tokens_in(folder: Path, config: Configuration, kind: str, where: str) -> tuple[Tokens, Tokens, Tokenizer, str]:
    """The tokens to train on, those held out, the tokenizer, and a fingerprint of it all; encoded first where the
    folder has none. Raises TrainingError where what is there is damaged or belongs to another tokenizer."""
    of_kind = TOKENIZERS[config.tokens]
    path, about = folder / of_kind.file, folder / "tokens" / "tokens.json"
    if not about.exists():
        encode(folder, of_kind, config, kind, where)
    with explained(f"cannot read {about}; {MEND}"):
        facts = json.loads(about.read_text(encoding="utf-8"))
        training, held_out = (
            Tokens(folder / "tokens" / f"{name}.bin", facts["dtype"], facts[name]) for name in ("training", "held_out")
        )
    with explained(f"cannot read {path}"):
        if checksum(path) != facts["tokenizer"]:
            raise TrainingError(f"{path} is not the tokenizer that tokens/ was encoded with; {MEND}")
        tokenizer = of_kind.load(path)
        for tokens in (training, held_out):
            if checksum(tokens.path) != facts[f"{tokens.path.stem}_checksum"]:
                raise TrainingError(f"{tokens.path} is damaged; {MEND}")
    fingerprint = f"{training.count} and {held_out.count} tokens, checksum {facts['training_checksum']}"
    return training, held_out, tokenizer, fingerprint


def encode(folder: Path, of_kind: Any, config: Configuration, kind: str, where: str) -> None:
    """Learn a tokenizer, unless the folder has one, and write the tokens."""
    training, held_out = texts(kind, where)
    (folder / "tokens").mkdir(parents=True, exist_ok=True)
    path = folder / of_kind.file
    if not path.exists():
        of_kind.learned(training, config.vocab_size).save(path)
    tokenizer = of_kind.load(path)
    if len(tokenizer.num_bytes) > config.vocab_size and config.tokens == "bpe":
        raise TrainingError(
            f"{path} is there already and has {len(tokenizer.num_bytes)} tokens, more than vocab_size, "
            f"{config.vocab_size}: remove it, or raise --vocab-size"
        )
    dtype = np.dtype(np.uint16 if len(tokenizer.num_bytes) <= 2**16 else np.uint32)
    facts: dict[str, Any] = {"dtype": dtype.name, "vocab_size": len(tokenizer.num_bytes), "tokenizer": checksum(path)}
    for name, text in (("training", training), ("held_out", held_out)):
        to = folder / "tokens" / f"{name}.bin"
        facts[name], pieces = 0, text()
        with to.open("wb") as file:
            while some := list(itertools.islice(pieces, 16)):  # at once, since the library takes all cores
                ids = np.array(tokenizer.encode(some), dtype=dtype)
                ids.tofile(file)
                facts[name] += len(ids)
        facts[f"{name}_checksum"] = checksum(to)
    files.replace(folder / "tokens" / "tokens.json", json.dumps(facts, indent=1))


def checksum(path: Path) -> str:
    """Of a file's bytes."""
    of_bytes = 0
    with path.open("rb") as file:
        while block := file.read(2**20):
            of_bytes = zlib.crc32(block, of_bytes)
    return f"{of_bytes:08x}"

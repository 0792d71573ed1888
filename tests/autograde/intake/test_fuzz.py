"""The intake under files that nobody has thought of: real notebooks and archives, damaged in many ways, by a seed.

Whatever comes, there is a result or a refusal in one sentence, within its limits; the grader's process raises nothing,
writes nothing, and reads the next good submission as before. `--full` takes many times as many.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import resource
import shutil
import struct
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograde.intake.intake import Intake
from autograde.intake.jail import LIMITS
from autograde.intake.unpack import Budget, Damaged, TooMuch
from autograde.text import without_controls
from tests.autograde import broken
from tools.notebooks.files import ROOT

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.xdist_group("intake"),
    pytest.mark.skipif(sys.platform != "linux" or shutil.which("bwrap") is None, reason="needs Linux and bubblewrap"),
]
RELEASED = (ROOT / "notebooks" / f"{broken.NAME}.ipynb").read_bytes()
MEMORY = 1024 << 20  # bytes that the grader's own process may take on, for any one file
SECONDS = 90.0  # wall time for any one file, on a machine that does much else
SMALL = replace(LIMITS, cpu_seconds=10, wall_seconds=40.0)

TEXTS = [
    "", "\0", "\ud800", "\u202e\u2066drow", "\x1b[2J\x07", "a" * 300_000, "(" * 5_000, "-" * 20_000 + "1",
    "x = '\0'", "lambda: " * 3_000 + "0", "f'{" * 200, "%%time\n%%time", "!" * 1_000, "\r\n\x0b\x0c\u2028", "é" * 9,
    "def f(:\n" * 500, "x" + ".y" * 20_000, "[" * 150 + "]" * 150, "\ufeffx = 1", "%%\u202e\nx", "?" * 900,
    "x = 0x" + "f" * 50_000, "1" * 20_000, "from __future__ import braces", "\\", '"""', "\t \tx", "await x", "𝒙 = 1",
]  # fmt: skip
VALUES: list[Any] = [
    None, True, -1, 0, 1e308, 10**400, [], {}, [[[]]], {"a": {"b": {}}}, ["x", 1], [None], {"": ""}, float("inf"),
    *TEXTS[:8],
]  # fmt: skip
OF_FILES = ["C:\\x", "a\\..\\b", "\u202egnp.exe", "\x1b[2J", "n\nn", "é\ud800"]
NAMES = ["../up", "/abs", "a/../../b", "x" * 5_000, "", ".", *OF_FILES]


# ---------------------------------------------------------------- notebooks


def anywhere(value: Any, chance: random.Random) -> tuple[Any, Any]:
    """(a list or dictionary inside the value, one of its places)."""
    while True:
        places = list(value) if isinstance(value, dict) else range(len(value))
        place = chance.choice(places)
        inner = value[place]
        if not (isinstance(inner, (dict, list)) and inner) or chance.random() < 0.2:
            return value, place
        value = inner


def wrong_types(data: bytes, chance: random.Random) -> bytes:
    made = json.loads(data)
    for _ in range(chance.randrange(1, 12)):
        inside, place = anywhere(made, chance)
        inside[place] = chance.choice(VALUES)
    return json.dumps(made).encode()


def odd_sources(data: bytes, chance: random.Random) -> bytes:
    made = json.loads(data)
    for _ in range(chance.randrange(1, 8)):
        chance.choice(made["cells"])["source"] = chance.choice(TEXTS)
    return json.dumps(made, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")


def cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def flipped(data: bytes, chance: random.Random) -> bytes:
    made = bytearray(data)
    for _ in range(chance.choice([1, 5, 100])):
        made[chance.randrange(len(made))] ^= 1 << chance.randrange(8)
    return bytes(made)


def spliced(data: bytes, chance: random.Random) -> bytes:
    (a, b), at = sorted(chance.randrange(len(data)) for _ in "ab"), chance.randrange(len(data))
    return data[:at] + data[a : min(b, a + 20_000)] + data[at:]


def nested(data: bytes, chance: random.Random) -> bytes:
    deep = chance.choice([100, 990, 5_000, 200_000])
    opening, closing = chance.choice([("[", "]"), ('{"a":', "}")])
    made = opening * deep + "1" + closing * deep
    return data.replace(b'"metadata"', b'"deep": ' + made.encode() + b', "metadata"', 1)


def doubled(data: bytes, chance: random.Random) -> bytes:
    keys = ",".join(f'"k{i % 20_000}": {i}' for i in range(40_000))
    return data.replace(b"{", b"{" + keys.encode() + b",", chance.randrange(1, 3))


def numbers(data: bytes, chance: random.Random) -> bytes:
    huge = chance.choice([b"9" * 100_000, b"1e999999", b"-" + b"0." + b"1" * 50_000, b"NaN", b"-Infinity"])
    return data.replace(b": null", b": " + huge).replace(b"4,", huge + b",", 1)


def many_cells(data: bytes, chance: random.Random) -> bytes:
    made = json.loads(data)
    cell = {"cell_type": chance.choice(["code", "markdown"]), "metadata": {}, "source": chance.choice(["x = 1", ""])}
    made["cells"] = (made["cells"] + [cell] * chance.choice([4_900, 100_000]))[-100_000:]
    return json.dumps(made).encode()


def giant(data: bytes, chance: random.Random) -> bytes:
    made = json.loads(data)
    size, letter = chance.choice([1_000_000, 9_000_000]), chance.choice(["a", "[", "é", "\u202e", "\n", "a = 1\n"])
    made["cells"][chance.randrange(len(made["cells"]))]["source"] = (letter * size)[:size]
    return json.dumps(made, ensure_ascii=False).encode()


def other_encodings(data: bytes, chance: random.Random) -> bytes:
    return data.decode().encode(chance.choice(["utf-16", "utf-32", "utf-8-sig", "utf-7", "cp037"]), "replace")


def old_formats(data: bytes, chance: random.Random) -> bytes:
    made = json.loads(data)
    cells = made.pop("cells")
    made["nbformat"] = chance.choice([1, 2, 3, -1, "3"])
    made["worksheets"] = chance.choice([[{"cells": cells}], cells, [7]])
    return json.dumps(made).encode()


def conflicts(data: bytes, chance: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    marks = [b"<<<<<<< a\n", b"=======\n", b">>>>>>> b\n", b"||||||| c\n"]
    for _ in range(chance.randrange(1, 9)):
        lines.insert(chance.randrange(len(lines)), chance.choice(marks))
    return b"".join(lines)


NOTEBOOKS: list[Callable[[bytes, random.Random], bytes]] = [
    wrong_types, odd_sources, cut, flipped, spliced, nested, doubled, numbers, many_cells, giant, other_encodings,
    old_formats, conflicts,
]  # fmt: skip


# ---------------------------------------------------------------- archives


def zipped(chance: random.Random) -> bytes:
    held = io.BytesIO()
    kind = chance.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
    with zipfile.ZipFile(held, "w", kind) as archive:
        for name, data in members(chance):
            info = zipfile.ZipInfo(name.encode("utf-8", "replace").decode())
            info.external_attr = chance.choice([0, 0, 0o100644, 0o120777, 0o020666, 0o060666]) << 16
            archive.writestr(info, data, kind)
    return held.getvalue()


def tarred(chance: random.Random) -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w", format=chance.choice([0, 1, 2])) as archive:
        for name, data in members(chance):
            info = tarfile.TarInfo(name[:90].encode("utf-8", "replace").decode())
            info.type = chance.choice([b"0", b"0", b"0", b"0", b"1", b"2", b"3", b"6", b"S", b"V"])
            info.linkname, info.size = chance.choice(["/etc/passwd", "../x", ""]), len(data) if info.isreg() else 0
            try:
                archive.addfile(info, io.BytesIO(data))
            except (ValueError, UnicodeError):
                continue
    return chance.choice([held.getvalue(), gzip.compress(held.getvalue())])


def members(chance: random.Random) -> list[tuple[str, bytes]]:
    inner = zipfile.ZipFile(io.BytesIO(), "w")
    inner.writestr("x", bytes(100_000))
    held = inner.fp
    inner.close()
    contents = [RELEASED, b"", bytes(20 << 20), held.getvalue(), b"x"]  # type: ignore[union-attr]
    names = [*NAMES, "ada/02-bahdanau.ipynb", "ada/02-bahdanau.ipynb", "folder/", "ok.txt"]
    return [(chance.choice(names), chance.choice(contents)) for _ in range(chance.randrange(1, 6))]


def wrong_sizes(data: bytes, chance: random.Random) -> bytes:
    """A zip whose directory, or a tar whose headers, lie about sizes and places."""
    made = bytearray(data)
    marks = (b"PK\x01\x02", 8, 46), (b"PK\x03\x04", 6, 30), (b"PK\x05\x06", 4, 22), (b"ustar", -160, 8)
    for mark, first, last in marks:
        at = data.find(mark)
        if at >= 0 and chance.random() < 0.6:
            place = min(max(at + chance.randrange(first, last), 0), len(made) - 4)
            made[place : place + 4] = struct.pack("<I", chance.choice([0, 1, 0x7FFFFFFF, 0xFFFFFFFF, 1 << 20]))
    return bytes(made)


ARCHIVES = [lambda data, chance: data, cut, flipped, spliced, wrong_sizes]


# ---------------------------------------------------------------- what holds


@pytest.fixture(scope="module")
def intake():
    with Intake(nbformat.reads(RELEASED.decode(), as_version=4), SMALL) as intake:
        yield intake


def one_sentence(text: str) -> bool:
    return bool(text) and text[-1] == "." and "\n" not in text and len(text) <= 1_000 and without_controls(text) == text


@pytest.fixture
def held():
    """Bounds on this process while files are read."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def in_a_folder(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.rglob("*"))


@pytest.mark.parametrize("damage", NOTEBOOKS, ids=lambda damage: damage.__name__)
def test_any_notebook_is_read_or_refused(intake, held, tmp_path, monkeypatch, full, damage):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / f"{broken.NAME}.ipynb"
    file.write_bytes(RELEASED)
    good = intake.receive(file, broken.NAME)
    assert good.notebook is not None
    for seed in range(60 if full else 3):
        data = damage(RELEASED, random.Random(f"{damage.__name__} {seed}"))
        file.write_bytes(data)
        started = time.monotonic()
        seen = intake.receive(file, broken.NAME)
        assert time.monotonic() - started < SECONDS, seed
        if seen.notebook is None:
            assert one_sentence(seen.reason_for_student[-1_000:]) and seen.reason_for_instructor, (seed, seen)
        else:
            merged = intake.merged(seen)
            text = json.dumps(merged.notebook, ensure_ascii=False)
            assert len(merged.notebook.cells) >= len(intake.assignment.cells) and without_controls(text) == text
            assert all(one_sentence(note) for note in merged.notes), (seed, merged.notes)
            assert all(cell.names is not None for cell in merged.cells if cell.kind != "given"), seed
        assert all(one_sentence(note) for note in seen.notes), (seed, seen.notes)
        assert in_a_folder(tmp_path) == [str(file)]
    file.write_bytes(RELEASED)
    assert intake.receive(file, broken.NAME) == good


@pytest.mark.parametrize("name", OF_FILES)
def test_any_name_of_a_file_can_be_shown(intake, tmp_path, name):
    path = os.path.join(os.fsencode(tmp_path), os.fsencode(name.replace("\ud800", "\udcff")) + b".ipynb")
    with open(path, "wb") as file:
        file.write(RELEASED)
    seen = intake.receive(tmp_path, broken.NAME)
    assert seen.notebook is not None and len(seen.notes) == 1
    for text in (seen.name, *seen.notes, *seen.details):
        assert without_controls(text) == text and "\n" not in text and text.encode()


@pytest.mark.parametrize("pack", [zipped, tarred], ids=["zip", "tar"])
@pytest.mark.parametrize("damage", ARCHIVES, ids=["whole", "cut", "flipped", "spliced", "wrong_sizes"])
def test_any_archive_is_unpacked_or_refused(intake, held, tmp_path, monkeypatch, full, pack, damage):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "archive"
    room = 8 << 20
    for seed in range(60 if full else 3):
        chance = random.Random(f"{pack.__name__} {seed}")
        path.write_bytes(damage(pack(chance), chance))
        started, taken = time.monotonic(), 0
        try:
            for member in intake.unpack(path, Budget(room, 2_000), SMALL):
                assert len(member.name.encode().decode()) <= 4096 and "\0" not in member.name
                assert without_controls(member.refused) == member.refused
                try:
                    if not member.refused and chance.random() < 0.7:
                        taken += sum(map(len, member.chunks))
                except Damaged as error:
                    assert str(error) and without_controls(str(error)) == str(error)
        except (Damaged, TooMuch) as error:
            assert str(error) and without_controls(str(error)) == str(error)
        assert taken <= room
        assert time.monotonic() - started < SECONDS, seed
        assert in_a_folder(tmp_path) == [str(path)]
    assert intake.contents(RELEASED).notebook is not None

"""Data that are read as they are needed: images decoded and text mapped, by workers too, to equal bits."""

import contextlib
import pickle
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from course.data.text import reference_text
from tests import processes
from tests.training.runs import (
    ALONE,
    TINY,
    assert_equal_weights,
    command,
    curves,
    draw_images,
    refused,
    step_of,
    wait_for,
)
from training.configuration import Configuration, TrainingError, parse
from training.devices import Process
from training.loading import Loader, begin_worker
from training.loop import main, run, trained
from training.tasks import make_task
from training.text import ByBPE, ByCharacter, Tokens, Windows

EVERYTHING = [
    "--crop-scale", "0.3", "--flip", "0.5", "--rand-augment", "9", "--erasing", "0.25", "--mixup", "0.8",
    "--cutmix", "1", "--stochastic-depth", "0.2", "--label-smoothing", "0.1",
]  # fmt: skip
LANGUAGE = [*TINY, "--model", "language-model", "--length", "16"]
BPE = [*LANGUAGE, "--tokens", "bpe", "--vocab-size", "300"]


@pytest.fixture
def photos(tmp_path) -> Path:
    for name in ("bright", "dark"):
        draw_images(tmp_path / "photos" / name, 20, name)
    return tmp_path / "photos"


@pytest.fixture
def words(tmp_path) -> Path:
    (tmp_path / "words.txt").write_text(reference_text()[0][:30_000], encoding="utf-8")
    return tmp_path / "words.txt"


def parents() -> dict[int, int]:
    """The parent of every process that has not ended."""
    found = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # ended while we look
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
            if state != "Z":
                found[int(stat.parent.name)] = int(parent)
    return found


def running_under(pid: int) -> list[int]:
    below = [child for child, parent in parents().items() if parent == pid]
    return below + [pid for child in below for pid in running_under(child)]


# ---- workers --------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("kind", ["images", "text"])
def test_killed_with_workers_on_it_goes_on_without_them_to_equal_bits(kind, photos, words, tmp_path):
    data = [*TINY, "--data", f"images:{photos}", *EVERYTHING] if kind == "images" else [*BPE, "--data", f"text:{words}"]
    arguments = [*data, "--steps", "120", "--checkpoint-every", "10", "--accumulate", "2"]
    main([*arguments, "--out", str(tmp_path / "whole"), *ALONE])

    folder = tmp_path / "killed"
    # Not a daemon, as others here are: those may have no processes of their own.
    process = processes.context().Process(
        target=command, args=([*arguments, "--out", str(folder), "--num-workers", "2"], {})
    )
    process.start()
    try:
        wait_for(folder / "checkpoint.pt", process)
        descendants = running_under(process.pid)
    finally:
        process.kill()
        process.join()
    assert len(descendants) >= 3  # two workers and what starts them
    end = time.monotonic() + 60
    while set(descendants) & parents().keys():
        assert time.monotonic() < end, "workers outlive what they work for"
        time.sleep(0.05)
    assert 10 <= step_of(folder) < 120
    main([*arguments, "--out", str(folder), *ALONE])
    assert_equal_weights(tmp_path / "whole", folder)
    assert curves(folder)["train/loss"] == list(range(1, 121))


@pytest.mark.parametrize("name", ["vit", "images", "transformer", "text"])
def test_what_makes_batches_can_be_sent_to_a_worker_and_is_small(name, photos, words):
    data = {"images": f"images:{photos}", "text": f"text:{words}"}.get(name, "generated")
    model = {"images": "vit", "text": "language-model"}.get(name, name)
    task = make_task(Configuration(model=model, data=data, samples=30, crop_scale=0.5 if name == "images" else 1.0))
    for made in (task.batch_of, task.held_out):
        sent = pickle.dumps(made)
        get = (lambda made: made([3, 1])) if made is task.batch_of else (lambda made: made[0])
        torch.manual_seed(0)
        batch = get(made)
        torch.manual_seed(0)
        for one, other in zip(batch, get(pickle.loads(sent)), strict=True):
            assert one.equal(other)
        if name in ("images", "text"):
            assert len(sent) < 5000  # names, not pixels; a path, not tokens


def test_ctrl_c_is_not_a_workers_to_answer():
    before = signal.getsignal(signal.SIGINT)
    try:
        begin_worker(0)  # here, where there is no parent, it ends nothing
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_error_in_a_worker_is_one_line_too(photos, tmp_path):
    """As a value it comes from a worker without the worker's traceback, and is raised here."""
    (photos / "dark" / "3.png").write_text("no image")
    task = make_task(Configuration(data=f"images:{photos}"))
    loader = Loader(task.batch_of, [list(range(36))], 0, Configuration(), Process(0, 1, torch.device("cpu")))
    sent = pickle.loads(pickle.dumps(loader.loader.dataset[list(range(36))]))
    assert isinstance(sent, TrainingError) and "dark/3.png" in str(sent) and "\n" not in str(sent)
    with pytest.raises(TrainingError, match=r"dark/3\.png"):
        list(loader)


# ---- images ---------------------------------------------------------------------------------------------------------


def test_an_image_that_breaks_in_the_midst_is_named_and_mended(photos, tmp_path, capsys, monkeypatch):
    arguments = [*TINY, "--data", f"images:{photos}", "--steps", "30", "--out", str(tmp_path / "run"), *ALONE]
    main([*arguments[:-4], "--out", str(tmp_path / "whole"), *ALONE])
    broken = photos / "dark" / "3.png"
    whole = broken.read_bytes()
    broken.write_bytes(whole[: len(whole) // 2])
    line = refused([*arguments, "--no-verify"], capsys)
    step = step_of(tmp_path / "run") if (tmp_path / "run" / "checkpoint.pt").exists() else 0
    assert f"step {step + 1}: cannot read {broken}" in line and "mend" in line
    broken.write_bytes(whole)
    main(arguments)  # verify may differ when a run goes on
    assert_equal_weights(tmp_path / "whole", tmp_path / "run")


# ---- text -----------------------------------------------------------------------------------------------------------


def test_bpe_is_learned_from_the_training_share_and_kept_in_the_folder(words, tmp_path):
    text = words.read_text(encoding="utf-8")
    cut = int(len(text) * 0.9)
    words.write_text(text[:cut] + "\u0416\u0416\u0416\u0416 " * 600, encoding="utf-8")  # what is held out has Cyrillic
    total = cut + 3000
    arguments = [*BPE, "--data", f"text:{words}", "--steps", "30", "--out", str(tmp_path / "run")]
    scores, _ = run(parse(arguments)[0])
    task = trained(tmp_path / "run")
    text = words.read_text(encoding="utf-8")
    assert len(text) == total
    assert len(task.tokenizer.num_bytes) == 300 and max(task.tokenizer.num_bytes) > 3
    training, held_out = task.batch_of.tokens.ids(), task.held_out.batch_of.tokens.ids()
    assert task.tokenizer.decode(training.tolist()) == text[: int(total * 0.9)]
    assert task.tokenizer.decode(held_out.tolist()) == text[int(total * 0.9) :]
    assert training.dtype == np.uint16 and len(training) < 0.8 * int(total * 0.9)
    assert task.tokenizer.num_bytes[held_out].sum() == len(text[int(total * 0.9) :].encode())
    assert len(task.tokenizer.encode(["\u0416"])) == 2  # two bytes: it was not seen in training
    tokens_per_byte = sum(batch[0][:, 1:].numel() for batch in task.held_out) / sum(
        batch[1].sum().item() for batch in task.held_out
    )
    assert scores["bits_per_byte"] == pytest.approx(scores["loss"] / np.log(2) * tokens_per_byte, rel=1e-4)
    words.unlink()  # encoded once: a run that goes on no longer needs the text
    main(arguments)


def test_characters_have_bits_per_byte_as_well(tmp_path):
    (tmp_path / "words.txt").write_text("äbc " * 200, encoding="utf-8")  # five bytes for four characters
    scores, _ = run(parse([*LANGUAGE, "--data", f"text:{tmp_path / 'words.txt'}", "--steps", "2",
                           "--out", str(tmp_path / "run")])[0])  # fmt: skip
    assert scores["bits_per_byte"] == pytest.approx(scores["bits_per_character"] * 4 / 5, rel=1e-3)


def test_windows_cover_the_text_and_move(tmp_path):
    ids = np.arange(1000, dtype=np.uint16)
    ids.tofile(tmp_path / "ids.bin")
    tokens, num_bytes = Tokens(tmp_path / "ids.bin", "uint16", 1000), np.ones(1000, dtype=np.int64)
    still, moved = (Windows(tokens, num_bytes, 8, moved) for moved in (False, True))
    windows, counts = still(list(range(len(still))))
    assert windows[:, 1:].flatten().tolist() == list(range(1, 1 + 8 * 124)) and counts.tolist() == [8] * 124
    torch.manual_seed(0)
    starts = torch.stack([moved(list(range(len(moved))))[0][:, 0] for _ in range(50)])  # (50, n)
    places = starts - 8 * torch.arange(len(moved))
    assert places.unique().tolist() == list(range(8)) and moved([len(moved) - 1])[0].max() < 1000


def test_a_folder_of_texts_is_one_text(tmp_path, monkeypatch):
    monkeypatch.setattr("training.text.of_files", of_small_pieces)
    folder = tmp_path / "texts"
    (folder / "more").mkdir(parents=True)
    (folder / "a.txt").write_text("abc\n" * 100)
    (folder / "more" / "b.txt").write_text("xyz\n" * 100)
    (folder / "notes.md").write_text("no text of these")
    task = make_task(Configuration(model="language-model", data=f"text:{folder}", length=4))
    training, held_out = (tokens.ids().tolist() for tokens in (task.batch_of.tokens, task.held_out.batch_of.tokens))
    assert task.tokenizer.decode(training) == "abc\n" * 100 + "xyz\n" * 80
    assert task.tokenizer.decode(held_out) == "xyz\n" * 20


def of_small_pieces(paths):
    """As text comes that is larger than one piece."""
    for path in paths:
        text = path.read_text()
        yield from (text[i : i + 7] for i in range(0, len(text), 7))


def test_damaged_tokens_and_other_tokenizers_are_refused_in_one_line(words, tmp_path, capsys):
    arguments = [*BPE, "--data", f"text:{words}", "--steps", "3", "--out", str(tmp_path / "run")]
    main(arguments)
    checkpoint = (tmp_path / "run" / "checkpoint.pt").read_bytes()
    training, tokenizer = tmp_path / "run" / "tokens" / "training.bin", tmp_path / "run" / "tokenizer.json"
    good, learned = training.read_bytes(), tokenizer.read_bytes()
    for content in (good[:-2], good[:100] + b"\xff\xff" + good[102:], b""):
        training.write_bytes(content)
        line = refused(arguments, capsys)
        assert f"{training} is damaged" in line and "the same command encodes the text again" in line
    for path in (tmp_path / "run" / "tokens").iterdir():
        path.unlink()
    main(arguments)  # as it says; the tokenizer is kept, so it is the same data
    assert training.read_bytes() == good

    other = ByBPE.learned(lambda: iter(["another text"] * 9), 258)
    other.save(tokenizer)
    assert f"{tokenizer} is not the tokenizer that" in refused(arguments, capsys)
    tokenizer.write_text("{")
    assert "is not the tokenizer that" in refused(arguments, capsys)
    tokenizer.write_bytes(learned)
    (tmp_path / "run" / "tokens" / "tokens.json").write_text("{}")
    assert "tokens.json" in refused(arguments, capsys)
    assert (tmp_path / "run" / "checkpoint.pt").read_bytes() == checkpoint

    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "tokenizer.json").write_bytes(learned)
    smaller = [*arguments[:-1], str(tmp_path / "new"), "--vocab-size", "280"]
    assert "has 300 tokens, more than vocab_size, 280" in refused(smaller, capsys)


def test_tokens_that_change_while_a_run_is_at_work_are_named(tmp_path):
    np.arange(10, dtype=np.uint16).tofile(tmp_path / "ids.bin")
    windows = Windows(Tokens(tmp_path / "ids.bin", "uint16", 20), np.ones(10, dtype=np.int64), 4, False)
    with pytest.raises(TrainingError, match=r"ids\.bin has 10 tokens where 20 were written"):
        windows([0])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "there is no file or folder"),
        (b"", "has no text in it"),
        (b"too short", "need 32 to train on and 17 to hold out, got 8 and 1"),
        (b"\xff\xfe\x00", "utf-8"),
    ],
    ids=["none", "empty", "short", "not UTF-8"],
)
def test_texts_that_cannot_be_used_are_refused_and_leave_no_folder(content, words, tmp_path, capsys):
    if content is not None:
        (tmp_path / "a.txt").write_bytes(content)
    arguments = [*LANGUAGE, "--data", f"text:{tmp_path / 'a.txt'}", "--out", str(tmp_path / "run")]
    assert words in refused(arguments, capsys)
    assert not (tmp_path / "run").exists()


def test_without_the_library_bpe_says_what_to_do(words, tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    assert "pip install tokenizers" in refused([*BPE, "--data", f"text:{words}", "--out", str(tmp_path / "r")], capsys)


def test_a_folder_without_texts_is_named(tmp_path, capsys):
    arguments = [*LANGUAGE, "--data", f"text:{tmp_path}", "--out", str(tmp_path / "run")]
    assert "has no files that end in .txt" in refused(arguments, capsys)


def test_characters_round_trip_and_others_are_unknown(tmp_path):
    ByCharacter.learned(lambda: iter(["ab\n", "ä"]), 0).save(tmp_path / "characters.json")
    kept = ByCharacter.load(tmp_path / "characters.json")
    assert kept.decode(kept.encode(["bä", "a\n"])) == "bäa\n" and kept.encode(["z"]) == [0]
    assert kept.num_bytes.tolist() == [3, 1, 1, 1, 2]

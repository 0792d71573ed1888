"""The training program: it learns, goes on after anything to equal bits, and refuses what it should in one line."""

import itertools
import os
import random
import resource
import signal
import subprocess
import sys
import time
import types
from collections import Counter
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import training.step
from tests.training.runs import (
    ALONE,
    TINY,
    VIT,
    assert_equal_weights,
    curves,
    draw_images,
    refused,
    start,
    step_of,
    wait_for,
    wait_for_another,
    weights,
)
from training import devices, images, loop, tasks
from training.configuration import FIELDS, Configuration, TrainingError, as_toml, parse, read_toml
from training.devices import Process
from training.folder import open_folder
from training.loading import Samples
from training.loop import main, trained
from training.step import optimizer_of, rate, take_step
from training.tasks import make_task

# ---- it trains ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "name", "at_least", "at_most"),
    [
        (["--model", "vit", "--max-shift", "0", "--steps", "250"], "accuracy", 0.5, 1.0),
        (["--model", "transformer", "--numbers", "1", "--samples", "300", "--steps", "150"], "accuracy", 0.5, 1.0),
        (["--model", "language-model", "--length", "16", "--steps", "150"], "bits_per_character", 2.0, 4.2),
    ],
    ids=["vit", "transformer", "language-model"],
)
def test_each_model_learns(arguments, name, at_least, at_most, tmp_path):
    config, _ = parse([*TINY, "--batch-size", "16", "--d-model", "16", *arguments, "--out", str(tmp_path / "run")])
    scores, stopped = loop.run(config)
    assert stopped == 0 and at_least <= scores[name] <= at_most, scores
    task = trained(tmp_path / "run")
    total = sum(task.scores(task.model, batch) for batch in task.held_out)
    again = dict(zip(task.score_names, (total[:, 0] / total[:, 1]).tolist(), strict=True))
    assert again == pytest.approx(scores, rel=1e-4)  # what is loaded is what was trained


UNEQUAL = [*TINY, "--model", "transformer", "--samples", "64", "--steps", "6", "--learning-rate", "0.001"]
# The scores of a query all move by the same where the keys' bias moves, and their softmax does not: its gradient is
# rounding and nothing else, of which Adam makes whole steps.
ROUNDING = "W_K.bias"


@pytest.mark.parametrize(
    ("more", "tolerance"),
    [
        (["--accumulate", "4"], 1e-5),
        (["--fused"], 1e-5),
        (["--dtype", "bfloat16"], 0.05),
        (["--dtype", "float16", "--accumulate", "2"], 0.05),
    ],
    ids=["accumulate", "fused", "bfloat16", "float16"],
)
def test_the_same_training_done_otherwise(more, tolerance, tmp_path):
    """Sentences of unequal length, so that pieces have unequally many predictions."""
    main([*UNEQUAL, "--out", str(tmp_path / "plain")])
    main([*UNEQUAL, *more, "--out", str(tmp_path / "other")])
    assert_equal_weights(tmp_path / "plain", tmp_path / "other", tolerance, but=ROUNDING)
    # and the losses in the curves are the same ones
    losses = [
        [event.value for event in EventAccumulator(str(tmp_path / name)).Reload().Scalars("train/loss")]
        for name in ("plain", "other")
    ]
    assert losses[1] == pytest.approx(losses[0], rel=0.02)


def test_float16_needs_no_other_scale_where_a_batch_comes_in_pieces():
    """Their losses are summed; scaled as sums they would have gradients beyond float16, and step after step be lost."""
    config = Configuration(model="language-model", batch_size=32, accumulate=2, dtype="float16")
    task, process = make_task(config), Process(0, 1, torch.device("cpu"))
    optimizer = optimizer_of(task.model, config, process.device)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**12)
    pieces = [task.batch_of(list(range(16 * i, 16 * i + 16))) for i in range(2)]
    take_step(task.model, task, pieces, optimizer, scaler, config, process)
    assert scaler.get_scale() == 2.0**12


def test_a_mean_of_the_pieces_means_is_another_training(tmp_path, monkeypatch):
    """What the tolerance above is for: this fault moves the weights by more than a hundred times as much."""
    right = training.step.accumulate

    def mean_of_means(model, loss_sum_of, pieces):
        def mean_of(model, piece):
            loss_sum, predictions = loss_sum_of(model, piece)
            return loss_sum / predictions, 1

        return right(model, mean_of, pieces)

    main([*UNEQUAL, "--out", str(tmp_path / "plain")])
    monkeypatch.setattr(training.step, "accumulate", mean_of_means)
    main([*UNEQUAL, "--accumulate", "4", "--out", str(tmp_path / "other")])
    with pytest.raises(AssertionError):
        assert_equal_weights(tmp_path / "plain", tmp_path / "other", 1e-3, but=ROUNDING)


def test_the_rate_rises_in_a_line_and_falls_along_a_cosine():
    config = Configuration(steps=110, warm_up=10)
    rates = [rate(step, config) for step in range(111)]
    assert rates[:10] == pytest.approx([(i + 1) / 10 for i in range(10)])
    assert rates[10] == 1.0 and rates[60] == pytest.approx(0.525) and rates[110] == pytest.approx(0.05)
    assert rates[10:] == sorted(rates[10:], reverse=True)


# ---- it goes on -----------------------------------------------------------------------------------------------------


def test_killed_again_and_again_it_ends_at_equal_bits_and_its_curves_have_every_step_once(tmp_path):
    steps = 240
    arguments = [*TINY, "--model", "transformer", "--numbers", "1", "--samples", "200", "--dropout", "0.1",
                 "--steps", str(steps), "--checkpoint-every", "7", "--evaluate-every", "60"]  # fmt: skip
    start(["--help"]).join()  # what forks the others has imported everything now
    began = time.monotonic()
    whole = start([*arguments, "--out", str(tmp_path / "whole")])
    whole.join()
    assert whole.exitcode == 0
    duration = time.monotonic() - began

    folder = tmp_path / "killed"
    draw = random.Random(0)
    kept, kills = [], 0
    while True:
        process = start([*arguments, "--out", str(folder)])
        # Some are killed at any time at all, while they start, too; some around the time that a checkpoint is written.
        if kills < 6:
            if kills % 2:
                process.join(draw.uniform(0, duration / 6))
            else:
                wait_for_another(folder / "checkpoint.pt", process, times=draw.randint(1, 4))
                process.join(draw.uniform(0, 0.05))
            process.kill()
            kills += 1
        process.join()
        if (folder / "checkpoint.pt").exists():
            kept.append(step_of(folder))
        if process.exitcode == 0:
            break
        assert process.exitcode == -signal.SIGKILL
    assert kept == sorted(kept) and len({step for step in kept if 0 < step < steps}) >= 3, kept

    assert_equal_weights(tmp_path / "whole", folder)
    for name in ("whole", "killed"):
        logged = curves(tmp_path / name)
        for tag in ("train/loss", "train/gradient_norm", "train/learning_rate"):
            assert logged[tag] == list(range(1, steps + 1)), (name, tag)
        assert logged["train/samples_per_second"] == list(range(10, steps + 1, 10))
        assert logged["held_out/exact_match"] == [60, 120, 180, 240]
    values = [
        [event.value for event in EventAccumulator(str(tmp_path / name)).Reload().Scalars("train/loss")]
        for name in ("whole", "killed")
    ]
    assert values[0] == values[1]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_saves_the_step_and_stops(number, code, tmp_path):
    arguments = [*VIT, "--steps", "100000", "--checkpoint-every", "5", "--no-tensorboard", "--out", str(tmp_path / "a")]
    process = start(arguments)
    wait_for(tmp_path / "a" / "checkpoint.pt", process)
    os.kill(process.pid, number)
    process.join(60)
    assert process.exitcode == code
    assert step_of(tmp_path / "a") >= 5
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == [".lock", "checkpoint.pt", "configuration.toml"]


def test_a_signal_while_it_looks_saves_the_step_too(tmp_path, monkeypatch):
    """Then all losses are written already, and the step is on no disk yet."""

    def looked_at(*arguments):
        os.kill(os.getpid(), signal.SIGTERM)
        return {"loss": 1.0}

    monkeypatch.setattr(loop, "evaluate", looked_at)
    with pytest.raises(SystemExit) as ended:
        main([*VIT, "--steps", "9", "--evaluate-every", "3", "--out", str(tmp_path)])
    assert ended.value.code == 143 and step_of(tmp_path) == 3 and curves(tmp_path)["train/loss"] == [1, 2, 3]


def test_a_finished_run_is_left_alone(tmp_path, capsys):
    arguments = [*VIT, "--steps", "3", "--out", str(tmp_path)]
    main(arguments)
    before = (tmp_path / "checkpoint.pt").read_bytes()
    main([*arguments, "--resume"])
    assert (tmp_path / "checkpoint.pt").read_bytes() == before
    assert "is finished" in capsys.readouterr().err
    assert curves(tmp_path)["train/loss"] == [1, 2, 3]


def test_processes_together_take_the_batches_that_one_would(tmp_path):
    task, config = types.SimpleNamespace(num_samples=24, fingerprint="24"), Configuration(batch_size=6, seed=3)
    cpu = torch.device("cpu")
    alone = Samples(task, config, Process(0, 1, cpu))
    batches = [alone.of_step(step) for step in range(9)]  # over two ends of an epoch
    assert all(sorted(chain(*batches[i : i + 4])) == list(range(24)) for i in (0, 4))
    for world_size in (2, 3):
        parts = [Samples(task, config, Process(rank, world_size, cpu)) for rank in range(world_size)]
        taken = [sorted(chain(*(part.of_step(step) for part in parts))) for step in range(9)]
        assert taken == [sorted(batch) for batch in batches]
    gone_on = Samples(task, config, Process(1, 2, cpu))  # two processes go on where one stopped
    gone_on.step = 5
    (_, numbers), (_, more) = itertools.islice(gone_on, 2)
    assert set(numbers) < set(batches[5]) and set(more) < set(batches[6])


# ---- several processes ----------------------------------------------------------------------------------------------


def test_under_torchrun_it_stops_goes_on_and_equals_one_process(tmp_path):
    """Two processes, the same batches as one; sentences of unequal length, so that a mean of means would show."""
    arguments = [*TINY, "--model", "transformer", "--numbers", "6", "--samples", "512", "--batch-size", "128"]
    arguments += ["--learning-rate", "0.001", "--checkpoint-every", "3", "--log-every", "1", "--accumulate", "2"]
    arguments += ["--steps", "14"]
    launch = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc-per-node",
        "2",
        "-m",
        "training",
    ]
    folder = tmp_path / "two"
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    said = tmp_path / "said"
    with said.open("wb") as file:
        process = subprocess.Popen([*launch, *arguments, "--out", str(folder)], stderr=file, env=environment)
        while process.poll() is None and not (folder / "checkpoint.pt").exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)  # torchrun hands it on
        assert process.wait(120) != 0, said.read_text()
    stopped_after = step_of(folder)
    assert 3 <= stopped_after < 14
    again = subprocess.run([*launch, *arguments, "--out", str(folder)], capture_output=True, text=True, env=environment)
    assert again.returncode == 0, again.stderr
    assert again.stderr.count(f"going on after step {stopped_after} of 14") == 1  # process 0 alone speaks
    assert curves(folder)["train/loss"] == list(range(1, 15))

    main([*arguments, "--out", str(tmp_path / "one")])
    # A key's bias adds the same to all scores of a query: its gradient is only rounding, and Adam makes steps of it.
    assert_equal_weights(tmp_path / "one", folder, 1e-6, but="W_K.bias")
    assert_equal_weights(tmp_path / "one", folder, 1e-4)
    one, two = (
        [event.value for event in EventAccumulator(str(path)).Reload().Scalars("train/loss")]
        for path in (tmp_path / "one", folder)
    )
    assert two == pytest.approx(one, rel=1e-5)


def test_killed_processes_go_on_together_to_equal_bits(tmp_path):
    """What is drawn differs between the processes (moved windows), and is the same again after a kill. One encodes the
    text, both read it."""
    arguments = [*TINY, "--model", "language-model", "--length", "16", "--dropout", "0.1"]
    arguments += ["--steps", "60", "--checkpoint-every", "10"]

    def both(folder: str, port: int):
        shared = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
        return [start([*arguments, "--out", str(tmp_path / folder)], RANK=r, LOCAL_RANK=r, **shared) for r in "01"]

    for process in both("whole", free_port()):
        process.join()
        assert process.exitcode == 0
    started = both("killed", free_port())
    wait_for(tmp_path / "killed" / "checkpoint.pt", started[0])
    for process in started:
        process.kill()
        process.join()
    assert 10 <= step_of(tmp_path / "killed") < 60
    for process in both("killed", free_port()):
        process.join()
        assert process.exitcode == 0
    assert_equal_weights(tmp_path / "whole", tmp_path / "killed")
    assert curves(tmp_path / "killed")["train/loss"] == list(range(1, 61))


def free_port() -> int:
    import socket

    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]


# ---- what goes wrong ------------------------------------------------------------------------------------------------


@pytest.fixture
def finished(tmp_path) -> tuple[list[str], Path]:
    """A short run: its arguments and its folder."""
    arguments = [*VIT, "--steps", "4", "--out", str(tmp_path / "run")]
    main(arguments)
    return arguments, tmp_path / "run"


def test_another_configuration_is_refused_with_what_differs(finished, capsys):
    arguments, folder = finished
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    line = refused([*arguments, "--steps", "9", "--dtype", "bfloat16"], capsys)
    assert "steps 4 -> 9" in line and "dtype float32 -> bfloat16" in line and "--out" in line
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_checkpoints_that_cannot_be_used_are_named_and_left_as_they_are(finished, capsys):
    arguments, folder = finished
    checkpoint = folder / "checkpoint.pt"
    good = checkpoint.read_bytes()

    main([*VIT, "--d-ff", "24", "--steps", "4", "--out", str(folder.parent / "wider")])
    other_shape = (folder.parent / "wider" / "checkpoint.pt").read_bytes()
    main([*VIT, "--samples", "50", "--steps", "4", "--out", str(folder.parent / "fewer")])
    other_data = (folder.parent / "fewer" / "checkpoint.pt").read_bytes()
    for content, words in (
        (good[:-1000], "not a whole checkpoint"),
        (b"", "not a whole checkpoint"),
        (other_shape, "size mismatch"),
        (other_data, "other data"),
    ):
        checkpoint.write_bytes(content)
        line = refused(arguments, capsys)
        assert words in line and str(checkpoint) in line and len(line) < 700
        assert checkpoint.read_bytes() == content

    checkpoint.unlink()
    assert "no checkpoint" in refused([*arguments, "--resume"], capsys)
    checkpoint.write_bytes(good)
    (folder / "configuration.toml").unlink()
    assert "no configuration.toml" in refused(arguments, capsys)
    assert checkpoint.read_bytes() == good


def test_nan_in_the_loss_stops_at_its_step_and_keeps_the_last_good_checkpoint(tmp_path, capsys, monkeypatch):
    real, batches = loop.make_task, Counter()

    def with_a_bad_batch(config):
        task = real(config)

        def batch_of(numbers):
            batches["taken"] += 1
            images, labels = task.batch_of(numbers)
            return images * (float("nan") if batches["taken"] == 6 else 1.0), labels

        return tasks.Task(**{**vars(task), "batch_of": batch_of})

    monkeypatch.setattr(loop, "make_task", with_a_bad_batch)
    arguments = [*VIT, "--steps", "20", "--checkpoint-every", "4", "--log-every", "10", "--out", str(tmp_path)]
    line = refused(arguments, capsys)
    assert "step 6: the loss is nan" in line and "keeps step 4" in line and "--learning-rate" in line
    assert step_of(tmp_path) == 4
    assert all(value.isfinite().all() for value in weights(tmp_path).values())


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_keeps_the_last_good_checkpoint(tmp_path, capsys, monkeypatch):
    real = loop.save_checkpoint

    def on_a_full_disk(path, step, *parts):
        if step > 4:
            Path(f"{path}.part").symlink_to("/dev/full")  # opened as the file it writes to: "no space left on device"
        real(path, step, *parts)

    monkeypatch.setattr(loop, "save_checkpoint", on_a_full_disk)
    line = refused([*VIT, "--steps", "20", "--checkpoint-every", "4", "--out", str(tmp_path)], capsys)
    assert "cannot write the checkpoint of step 8" in line and "keeps step 4" in line
    assert step_of(tmp_path) == 4
    assert not (tmp_path / "checkpoint.pt.part").exists()
    monkeypatch.undo()
    monkeypatch.setenv("TQDM_DISABLE", "1")
    main([*VIT, "--steps", "20", "--checkpoint-every", "4", "--out", str(tmp_path)])  # with room again it goes on
    assert step_of(tmp_path) == 20 and curves(tmp_path)["train/loss"] == list(range(1, 21))


def test_a_full_disk_under_the_curves_is_told_once(tmp_path, capsys):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, hard))  # no file may grow further
    try:
        line = refused([*VIT, "--steps", "2000", "--checkpoint-every", "2000", "--out", str(tmp_path)], capsys)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "cannot write curves" in line and str(tmp_path) in line


def test_curves_that_cannot_be_begun_are_told_in_one_line(tmp_path, capsys, monkeypatch):
    from tensorboard.compat.tensorflow_stub.io import gfile

    def no_room(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(gfile.LocalFileSystem, "write", no_room)
    assert "cannot write curves" in refused([*VIT, "--steps", "2", "--out", str(tmp_path)], capsys)


def test_a_second_run_in_a_folder_is_refused_as_long_as_the_first_lives(tmp_path, capsys):
    arguments = [*VIT, "--steps", "100000", "--checkpoint-every", "5", "--out", str(tmp_path)]
    process = start(arguments)
    wait_for(tmp_path / "checkpoint.pt", process)
    assert "another run is at work" in refused(arguments, capsys)
    assert process.is_alive()
    process.kill()
    process.join()
    config, _ = parse(arguments)
    with open_folder(tmp_path, config, resume=True):  # what is killed leaves no lock behind
        assert step_of(tmp_path) >= 5


def test_what_torch_has_no_class_of_errors_for_is_told_in_one_line(tmp_path, capsys, monkeypatch):
    def too_large(*arguments):
        torch.empty(2**55)

    monkeypatch.setattr(loop, "take_step", too_large)
    assert "memory is full" in refused([*VIT, "--steps", "2", "--out", str(tmp_path)], capsys)

    def without_compiler(*arguments):  # as torch 2.13 says it; to import its compiler takes longer than all else here
        kind = type("InductorError", (RuntimeError,), {"__module__": "torch._inductor.exc"})
        raise kind("InvalidCxxCompiler: No working C++ compiler found\n\nSet TORCHDYNAMO_VERBOSE=1 ...")

    monkeypatch.setattr(loop, "run", without_compiler)
    line = refused([*VIT, "--compile", "--out", str(tmp_path)], capsys)
    assert "(InvalidCxxCompiler: No working C++ compiler found): --no-compile leaves it out" in line

    def left_alone(*arguments):
        raise RuntimeError("[pair.cc:553] Connection closed by peer [127.0.0.1]:58588")

    monkeypatch.setattr(loop, "run", left_alone)
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("RANK", "1")
    assert "process 1: another process has ended" in refused([*VIT, "--out", str(tmp_path)], capsys)


def test_a_folder_that_cannot_be_written_is_named(tmp_path, capsys):
    (tmp_path / "file").write_text("in the way")
    line = refused([*VIT, "--out", str(tmp_path / "file" / "run")], capsys)
    assert "cannot write" in line and str(tmp_path / "file") in line


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--model", "vitt"], ["model is one of", "'vitt'", "did you mean 'vit'"]),
        (["--stesp", "3"], ["--stesp", "did you mean '--steps'"]),
        (["--steps", "many"], ["--steps", "many"]),
        (["--steps", "0"], ["steps is at least 1, got 0"]),
        (["--learning-rate", "nan"], ["learning_rate is above 0 and finite, got nan"]),
        (["--learning-rate", "inf"], ["learning_rate is above 0 and finite, got inf"]),
        (["--seed", str(2**63)], ["seed is at least 0 and below 2**63"]),
        (["--dropout", "0.1"], ["dropout is a setting of transformer and language-model, not of vit"]),
        (["--device", "meta"], ["device is auto, cpu, cuda", "'meta'"]),
        (["--dropout", "1"], ["dropout is from 0 to below 1"]),
        (["--d-model", "10", "--num-heads", "4"], ["num_heads must divide d_model, got 4 and 10"]),
        (["--patch-size", "5"], ["patches of 5 x 5 pixels do not tile 16 x 16"]),
        (["--batch-size", "10", "--accumulate", "4"], ["batch_size must be a multiple", "10 and 1 x 4"]),
        (["--image-size", "6"], ["do not fit", "6 x 6"]),
        (["--samples", "5000"], ["samples is at most 1297", "5000"]),
        (["--device", "abacus"], ["device abacus"]),
        (["--data", "image:here"], ["'image:here'", "did you mean 'images'"]),
        (["--data", "images"], ["images:FOLDER", "got 'images'"]),
        (["--data", "images:/nowhere"], ["no folder /nowhere"]),
        (["--model", "transformer", "--data", "text:x"], ["data for transformer is one of generated"]),
        (["--model", "transformer", "--d-model", "9", "--num-heads", "3"], ["d_model must be even, got 9"]),
        (["--model", "language-model", "--data", "text:/nowhere.txt"], ["/nowhere.txt"]),
        (["--config", "/nowhere.toml"], ["/nowhere.toml", "No such file"]),
    ],
    ids=lambda value: "".join(value[-2:]) if isinstance(value, list) and value[0].startswith("--") else "",
)
def test_impossible_settings_are_refused_in_one_line(arguments, words, tmp_path, capsys):
    line = refused(["--out", str(tmp_path / "run"), "--steps", "2", *arguments], capsys)
    assert all(word in line for word in words), line
    assert not (tmp_path / "run").exists()


# ---- configuration --------------------------------------------------------------------------------------------------


def test_a_file_of_settings_and_flags_over_it(tmp_path):
    file = tmp_path / "small.toml"
    file.write_text('model = "language-model"\nd_model = 32\nlearning_rate = 1\nfused = true\n')
    config, resume = parse(["--config", str(file), "--d-model", "48", "--resume"])
    assert (config.model, config.d_model, config.learning_rate, config.fused) == ("language-model", 48, 1.0, True)
    assert resume and config.out == "work/runs/language-model"
    assert parse(["--config", str(file), "--no-fused"])[0].fused is False


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("step = 3", ["'step'", "did you mean 'steps'"]),
        ('steps = "3"', ["steps is of type int, got '3'"]),
        ("fused = 1", ["fused is of type bool"]),
        ("steps = ", ["small.toml"]),
    ],
)
def test_a_file_that_does_not_fit_is_refused(text, words, tmp_path, capsys):
    (tmp_path / "small.toml").write_text(text)
    line = refused(["--config", str(tmp_path / "small.toml")], capsys)
    assert all(word in line for word in words), line


def test_the_saved_configuration_reads_back_whole(tmp_path):
    config = Configuration(
        out='a "quoted"\\folder — ü', learning_rate=1e-7, clip=float("inf"), compile=True, data="images:x y"
    )
    (tmp_path / "c.toml").write_text(as_toml(config), encoding="utf-8")
    read = read_toml(tmp_path / "c.toml")
    assert Configuration(**read) == config and read.keys() == FIELDS.keys()


# ---- other people's data --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("split", [True, False])
def test_a_folder_of_images(split, tmp_path):
    for name in ("bright", "dark"):
        for part in ("train", "val") if split else ("",):
            draw_images(tmp_path / "photos" / part / name, 20 if part != "val" else 5, name)
    (tmp_path / "photos" / ("train" if split else "") / "dark" / "notes.txt").write_text("no image")
    config, _ = parse(
        [*TINY, "--data", f"images:{tmp_path / 'photos'}", "--steps", "40", "--out", str(tmp_path / "run"), *ALONE]
    )
    scores, _ = loop.run(config)
    assert scores["accuracy"] == 1.0
    task = trained(tmp_path / "run")
    seen, labels = task.batch_of([0, 1, 2])
    assert seen.shape == (3, 3, 16, 16) and seen.dtype == torch.uint8 and labels.shape == (3,)
    assert task.num_samples == (40 if split else 36) and sum(len(b[1]) for b in task.held_out) == (10 if split else 4)


def test_images_that_cannot_be_read_are_all_named(tmp_path, capsys):
    for name in ("bright", "dark"):
        draw_images(tmp_path / "photos" / name, 6, name)
    whole = (tmp_path / "photos" / "dark" / "3.png").read_bytes()
    (tmp_path / "photos" / "dark" / "3.png").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "photos" / "bright" / "4.jpg").write_text("not an image")
    line = refused([*TINY, "--data", f"images:{tmp_path / 'photos'}", "--out", str(tmp_path / "run")], capsys)
    assert "dark/3.png" in line and "bright/4.jpg" in line and not (tmp_path / "run").exists()


def test_folders_without_images_are_named(tmp_path, capsys):
    (tmp_path / "photos").mkdir()
    arguments = [*TINY, "--data", f"images:{tmp_path / 'photos'}", "--out", str(tmp_path / "run")]
    assert "two or more classes" in refused(arguments, capsys)
    draw_images(tmp_path / "photos" / "bright", 2, "bright")
    (tmp_path / "photos" / "dark").mkdir()
    assert "no images in" in (line := refused(arguments, capsys)) and "dark" in line


def test_folders_that_would_be_misread_are_refused(tmp_path, capsys):
    for part in ("train", "test"):
        for name in ("bright", "dark"):
            draw_images(tmp_path / "photos" / part / name, 2, name)
    arguments = [*TINY, "--data", f"images:{tmp_path / 'photos'}", "--out", str(tmp_path / "run")]
    assert "has test, train; name the parts train and val" in refused(arguments, capsys)
    (tmp_path / "photos" / "test").rename(tmp_path / "photos" / "val")
    draw_images(tmp_path / "photos" / "val" / "gray", 2, "gray")
    assert "classes that" in (line := refused(arguments, capsys)) and "gray" in line


def test_images_of_all_kinds_are_read_as_they_look(tmp_path, recwarn):
    folder, left = tmp_path / "dark", np.zeros((20, 20), dtype=np.uint8)
    folder.mkdir()

    def pictures():
        files, labels = images.files_of(tmp_path, ["dark"])
        numbers = torch.arange(len(files))
        return images.Pictures(files, numbers, labels, Configuration(image_size=20), augmented=False)(numbers.tolist())

    left[:, :10] = 200
    gray = Image.fromarray(left)
    gray.save(folder / "gray.png")
    gray.convert("RGBA").save(folder / "alpha.PNG")
    gray.convert("P").save(folder / "palette.png", transparency=b"\x00" * 128)
    gray.convert("CMYK").save(folder / "print.tif")
    Image.fromarray(left.astype(np.uint16) * 256).save(folder / "sixteen.png")
    (folder / "._gray.png").write_bytes(b"what a Mac writes beside it")
    (folder / "folder.png").mkdir()
    seen, _ = pictures()
    assert seen.shape == (5, 3, 20, 20) and not recwarn.list
    assert (seen == torch.from_numpy(left)).all()
    Image.fromarray(left.astype(np.float32)).save(folder / "float.tif")
    with pytest.raises(TrainingError, match=r"float.tif .*mode F.*8 bits"):
        pictures()


def test_a_text_of_ones_own(tmp_path, capsys):
    (tmp_path / "text.txt").write_text("abcdefgh" * 100)
    arguments = [
        *TINY,
        "--model",
        "language-model",
        "--data",
        f"text:{tmp_path / 'text.txt'}",
        "--out",
        str(tmp_path / "r"),
    ]
    config, _ = parse([*arguments, "--length", "8", "--steps", "60"])
    scores, _ = loop.run(config)
    assert scores["bits_per_character"] < 1.0
    assert "need 1000 to train on" in refused([*arguments, "--length", "500", "--out", str(tmp_path / "s")], capsys)


class Rows(list):
    """As much of a hub's data set as is used: rows, column names, and a column by its name."""

    column_names = property(lambda self: list(self[0]))

    def __getitem__(self, key):
        return [row[key] for row in self] if isinstance(key, str) else super().__getitem__(key)


def test_a_hubs_data_sets(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)  # as where it is not installed
    pictures = [*TINY, "--data", "hub:some/pictures", "--steps", "2", *ALONE]
    assert "pip install datasets" in refused([*pictures, "--out", str(tmp_path / "a")], capsys)

    def load_dataset(name):
        if name == "some/pictures":
            images = [Image.new("L", (20, 30), color=10 * i) for i in range(20)]
            return {"train": Rows({"img": image, "label": i % 3} for i, image in enumerate(images))}
        if name == "some/words":
            return {
                "train": Rows({"text": "to be or not to be " * 9} for _ in range(5)),
                "test": Rows([{"text": "to be " * 30}]),
            }
        raise ConnectionError(f"no {name}\nand no network")

    monkeypatch.setitem(sys.modules, "datasets", types.SimpleNamespace(load_dataset=load_dataset))
    main([*pictures, "--out", str(tmp_path / "b")])
    assert len(trained(tmp_path / "b").held_out[0][1]) == 2
    words = [*TINY, "--model", "language-model", "--length", "8", "--steps", "2", "--data"]
    main([*words, "hub:some/words", "--out", str(tmp_path / "c")])
    assert "no other/words and no network" in refused([*words, "hub:other/words", "--out", str(tmp_path / "d")], capsys)
    assert "text" in refused([*words, "hub:some/pictures", "--out", str(tmp_path / "d")], capsys)


@pytest.mark.parametrize(
    ("device", "world_size", "local_rank", "got"),
    [
        ("auto", 1, 0, "cuda:0"),
        ("cuda", 4, 3, "cuda:3"),
        ("cuda:1", 1, 0, "cuda:1"),
        ("cuda:0", 1, 0, "cuda:0"),
        ("cpu", 4, 3, "cpu"),
        ("cuda:1", 2, 0, "cuda:1 is one GPU, and 2 processes want one each"),
        ("cuda:0", 2, 1, "cuda:0 is one GPU, and 2 processes want one each"),
        ("cuda", 8, 7, "torch sees 4 GPUs"),
        ("tpu", 1, 0, "device tpu"),
        ("mps", 1, 0, "device is auto, cpu, cuda or cuda:NUMBER"),
    ],
)
def test_each_process_takes_a_gpu_of_its_own(device, world_size, local_rank, got, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 4)
    try:
        taken = str(devices.device_of(Configuration(device=device), world_size, local_rank))
    except TrainingError as error:
        assert got in str(error)
    else:
        assert taken == got


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32"])
def test_a_gpu_without_units_for_bfloat16_is_not_asked_to_imitate_them(dtype, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: ((8, 0), (7, 5))[device.index])
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: "Tesla T4")
    assert devices.device_of(Configuration(dtype=dtype), 1, 0).index == 0  # an A100 beside it
    second = Configuration(dtype=dtype, device="cuda:1")
    if dtype == "bfloat16":
        with pytest.raises(TrainingError, match=r"Tesla T4 has no units for bfloat16.*--dtype float16"):
            devices.device_of(second, 1, 0)
    else:
        assert devices.device_of(second, 1, 0).index == 1


@pytest.mark.parametrize("tf32", [False, True])
def test_tf32_is_asked_for_and_taken_back(tf32):
    before = torch.get_float32_matmul_precision()
    with devices.this_process(Configuration(device="cpu", tf32=tf32)):
        assert torch.get_float32_matmul_precision() == ("high" if tf32 else "highest")
    assert torch.get_float32_matmul_precision() == before


def test_without_tensorboard_it_says_what_to_do(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    assert "--no-tensorboard" in refused([*VIT, "--steps", "2", "--out", str(tmp_path / "run")], capsys)
    main([*VIT, "--steps", "2", "--no-tensorboard", "--out", str(tmp_path / "other")])
    assert step_of(tmp_path / "other") == 2

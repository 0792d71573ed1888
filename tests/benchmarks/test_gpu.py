"""`make gpu` with everything but the kernels: what it sees, the order, the budget, going on, failures, strange results.

The card is a name that torch is made to say; a part is a process that only writes what a card could have. The parts'
own code runs on the CPU, at the sizes it has.
"""

import json
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from benchmarks import expected, gpu, gpu_parts, models, record
from benchmarks.cards import CARDS, LAUNCH, card_of, on_card
from benchmarks.gpu import Machine, Part
from benchmarks.peers import MODELS
from course import committed
from tests import card
from training import configuration

A100 = CARDS["a100"]
HERE = Machine(A100.name, 42.0, 42.0, A100.capability, True, "570.1", "0 %", 100.0)


# ---- the made-up clock -----------------------------------------------------------------------------------------------


def seconds(card, work) -> float:
    with on_card(card) as clock:
        work()
        clock.wait()
        return clock.now


def test_a_kernel_takes_the_longest_of_launch_bytes_and_operations():
    one, many = torch.zeros(1, device="meta"), torch.zeros(10**9, device="meta")
    assert seconds(A100, lambda: one.add_(1)) == pytest.approx(LAUNCH + 8 / A100.bandwidth, rel=0.01)
    assert seconds(A100, lambda: many.add_(1)) == pytest.approx(4e9 / A100.bandwidth, rel=0.01)  # one tensor, once
    a = torch.zeros(8192, 8192, device="meta")
    for dtype, peak in ((torch.float32, 19.5e12), (torch.bfloat16, 312e12)):
        product = seconds(A100, lambda dtype=dtype: a.to(dtype) @ a.to(dtype)) - seconds(A100, lambda d=dtype: a.to(d))
        assert product == pytest.approx(2 * 8192**3 / peak, rel=0.25)
    assert seconds(A100, lambda: many[:5].view(5, 1).T.detach()) == 0  # a view is no kernel


def test_a_causal_flag_leaves_out_what_lies_above_the_diagonal():
    def operations(is_causal: bool) -> int:
        x = torch.zeros(1, 4, 512, 64, device="meta", requires_grad=True)
        with on_card(A100) as clock:
            F.scaled_dot_product_attention(x, x, x, is_causal=is_causal).sum().backward()
            return clock.operations

    assert operations(True) == pytest.approx(operations(False) * 513 / 1024)


def test_a_card_without_units_for_a_format_computes_it_in_float32():
    assert CARDS["t4"].peak(torch.bfloat16) == CARDS["t4"].peak(torch.float32, tf32=True) == 8.1e12
    assert CARDS["t4"].peak(torch.float16) == 65e12


def test_many_small_kernels_are_bound_by_launching_and_a_reading_waits():
    x = torch.zeros(8, device="meta")
    with on_card(A100) as clock:
        for _ in range(1000):
            x.add_(1)
        assert clock.now == pytest.approx(1000 * LAUNCH)
        large = torch.zeros(10**10, device="meta")
        large.add_(1)
        before = clock.now
        x.sum().item()
        assert clock.now > before + 0.9 * 4e10 / A100.bandwidth


# ---- what is here ----------------------------------------------------------------------------------------------------


def pretend(monkeypatch, name=A100.name, bfloat16=True) -> None:
    """torch says that there is a GPU."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device=None: name)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device=None: (8, 0))
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (30e9, 42e9))
    monkeypatch.setattr(
        torch.cuda, "is_bf16_supported", lambda including_emulation=True: bfloat16 or including_emulation
    )
    monkeypatch.setattr(gpu, "nvidia_smi", lambda query: {"driver_version": "570.1"}.get(query, "3 %"))


def test_without_a_gpu_a_sentence_says_what_is_needed_and_the_code_is_not_zero(monkeypatch, capsys):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert gpu.main([]) == 1
    said = capsys.readouterr()
    assert "no GPU here: this needs an NVIDIA GPU" in said.err and "CARD=a100" in said.err and not said.out
    monkeypatch.setattr(gpu, "nvidia_smi", lambda query: "570.1")
    monkeypatch.setattr(torch.version, "cuda", None)
    with pytest.raises(LookupError, match="build for the CPU: make gpu CUDA=1"):
        gpu.look()


def test_a_dry_run_says_the_minutes_and_what_arithmetic_expects(monkeypatch, capsys):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(expected, "seconds_of_step", lambda card, model, size, *_: (1.0, 0.5))
    monkeypatch.setattr(expected, "seconds_of_token", lambda card, cache, size, batch, read: (1e-3 * batch, 5e-4))
    assert gpu.main(["--card", "t4"]) == 0  # what was asked for is said
    lines = capsys.readouterr().out.splitlines()
    for part in gpu.parts():
        assert f"{part.name}, {part.minutes:g} minutes" in lines
    assert "  bandwidth: 1.92e+11 to 3.2e+11 bytes/s" in lines
    # 128 images: a quarter of the clock's rate, and the products' own
    assert "  vit training, + torch.compile: 32 to 256 images a second" in lines
    assert "  decoding, batch 8, places 248 to 263, with room from the start: 250 to 1.6e+04 tokens a second" in lines
    # 64 windows a step
    assert "  a GPT of 10 million: 16 to 128 samples a second" in lines


def test_what_is_seen_and_what_will_be_in_the_way(monkeypatch):
    pretend(monkeypatch)
    machine = gpu.look()
    assert machine.card is A100 and machine.bfloat16 and machine.driver == "570.1"
    assert "somebody else uses it (12 GB, 3 %)" in " ".join(gpu.described(machine, 30))
    pretend(monkeypatch, "NVIDIA GeForce GTX 1080", bfloat16=False)
    unknown = " ".join(gpu.described(replace(gpu.look(), disk=1.0), 30))
    for words in ("imitated", "no data sheet of it here", "less than 5 GB of disk"):
        assert words in unknown


# ---- running ---------------------------------------------------------------------------------------------------------


class Pretended:
    """Starts parts in its own time: each takes its minutes and writes `records`, unless it is to fail or be killed."""

    def __init__(self, parts, records=(), minutes=None, fails=(), killed_at=None):
        self.parts = {part.name: part for part in parts}
        self.records, self.minutes, self.fails, self.killed_at = dict(records), minutes, fails, killed_at
        self.now, self.started = 0.0, []

    def clock(self):
        return self.now

    def start(self, command, log: Path, seconds: float) -> int:
        part = self.parts[log.parent.name]
        assert command == part.command(log.parent)
        if part.name == self.killed_at:
            raise KeyboardInterrupt
        self.started.append(part.name)
        took = 60 * (self.minutes or part.minutes)
        self.now += min(took, seconds)
        log.parent.mkdir(parents=True, exist_ok=True)
        if took > seconds:
            return 124
        if part.name in self.fails:
            log.write_text("...\ntorch.OutOfMemoryError: CUDA out of memory\n")
            return 1
        record.write(
            part.result, "about", [{"part": part.name}, *self.records.get(part.name, [])], command="x",
            settings={part.name: True}, seconds=took, folder=log.parent,
        )  # fmt: skip
        return 0


PARTS = [Part("one", 2, "first", ("a",)), Part("two", 5, "second", ("b",)), Part("three", 3, "second", ("c",))]


def ran(tmp_path, pretended, minutes=30.0, parts=PARTS, machine=HERE):
    return gpu.run(machine, minutes, parts, tmp_path / "parts", tmp_path / "results", pretended.start, pretended.clock)


def test_parts_run_in_order_and_are_laid_together(tmp_path):
    pretended = Pretended(PARTS)
    became = ran(tmp_path, pretended)
    assert pretended.started == ["one", "two", "three"]
    assert became["two"] == "done in 5.0 minutes"
    second = committed.read("second", tmp_path / "results")
    assert [r["part"] for r in second["records"]] == ["two", "three"] and second["seconds"] == 480
    assert second["settings"] == {"two": True, "three": True, "data_sheet": A100.source}
    assert set(record.KEYS) <= second.keys()


def test_what_does_not_fit_into_the_minutes_is_left_and_what_does_runs(tmp_path):
    pretended = Pretended(PARTS)
    became = ran(tmp_path, pretended, minutes=6)
    assert pretended.started == ["one", "three"]
    assert became["two"] == "left for later: 5 minutes, and 4 are left"
    again = Pretended(PARTS)
    became = ran(tmp_path, again, minutes=6)
    assert again.started == ["two"] and became["one"] == became["three"] == "done before"
    second = committed.read("second", tmp_path / "results")
    assert [r["part"] for r in second["records"]] == ["two", "three"]  # in the parts' order, whenever they ran


def test_a_part_that_takes_too_long_is_ended_with_the_budget(tmp_path):
    pretended = Pretended(PARTS, minutes=20)
    became = ran(tmp_path, pretended, minutes=25)
    assert pretended.started == ["one", "two"] and pretended.now == 25 * 60
    assert became["two"].startswith("ended, the minutes are over") and became["three"].startswith("left for later")
    assert not (tmp_path / "results" / "second.json").exists()


def test_killed_between_two_parts_it_goes_on_with_the_next(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        ran(tmp_path, Pretended(PARTS, killed_at="two"))
    assert committed.read("first", tmp_path / "results")["records"] == [{"part": "one"}]
    again = Pretended(PARTS)
    ran(tmp_path, again)
    assert again.started == ["two", "three"]


def test_a_part_that_fails_ends_nothing_and_is_tried_again(tmp_path, capsys):
    pretended = Pretended(PARTS, fails=("two",))
    became = ran(tmp_path, pretended)
    assert pretended.started == ["one", "two", "three"]
    assert "FAILED (1): torch.OutOfMemoryError: CUDA out of memory" in became["two"]
    assert "log.txt" in became["two"] and became["two"] in capsys.readouterr().out
    again = Pretended(PARTS)
    ran(tmp_path, again)
    assert again.started == ["two"]


def test_a_part_that_wrote_nothing_has_failed(tmp_path):
    pretended = Pretended(PARTS)
    pretended.start = lambda command, log, seconds: 0
    assert all("FAILED (0): it said nothing" in what for what in ran(tmp_path, pretended).values())


def test_strange_results_are_told_and_marked_in_the_file(tmp_path, capsys):
    """Of an A100: a bandwidth that no A100 has, a peak of a quarter, a launch as it is expected."""
    parts = [Part("roof", 1, "gpu_roof", ("a",))]
    rows = [("bandwidth", 2.1e12), ("product, float32", 4.9e12), ("product, bfloat16", 2.5e14), ("launch", 4e-6)]
    records = {"roof": [{"what": what, "value": value, "unit": ""} for what, value in rows]}
    pretended = Pretended(parts, records)

    def start(command, log, seconds):
        pretended.now += 60
        folder = log.parent
        record.write("gpu_roof", "", records["roof"], command="x", settings={}, seconds=1, folder=folder)
        return 0

    pretended.start = start
    ran(tmp_path, pretended, parts=parts)
    written = {r["what"]: r for r in committed.read("gpu_roof", tmp_path / "results")["records"]}
    strange = {what: r["strange"] for what, r in written.items()}
    assert strange == {
        "bandwidth": True, "product, float32": True, "product, bfloat16": False, "launch": False
    }  # fmt: skip
    assert written["bandwidth"]["expected_to"] == 1.555e12
    said = [line for line in capsys.readouterr().out.splitlines() if "STRANGE" in line]
    assert len(said) == 2 and "what bandwidth, value 2.1e+12" in said[0]
    pretended.now = 0
    ran(tmp_path / "unknown", pretended, parts=parts, machine=replace(HERE, name="some other"))
    assert "STRANGE" not in capsys.readouterr().out


def test_equality_is_told_once_however_many_parts_saw_it(tmp_path):
    parts = [Part("a", 1, "models_cuda", ("a",)), Part("b", 1, "models_cuda", ("b",))]
    same = {"measure": "vit equality", "peer": "timm", "logits_difference": 1e-7}
    ran(tmp_path, Pretended(parts, {"a": [same], "b": [same]}), parts=parts)
    records = committed.read("models_cuda", tmp_path / "results")["records"]
    assert records == [{"part": "a"}, same, {"part": "b"}]


def test_the_whole_command_on_a_card_that_is_none(tmp_path, monkeypatch, capsys):
    """Every part of the real list, by the real command line of each, in two runs."""
    pretend(monkeypatch)
    monkeypatch.setattr(gpu, "BUILT", tmp_path / "built")
    monkeypatch.setattr(gpu, "RESULTS", tmp_path / "results")
    parts = gpu.parts()
    pretended = Pretended(parts)
    monkeypatch.setattr(gpu, "start", pretended.start)
    monkeypatch.setattr(gpu.run, "__defaults__", (pretended.clock,))
    total = sum(part.minutes for part in parts)
    assert gpu.main(["--minutes", str(total / 2)]) == 1
    first = len(pretended.started)
    assert 0 < first < len(parts) and "the same command goes on with" in capsys.readouterr().out
    assert gpu.main(["--minutes", str(total)]) == 0
    assert sorted(pretended.started) == sorted(part.name for part in parts)  # each once
    assert capsys.readouterr().out.endswith("every part is done\n")
    (folder,) = (tmp_path / "built").iterdir()
    assert folder.name == f"NVIDIA-A100-SXM4-40GB-{torch.__version__}"
    for name in {part.result for part in parts}:
        assert (tmp_path / "results" / f"{name}.json").exists()


def test_every_part_is_a_command_that_its_module_takes(tmp_path, monkeypatch):
    """Up to the point where each asks torch for the GPU."""
    from benchmarks import curves

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    mains = {"benchmarks.models": models.main, "benchmarks.curves": curves.main, "benchmarks.gpu_parts": gpu_parts.main}
    for part in gpu.parts():
        _, _, module, *arguments = part.command(tmp_path)
        with pytest.raises(SystemExit) as ended:
            mains[module](arguments)
        assert "no GPU" in str(ended.value) or "no CUDA" in str(ended.value) or ended.value.code == 2
    rungs = [
        rung
        for part in gpu.parts()
        if "--rungs" in part.words
        for rung in part.words[part.words.index("--rungs") + 1 :]
    ]
    ladders = [models.ladder(model, "training", torch.device("cuda")) for model in MODELS.values()]
    assert sorted(rungs) == sorted(rung.name for ladder in ladders for rung in ladder)  # each rung of each model, once


def test_a_process_that_outlives_its_time_is_ended_and_its_output_kept(tmp_path):
    log = tmp_path / "part" / "log.txt"
    program = "import time; print('begun', flush=True); time.sleep(60)"
    began = time.monotonic()
    assert gpu.start([sys.executable, "-c", program], log, 2.0) == 124
    assert time.monotonic() - began < 30 and gpu.last_line(log) == "begun"
    assert gpu.start([sys.executable, "-c", "raise SystemExit(3)"], log, 30.0) == 3


def test_a_card_is_known_by_the_name_that_torch_gives_it():
    assert card_of("Tesla T4") is CARDS["t4"] and card_of("Quadro") is None
    assert len({card.name for card in CARDS.values()}) == len(CARDS)


# ---- the parts, on the CPU -------------------------------------------------------------------------------------------


def written(part: str, tmp_path) -> list[dict]:
    path = gpu_parts.main([part, "--device", "cpu", "--folder", str(tmp_path)])
    return json.loads(path.read_text())["records"]


def test_correctness_sees_a_wrong_number(tmp_path, monkeypatch):
    """The CPU beside itself is equal; a kernel that is wrong by a thousandth is strange."""
    assert not any(r["strange"] for r in written("correctness", tmp_path))
    right = torch.nn.functional.scaled_dot_product_attention
    monkeypatch.setattr(
        torch.nn.functional, "scaled_dot_product_attention", lambda *args, **kw: 1.001 * right(*args, **kw)
    )
    strange = {(r["model"], r["attention"]): r["strange"] for r in written("correctness", tmp_path)}
    assert strange == {(name, kind): kind == "fused" for name in gpu_parts.models() for kind in ("plain", "fused")}


def test_the_roof_says_rates(tmp_path):
    rows = {r["what"]: r["value"] for r in written("roof", tmp_path)}
    assert rows["bandwidth"] > 1e8 and 1e-8 < rows["launch"] < 1e-3 and rows["product, float32"] > 1e8


def test_a_notebook_runs_to_its_end_and_says_which_cell_failed():
    timed = {"tags": ["timing"]}
    notebook = new_notebook(
        cells=[
            new_markdown_cell("# 9. Title\n\n## 9.1 First"),
            new_code_cell("import os; print('not kept', os.environ['CUDA_VISIBLE_DEVICES'])"),
            new_code_cell("print('kept'); assert 1 > 2, 'too slow'", metadata=timed),
            new_code_cell("from course.table import Table; t = Table({'n': 'd'}); t.row(3); t", metadata=timed),
        ]
    )
    rows = list(gpu_parts.run_notebook(notebook, torch.device("cpu")))
    assert [(r["cell"], r["error"], r["printed"], r["strange"]) for r in rows] == [
        (1, "", "", False), (2, "AssertionError: too slow", "kept\n", True), (3, "", "n\n3\n", False)
    ]  # fmt: skip
    assert {r["section"] for r in rows} == {"9. Title"} or {r["section"] for r in rows} == {"9.1 First"}


def test_a_notebook_takes_the_gpu_unless_it_is_kept_from_it(monkeypatch):
    given = []
    monkeypatch.setattr(gpu_parts, "run", lambda notebook, seconds, environment, **_: given.append(environment))
    for device in ("cuda", "cpu"):
        list(gpu_parts.run_notebook(new_notebook(), torch.device(device)))
    assert given == [{}, {"CUDA_VISIBLE_DEVICES": ""}]


def test_a_part_is_given_the_gpu(tmp_path, monkeypatch):
    monkeypatch.setitem(gpu_parts.PARTS, "placement", lambda device: iter([{"device": str(device)}]))
    with card.cuda(A100):
        path = gpu_parts.main(["placement", "--folder", str(tmp_path)])
    result = json.loads(path.read_text())
    assert result["records"] == [{"device": "cuda"}] and result["settings"] == {"device": "cuda"}


def test_the_training_program_is_asked_at_size_and_its_curves_are_read(tmp_path, monkeypatch):
    """At no size: what it says of one that failed, too."""
    tiny = "--d-model 8 --num-heads 2 --num-layers 1 --d-ff 16 --batch-size 8 --samples 100"
    of = {"small": f"--model vit {tiny}", "wrong": "--model vit --d-model 7 --num-heads 2"}
    monkeypatch.setattr(gpu_parts, "AT_SIZE", of)
    monkeypatch.setattr(gpu_parts, "STEPS", 20)
    monkeypatch.setenv("TQDM_DISABLE", "1")
    small, wrong = list(gpu_parts.training(torch.device("cpu"), tmp_path))
    assert small["samples_per_second"] > 1 and small["error"] == ""
    assert wrong["strange"] and "num_heads must divide d_model" in wrong["error"]


def test_a_training_that_is_killed_without_a_word_is_said(tmp_path, monkeypatch):
    killed = subprocess.CompletedProcess([], -9, stderr="")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: killed)
    rows = list(gpu_parts.training(torch.device("cpu"), tmp_path))
    assert [row["error"] for row in rows] == ["ended with -9", "ended with -9"]


def test_a_format_without_units_is_left_out():
    for which, formats in (("t4", ["float32", "float16"]), ("h100", ["float32", "tf32", "float16", "bfloat16"])):
        with card.cuda(CARDS[which]):
            assert gpu_parts.formats(torch.device("cuda")) == formats


def test_a_format_of_products_is_set_and_taken_back():
    def now():
        return torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32

    before = now()
    for format, precision in (("tf32", ("high", True)), ("bfloat16", ("highest", False))):
        with gpu_parts.products_in(format) as dtype:
            assert now() == precision and dtype == {"tf32": torch.float32}.get(format, torch.bfloat16)
        assert now() == before


def test_torch_is_told_to_refuse_waits_and_told_back(monkeypatch):
    told = []
    monkeypatch.setattr(torch.cuda, "set_sync_debug_mode", told.append)
    with pytest.raises(RuntimeError), gpu_parts.refusing_waits(torch.device("cuda")):
        assert told == ["error"]
        raise RuntimeError("called a synchronizing CUDA operation")
    assert told == ["error", "default"]


def test_a_curve_is_in_bfloat16_where_a_gpu_has_units_for_it(monkeypatch):
    from benchmarks.curves import training_dtype

    for units, dtype in ((True, torch.bfloat16), (False, torch.float32)):
        pretend(monkeypatch, bfloat16=units)
        assert training_dtype(torch.device("cuda")) == dtype


def test_the_sizes_are_settings_of_the_training_program(tmp_path):
    for flags in gpu_parts.AT_SIZE.values():
        config, _ = configuration.parse([*flags.split(), "--out", str(tmp_path), "--steps", "300", "--fused"])
        assert config.d_model >= 384 and config.steps == 300


def test_every_card_has_its_peaks_and_only_formats_of_its_generation():
    for each in CARDS.values():
        assert {"float32", "float16"} <= each.peaks.keys(), each.name
        newer = {"tf32", "bfloat16"} & each.peaks.keys()  # both came with Ampere
        assert newer == ({"tf32", "bfloat16"} if each.capability >= (8, 0) else set()), each.name
        assert each.peak(torch.float32) <= each.peak(torch.float32, tf32=True) < each.peak(torch.float16), each.name


def test_the_time_that_is_given_by_default_reaches_every_models_ladder_and_decoding():
    names = [part.name for part in gpu.parts()]
    last = max(names.index(name) for name in names if name.endswith("-eager") or name == models.DECODING)
    assert sum(part.minutes for part in gpu.parts()[: last + 1]) <= 45

"""One format for all measurements: every committed file holds it, and every benchmark writes it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from benchmarks import curves, notebooks, site
from benchmarks.record import KEYS, write
from course.committed import RESULTS, read
from course.data.text import reference_text
from course.training import committed_results
from solutions.language_model import generate

ROOT = Path(__file__).resolve().parents[2]
COMMITTED = sorted(RESULTS.glob("*.json"))


def test_there_are_results():
    assert {"grading", "seq2seq_numbers", "vit_data"} <= {path.stem for path in COMMITTED}


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.stem)
def test_every_result_has_the_common_format(path):
    result = json.loads(path.read_text("utf-8"))
    assert set(result) - {"seeds"} == set(KEYS)
    assert result["experiment"] == path.stem and result["about"].strip()
    assert result["command"].startswith(("python -m benchmarks.", "make "))
    assert {"cpu", "cores"} <= set(result["machine"]) and {"python", "torch"} <= set(result["versions"])
    assert result["records"], "nothing was measured"
    for record in result["records"]:
        assert all(isinstance(value, str | int | float | None) for value in record.values()), record
        if "ratio" in record:
            assert record["ratio"] is None or record["ratio"] > 0
            assert record.get("peer"), "a ratio to nobody"
        for key in record:
            if key.endswith("_low") and record[key] is not None:
                stem = key.removesuffix("_low")
                assert record[key] <= record[stem] <= record[f"{stem}_high"], key


def test_what_is_written_is_read(tmp_path):
    records = [{"measure": "a", "seconds": 1.23456789}, {"measure": "b", "seconds": None}]
    path = write("toy", " two\n lines ", records, command="python -m benchmarks.toy", settings={}, seconds=2.0,
                 libraries=("pytest", "no-such-library"), seeds=[0], folder=tmp_path)  # fmt: skip
    result = read("toy", tmp_path)
    assert path.read_text("utf-8").count("\n    {") == 2, "a record is a line"
    assert set(result) == {*KEYS, "seeds"} and result["about"] == "two lines"
    assert result["records"][0]["seconds"] == 1.235 and "pytest" in result["versions"]
    assert "no-such-library" not in result["versions"]


def test_a_write_that_fails_leaves_the_old_result(tmp_path):
    settings = {"command": "python -m benchmarks.toy", "settings": {}, "seconds": 1.0, "folder": tmp_path}
    old = write("toy", "about", [{"a": 1}], **settings).read_bytes()
    with pytest.raises(TypeError):
        write("toy", "about", [{"a": object()}], **settings)
    assert (tmp_path / "toy.json").read_bytes() == old and len(list(tmp_path.iterdir())) == 1


def test_a_missing_result_says_which_command_makes_it():
    with pytest.raises(FileNotFoundError, match=r"benchmarks\.experiments no_such"):
        committed_results("no_such")
    with pytest.raises(FileNotFoundError, match=r"benchmarks\.curves no_such"):
        committed_results("curves_no_such")


# ---- notebooks and site ---------------------------------------------------------------------------------------------


def test_notebooks_are_read_from_the_record_of_their_run(tmp_path):
    for name, seconds in (("00-warm-up", 20.5), ("01-seq2seq", 95.0)):
        record = {"notebook": name, "seconds": seconds, "cpu_seconds": 19.0, "peak_bytes": 3 * 2**20}
        (tmp_path / f"{name}.json").write_text(json.dumps(record))
    first, second = notebooks.measured(["00-warm-up", "01-seq2seq"], tmp_path)
    assert (
        first["seconds"] == 20.5
        and first["cpu_seconds"] == 19.0
        and second["peak_mebibytes"] == 3
        and second["target_seconds"] == 90
    )
    with pytest.raises(FileNotFoundError, match=r"no record of 02-bahdanau .*make test"):
        notebooks.measured(["00-warm-up", "02-bahdanau"], tmp_path)


def test_the_sources_that_are_copied_are_the_books(tmp_path):
    from tools.course import BOOK_SOURCES

    translations = "locale"  # there in a translated course alone
    assert set(BOOK_SOURCES) - set(site.SOURCES) <= {"requirements.txt", "tools/course.py", translations}
    assert not (ROOT / translations).exists() or translations in site.SOURCES
    assert (ROOT / site.CHANGED).is_file()


def test_the_largest_figure_may_stand_in_a_page(tmp_path):
    (tmp_path / "_images").mkdir()
    (tmp_path / "_images" / "a.png").write_bytes(b"x" * 50)
    page = tmp_path / "book" / "page.html"
    page.parent.mkdir()
    page.write_text('<svg></svg><img src="../_images/a.png">')
    largest = {"measure": "largest figure", "page": "book/page"}
    assert site.largest_figure(tmp_path) == {**largest, "kind": "png", "bytes": 50}
    page.write_text(f"<p>text</p><svg>{'y' * 60}</svg>")
    assert site.largest_figure(tmp_path) == {**largest, "kind": "drawing", "bytes": 71}


FIGURE = """<roof-line><button>wait</button><input type="range" min="0" max="9"><input type="radio"></roof-line>
<script>document.querySelector("button").addEventListener("click", () => {
  for (const begin = performance.now(); performance.now() < begin + 120;);
})</script>"""


@pytest.mark.browser
def test_how_long_a_figure_takes_to_answer_is_seen(tmp_path, browser):
    (tmp_path / "page.html").write_text(FIGURE)
    (tmp_path / "without.html").write_text("<a-book>no figure</a-book>")
    (record,) = site.interactions(tmp_path, browser, f"{tmp_path.as_uri()}/")
    assert (record["figure"], record["page"], record["inputs"]) == ("roof-line", "page", 1 + len(site.KEYS) + 1)
    assert record["at_work_milliseconds"] >= 120 and record["milliseconds"] >= 120


@pytest.mark.parametrize(
    ("main", "arguments", "words"),
    [
        (site.main, ["--rounds", "0"], "--rounds is at least 1"),
        (curves.main, ["numbers", "--tiny", "--seeds", "0", "0"], "different whole numbers"),
        (curves.main, ["numbers", "--tiny", "--seeds", "-1"], "of at least 0, got [-1]"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_it_starts(main, arguments, words, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2 and words in capsys.readouterr().err


# ---- learning curves ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """The folder into which all curves were written, at their smallest."""
    folder = tmp_path_factory.mktemp("curves")
    threads = torch.get_num_threads()
    for name in curves.CURVES:
        curves.main([name, "--tiny", "--device", "cpu", "--seeds", "0", "1", "--folder", str(folder)])
    torch.set_num_threads(threads)
    return folder


@pytest.mark.parametrize("name", curves.CURVES)
def test_a_curve_is_written_in_the_common_format(tiny, name):
    result = read(f"curves_{name}", tiny)
    assert set(result) == {*KEYS, "seeds"} and result["seeds"] == [0, 1]
    assert result["command"] == f"python -m benchmarks.curves {name} --device cpu --tiny --seeds 0 1"
    assert result["settings"]["device"] == "cpu" and result["settings"]["dtype"] == "float32"
    curve = [record for record in result["records"] if "step" in record]
    assert {record["seed"] for record in curve} == {0, 1} and {record["step"] for record in curve} == {3, 6}
    assert all(record["training_loss"] > 0 for record in curve)


def test_the_curves_measure_what_they_say(tiny):
    of_numbers, of_vit, of_text = (read(f"curves_{name}", tiny)["records"] for name in curves.CURVES)
    assert {record["k"] for record in of_numbers} == {1, 2, 3}
    assert all(0 <= record["exact"] <= record["symbols"] <= 1 for record in of_numbers)
    assert {(record["model"], record["digits"]) for record in of_vit} == {("ViT", 100), ("CNN", 100)}
    assert {record["measure"] for record in of_text} == {"bits", "sample", "kept", "held-out text"}
    assert all(0.5 < r["known_words"] < 1 for r in of_text if r["measure"] == "held-out text")


def test_the_kept_language_model_can_be_read_and_writes(tiny):
    path = tiny / "curves_text.pt"
    model, characters = curves.read_language_model(path)
    kept = next(r for r in read("curves_text", tiny)["records"] if r["measure"] == "kept" and r["seed"] == 0)
    assert kept["bytes"] == path.stat().st_size <= curves.LARGEST_CHECKPOINT
    settings = read("curves_text", tiny)["settings"]
    prompt = characters.encode(settings["prompt"]).unsqueeze(0)
    torch.manual_seed(0)
    written = generate(model, prompt, settings["sampled"], settings["window"], temperature=settings["temperature"])
    assert characters.decode(written[0]) == kept["text"]


def test_the_models_at_size_fit_their_promises():
    """Only what needs no training: the checkpoint's size, and that every set of digits can be drawn."""
    model = curves.language_model(len(curves.Characters(reference_text()[0])), curves.TEXT)
    assert 2 * curves.parameter_count(model) <= 0.98 * curves.LARGEST_CHECKPOINT
    images, labels = curves.digits.handwritten("train")
    assert [len(curves.digits.a_few(images, labels, size, 0)[0]) for size in curves.VIT["sizes"]] == curves.VIT["sizes"]


def test_a_loss_that_is_no_number_stops_the_training():
    model = torch.nn.Linear(1, 1)
    settings = {**curves.VIT, "steps": 2, "looks": 2}
    with pytest.raises(FloatingPointError, match="by step 1; try a smaller learning_rate"):
        curves.train(model, lambda m, x: m(x).sum() * float("nan"), iter([torch.ones(1, 1)] * 2), settings, list, "toy")


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_a_gpu_that_is_not_there_is_said_in_one_line():
    command = [sys.executable, "-m", "benchmarks.curves", "vit", "--device", "cuda"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1 and "finds no CUDA device" in done.stderr and "Traceback" not in done.stderr

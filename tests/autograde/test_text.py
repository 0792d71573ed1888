"""Control characters, those that turn the direction of a text among them, reach no page, no terminal and no notebook
that somebody opens; letters of every script do."""

from __future__ import annotations

import json
import re
import unicodedata

import pytest

from autograde.grading import run
from autograde.reports import feedback, summary_page
from autograde.text import guarded, in_one_line, no_formula, printable, spelled, unguarded, without_controls
from tests.autograde import toy
from tests.autograde.command import run as command

TURNS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
CONTROLS = "".join(map(chr, [*range(9), *range(11, 32), *range(127, 160)]))
OTHERS = "\u2028\u2029\ufeff\ufff9\ufffa\ufffb\ufffe\uffff\ud800\udfff"
BAD = re.compile(f"[{re.escape(CONTROLS)}{TURNS}{OTHERS}]")
FINE = "Ada Łovelace, محمد, עברית, 王小明, 👩🏽‍🎓, क्षि, é = e\u0301, a\u00adb\n\tdef f(x): return x"


def test_what_moves_turns_or_breaks_a_text_is_replaced_and_nothing_else():
    assert without_controls(FINE) == FINE
    assert not BAD.search(without_controls(TURNS + CONTROLS + OTHERS)) and len(without_controls(TURNS + OTHERS)) == len(
        TURNS + OTHERS
    )
    assert spelled("a\tb\u202ec\x1b[2J") == "a\\u0009b\\u202ec\\u001b[2J" and not BAD.search(
        spelled(TURNS + CONTROLS + OTHERS)
    )
    assert in_one_line("a\tb\n\u202ec \ufffd é") == "a?b??c \ufffd é"
    assert printable("\x1b[31mred\x1b[0m 10%\r20%") == "\x1b[31mred\x1b[0m 10%\r20%"
    assert not BAD.search(printable(TURNS + OTHERS + "\x1b[2J\x1b]0;title\x07"))
    every = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x11_0000)]))
    turns = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
    left = {c for c in without_controls(every) if unicodedata.category(c) in ("Cc", "Zl", "Zp")}
    left |= {c for c in without_controls(every) if unicodedata.bidirectional(c) in turns}
    assert left == {"\t", "\n"}


@pytest.mark.sandbox
@pytest.mark.xdist_group("grader")
@pytest.mark.usefixtures("one_sandbox")
def test_no_page_and_no_terminal_shows_one_wherever_a_student_wrote_it(toy_released, toy_notebook, monkeypatch):
    evil = "\u202eevil\u2066\u200f\x07\x1b[2J\x08"
    made = json.loads(toy_notebook.read_bytes())
    for cell in made["cells"]:
        if "def scale" in "".join(cell["source"]):
            cell["source"] = f"def scale(x, factor):\n    '''{evil}'''\n    raise ValueError({evil!r})  # {evil}"
        if "def centre" in "".join(cell["source"]):
            cell["source"] = f"print('{evil}')\nraise RuntimeError('{evil}')"
    made["cells"].append({"cell_type": "code", "metadata": {}, "source": f"%%x{evil}\n'{evil}'\nopen('{evil}')"})
    names = {"gnp.exe": f"{toy.NAME}.ipynb", "ada": "my \u202e\u2067\x1b[2Jwork.ipynb", "bo": "no\u202e\x07.txt"}
    for student, name in names.items():
        path = toy_released.submitted / student / toy.NAME / name
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(made) if name.endswith("ipynb") else "x")
    assert len(run.grade(toy_released).lines) == 3
    assert feedback.feedback(toy_released, toy.NAME) == 3
    _, page = summary_page.write(toy_released, toy.NAME)
    pages = {path: path.read_text("utf-8") for path in [page, *toy_released.feedback.rglob("*.html")]}
    assert len(pages) == 4 and any("evil" in text for text in pages.values())
    for path, text in pages.items():
        assert not BAD.search(text), (path, BAD.search(text))
    shown_by_formgrader = list(toy_released.autograded.rglob("*.ipynb"))
    assert len(shown_by_formgrader) == 3
    for path in shown_by_formgrader:
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            assert not BAD.search("".join(cell["source"])), cell
            assert not re.search(f"[{TURNS}\x07]", json.dumps(cell.get("outputs", []), ensure_ascii=False)), cell
    for words in (["trace", "ada", toy.NAME], ["trace", "\u202egnp.exe", toy.NAME], ["summary", toy.NAME]):
        output = command(*words, "--class", toy_released.root).output
        assert output and not BAD.search(output), output


@pytest.mark.parametrize(
    "name", ["=cmd|' /C calc'!A0", "'=1", "''=1", "'a", "''a", "\u200b=1", "@x", "Ada", "", "'", "''", "a;=1", '"=1']
)
def test_a_name_in_a_table_is_no_formula_and_comes_back(name):
    cell = guarded(name)
    assert unguarded(cell) == name and (cell == name or cell == f"'{name}")
    assert no_formula(name)[:1] == name[:1] or cell[:1] == "'"

"""What a check shows, in JupyterLab itself: accessible and legible in its light theme and in its dark one."""

import os
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from course.exercises import of_component
from tests import jupyterlab
from tests.browser import AXE, RUN_AXE

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[3]
THEMES = {"JupyterLab Light": "rgb(255, 255, 255)", "JupyterLab Dark": "rgb(17, 17, 17)"}
SOFTMAX = of_component("safe_softmax").number
CELLS = (
    "import torch\nfrom torch import Tensor, nn\nfrom course import check, hint, progress",
    "from course.components import GRUCell, masked_softmax",
    "state = GRUCell(2, 3)",
    f'check("{SOFTMAX}", lambda scores, dim=-1: torch.softmax(scores, 0))\nprint("and on")',
    f'check("{SOFTMAX}", torch.softmax)',
    'check("4.q2", "b")',
    'check("4.q1", 256)',
    'check("4.q2", ...)',
    "hint()",
    "progress()",
)
OUTPUTS = ".jp-Notebook .jp-Cell-outputArea"


def test_what_a_learner_is_shown_passes_axe_in_both_themes(tmp_path, monkeypatch, browser):
    jupyterlab.of_its_own(tmp_path, monkeypatch)
    for name in ("COURSE_STRICT", "NBGRADER_EXECUTION", "COURSE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("COURSE_SITE", "/static")
    work = tmp_path / "work"
    work.mkdir()
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    notebook = new_notebook(cells=[new_code_cell(source) for source in CELLS], metadata={"kernelspec": kernel})
    nbformat.write(notebook, work / "04-dot-product.ipynb")
    with jupyterlab.opened(work, tmp_path, "--LabApp.expose_app_in_browser=True") as address:
        page = browser.new_page(viewport={"width": 1280, "height": 2400})
        page.goto(address("lab/tree/04-dot-product.ipynb"))
        page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]').last.wait_for(timeout=300_000)
        page.get_by_text("| Idle").wait_for(timeout=300_000)  # before the kernel answers, running all does nothing
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_text("Run All Cells", exact=True).click()
        page.locator(OUTPUTS, has_text="Minutes: ").wait_for(timeout=300_000)  # run all has gone past what waits
        below = page.locator(".jp-Notebook .jp-CodeCell", has_text="use_reference(").locator(".cm-content")
        assert 'use_reference("GRUCell", "masked_softmax")' in "".join(below.all_inner_texts()), "a cell to go on with"
        for summary in page.locator(f"{OUTPUTS} details > summary").all():
            if summary.is_visible():
                summary.click()
        assert page.locator(f"{OUTPUTS} details[open]").count() >= 5, "folds open without a script of ours"
        page.evaluate(AXE)
        for theme, ground in THEMES.items():
            page.evaluate("theme => jupyterapp.commands.execute('apputils:change-theme', { theme })", theme)
            page.wait_for_function(
                "ground => getComputedStyle(document.querySelector('.jp-Notebook')).backgroundColor === ground",
                arg=ground,
            )
            found = page.evaluate(RUN_AXE, [{"include": [[OUTPUTS]]}, None])
            assert not [f"{v['id']}: {n['html']}" for v in found for n in v["nodes"]], theme
            if folder := os.environ.get("PICTURES"):  # for whoever wants to look at them
                page.screenshot(path=f"{folder}/{theme.split()[-1].lower()}.png")
        page.close()

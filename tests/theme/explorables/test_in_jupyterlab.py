"""Figures of the book in JupyterLab: the same numbers, by keyboard, in both themes, and the day after."""

import re
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Browser, FrameLocator, Locator, Page, Route, expect

from tests import jupyterlab
from tests.browser import AXE

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[3]
RUN_AXE = "() => axe.run('.bd-article', { preload: false }).then(found => found.violations)"
OUTPUTS = ".jp-Notebook .jp-OutputArea-output"
LOCAL = re.compile(r"(data|blob|about):|(http|ws)s?://(localhost|127\.0\.0\.1)[:/]")


def turn_the_query(page: Page, figure: FrameLocator | Locator) -> list[str]:
    """By the arrow keys alone; what the table says then."""
    figure.get_by_role("slider", name="Query").focus()
    for key in ("ArrowLeft", "ArrowUp", "Shift+ArrowUp", "b"):
        page.keyboard.press(key)
    expect(figure.locator(".says")).to_contain_text("Query (1.9, 1.6), 2.5 long.")
    return figure.locator("td").all_inner_texts()


def draw_a_digit(page: Page, figure: FrameLocator | Locator) -> list[str]:
    """The weights come with this touch; what the model takes the digit for."""
    figure.get_by_role("button", name="Example 4").focus()
    page.keyboard.press("Enter")
    expect(figure.locator(".says")).to_contain_text("Most likely 4, ")
    page.keyboard.press("Tab")
    figure.get_by_role("button", name="Move left", exact=True).focus()
    page.keyboard.press("Space")
    expect(figure.locator(".says")).to_contain_text("Moved by 1 left.")
    return figure.locator(".live tbody td").all_inner_texts()


FIGURES: dict[str, tuple[str, Callable[[Page, FrameLocator | Locator], list[str]]]] = {
    "attention-plane": ("attention-plane", turn_the_query),
    "draw-a-digit": ("living-vit", draw_a_digit),
}


def test_they_show_what_the_book_shows(tmp_path, monkeypatch, browser: Browser, address: str) -> None:
    jupyterlab.of_its_own(tmp_path, monkeypatch)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    work = tmp_path / "work"
    work.mkdir()
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    calls = [new_code_cell(f'import course; course.figure("{name}")') for name in FIGURES]
    nbformat.write(new_notebook(cells=calls, metadata={"kernelspec": kernel}), work / "mine.ipynb")

    book, wanted = browser.new_page(reduced_motion="reduce"), {}
    for name, (tag, operate) in FIGURES.items():
        book.goto(f"{address}book/{name}.html")
        wanted[name] = operate(book, book.locator(tag))
    book.close()

    with jupyterlab.opened(work, tmp_path, "--LabApp.expose_app_in_browser=True") as lab:
        page = browser.new_page(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
        left: list[str] = []

        def keep_in(route: Route) -> None:
            if LOCAL.match(route.request.url):
                route.continue_()
            else:
                left.append(route.request.url)
                route.abort()

        page.route("**/*", keep_in)
        page.goto(lab("lab/tree/mine.ipynb"))
        page.get_by_text("| Idle").wait_for(timeout=300_000)
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_text("Run All Cells", exact=True).click()
        for name, (_, operate) in FIGURES.items():
            frame = page.frame_locator(f'iframe[title="Figure {name}"]')
            assert operate(page, frame) == wanted[name] and len(wanted[name]) > 4, name
            page.wait_for_function(
                """name => { const frame = document.querySelector(`iframe[title="Figure ${name}"]`);
                  return frame.clientHeight >= frame.contentDocument.documentElement.scrollHeight; }""",
                arg=name,
            )
        assert page.locator(".jp-Notebook .jp-Cell").count() == len(FIGURES), "keys went to the figure alone"
        frames = [frame for frame in page.frames if frame.parent_frame]
        for scheme in ("Light", "Dark"):
            page.evaluate(f"jupyterapp.commands.execute('apputils:change-theme', {{ theme: 'JupyterLab {scheme}' }})")
            for frame in frames:
                frame.wait_for_function(
                    "theme => document.documentElement.dataset.theme === theme", arg=scheme.lower(), timeout=60_000
                )
                frame.evaluate(AXE)
                found = frame.evaluate(RUN_AXE)
                assert [f"{v['id']}: {n['html'][:200]}" for v in found for n in v["nodes"]] == [], scheme
        assert not left

        # The day after it moves without a kernel; in a notebook that came from somebody else it is there in words.
        page.evaluate("jupyterapp.commands.execute('docmanager:save')")
        stored = nbformat.read(work / "mine.ipynb", as_version=4)
        for _ in range(100):
            if all(cell.outputs for cell in stored.cells):
                break
            page.wait_for_timeout(100)
            stored = nbformat.read(work / "mine.ipynb", as_version=4)
        page.goto(lab("lab/tree/mine.ipynb?reset"))
        operate = FIGURES["attention-plane"][1]
        assert operate(page, page.frame_locator('iframe[title="Figure attention-plane"]')) == wanted["attention-plane"]
        stored.cells[0].source += "  # of somebody else"
        nbformat.write(stored, work / "theirs.ipynb")
        page.goto(lab("lab/tree/theirs.ipynb?reset"))
        expect(page.locator(OUTPUTS).first).to_contain_text("Harmony (1.4, 1.4) 2.97 0.480 20", timeout=60_000)
        assert not page.locator(f"{OUTPUTS} iframe").count()
        page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]').last.wait_for(timeout=60_000)
        page.close()

"""The book as a reader gets it: how long it builds, what each page weighs, what it asks the network for, and how long
its figures take to answer.

    python -m benchmarks.site                # three builds of each kind, then every page in a browser
    python -m benchmarks.site --rounds 1

Everything is built from a copy of the sources in a folder of its own, cold (nothing built before), warm (nothing
changed since) and with one page changed. A page's weight is what a browser with an empty cache fetches for it at 1280
pixels, text counted as gzip makes it. Every control of every figure is used by mouse or keyboard in a browser that has
one core: what is told is the longest time from an input to the next frame that was painted, as the browser itself
measures it (Event Timing, in steps of 8 ms), and the longest that the page was at work for one. Needs a Chromium on the
PATH. Writes benchmarks/results/site.json.
"""

from __future__ import annotations

import argparse
import gzip
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlparse

from playwright.sync_api import Browser, Locator, Page, Request, Response, sync_playwright

from benchmarks.record import Record, write

ROOT = Path(__file__).resolve().parent.parent
SOURCES = (
    "_config.yml", "_toc.yml", "book", "notebooks", "theme", "solutions", "course", "benchmarks", "training",
    "autograde", "tools",
)  # fmt: skip
CHANGED = Path("book/glossary.md")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
TEXT = ("text/", "javascript", "json", "svg", "xml")
# Seconds, bytes and milliseconds that the course promises.
TARGETS = {"cold": 15, "warm": 8, "home": 200_000, "page": 350_000, "interaction": 50}
ABOUT = """Builds of the book from stored outputs, what every page makes a browser with an empty cache fetch, and how
long its figures take to answer on one core."""
FIGURES = ROOT / "course" / "figures" / "static"
CONTROLS = "input, button, textarea, select, [role=slider]"
KEYS = ("ArrowRight", "ArrowLeft", "End", "Home")  # for whatever slides
PAUSE = 150  # milliseconds after each input, for what it starts
MOST = 24  # controls of a figure
# What changes nothing that is to be seen is followed by no frame, so a mark changes with every input.
OBSERVE = """() => {
  const mark = document.body.appendChild(document.createElement('i'));
  mark.style = 'position: fixed; top: 0; width: 1px; height: 1px; background: #888; opacity: 0.5';
  const turn = () => { mark.style.opacity = mark.style.opacity === '0.5' ? 0.6 : 0.5 };
  for (const kind of ['keydown', 'input', 'click']) addEventListener(kind, turn, true);
  window.answers = [];
  const note = list => window.answers.push(...list.getEntries());
  new PerformanceObserver(note).observe({ type: 'event', durationThreshold: 16 });
  new PerformanceObserver(note).observe({ type: 'longtask' });
}"""
ANSWERS = """() => {
  const events = answers.filter(entry => entry.entryType === 'event' && entry.interactionId);
  const tasks = answers.filter(entry => entry.entryType === 'longtask').map(task => task.duration);
  const longest = numbers => Math.round(Math.max(0, ...numbers));
  return {
    milliseconds: longest(events.map(event => event.duration)),
    at_work_milliseconds: longest([...tasks, ...events.map(event => event.processingEnd - event.processingStart)])
  };
}"""
LOAD_ALL = """async () => {
  for (const image of document.images) { image.loading = 'eager'; await image.decode().catch(() => 0) }
  await document.fonts.ready
}"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def copy_sources(to: Path) -> None:
    """The book's sources alone, so that a page can be changed and no other folder is looked at."""
    to.mkdir()
    for name in SOURCES:
        source, left_out = ROOT / name, shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
        if source.is_dir():
            shutil.copytree(source, to / name, ignore=left_out)
        else:
            shutil.copy2(source, to / name)


def build(sources: Path, output: Path) -> tuple[float, float]:
    """Seconds of one build, warnings as errors: on the wall, and of CPU. Raises SystemExit where it fails."""
    program = Path(sys.executable).parent / "jupyter-book"
    command: list[str | Path] = [program, "build", ".", "--path-output", output, "-W", "-n", "--keep-going"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, cwd=sources, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"the book does not build:\n{done.stdout[-2000:]}\n{done.stderr[-3000:]}")
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def build_times(sources: Path, output: Path, rounds: int) -> list[Record]:
    """The three kinds of build in turn, so that whatever else the machine does falls on all of them."""
    seen: dict[str, list[tuple[float, float]]] = {"cold": [], "warm": [], "one page changed": []}
    page = sources / CHANGED
    for turn in range(rounds):
        shutil.rmtree(output, ignore_errors=True)
        for kind, runs in seen.items():
            if kind == "one page changed":
                page.write_text(f"{page.read_text('utf-8')}\nChanged {turn + 1} times.\n", "utf-8")
            runs.append(build(sources, output))
            print(f"{kind}: {runs[-1][0]:.1f} s, {runs[-1][1]:.1f} s of CPU", flush=True)
    records: list[Record] = []
    for kind, runs in seen.items():
        wall = [run[0] for run in runs]
        records.append(
            {
                "measure": "build",
                "kind": kind,
                "seconds": round(statistics.median(wall), 1),
                "seconds_low": round(min(wall), 1),
                "seconds_high": round(max(wall), 1),
                "cpu_seconds": round(statistics.median(run[1] for run in runs), 1),
                "target_seconds": TARGETS.get(kind),
            }
        )
    return records


def weight(response: Response) -> int:
    """Bytes of a response over a line that compresses text."""
    try:
        body = response.body()
    except Exception:  # a redirect has no body
        return 0
    kind = response.headers.get("content-type", "")
    return len(gzip.compress(body, 6)) if any(part in kind for part in TEXT) else len(body)


def page_weights(html: Path, browser: Browser, address: str) -> list[Record]:
    """Each page by itself: bytes, requests, and those of them that leave the site."""
    host = urlparse(address).netloc
    records: list[Record] = []
    for path in sorted(html.rglob("*.html")):
        name = path.relative_to(html).as_posix()
        if name.startswith(("_static/", "slides/")) or name == "index.html":  # decks; index.html only sends readers on
            continue
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        page = context.new_page()
        responses: list[Response] = []
        requests: list[Request] = []
        page.on("response", partial(list.append, responses))
        page.on("request", partial(list.append, requests))
        page.goto(address + name)
        page.evaluate(LOAD_ALL)
        urls = [urlparse(request.url) for request in requests if not request.url.startswith("data:")]
        records.append(
            {
                "measure": "page",
                "page": name.removesuffix(".html"),
                "bytes_gzipped": sum(weight(response) for response in responses),
                "target_bytes": TARGETS["home" if name == "book/index.html" else "page"],
                "requests": len(urls),
                "requests_leaving": sum(url.netloc != host for url in urls),
            }
        )
        context.close()
    return records


def interactions(html: Path, browser: Browser, address: str) -> list[Record]:
    """Each kind of figure, where it stands first: its controls used one after the other, once it is loaded."""
    kinds = {path.stem for path in FIGURES.glob("*/*.js")}
    records: list[Record] = []
    for path in sorted(html.rglob("*.html")):
        name = path.relative_to(html).as_posix()
        for kind in sorted(kinds & set(re.findall(r"<([a-z]+(?:-[a-z]+)+)[ >]", path.read_text("utf-8")))):
            kinds.remove(kind)
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto(address + name)
            figure = page.locator(kind).first
            use(page, figure)  # what is fetched and made at the first touch is another thing
            page.evaluate(OBSERVE)
            inputs = use(page, figure)
            took = page.evaluate(ANSWERS)
            page.close()
            records.append(
                {
                    "measure": "interaction",
                    "figure": kind,
                    "page": name.removesuffix(".html"),
                    "inputs": inputs,
                    **took,
                    "target_milliseconds": TARGETS["interaction"],
                }
            )
            print(f"{kind}: {took}, {inputs} inputs", flush=True)
    return records


def use(page: Page, figure: Locator) -> int:
    """Uses the controls of a figure, as many as can be seen; returns how many inputs these were."""
    inputs = 0
    for control in figure.locator(CONTROLS).all()[:MOST]:
        if not control.is_visible() or not control.is_enabled():
            continue
        kind = control.get_attribute("type") or control.get_attribute("role") or ""
        slides, typed = kind in ("range", "slider"), control.evaluate("e => /INPUT|TEXTAREA/.test(e.tagName)")
        chosen = ("Space",) if kind in ("radio", "checkbox") else ("click",)  # its label lies over it
        for key in KEYS if slides else ("End", "1", "Backspace") if typed and kind in ("", "text") else chosen:
            if key == "click":
                control.click(timeout=5000)
            else:
                control.press(key)
            page.wait_for_timeout(PAUSE)
            inputs += 1
    return inputs


def largest_figure(html: Path) -> Record:
    """The heaviest picture of the site, a file or a drawing inside a page, and the page that shows it."""
    largest: Record = {"measure": "largest figure", "page": None, "kind": None, "bytes": 0}
    for path in sorted(html.rglob("*.html")):
        text = path.read_text("utf-8")
        drawings = [("drawing", len(drawing.encode())) for drawing in re.findall(r"<svg\b.*?</svg>", text, re.DOTALL)]
        files = {html / "_images" / name for name in re.findall(r'src="[^"]*_images/([^"]+)"', text)}
        for kind, size in [*drawings, *((file.suffix.lstrip("."), file.stat().st_size) for file in files)]:
            if size > largest["bytes"]:
                page = path.relative_to(html).with_suffix("").as_posix()
                largest |= {"page": page, "kind": kind, "bytes": size}
    return largest


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.site", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3, help="builds of each kind")
    options = parser.parse_args(arguments)
    if options.rounds < 1:
        parser.error(f"--rounds is at least 1, got {options.rounds}")
    chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
    if chromium is None:
        raise SystemExit(f"no browser found (looked for {', '.join(BROWSERS)}): install Chromium, or run `make test`")
    start = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="site-") as scratch:
        sources, output = Path(scratch) / "sources", Path(scratch) / "output"  # apart: what is built is no source
        copy_sources(sources)
        records = build_times(sources, output, options.rounds)
        html = output / "_build" / "html"
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(html)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
            records += page_weights(html, browser, f"http://127.0.0.1:{server.server_port}/")
            browser.close()
            here = os.sched_getaffinity(0)
            os.sched_setaffinity(0, {min(here)})  # the next browser is to have one core
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
            records += interactions(html, browser, f"http://127.0.0.1:{server.server_port}/")
            browser.close()
            os.sched_setaffinity(0, here)
        server.shutdown()
        server.server_close()
        records.append(largest_figure(html))
    path = write(
        "site",
        ABOUT,
        records,
        command=f"python -m benchmarks.site --rounds {options.rounds}",
        settings={"rounds": options.rounds, "width": 1280, "load_at_the_end": round(os.getloadavg()[0], 1)},
        seconds=time.perf_counter() - start,
        libraries=("jupyter-book", "sphinx"),
    )
    print(f"written: {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()

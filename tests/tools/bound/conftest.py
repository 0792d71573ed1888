"""A site of three pages, with what is hard about a page: drawings that share outlines, equations, controls, links."""

import base64
from pathlib import Path

import pytest

from tools.bound.pages import Volume, volume

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
PAGE = """<!DOCTYPE html><html data-content_root="{root}"><head>
<link rel="stylesheet" href="{root}_static/inks.css?v=1">
<title>page</title></head><body><main><article class="bd-article">{body}
<div class="exercise-foot"><details><p>a hint</p></details></div></article></main></body></html>"""
HOME = """<section id="home"><h1>Home<a class="headerlink" href="#home">#</a></h1>
<p>To <a href="../notebooks/01-one.html#two">a section</a>, <a href="../search.html">search</a> and
<a href="https://example.org/">elsewhere</a>.</p></section>"""
ONE = """<section id="one"><h1>1. One <span class="math"><span class="katex"><span class="katex-mathml"><math
 xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mi>x</mi><annotation encoding="application/x-tex">x</annotation>
</semantics></math></span><span class="katex-html" aria-hidden="true">x</span></span></span></h1>
<svg viewBox="0 0 9 9" role="img" aria-label="A drawing"><defs>
<clipPath id="clip"><rect width="9" height="9"/></clipPath></defs>
<g clip-path="url(#clip)"><use href="#letter"/></g></svg>
<svg class="letters"><defs><path d="M0 0L9 9" id="letter"/><path id="space"/></defs></svg>
<roof-line><button>Show</button><p id="two">Long_<wbr>name, <a href="../book/index.html">home</a></p></roof-line>
<p hidden>for a script</p><img src="../_images/dot.png" alt="A dot" loading="lazy"><br></section>"""
TWO = """<section id="two"><h1>2. Two</h1><h2>2.1 Part</h2><p>Another <em>two</em>.</p></section>"""
INKS = """html[data-theme="light"] { --ink-blue: #00f } html[data-theme="dark"] { --ink-blue: #88f }
html:not([data-theme="light"],[data-theme="dark"]) { --ink-blue: #00e }"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    made = tmp_path / "html"
    for name, body in {"book/index": HOME, "notebooks/01-one": ONE, "notebooks/02-two": TWO}.items():
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / f"{name}.html").write_text(PAGE.format(root="../", body=body), "utf-8")
    for folder, name, content in (
        ("_images", "dot.png", PIXEL), ("_static", "inks.css", INKS.encode()), ("_static", "pygments.css", b""),
    ):  # fmt: skip
        (made / folder).mkdir(exist_ok=True)
        (made / folder / name).write_bytes(content)
    return made


@pytest.fixture
def bound(site: Path, tmp_path: Path) -> Volume:
    contents = tmp_path / "_toc.yml"
    contents.write_text(
        "root: book/index\nparts:\n- caption: Chapters\n  chapters:\n  - file: notebooks/01-one\n"
        "  - file: notebooks/02-two\n- caption: Solutions\n  chapters:\n  - file: book/solutions/01-one\n"
    )
    return volume(site, contents)

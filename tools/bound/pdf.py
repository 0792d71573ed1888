"""The volume as PDF: one long page, laid out by Chromium in the site's style for paper."""

import shutil
import subprocess
import tempfile
from html import escape
from pathlib import Path

from lxml import html

from tools.bound import numbers
from tools.bound.pages import Volume, relink, renamed
from tools.setup import CHROMIUM

STYLE = """
@page { size: A4; margin: 20mm 18mm 22mm; }
@page { @bottom-center { content: counter(page); font: 9pt sans-serif; color: #555; } }
@page :first { @bottom-center { content: none; } }
html, body { background: #fff; }
.bound article, .bound-part, .bound-contents { break-before: page; }
.bound-title { padding-top: 30vh; text-align: center; }
.bound-part { padding-top: 30vh; text-align: center; }
.bound-contents ol { max-width: none; padding: 0; list-style: none; }
.bound-contents ol ol { padding-left: 1.5rem; }
.bound-contents li { padding-right: 3rem; } /* for the page, which numbers.py writes */
.bd-main.bound .highlight pre { font-size: 8.2pt; } /* 88 columns, also in an exercise's card */
.bound :is(h1, h2, h3, h4) { break-after: avoid; }
.bd-main.bound .bd-content .bd-article h1:first-of-type { display: block; } /* the theme prints a heading of its own */
.bound :is(.exercise-banner, figure, tr) { break-inside: avoid; }
"""


def slug(name: str) -> str:
    return name.replace("/", "-")


def document(volume: Volume, title: str, subtitle: str) -> str:
    """The whole volume as one HTML document that can be opened from any folder."""
    names = set(volume.names)

    def address(path: str, fragment: str) -> str | None:
        page = path.removesuffix(".html")
        if path.endswith(".html") and page in names:
            return f"#{slug(page)}--{fragment}"
        return (volume.site / path).as_uri() if path.startswith("_images/") else None

    bodies, contents = [], []
    for part in volume.parts:
        entries = []
        if part.caption:
            bodies.append(f'<section class="bound-part"><h1>{escape(part.caption)}</h1></section>')
        for name in part.names:
            article = volume.article(name)
            entries.append(f'<li><a href="#{slug(name)}--">{escape(volume.title(article))}</a></li>')
            relink(article, name, address)
            renamed(article, f"{slug(name)}--")
            article.set("id", f"{slug(name)}--")
            for image in article.iter("img"):
                image.attrib.pop("loading", None)
            bodies.append(html.tostring(article, encoding="unicode"))
        heading = f"<li>{escape(part.caption)}<ol>{''.join(entries)}</ol></li>" if part.caption else "".join(entries)
        contents.append(heading)
    sheets = "".join(f'<link rel="stylesheet" href="{sheet}">' for sheet in style_sheets(volume))
    return (
        f'<!DOCTYPE html><html lang="en" data-theme="light"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'{sheets}<style>{STYLE}</style></head><body><main class="bd-main bound"><div class="bd-content">'
        f'<div class="bd-article-container"><section class="bound-title"><h1>{escape(title)}</h1>'
        f'<p>{escape(subtitle)}</p></section><nav class="bound-contents bd-article"><h1>Contents</h1>'
        f"<ol>{''.join(contents)}</ol></nav>{''.join(bodies)}</div></div></main></body></html>"
    )


def style_sheets(volume: Volume) -> list[str]:
    """The addresses of the style sheets that the volume's pages link, each once, in their order."""
    addresses: dict[str, None] = {}
    for name in volume.names:
        page = html.parse(str(volume.site / f"{name}.html"), html.HTMLParser(encoding="utf-8")).getroot()
        for link in page.iter("link"):
            if link.get("rel") == "stylesheet":
                path = (volume.site / f"{name}.html").parent / link.get("href", "").partition("?")[0]
                addresses[path.resolve().as_uri()] = None
    return list(addresses)


def browser() -> str:
    """The path of a Chromium. Raises FileNotFoundError where there is none."""
    for name in CHROMIUM:
        if path := shutil.which(name):
            return path
    raise FileNotFoundError(
        "the PDF is laid out by Chromium, and there is none (Debian, Ubuntu: apt-get install chromium)"
    )


def write(volume: Volume, title: str, subtitle: str, to: Path, seconds: int = 900) -> None:
    """Write the PDF: with an outline of its headings, page numbers, in the contents too, and links that work.

    Raises:
        FileNotFoundError: where there is no Chromium.
        RuntimeError: where it leaves no PDF; says what it said.
    """
    program = browser()
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder) / "whole.html", Path(folder) / "whole.pdf"
        source.write_text(document(volume, title, subtitle), "utf-8")
        command = [
            program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
            "--allow-file-access-from-files", "--no-pdf-header-footer", "--generate-pdf-document-outline",
            f"--user-data-dir={folder}/profile", f"--print-to-pdf={made}", source.as_uri(),
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
        if done.returncode or not made.is_file():
            raise RuntimeError(f"Chromium left no PDF (it ended with {done.returncode}):\n{done.stderr[-2000:]}")
        numbers.add(made, [f"{slug(name)}--" for name in volume.names])
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(made, to)

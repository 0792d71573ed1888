"""The built pages as files: where they point, what they carry, and that no answer stands where it should not."""

import ast
import json
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlparse

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Elements that a browser fetches by itself, and where they say what.
FETCHED = {(tag, "src") for tag in ("script", "img", "iframe", "source", "video", "audio", "embed")} | {
    ("object", "data")
}
LINK_FETCHES = set("stylesheet preload modulepreload icon prefetch preconnect dns-prefetch manifest".split())


class Reader(HTMLParser):
    """Collects what a page fetches, what it links to, and its targets."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.links: list[str] = []
        self.targets: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {key: value or "" for key, value in attrs}
        self.targets |= {values[key] for key in ("id", "name") if key in values}
        self.fetched += [values[key] for name, key in FETCHED if name == tag and key in values]
        if tag == "link" and LINK_FETCHES & set(values.get("rel", "").split()):
            self.fetched.append(values["href"])
        if tag == "a" and "href" in values:
            self.links.append(values["href"])


@pytest.fixture(scope="module")
def read(built: Path, pages: list[str]) -> dict[str, Reader]:
    return {page: Reader((built / page).read_text("utf-8")) for page in pages}


def test_no_page_fetches_from_elsewhere(read: dict[str, Reader]) -> None:
    outside = {page: [url for url in html.fetched if urlparse(url).netloc] for page, html in read.items()}
    assert not {page: urls for page, urls in outside.items() if urls}


def test_no_style_sheet_fetches_from_elsewhere(built: Path) -> None:
    outside, sheets = {}, list(built.rglob("*.css"))
    assert sheets
    for sheet in sheets:
        urls = re.findall(r"""(?:url\(\s*|@import\s*)['"]?((?:https?:)?//[^'")\s]+)""", sheet.read_text("utf-8"))
        if urls:
            outside[sheet.name] = urls
    assert not outside


def test_every_link_within_the_site_has_a_target(read: dict[str, Reader], built: Path) -> None:
    broken = []
    for page, html in read.items():
        for url in [*html.links, *html.fetched]:
            if urlparse(url).scheme in ("http", "https", "mailto", "data"):
                continue
            path, fragment = urldefrag(urljoin(f"/{page}", url))
            target = unquote(urlparse(path).path).lstrip("/") or "index.html"
            if not (built / target).is_file():
                broken.append(f"{page}: {url}")
            elif fragment and target in read and unquote(fragment) not in read[target].targets:
                broken.append(f"{page}: {url} (no such place on that page)")
    assert not broken


def test_every_image_says_what_it_shows(built: Path, pages: list[str]) -> None:
    without = []
    for page in pages:
        for tag in re.findall(r"<img\b[^>]*>", (built / page).read_text("utf-8")):
            alt, source = re.search(r'alt="([^"]*)"', tag), re.search(r'src="([^"]*)"', tag)
            if alt is None or (source and source[1].rsplit("/", 1)[-1] in alt[1]):
                without.append(f"{page}: {tag}")
    assert not without


def test_nothing_that_is_only_for_the_build_is_published(built: Path) -> None:
    files = list(built.rglob("*"))
    assert not [path.name for path in files if path.name == "katex.min.js" or path.suffix in (".map", ".ttf", ".py")]


def test_no_launch_button_without_an_address(built: Path, pages: list[str]) -> None:
    # The fixture builds without the variables; where the checkout has a remote, buttons are right.
    from theme.address import repository

    if repository(ROOT, {}) is not None:
        pytest.skip("this checkout has a remote that a browser can open")
    buttons = re.compile(r"colab\.research|mybinder\.org|source-repository-button")
    assert not [page for page in pages if buttons.search((built / page).read_text("utf-8"))]


def normalized(text: str) -> str:
    """Code without its white space, with one kind of quote, so that layout does not hide it."""
    return re.sub(r"\s+", "", text).replace('"', "'")


def without_comments(source: str) -> str:
    return re.sub(r"(?m)#.*$", "", source)


def bodies(source: str) -> dict[str, str]:
    """The body, without docstring and comments, of every function of a source, by its qualified name."""
    lines, sources = source.splitlines(), {}

    def walk(node: ast.AST, name: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                inner = f"{name}.{child.name}".lstrip(".")
                body = child.body[1:] if ast.get_docstring(child) is not None else child.body
                if isinstance(child, ast.FunctionDef) and body:
                    sources[inner] = "\n".join(lines[body[0].lineno - 1 : child.end_lineno])
                walk(child, inner)

    walk(ast.parse(source), "")
    return {name: normalized(without_comments(body)) for name, body in sources.items()}


def answers() -> dict[str, str]:
    """The bodies in `solutions/` that are long enough to be an answer, less those that the notebooks give.

    A notebook gives what an exercise's stub already has, and what stands in a cell of its own and no exercise asks for.
    """
    stubs: list[dict[str, str]] = []
    others: list[dict[str, str]] = []
    for notebook in (ROOT / "notebooks").glob("*.ipynb"):
        for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "code" and re.search(r"^\s*def ", source, re.MULTILINE):
                of = stubs if cell["metadata"].get("nbgrader", {}).get("solution") else others
                of.append(bodies(source))
    asked = {name for cell in stubs for name in cell}
    given = {item for cell in stubs for item in cell.items()}
    given |= {(name, body) for cell in others for name, body in cell.items() if name not in asked}
    return {
        f"{module.stem}.{name}": body
        for module in sorted((ROOT / "solutions").glob("[a-z]*.py"))
        for name, body in bodies(module.read_text("utf-8")).items()
        if len(body) >= 40 and (name, body) not in given
    }


def visible(path: Path) -> str:
    """A published file's text as code could stand in it: tags and entities undone, comments and white space gone."""
    text = path.read_text("utf-8", "ignore")
    if path.suffix == ".html":
        text = unescape(re.sub(r"<[^>]*>", "", text))
    if path.suffix == ".ipynb":
        text = text.replace("\\n", "\n").replace('\\"', '"').replace('",\n', "\n")
    return normalized(without_comments(text))


def test_no_answer_stands_outside_the_solution_pages(built: Path) -> None:
    texts = {
        path.relative_to(built).as_posix(): visible(path)
        for path in built.rglob("*")
        if path.suffix in (".html", ".ipynb", ".md", ".txt", ".js", ".json") and "_static" not in path.parts
    }
    elsewhere = {name: text for name, text in texts.items() if "book/solutions/" not in name}
    sources = answers()
    assert not [
        f"{answer} in {name}" for answer, body in sources.items() for name, text in elsewhere.items() if body in text
    ]
    # The search itself works: it finds answers where they belong.
    solutions = "".join(text for name, text in texts.items() if "book/solutions/" in name)
    assert sum(body in solutions for body in sources.values()) > len(sources) / 2


def test_what_is_to_be_guessed_is_folded_and_what_only_asserts_is_not_there(built: Path) -> None:
    for notebook in sorted((ROOT / "notebooks").glob("*.ipynb")):
        cells = json.loads(notebook.read_text("utf-8"))["cells"]
        page = (built / "notebooks" / notebook.with_suffix(".html").name).read_text("utf-8")
        guesses = [cell for cell in cells if "guess" in cell["metadata"].get("tags", []) and cell["outputs"]]
        assert guesses and page.count('<details class="guess"><summary>') == len(guesses), notebook.name
        text = visible(built / "notebooks" / notebook.with_suffix(".html").name)
        hidden = ["".join(cell["source"]) for cell in cells if "remove-cell" in cell["metadata"].get("tags", [])]
        long = [source for source in map(normalized, map(without_comments, hidden)) if len(source) >= 40]
        assert long and not [source for source in long if source in text], notebook.name

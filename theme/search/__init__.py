"""Search: what the pages hold as an index, which a browser loads with the first key that is typed, and the search page.

Results are sections, exercises, figures, terms of the glossary and messages of checks. `entries` makes them of the
pages' documents and `messages` of what checks say; `build.js` makes the index, by the same words (`words.js`) as the
browser's. The texts that results quote lie in files of their own, so that a first query fetches what it shows. All of
it comes by script elements: a browser refuses a page from a file system anything else.

Safe to change: what a page gives, weights, words that stand for others (`find.js`); `tests/theme/search/questions.toml`
says what must still be found. Not safe: markup made of a text, or a text of a question's key in its order.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from theme.search import messages
from theme.search.entries import Entry, entries, ideas
from theme.terms import stems

SCRIPTS = Path(__file__).parents[1] / "static" / "search"
IDEAS = "book/start/ideas"
# One letter for each kind in the index, see find.js.
LETTERS = {
    "chapter": "c", "page": "p", "section": "s", "exercise": "e", "question": "q", "figure": "f", "term": "t",
    "message": "m", "solution": "o",
}  # fmt: skip
# How much a page's results count, by what its name begins with; 1 where nothing is said.
WEIGHTS = {
    "book/instructors/trust": 0.4,
    "book/instructors/": 0.85,
    "book/solutions/": 0.6,
    "book/measurements": 0.5,
    "book/how-it-is-built": 0.6,
    "book/bibliography": 0.5,
    "book/start/ideas": 0.6,
    "book/index": 0.7,
}


def collect(app: Sphinx, doctree: nodes.document) -> None:
    """Remember a page's entries, with its document, until the page changes."""
    docname = app.env.docname
    app.env.metadata[docname]["searched"] = [asdict(entry) for entry in entries(doctree, docname)]
    if docname == IDEAS:
        app.env.metadata[docname]["ideas"] = list(ideas(doctree))


def weight(docname: str) -> float:
    return next((value for beginning, value in WEIGHTS.items() if docname.startswith(beginning)), 1)


def add_ideas(env: BuildEnvironment, entries_of: dict[str, list[Entry]]) -> None:
    """Give each section the words under which the page of ideas leads to it."""
    for words, targets in env.metadata[IDEAS].get("ideas", ()) if IDEAS in env.metadata else ():
        for docname, place in targets:
            _, anchor, _ = env.metadata[docname].get("myst_slugs", {}).get(place, (0, place, ""))
            for entry in entries_of.get(docname, ()):
                if entry.anchor == anchor:
                    entry.also.append(words)


def add_other_names(entries_of: dict[str, list[Entry]]) -> None:
    """Give each section that introduces a term its other names too: GRU is the gated recurrent unit."""
    names = [entry.title.split(", ") for there in entries_of.values() for entry in there if entry.kind == "term"]
    same = {stems(name): " ".join(others) for others in names if len(others) > 1 for name in others}
    for there in entries_of.values():
        for entry in there:
            entry.also += [same[words] for words in map(stems, entry.also) if words in same]


def with_messages(docname: str, entries: list[Entry]) -> list[Entry]:
    """Return a page's entries, each exercise followed by what its checks say."""
    said = messages.of_notebook(docname.removeprefix("notebooks/"))
    made = []
    for entry in entries:
        made.append(entry)
        for text, names in messages.of_pytorch((docname, entry.anchor)):
            made.append(Entry("message", entry.anchor, "", text, names, entry.title))
        number = entry.title.partition(" ")[2].partition(":")[0].partition("†")[0]
        if entry.kind in ("exercise", "question") and said.get(number):
            made.append(Entry("message", entry.anchor, "", " · ".join(said[number]), "", entry.title))
    return made


def rows(docnames: list[str], entries_of: dict[str, list[Entry]]) -> list[dict[str, Any]]:
    """Return all entries as `build.js` takes them: `up` is how many entries before it the one above stands."""
    made: list[dict[str, Any]] = []
    for page, docname in enumerate(docnames):
        last: dict[str, int] = {}
        for entry in entries_of[docname]:
            above = entry.above.split(" › ")[-1]
            up = len(made) - last[above] if above in last else 0
            if entry.kind not in ("figure", "term", "message"):
                last[entry.title] = len(made)
            also = " ".join(dict.fromkeys(" ".join(entry.also).split()))
            made.append({
                "page": page, "kind": LETTERS[entry.kind], "anchor": entry.anchor, "title": entry.title,
                "up": up or "", "text": entry.text, "names": entry.names, "also": also,
            })  # fmt: skip
    return made


def built(pages: list[list[Any]], made: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the index and the texts' shards, as `build.js` makes them in V8."""
    from py_mini_racer import MiniRacer

    with MiniRacer() as context:
        context.eval((SCRIPTS / "words.js").read_text("utf-8"))
        context.eval((Path(__file__).parent / "build.js").read_text("utf-8"))
        call = f"JSON.stringify(courseSearch.build({json.dumps(pages)}, {json.dumps(made)}))"
        return json.loads(str(context.eval(call)))


def index(env: BuildEnvironment) -> dict[str, Any]:
    """Return the index of all pages and the texts' shards."""
    docnames = sorted(env.found_docs)
    entries_of = {
        docname: [Entry(**entry) for entry in env.metadata[docname].get("searched", ())]
        if docname in env.metadata
        else []
        for docname in docnames
    }
    add_other_names(entries_of)
    add_ideas(env, entries_of)
    entries_of = {docname: with_messages(docname, there) for docname, there in entries_of.items()}
    return built([[docname, weight(docname)] for docname in docnames], rows(docnames, entries_of))


def write(app: Sphinx, error: Exception | None) -> None:
    """Write the index and the shards as scripts."""
    if error is not None or app.builder.name != "html":
        return
    folder = Path(app.outdir) / "_static" / "search"
    made = index(app.env)
    files = {"index": made["index"]} | {f"text-{place}": texts for place, texts in enumerate(made["shards"])}
    for name, value in files.items():
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        (folder / f"{name}.js").write_text(f'courseSearch.loaded("{name}", {text})\n', "utf-8")


def without_stock_search(app: Sphinx) -> None:
    """Leave out Sphinx's index, which nothing here reads; the search page is `templates/search.html` all the same."""
    builder: Any = app.builder
    if builder.name == "html":
        builder.search = False
        app.config.html_additional_pages = {**app.config.html_additional_pages, "search": "search.html"}
        out = Path(app.outdir)  # what an earlier build left
        for old in [out / "searchindex.js", *(out / "_static" / "search").glob("*.js")]:
            old.unlink(missing_ok=True)


def setup(app: Sphinx) -> None:
    app.add_js_file("search/open.js", loading_method="defer")
    app.connect("builder-inited", without_stock_search)
    app.connect("doctree-read", collect, priority=900)
    app.connect("build-finished", write)

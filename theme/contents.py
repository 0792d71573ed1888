"""The table of contents that a build uses: `_toc.yml`, less the solution pages that this copy does not hold.

A solution page includes code from `solutions/`. An instructor's release leaves out the modules that are not yet due,
and the pages of those are left out here, by the file's absence. COURSE_SOLUTIONS=no leaves every solution page out.
"""

from __future__ import annotations

import html
import os
from pathlib import Path

import yaml
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError

PAGES = "book/solutions/"
ENDINGS = (".md", ".ipynb")
LEVELS = ("parts", "chapters", "sections")


def module_of(page: str) -> str:
    """Return the solution module that a solution page shows: `book/solutions/02-bahdanau` shows `bahdanau`."""
    return Path(page).name.split("-", 1)[1].removesuffix(".md").replace("-", "_")


def is_left_out(page: str, root: Path, wanted: bool) -> bool:
    """Say whether a page of the table of contents is a solution page that cannot, or shall not, be built."""
    if not page.startswith(PAGES):
        return False
    if Path(page).stem == "index":
        return not wanted
    return not wanted or not (root / "solutions" / f"{module_of(page)}.py").is_file()


def pruned(node: dict, root: Path, wanted: bool) -> dict:
    """Return the table of contents without the pages left out and without the lists and parts which that empties."""
    kept = dict(node)
    for key in LEVELS:
        if key not in node:
            continue
        held = [child for child in node[key] if not is_left_out(child.get("file", ""), root, wanted)]
        children = [pruned(child, root, wanted) for child in held]
        children = [child for child in children if child.keys() - {"caption", "numbered"}]
        kept[key] = children
        if not children:
            del kept[key]
    return kept


def choose_contents(app: Sphinx, config: Config) -> None:
    root = Path(app.srcdir)
    source = root / config.external_toc_path
    wanted = os.environ.get("COURSE_SOLUTIONS", "yes").lower() not in ("no", "0", "false", "off")
    table = yaml.safe_load(source.read_text("utf-8"))
    chosen = pruned(table, root, wanted)
    missing = [page for page in pages(chosen) if not any((root / f"{page}{end}").is_file() for end in ENDINGS)]
    if missing:
        raise ConfigError(f"_toc.yml lists pages that do not exist: {', '.join(missing)}. Write them or take them out.")
    if chosen == table:
        return
    made = Path(app.outdir).parent / "_toc.yml"
    made.parent.mkdir(parents=True, exist_ok=True)
    made.write_text(yaml.safe_dump(chosen, sort_keys=False), "utf-8")
    config.external_toc_path = str(made)


def pages(node: dict) -> list[str]:
    """Return every file that a table of contents names, in its order."""
    named = [node[key] for key in ("root", "file") if key in node]
    return named + [page for key in LEVELS for child in node.get(key, []) for page in pages(child)]


def remove_left_out(app: Sphinx, error: Exception | None) -> None:
    """Remove pages of an earlier build that the book no longer has: left lying, they would still be published."""
    if error is not None or app.builder.name != "html":
        return
    out = Path(app.outdir)
    for folder in sorted({docname.split("/")[0] for docname in app.env.found_docs if "/" in docname}):
        for root in (out, out / "_sources"):
            for file in (root / folder).rglob("*.*"):
                if file.relative_to(root).with_suffix("").as_posix() not in app.env.found_docs:
                    file.unlink()


def write_entrance(app: Sphinx, error: Exception | None) -> None:
    """Write the page at the site's root: it sends the reader on to the welcome page, or shows a link to it."""
    if error is not None or app.builder.name != "html" or app.config.root_doc == "index":
        return
    title, target = html.escape(app.config.html_title), html.escape(app.builder.get_target_uri(app.config.root_doc))
    page = f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{title}</title><meta http-equiv="refresh" content="0; url={target}"></head>
<body><main><h1>{title}</h1><p><a href="{target}">To the welcome page</a></p></main></body>
</html>
"""
    (Path(app.outdir) / "index.html").write_text(page, "utf-8")


def setup(app: Sphinx) -> None:
    app.connect("config-inited", choose_contents, priority=800)  # sphinx_external_toc reads the file at 900
    app.connect("build-finished", remove_left_out)
    app.connect("build-finished", write_entrance, priority=900)  # in place of the bare one that it leaves

"""Takes out of others' style sheets the rules for classes that no page has and no script names.

Bootstrap, the themes and sphinx-design style far more than a book uses: two fifths of what a page without figures makes
a browser fetch. What a script puts together from parts begins with one of `COMPOSED`, and stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import tinycss2
from sphinx.application import Sphinx

from theme.schemes import WITHIN, selectors

SHEETS = ("styles/pydata-sphinx-theme.css", "styles/sphinx-book-theme.css", "sphinx-design.min.css")
COMPOSED = ("bs-", "kind-", "fa-")  # `bs-tooltip-auto`, a search result's `kind-title`, an icon
CLASS = re.compile(r"\.(-?[A-Za-z_][\w-]*)")
WORD = re.compile(r"[\w-]+")


def named(pages: Iterable[Path], scripts: Iterable[Path]) -> set[str]:
    """Return the classes of the pages, and every word of scripts: those that they may set."""
    names: set[str] = set()
    for page in pages:
        text = page.read_text("utf-8")
        for classes in set(re.findall(r"""\bclass=["']([^"']*)""", text)):
            names.update(classes.split())
        for script in re.findall(r"<script\b[^>]*>(.*?)</script>", text, re.DOTALL):
            names.update(WORD.findall(script))
    for path in scripts:
        names.update(WORD.findall(path.read_text("utf-8", "ignore")))
    return names


def reduced(css: str, names: set[str]) -> str:
    """Return a style sheet without the rules that need a class which is not among the names."""
    return "".join(_kept(tinycss2.parse_stylesheet(css, skip_whitespace=True), names))


def _kept(rules: Iterable[tinycss2.ast.Node], names: set[str]) -> Iterable[str]:
    for rule in rules:
        if rule.type == "at-rule" and rule.lower_at_keyword in WITHIN and rule.content is not None:
            inner = "".join(_kept(tinycss2.parse_rule_list(rule.content, skip_whitespace=True), names))
            if inner:
                yield f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{inner}}}"
        elif rule.type == "qualified-rule":
            met = [selector for selector in selectors(rule) if _can_be_met(selector, names)]
            if met:
                yield f"{','.join(met)}{{{tinycss2.serialize(rule.content)}}}"
        elif rule.type != "comment" or rule.value.startswith("!"):  # a license
            yield rule.serialize()


def _can_be_met(selector: str, names: set[str]) -> bool:
    """Whether something may be what the selector says. What stands in brackets, `:not(.a)`, asks for no class."""
    bare, before = re.sub(r'"[^"]*"|\\.', "", selector), ""
    while bare != before:
        bare, before = re.sub(r"\([^()]*\)", "", bare), bare
    return all(name in names or name.startswith(COMPOSED) for name in CLASS.findall(bare))


def finish(app: Sphinx, error: Exception | None) -> None:
    """Reduce the style sheets of the finished site."""
    if error is not None or app.builder.name != "html":
        return
    out = Path(app.outdir)
    names = named(out.rglob("*.html"), (out / "_static").rglob("*.js"))
    for sheet in SHEETS:
        path = out / "_static" / sheet
        path.write_text(reduced(path.read_text("utf-8"), names), "utf-8")


def setup(app: Sphinx) -> None:
    app.connect("build-finished", finish)  # before `schemes` repeats what is left

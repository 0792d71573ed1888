"""Light, dark, no script, paper: every style sheet of the site says all four.

The themes write their colors under `html[data-theme="light"]` and `html[data-theme="dark"]`, an attribute that a
script sets. Here each such rule is completed, in the finished files: without the script the browser's own wish decides,
and paper is white whatever the screen was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

import tinycss2
from sphinx.application import Sphinx

THEMED = re.compile(r"""html\[data-theme=["']?(light|dark)["']?\]""")
UNSET = 'html:not([data-theme="light"],[data-theme="dark"])'  # what it is until the script has run
DONE = "/*! light, dark, no script and paper */\n"
WITHIN = ("media", "supports", "layer")


def completed(css: str) -> str:
    """Return a style sheet whose rules for a theme also hold without a script, and give way on paper to light ones.

    Raises:
        ValueError: where the sheet cannot be read.
    """
    if css.startswith(DONE) or not THEMED.search(css):
        return css
    return DONE + "".join(_completed(tinycss2.parse_stylesheet(css, skip_whitespace=True)))


def _completed(rules: Iterable[tinycss2.ast.Node]) -> Iterable[str]:
    pieces = (piece for rule in rules for piece in _pieces(rule))
    for theme, run in groupby(pieces, key=lambda piece: piece[0]):
        texts = [text for _, text in run]
        css = "".join(texts)
        if theme is None:
            yield css
            continue
        unset, other = THEMED.sub(UNSET, css), THEMED.sub('html[data-theme="dark"]', css)
        if theme == "light":
            yield f"{css}@media print,(prefers-color-scheme:light){{{unset}}}@media print{{{other}}}"
        else:
            yield f"@media screen{{{css}}}@media screen and (prefers-color-scheme:dark){{{unset}}}"


def _pieces(rule: tinycss2.ast.Node) -> Iterable[tuple[str | None, str]]:
    """A rule's parts, each with the theme that it is for, or None."""
    if rule.type == "comment":
        if rule.value.startswith("!"):  # a license
            yield None, rule.serialize()
        return
    if rule.type == "error":
        raise ValueError(f"line {rule.source_line}: {rule.message}")
    if rule.type == "at-rule" and rule.lower_at_keyword in WITHIN and rule.content is not None:
        inner = tinycss2.parse_rule_list(rule.content, skip_whitespace=True)
        head = f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}"
        yield None, f"{head}{{{''.join(_completed(inner))}}}"
        return
    if rule.type != "qualified-rule":
        yield None, rule.serialize()
        return
    body = tinycss2.serialize(rule.content)
    for theme, group in groupby(sorted(selectors(rule), key=_theme), key=_theme):
        yield theme or None, f"{','.join(group)}{{{body}}}"


def selectors(rule: tinycss2.ast.QualifiedRule) -> list[str]:
    """The selectors that a rule lists."""
    lists: list[list] = [[]]
    for token in rule.prelude:
        if token.type == "literal" and token.value == ",":
            lists.append([])
        else:
            lists[-1].append(token)
    return [tinycss2.serialize(tokens).strip() for tokens in lists]


def _theme(selector: str) -> str:
    match = THEMED.match(selector)
    return match[1] if match else ""


def complete(app: Sphinx, error: Exception | None) -> None:
    """Complete every style sheet of the finished site."""
    if error is not None or app.builder.format != "html":
        return
    for path in sorted((Path(app.outdir) / "_static").rglob("*.css")):
        css = path.read_text("utf-8")
        try:
            path.write_text(completed(css), "utf-8")
        except ValueError as unread:
            raise ValueError(f"{path.name}: {unread}") from None


def setup(app: Sphinx) -> None:
    app.connect("build-finished", complete, priority=900)  # once the theme has written its colors of code

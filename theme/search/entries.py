"""A page's entries for the search: one for each section, exercise, figure and glossary term, from its document.

An entry is what a result leads to: an anchor, what stands in its own part of the page and in none below it, and words
by which it is found without being shown, such as names in its code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from docutils import nodes
from sphinx import addnodes

from course import captions
from theme.cells import is_code, is_output, source, tags
from theme.search.equations import plain_text
from theme.terms import PAGE as GLOSSARY

NUMBERED = re.compile(r"(Exercise|Question|Figure) \d+\.\w+|(\d+(?:\.\d+)?)\b")
# A figure to move, in its chapter (theme/explorables/placement.py).
PLACED = re.compile(r"Figure (\d+\.\d+): (.*)")
# What a reader does not see: assertions, and what the set-up does.
UNSEEN = {"remove-cell", "remove-input", "set-up"}
APART = (nodes.section, nodes.raw, nodes.image, nodes.comment, nodes.system_message)
# Names that somebody may look for: einsum strings, names of several words, classes, what is called.
NAME = re.compile(
    r"[a-z]+(?:,[a-z]+)*->[a-z]*|\w*[^\W_]_[^\W_]\w*|\w+[a-z][A-Z]\w*|[^\W\d]\w{2,}(?=\()",
)


@dataclass
class Entry:
    """What one result shows and leads to."""

    kind: str
    anchor: str
    title: str
    text: str = ""
    names: str = ""
    above: str = ""
    also: list[str] = field(default_factory=list)


def squeezed(text: str) -> str:
    """Return a text on one line; where a citation was left out, no space stays before the full stop."""
    return re.sub(r" (?=[.,;:])", "", " ".join(text.split()))


def is_unseen(node: nodes.Node) -> bool:
    return isinstance(node, nodes.container) and not UNSEEN.isdisjoint(tags(node))


def running_text(node: nodes.Node) -> Iterator[str]:
    """Yield a node's running text piece by piece, equations in plain characters; code and outputs are left out."""
    if isinstance(node, nodes.Text):
        yield node.astext()
    elif isinstance(node, nodes.math | nodes.math_block):
        yield f" {plain_text(node.astext())} " if isinstance(node, nodes.math_block) else plain_text(node.astext())
    elif not (isinstance(node, APART) or isinstance(node, nodes.literal_block) or is_unseen(node) or is_output(node)):
        if "cite" not in str(node.get("refdomain", "")) and "exercise-banner" not in node.get("classes", ()):
            for child in node.children:
                yield from running_text(child)
        if not isinstance(node, nodes.Inline):
            yield " "


def own(section: nodes.Element) -> list[nodes.Node]:
    """Return what stands in a section and in none of its subsections, less its heading."""
    return [child for child in section.children if not isinstance(child, nodes.section | nodes.title)]


def names(children: list[nodes.Node]) -> str:
    """Return the names and einsum strings of the code, each once; "equation" where one stands by itself."""
    names_in: dict[str, None] = {}
    if any(isinstance(child, nodes.math_block) for child in children):
        names_in["equation"] = None
    for child in children:
        if isinstance(child, nodes.Element) and not is_unseen(child):
            for block in child.findall(nodes.literal_block):
                if not is_output(block.parent):
                    names_in.update(dict.fromkeys(NAME.findall(block.astext())))
    return " ".join(names_in)


def kind_of(title: str, docname: str, is_page: bool) -> str:
    """Return what a result is called: a section is named by its heading, a solution by its page."""
    if is_page:
        return "chapter" if docname.startswith("notebooks/") else "page"
    if docname.startswith("book/solutions/"):
        return "solution"
    said = NUMBERED.match(title)
    return said[1].lower() if said and said[1] else "section"


def of_section(section: nodes.section, docname: str) -> Entry:
    above, parent = [], section.parent
    while isinstance(parent, nodes.section):
        above.append(squeezed("".join(running_text(parent[0]))))
        parent = parent.parent
    title, body = squeezed("".join(running_text(section[0]))), own(section)
    text = squeezed("".join(piece for child in body if not is_glossary(child) for piece in running_text(child)))
    kind = kind_of(title, docname, not above)
    bold = [squeezed(strong.astext()) for child in body for strong in child.findall(nodes.strong)]
    also = [words for words in bold if len(words) > 2] if above and docname.startswith("notebooks/") else []
    return Entry(kind, section["ids"][0] if above else "", title, text, names(body), " › ".join(reversed(above)), also)


def of_figures(section: nodes.section, title: str) -> Iterator[Entry]:
    """Yield the section's figures: by the captions at the head of their cells, and those to move by their links."""
    for child in own(section):
        number, words = None, ""
        if is_code(child) and not is_unseen(child):
            caption = captions.caption(source(child))
            if caption is not None and caption.number is not None:
                number = f"{caption.number[0]}.{caption.number[1]}"
                words = re.sub(r"\$([^$]+)\$", lambda match: plain_text(match[1]), caption.words).replace("`", "")
        elif isinstance(child, nodes.paragraph) and len(child) and isinstance(child[0], addnodes.pending_xref):
            if placed := PLACED.match(squeezed("".join(running_text(child[0])))):
                number, words = placed[1], placed[2]
        if number:
            yield Entry("figure", f"figure-{number.replace('.', '-')}", f"Figure {number}", words, "", title)


def is_glossary(node: nodes.Node) -> bool:
    return isinstance(node, addnodes.glossary)


def of_glossary(section: nodes.section) -> Iterator[Entry]:
    for child in own(section):
        for item in child.findall(nodes.definition_list_item) if is_glossary(child) else ():
            terms = [squeezed("".join(running_text(term))) for term in item.children if isinstance(term, nodes.term)]
            text = squeezed("".join(running_text(item[-1])))
            yield Entry("term", item[0]["ids"][0], ", ".join(terms), text, "", "Glossary")


def entries(doctree: nodes.document, docname: str) -> list[Entry]:
    """Return a page's entries in their order, none of a page without a heading."""
    made = []
    for section in doctree.findall(nodes.section):
        made.append(of_section(section, docname))
        made += of_figures(section, made[-1].title)
        if docname == GLOSSARY:
            made += of_glossary(section)
    return made


def ideas(doctree: nodes.document) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield the rows of the page of ideas: what stands in the first column, and the places that the others lead to."""
    for row in doctree.findall(nodes.row):
        links = [link for entry in row.children[1:] for link in entry.findall(addnodes.pending_xref)]
        targets = [
            (link["reftarget"], link["reftargetid"]) for link in links if isinstance(link.get("reftargetid"), str)
        ]
        if targets:
            yield squeezed("".join(running_text(row[0]))), targets

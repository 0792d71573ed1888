"""What a chapter's page has by itself: the colors of attention's five parts, and links to the pages beside it.

Other modules that change chapters' pages alone begin with `ChapterTransform`.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from course.plots import ROLES

# Beside each chapter: what it is called there, and its page.
REFERENCE = (("Glossary", "book/glossary"), ("Bibliography", "book/bibliography"))
# What the text calls the five parts of attention, where it tells of it: elsewhere a weight is a parameter, a context
# what came before a character.
ATTENTION = range(2, 7)
ROLE_OF = {role: role for role in ROLES} | {f"{role}s": role for role in ROLES}
ROLE_OF |= {"queries": "query", "attention weights": "weight", "context vector": "context"}


def is_chapter(docname: str) -> bool:
    return docname.startswith("notebooks/")


class ChapterTransform(SphinxPostTransform):
    """A transform that runs on chapters' pages alone, where they are made into HTML."""

    formats = ("html",)

    def is_supported(self) -> bool:
        return super().is_supported() and is_chapter(self.env.docname)

    @property
    def stem(self) -> str:
        """The notebook's name: `02-bahdanau`."""
        return PurePosixPath(self.env.docname).name


class ColorRoles(ChapterTransform):
    """Gives the bold names of attention's five parts their colors; before they become links (terms, 150)."""

    default_priority = 140

    def run(self, **kwargs: Any) -> None:
        if int(self.stem[:2]) in ATTENTION:
            for strong in self.document.findall(nodes.strong):
                if role := ROLE_OF.get(" ".join(strong.astext().lower().split())):
                    strong["classes"].append(f"role-{role}")


class LinkPages(ChapterTransform):
    """Ends a chapter with links to its solutions, where they are published, to the glossary and the bibliography."""

    default_priority = 168

    def run(self, **kwargs: Any) -> None:
        pages = [(f"Solutions of chapter {self.stem[:2]}", f"book/solutions/{self.stem}"), *REFERENCE]
        line = nodes.paragraph("", "Beside this chapter: ", classes=["beside"])
        for title, page in pages:
            if page in self.env.found_docs:
                uri = self.app.builder.get_relative_uri(self.env.docname, page)
                link = nodes.reference("", "", nodes.Text(title), internal=True, refuri=uri)
                line += [link, nodes.Text(" · ")]
        line.pop()
        self.document.append(line)


def setup(app: Sphinx) -> None:
    app.add_post_transform(ColorRoles)
    app.add_post_transform(LinkPages)

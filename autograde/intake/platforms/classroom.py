"""Google Classroom: the Drive folder of an assignment, in which a file's name may bear a person's beside the title.

Google publishes no form of these names: its help (support.google.com/edu/assignments/answer/9433485) says that each
student gets a copy of an attached file, and not what it is called; a program that fetches submissions through the
interface calls them "title_name". So "Ada Lovelace - 00-warm-up.ipynb" and "00-warm-up_ada-lovelace.ipynb" are both
read, and more: each part of a name may be the person's, and the roster says whether it is. No live class was tried.

Students can rename their files, and what they add themselves bears the name that they gave it. So none is bound without
a roster, and none where two files would be one person's. A bare title says nobody's name, and nor does "Copy of", which
Drive puts before the name of whatever anybody copied.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

NAME = "Classroom"
_COPY = re.compile(
    r"(?:copy of|kopie v[ao]n|copi[ea] d[ei]|cópia de|kopia(?: av)?|kopi a[fv])(?=[\s_-]|$)", re.IGNORECASE
)
_AGAIN = re.compile(r"\s*\(\d+\)$|-\d+$")  # a number behind one of several files of a name
_BETWEEN = re.compile(r"\s+[-\u2013\u2014]\s+|_+")


def is_a_copy(stem: str) -> bool:
    """Whether a file's name begins as Drive calls a copy of another, in English and in some other languages."""
    return bool(_COPY.match(stem.strip()))


def names_in(stem: str, titles: Iterable[str]) -> tuple[str, ...]:
    """What may be a person's name in that of a file: what stands beside a title, or each of its parts; the likeliest
    first. () where nothing stands there."""
    stem = _AGAIN.sub("", stem).strip()
    if is_a_copy(stem) or _is_title(stem, titles):
        return ()
    beside = [
        match["name"]
        for title in titles
        for form in (rf"(?P<name>.+?)[\W_]+{_form(title)}", rf"{_form(title)}[\W_]+(?P<name>.+)")
        if (match := re.fullmatch(form, stem, re.IGNORECASE | re.DOTALL))
    ]
    parts = [part for text in (*beside, stem) for part in _BETWEEN.split(text) if not _is_title(part, titles)]
    likely = [each.strip() for each in (*beside, *parts, stem)]
    return tuple(dict.fromkeys(each for each in likely if re.search(r"[^\W\d_]", each)))


def titled(text: str, titles: Iterable[str]) -> str:
    """The one assignment of which a folder's or a file's name bears the title, with its number or without; else ""."""
    bearing = [each for each in titles if re.search(rf"(?:^|[\W_]){_form(each)}(?:$|[\W_])", text, re.IGNORECASE)]
    return bearing[0] if len(bearing) == 1 else ""


def _form(title: str) -> str:
    """A title of ours as people may write it: "00-warm-up" also as "Warm up" and "00 Warm_up"."""
    words = re.findall(r"[^\W_]+", title)
    number = rf"(?:{words.pop(0)}[\W_]*)?" if words and words[0].isdecimal() and len(words) > 1 else ""
    return number + r"[\W_]*".join(map(re.escape, words))


def _is_title(text: str, titles: Iterable[str]) -> bool:
    return any(re.fullmatch(rf"[\W_]*{_form(title)}[\W_]*", text, re.IGNORECASE) for title in titles)

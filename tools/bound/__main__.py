"""`make book-all`: the PDF and the EPUB of the site that `make book` has left in `_build/html`.

python -m tools.bound                # both, into _build/volume/
python -m tools.bound epub           # one of them; the PDF needs a Chromium
"""

import argparse
import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import yaml

from theme.volume import NAME
from tools.bound import epub, pdf
from tools.bound.pages import volume

ROOT = Path(__file__).resolve().parents[2]


def modified() -> str:
    """The time of the sources, as an EPUB says it: SOURCE_DATE_EPOCH, else the last commit's, else 1980."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not seconds:
        command = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
        seconds = subprocess.run(command, capture_output=True, text=True).stdout.strip() or "315532800"
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def main() -> None:
    parser = argparse.ArgumentParser(description="Make one volume of the built book: a PDF and an EPUB.")
    parser.add_argument("kind", nargs="?", choices=("all", "pdf", "epub"), default="all")
    kind = parser.parse_args().kind
    cff = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    title, _, subtitle = cff["title"].partition(": ")
    authors = tuple(author["name"] for author in cff["authors"])
    to = ROOT / "_build" / "volume"
    try:
        bound = volume(ROOT / "_build" / "html", ROOT / "_toc.yml")
        if kind in ("all", "epub"):
            epub.write(bound, epub.About(title, authors, ", ".join(cff["license"]), modified()), to / f"{NAME}.epub")
            print(f"_build/volume/{NAME}.epub", flush=True)
        if kind in ("all", "pdf"):
            pdf.write(bound, title, f"{subtitle[:1].upper()}{subtitle[1:]}", to / f"{NAME}.pdf")
            print(f"_build/volume/{NAME}.pdf", flush=True)
    except (FileNotFoundError, RuntimeError, ValueError, subprocess.TimeoutExpired) as failure:
        raise SystemExit(f"make book-all stopped: {failure}") from None


if __name__ == "__main__":
    main()

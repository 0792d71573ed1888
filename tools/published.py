"""What Colab opens from the site: the notebooks, whose first cell then knows where the course's package is.

    python -m tools.published SITE FOLDER     # the package into the built site, the notebooks into FOLDER/notebooks

COURSE_PACKAGE is what `pip install` is given in Colab, an address or a name in the package index; with COURSE_SITE the
package's checks link to the solution pages. `.github/workflows/pages.yml` does it all, and puts FOLDER on the branch
that the site's buttons open (theme/address.py).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from autograde.wheel import wheel
from course import files
from course.handed_out import handed_out, installing

ROOT = Path(__file__).resolve().parent.parent


def published(notebook: bytes, package: str) -> bytes:
    """A notebook as it is handed out, whose first cell installs this package where the course is missing. Raises
    ValueError where its first cell has no place for it."""
    return installing(handed_out(notebook), package)


def publish(site: Path, folder: Path, environment: Mapping[str, str]) -> str:
    """Puts the package into the built site and the notebooks that install it into a folder; gives what they install.
    Raises SystemExit where nobody said what that is."""
    package = environment.get("COURSE_PACKAGE", "").strip()
    if not package:
        raise SystemExit(
            "say in COURSE_PACKAGE what Colab is to install: this package's address on the site, or a name"
        )
    solutions = (site / "book" / "solutions" / "index.html").exists()  # as far as the site shows them
    name, content = wheel(environment.get("COURSE_SITE", "").strip() if solutions else "", solutions)
    files.replace(site / name, content)
    (folder / "notebooks").mkdir(parents=True, exist_ok=True)
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        files.replace(folder / "notebooks" / path.name, published(path.read_bytes(), package))
    return package


def main() -> None:
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    site, folder = map(Path, sys.argv[1:])
    print(f"the notebooks in {folder}/notebooks install {publish(site, folder, os.environ)}")


if __name__ == "__main__":
    main()

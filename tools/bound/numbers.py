"""The page of each entry at the end of its line in a PDF's contents, which Chromium lays out and cannot count ahead."""

from pathlib import Path

import pikepdf

DIGIT, SIZE = 0.556, 10  # the width of one of Helvetica's digits, in its size (Adobe's metrics); the size, in points
MARGIN = 51  # points from the paper's right edge, the 18 mm of pdf.STYLE
BASELINE = 4  # points from a link's lower edge up to the line that its words stand on
FONT = pikepdf.Dictionary(Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica)


def entries(pdf: pikepdf.Pdf, names: list[str]) -> dict[int, list[tuple[float, int]]]:
    """The contents' entries: index of the page they stand on -> the height of each one's last line, the page it names.

    Args:
        names: the destinations of the contents' links. An entry of several lines is several links in a row.

    Raises:
        KeyError: where there is no destination of one of the names.
    """
    index_of = {page.obj.objgen: index for index, page in enumerate(pdf.pages)}
    pages = {name: index_of[pdf.Root.Dests[f"/{name}"][0].objgen] for name in names}
    links: dict[int, dict[str, float]] = {}
    for index in range(min(pages.values())):
        for link in pdf.pages[index].get("/Annots", ()):
            name = str(link.get("/Dest", "")).removeprefix("/")
            if name in pages:
                links.setdefault(index, {})[name] = float(link["/Rect"][1])
    return {index: [(low, pages[name] + 1) for name, low in there.items()] for index, there in links.items()}


def add(path: Path, names: list[str]) -> None:
    """Write the numbers into the contents of a PDF, each ending at the right margin. Raises KeyError as `entries`."""
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        font = pdf.make_indirect(FONT)
        for index, numbers in entries(pdf, names).items():
            page = pdf.pages[index]
            name = page.add_resource(font, pikepdf.Name.Font)
            right = float(page.mediabox[2]) - MARGIN
            operators = [
                f"1 0 0 1 {right - DIGIT * SIZE * len(str(number)):.2f} {low + BASELINE:.2f} Tm ({number}) Tj"
                for low, number in numbers
            ]
            # What Chromium wrote turns the axes for all that follows it: its state is put back before this is written.
            page.contents_add(b"q", prepend=True)
            page.contents_add(f"Q /Artifact BMC BT {name} {SIZE} Tf {' '.join(operators)} ET EMC".encode())
        pdf.save(path)

"""From an image to tokens to cost: a photograph that is not square, cut into patches, and what their scores weigh.

The sizes are those of ViT-B (twelve layers of twelve heads, Dosovitskiy et al., 2021), with no class token.
The photograph (`static/explorables/patch-cost.jpg`) is by danielbuechele, from scikit-learn's samples, made smaller;
license CC BY 2.0.
"""

from __future__ import annotations

from course.figures.drawn import Figure, explorable

HEIGHT, WIDTH = 192, 288
PATCHES = (48, 32, 24, 20, 16, 8)  # 20 does not divide the height
LAYERS, HEADS, FLOAT32 = 12, 12, 4


def readable(size: float) -> str:
    """Write a number of bytes in the largest binary unit that leaves at least one."""
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.3g} {unit}" if unit != "bytes" else f"{size:.0f} bytes"
        size /= 1024
    return f"{size:,.1f} GiB" if size < 1024 else f"{size / 1024:,.1f} TiB"


def score_bytes(tokens: int) -> int:
    """Return what the attention weights of all layers and heads take in float32."""
    return LAYERS * HEADS * tokens * tokens * FLOAT32


def sections() -> list[dict[str, object]]:
    """Return, for each patch size, the grid, the number of tokens and the cost; or that it does not divide."""
    made: list[dict[str, object]] = []
    for patch in PATCHES:
        fits = HEIGHT % patch == 0 and WIDTH % patch == 0
        rows, columns = HEIGHT // patch, WIDTH // patch
        made.append(
            {
                "choice": f"{patch}×{patch}",
                "patch": patch,
                "fits": fits,
                "rows": rows,
                "columns": columns,
                "tokens": rows * columns,
                "numbers": 3 * patch * patch,
                "scores": (rows * columns) ** 2,
                "memory": readable(score_bytes(rows * columns)),
            }
        )
    return made


def figure() -> Figure:
    """Return the figure: the photograph for every patch size."""
    pixels = HEIGHT * WIDTH
    return explorable(
        "patch-cost",
        sections=sections(),
        height=HEIGHT,
        width=WIDTH,
        pixels=f"{pixels:,}",
        pixel_memory=readable(score_bytes(pixels)),
    )

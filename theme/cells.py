"""The code cells of a notebook in its document: what MyST-NB writes down of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard

from docutils import nodes


def is_code(node: object) -> TypeGuard[nodes.container]:
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def is_output(node: object) -> TypeGuard[nodes.container]:
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code_output"


def code(document: nodes.Node) -> list[nodes.container]:
    """The document's code cells, as a list: their surroundings may be changed on the way."""
    return [cell for cell in document.findall(nodes.container) if is_code(cell)]


def metadata(cell: nodes.container) -> Mapping[str, Any]:
    return cell.get("cell_metadata") or {}


def tags(cell: nodes.container) -> set[str]:
    return set(metadata(cell).get("tags", ()))


def source(cell: nodes.container) -> str:
    """The cell's code; "" of a cell whose code the page leaves out."""
    return next((block.astext() for block in cell.findall(nodes.literal_block)), "")

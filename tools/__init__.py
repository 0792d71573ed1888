"""Developers' tools: making and checking the notebooks. Not installed."""

import sys

# nbformat's schemas are read by jsonschema, which builds a parser of web addresses where it finds this package: two
# seconds of every start, for a format that no notebook has. None says that it is not there.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

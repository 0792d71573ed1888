# Tries: show figures of megabytes without end
# Score: full
# Flag: ended: output cut
# %% added
import os
from IPython.display import Image, display
noise = b"\x89PNG\r\n\x1a\n" + os.urandom(700_000)
for _ in range(60):
    display(Image(noise, format="png"))

# Tries: write the report of a cell of its own on the channel
# Score: centre 0
# Flag: reaches below Python
# %% centre
import json, os, struct
report = json.dumps({"dict": [["cell", 1 << 40], ["outputs", {"list": []}], ["error", None], ["seconds", 0]]}).encode()
os.write(3, struct.pack("<IQ", len(report), 0) + report)
def centre(x):
    return x

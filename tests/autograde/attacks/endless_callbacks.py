# Tries: call back functions that were never offered, for ever
# Score: centre 0
# Flag: ended: blocked
# %% centre
import json, os, struct
def centre(x):
    call = json.dumps({"dict": [["callback", 0], ["args", {"list": []}], ["kwargs", {"dict": []}]]}).encode()
    os.write(3, (struct.pack("<IQ", len(call), 0) + call) * 100)
    return x

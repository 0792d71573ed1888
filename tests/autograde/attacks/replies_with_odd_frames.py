# Tries: reply in forms that no honest end of the line writes
# Score: scale 0
# Flag: looks at the program around it
# %% scale
import gc
odd = iter([
    {"tensor": ["float32", [0, 1 << 39]]}, {"list": [{"handle": [-1, ""]}]}, {"callback": 7}, {"dict": [["\ud800", 1]]},
    {"list": [float("nan"), -0.0, 10**4000]}, {"state": [["a", "a"], [[0], [0]]]}, {"foreign": "x" * 5000}, {"set": [1, 1, 1]},
    {"handle": [10**30, "__class__"]}, {"same": 0}, {"lent": [0, [1], [1], 0]},
])
def scale(x, factor):
    return Odd()
class Odd: ...
for each in gc.get_objects():
    if type(each).__name__ == "function" and each.__name__ == "_encode" and each.__module__.endswith("wire"):
        def patched(value, arrays, budget, caps, depth, _old=type(each)(each.__code__, each.__globals__, "old", each.__defaults__, each.__closure__)):
            return next(odd, 3) if type(value).__name__ == "Odd" else _old(value, arrays, budget, caps, depth)
        each.__globals__["_encode"] = patched

# Tries: raise exceptions whose own text, attributes and class misbehave
# Score: centre 0, scale 0
# Flag: returns objects that answer comparisons themselves
# %% centre
class Odd(Exception):
    def __str__(self):
        raise SystemExit(0)
    def __eq__(self, other):
        return True
def centre(x):
    raise Odd()
# %% scale
raise Odd() if "Odd" in globals() else type("E", (BaseException,), {"__str__": lambda self: 1 / 0})()

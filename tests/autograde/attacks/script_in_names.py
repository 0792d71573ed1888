# Tries: raise an exception whose name and message are markup and control characters
# Score: centre 0
# Flag: puts HTML or script into its output
# %% centre
Odd = type("<script>alert(1)</script>", (Exception,), {"__str__": lambda self: "\x1b[2J</pre><script>alert(2)</script>\ud800"})
def centre(x):
    raise Odd()

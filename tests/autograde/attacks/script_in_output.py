# Tries: put script, forms and styles into the pages that others read
# Score: centre 0
# Flag: puts HTML or script into its output
# %% centre
from IPython.display import HTML, Javascript, Markdown, display
print("\x1b]0;title\x07\x1b[2J<script>alert(1)</script>\x1b[31m")
display(HTML("<script>alert(2)</script><img src=x onerror=alert(3)>"))
display(Javascript("alert(4)"))
display(Markdown("<iframe src='javascript:alert(5)'>"))
display({"text/latex": "\\href{javascript:alert(6)}{x}", "application/javascript": "alert(7)"}, raw=True)
def centre(x):
    raise ValueError("<script>alert(8)</script><b onmouseover=alert(9)>")

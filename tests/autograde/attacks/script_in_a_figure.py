# Tries: put script into an SVG figure and a page into a PNG
# Score: full
# Flag: puts HTML or script into its output
# %% added
from IPython.display import SVG, Image, display
display(SVG('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>fetch("http://example.org")</script></svg>'))
display(Image(b"\x89PNG\r\n\x1a\n\"><script>alert(2)</script>", format="png"))
display({"image/png": "\"><script>alert(3)</script>", "image/svg+xml": "\"><script>alert(4)</script>"}, raw=True)

# Tries: fetch a page, as a cell that reports home would
# Score: centre 0
# Flag: uses the network
# %% centre
import urllib.request
def centre(x):
    return x
urllib.request.urlopen("http://example.org/answers", timeout=1)

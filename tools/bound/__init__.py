"""The finished site as one volume: a PDF and an EPUB, for paper and for readers of books.

Both are made from the pages that `make book` left in `_build/html`, so nothing is read or drawn a second time:
`pages` takes the articles out of the pages and turns links between pages into links within the volume; `pdf` lays
them out with Chromium, which knows the style for paper already, and `numbers` counts its pages; `epub` writes them as
XHTML. (Sphinx's own EPUB builder would read every notebook again, and gives out the markup of outputs and figures as
it is, which is no XHTML. EbookLib would save `epub` the package and the contents, a fifth of it: but it reads pages
as HTML again, which writes SVG's names small, gives each file the time of the run, and is under the AGPL.)

Safe to change: styles, what is left out. Not safe: an id or a link that is not renamed with its page.
"""

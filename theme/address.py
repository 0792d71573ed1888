"""Where the repository and the published site live, if that is known: launch buttons, source links, sitemap, previews.

Nothing is hard-coded: a copy of the course must point at itself. The addresses come from the environment of the build
or from the git remote; where none is known the book has no such links, and it builds all the same.

Environment: COURSE_REPOSITORY (a full URL) or GITHUB_REPOSITORY (`owner/name`, with GITHUB_SERVER_URL), COURSE_BRANCH
or GITHUB_REF_NAME, and COURSE_SITE (the URL that the book is published under).

Binder installs the course from the repository itself (.binder/). Colab has nothing but the notebook, so there is a
button for it only where COURSE_PACKAGE says what `pip install` is to be given there: a wheel's address, or a name in
the package index. It opens the notebooks that `tools.published` made for that package, on the branch that
COURSE_NOTEBOOKS names ("published" where it is not said).
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError

HOSTS = ("github.com", "gitlab.com", "bitbucket.org", "codeberg.org")  # elsewhere: name it in COURSE_REPOSITORY
SET_UP = "book/start/set-up"
COLAB, BINDER = "https://colab.research.google.com", "https://mybinder.org"


def web_address(remote: str) -> str | None:
    """Return the https address of a git remote, or None where a browser could not open it.

    >>> web_address("git@github.com:owner/course.git")
    'https://github.com/owner/course'
    >>> web_address("/home/me/course") is None
    True
    """
    match = re.fullmatch(r"(?:https?://|ssh://)?(?:[^@/]+@)?([\w.-]+)(?::\d+)?[:/](.+?)(?:\.git)?/?", remote.strip())
    if match is None or match[1] not in HOSTS or match[2].count("/") < 1:
        return None
    return f"https://{match[1]}/{match[2]}"


def git(folder: Path, *arguments: str) -> str:
    """Return what git prints, or an empty string where there is no git, no repository or no such thing in it."""
    try:
        done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def repository(folder: Path, environment: Mapping[str, str]) -> str | None:
    """Return the repository's web address, most explicit source first, or None.

    Raises:
        ConfigError: where the one named is none.
    """
    if named := environment.get("COURSE_REPOSITORY"):
        if not named.startswith(("https://", "http://")):
            raise ConfigError(f"COURSE_REPOSITORY is {named}, no web address: write it whole, https://HOST/OWNER/NAME")
        return named.removesuffix("/").removesuffix(".git")
    if slug := environment.get("GITHUB_REPOSITORY"):
        return f"{environment.get('GITHUB_SERVER_URL', 'https://github.com')}/{slug}"
    return web_address(git(folder, "remote", "get-url", "origin"))


def branch(folder: Path, environment: Mapping[str, str]) -> str:
    """Return the branch that links point to: the one named, else the remote's default, else main."""
    named = environment.get("COURSE_BRANCH") or environment.get("GITHUB_REF_NAME")
    default = git(folder, "symbolic-ref", "--short", "refs/remotes/origin/HEAD").removeprefix("origin/")
    return named or default or "main"


def site(environment: Mapping[str, str]) -> str | None:
    """Return the address that the book is published under, ending in a slash, or None."""
    named = environment.get("COURSE_SITE", "").strip()
    return named.rstrip("/") + "/" if named else None


def package(environment: Mapping[str, str]) -> str | None:
    """Return what pip installs the course from where there is nothing of it, or None."""
    return environment.get("COURSE_PACKAGE", "").strip() or None


def notebooks_branch(environment: Mapping[str, str]) -> str:
    """Return the branch of the notebooks that say where their package is."""
    return environment.get("COURSE_NOTEBOOKS") or "published"


def open_published(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: object) -> None:
    """Let the button for Colab open the notebook that installs the package; all other links lead to the sources."""
    groups = [button for button in context.get("header_buttons", []) if button.get("label") == "launch-buttons"]
    for button in (button for group in groups for button in group["buttons"]):
        if button["url"].startswith(COLAB):
            sources = f"/blob/{app.config.html_theme_options['repository_branch']}/"
            button["url"] = button["url"].replace(sources, f"/blob/{notebooks_branch(os.environ)}/", 1)


def add_addresses(app: Sphinx, config: Config) -> None:
    folder = Path(app.confdir)
    options = config.html_theme_options = dict(config.html_theme_options)
    if url := repository(folder, os.environ):
        host = url.split("/")[2]
        options |= {
            "repository_url": url,
            "repository_branch": branch(folder, os.environ),
            "use_repository_button": True,
            "use_edit_page_button": host in ("github.com", "gitlab.com"),
            "use_issues_button": host in ("github.com", "gitlab.com"),
        }
        launchers = {"binderhub_url": BINDER}
        if host == "github.com" and package(os.environ):  # Colab opens nothing from elsewhere
            launchers["colab_url"] = COLAB
        options["launch_buttons"] = {**launchers, "notebook_interface": "jupyterlab", "thebe": False}
    else:
        for name in ("repository_url", "repository_branch", "launch_buttons"):
            options.pop(name, None)
        options |= {"use_repository_button": False, "use_edit_page_button": False, "use_issues_button": False}
    config.html_theme_options = options
    # A page that stands for any missing one cannot link relatively: it must know the folder that the site is in.
    address = site(os.environ)
    config.notfound_urls_prefix = urlsplit(address or "/").path or "/"
    if address:
        config.html_baseurl = address
        config.ogp_site_url = address
        config.ogp_site_name = config.html_title
        config.sitemap_url_scheme = "{link}"
        config.sitemap_excludes = ["404.html"]


def name_repository(app: Sphinx, doctree: nodes.document) -> None:
    """Put the repository's address, where it is known, into `git clone ADDRESS`."""
    if app.env.docname == SET_UP and (url := app.config.html_theme_options.get("repository_url")):
        for block in doctree.findall(nodes.literal_block):
            block.replace(block[0], nodes.Text(block.astext().replace("git clone ADDRESS", f"git clone {url}")))


def setup(app: Sphinx) -> None:
    if site(os.environ):  # both extensions warn, or write relative addresses, without it
        app.setup_extension("sphinxext.opengraph")
        app.setup_extension("sphinx_sitemap")
    app.connect("config-inited", add_addresses)
    app.connect("doctree-read", name_repository)
    app.connect("html-page-context", open_published, priority=502)  # after the theme has made its buttons (501)

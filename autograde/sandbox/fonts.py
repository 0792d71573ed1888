"""matplotlib's list of the system's fonts: made once, because to make it takes longer than to start a sandbox."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def font_cache() -> Path:
    """A folder with matplotlib's list of the system's fonts, made once for each version, kept in the user's cache.

    Raises OSError, RuntimeError (nobody's home is known) or SubprocessError where there can be none.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "attention-from-scratch"
    folder = cache / f"fonts-{importlib.metadata.version('matplotlib')}"
    if not any(folder.glob("fontlist-*.json")):
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as fresh:
            # no fonts of this user's own: they are not seen inside
            environment = {"MPLCONFIGDIR": fresh, "HOME": "/nonexistent", "PATH": os.environ.get("PATH", "")}
            command = [sys.executable, "-c", "import matplotlib.font_manager"]
            subprocess.run(command, env=environment, check=True, capture_output=True, timeout=300, cwd="/")
            folder.mkdir(exist_ok=True)
            for made in Path(fresh).glob("fontlist-*.json"):
                os.replace(made, folder / made.name)
    return folder

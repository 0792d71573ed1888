"""Where the home cannot be written, as in some classrooms: what programs keep there is then kept in the environment.

Jupyter starts nowhere else, and Matplotlib and fontconfig would make their lists of fonts anew in each process and say
so. A folder that somebody names, or that can be written, stays as it is.
"""

import os
import sys

# The variables that name the folders, and what stands for them in a home.
KEPT = {
    "XDG_CONFIG_HOME": ".config",
    "XDG_CACHE_HOME": ".cache",
    "XDG_DATA_HOME": ".local/share",
    "JUPYTER_CONFIG_DIR": ".jupyter",
    "IPYTHONDIR": ".ipython",
}


def _writable(folder: str) -> bool:
    """Whether the folder can be written, or made."""
    while not os.path.exists(folder) and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
    return os.access(folder, os.W_OK)


def stand_in() -> None:
    """Names a folder in the environment for each that cannot be had; programs that are started later read it."""
    if sys.platform != "linux" or sys.prefix == sys.base_prefix or not os.access(sys.prefix, os.W_OK):
        return
    for name, usual in KEPT.items():
        if name not in os.environ and not _writable(os.path.join(os.path.expanduser("~"), usual)):
            os.environ[name] = os.path.join(sys.prefix, "home", usual)

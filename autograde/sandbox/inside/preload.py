"""What the fork server imports and uses before it forks, so that no child spends time on it: PyTorch, matplotlib, the
shell that runs the cells, and what answers requests."""

import ast
import importlib
import inspect
import io
import multiprocessing
import os
import re
import shutil
import sys

from .confinement import SCRATCH
from .output import Results


def warm():
    """Import what all cells use and touch what is imported lazily, on one thread; returns the shell that runs the cells
    and the module that answers requests."""
    place_font_list()
    runner = warm_torch()
    warm_matplotlib()
    importlib.import_module("course.protocol.runner")  # the cells' own copy
    return warm_shell(), runner


def make_ready(modules: list[str], blocked: list[list[str]], runner) -> None:
    """Import what the cells of this assignment use, and look up the operators that are blocked in it."""
    importlib.invalidate_caches()  # solutions were laid beside what was there
    for name in modules:
        try:
            importlib.import_module(name)
        except Exception as error:  # a module that is missing here is missing in the cell too, which will say so
            print(f"not warmed: {name}: {error}", file=sys.stderr)
    for families in blocked:  # while nobody has changed them, and all that is imported is there
        runner.look_up(tuple(families))
    close_fonts()


def place_font_list() -> None:
    """Put matplotlib's list of fonts, where one was made outside, into the cache that it looks in."""
    cache = os.path.join(SCRATCH, ".matplotlib")
    os.makedirs(cache, exist_ok=True)
    for name in os.listdir("/sandbox/fonts"):
        shutil.copy(os.path.join("/sandbox/fonts", name), cache)


def warm_torch():
    """Import torch and the module that answers requests; then use what is set up at its first use. Returns that module,
    a copy apart from the cells' own."""
    os.environ["TORCHDYNAMO_DISABLE"] = "1"  # there is no compiler here: what is compiled runs as it was written
    os.environ["PYTORCH_JIT"] = "0"  # and what is scripted or traced, so that what an exercise blocks is seen in it too

    import torch

    runner = apart("course.protocol.runner")
    runner.device.without_compiler()
    runner.look_up(())  # what every assignment's own look-up needs
    if multiprocessing.get_start_method() != "fork":  # the others start a program, which the filter refuses
        multiprocessing.set_start_method("fork", force=True)
    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    x = torch.randn(3, 4, 8, requires_grad=True)
    for network in (torch.nn.RNN, torch.nn.GRU, torch.nn.LSTM):
        network(8, 8, batch_first=True)(x)[0].sum().backward()
    torch.nn.Conv2d(3, 2, 3, padding=1)(x[None]).sum().backward()
    torch.nn.functional.cross_entropy(
        torch.nn.TransformerEncoderLayer(8, 2)(x).flatten(0, 1), torch.zeros(12).long()
    ).backward()
    torch.optim.Adam([torch.nn.Parameter(x.detach())]).step()
    with torch.device("cpu"):
        runner.device.warm()
    return runner


def warm_matplotlib() -> None:
    """Draw and write a figure in both formats, as cells do."""
    import matplotlib.pyplot as plt
    import matplotlib_inline.backend_inline  # noqa: F401

    figure = plt.figure()
    figure.gca().plot([1, 2], label="line")
    figure.gca().legend()
    for kind in ("png", "svg"):
        figure.savefig(io.BytesIO(), format=kind)
    plt.close("all")


def warm_shell():
    """The shell that runs the cells, after its first one."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    class Shell(InteractiveShell):
        """IPython without a terminal: `%matplotlib inline` needs no event loop, and the child reports errors."""

        awaits = False  # whether the cell that is about to run has `await` at its top

        def enable_gui(self, gui=None):
            pass

        def transform_cell(self, raw_cell):
            """Lines of Python stay as they are: to look for magics in them takes longer than to run most cells."""
            try:
                if len(raw_cell.splitlines()) == 1 and not re.match(r"\w+ *=", raw_cell):
                    raise SyntaxError("a single line may be IPython's though it is Python, such as `exit` or `ls -l`")
                code = compile(raw_cell, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                raw_cell = super().transform_cell(raw_cell)
                self.awaits = super().should_run_async(raw_cell, transformed_cell=raw_cell)
            else:
                self.awaits = bool(code.co_flags & inspect.CO_COROUTINE)
            return raw_cell

        def should_run_async(self, raw_cell, **transformed):
            return self.awaits

        def showtraceback(self, *args, **kwargs):
            pass

        def showsyntaxerror(self, *args, **kwargs):
            pass

        def showindentationerror(self, *args, **kwargs):
            pass

    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    shell = Shell.instance(config=config)
    shell.display_trap.hook = Results(shell)
    shell.run_cell("%matplotlib inline\n1 + 1", store_history=False)
    shell.user_ns.pop("_", None)
    return shell


def close_fonts() -> None:
    """matplotlib keeps font files open, and a child closes every descriptor: a font that it opened here would be read
    from another file there. So this comes last."""
    import matplotlib.font_manager

    matplotlib.font_manager._get_font.cache_clear()  # type: ignore[attr-defined]


def apart(name: str):
    """Import a module of `course` with all that it needs, and forget them: what a cell imports under these names, and
    may change, is another copy, and not the one that answers requests and keeps to what is blocked."""
    module = importlib.import_module(name)
    forget("course")
    return module


def forget(package: str) -> None:
    """Take a package out of what is imported: whoever imports it from now on gets another copy."""
    for name in [name for name in sys.modules if f"{name}.".startswith(f"{package}.")]:
        del sys.modules[name]

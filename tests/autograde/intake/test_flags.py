"""Flags: what a submission tries is seen in its text, and honest code is not accused."""

import pytest

from autograde.intake import flags
from autograde.intake.environment import adapted
from autograde.intake.magics import without_magics
from autograde.intake.notes import Notes


@pytest.mark.parametrize(
    ("source", "flag"),
    [
        ("import torch\ntorch.testing.assert_close = lambda *a: None", flags.PATCHES),
        ("import torch.testing as t\nt.assert_close = print", flags.PATCHES),
        ("from course import checks\nchecks.Check.judge = print", flags.PATCHES),
        ("import builtins\nsetattr(builtins, 'isinstance', print)", flags.PATCHES),
        ("get_ipython().ast_transformers.append(x)", flags.HOOKS),
        ("text = open('/etc/passwd').read()", flags.READS),
        ("from pathlib import Path\nPath('x').read_text()", flags.READS),
        ("import os\nfor f in os.walk('/'): pass", flags.READS),
        ("!pip install torchvision", flags.PROCESSES),
        ("import subprocess\nsubprocess.run(['ls'])", flags.PROCESSES),
        ("import os\nos._exit(0)", flags.PROCESSES),
        ("import urllib.request\nurllib.request.urlopen('http://example.org')", flags.NETWORK),
        ("class A:\n    def __eq__(self, other): return True", flags.LIES),
        ("import os\nos.environ['NBGRADER_EXECUTION']", flags.WATCHES),
        ("import os\nos.path.exists('/sandbox/course')", flags.WATCHES),
        ("import sys\nsys.modules['course.checks'] = None", flags.PATCHES),
        ("import torch.nn.functional as F\nF.__dict__['softmax'] = print", flags.PATCHES),
        ("import ctypes\nctypes.CDLL(None)", flags.BELOW),
        ("import os\nos.write(3, b'')", flags.BELOW),
        ("import gc\ngc.get_objects()", flags.LOOKS),
        ("import gc\neverything = gc.get_objects", flags.LOOKS),
        ("from gc import get_objects as g\neverything = g", flags.LOOKS),
        ("import gc\nmine = gc", flags.LOOKS),
        ("import gc\ngetattr(gc, name)", flags.LOOKS),
        ("from course.fixtures.language_model import _Positions", flags.LOOKS),
        ("object.__subclasses__()", flags.LOOKS),
        ("match frame:\n    case object(f_back=above): pass", flags.LOOKS),
        ("from operator import attrgetter\nup = attrgetter('f_back.f_locals')(frame)", flags.LOOKS),
        ("from operator import attrgetter\nup = attrgetter(name)(frame)", flags.HIDES),
        ("from sklearn._loss.loss import HalfMultinomialLoss", flags.BRINGS),
        ("mine = type(f)(torch.nn.functional.softmax.__code__, {})", flags.LOOKS),
        ("mine = torch.nn.functional.softmax.__wrapped__", flags.LOOKS),
        ("from autograde import bank", flags.LOOKS),
        ("from course.protocol.wire import Handle", flags.LOOKS),
        ("import torch.nn.functional as F\ngetattr(F, 'soft' + 'max')(x)", flags.HIDES),
        ("import torch.nn.functional as F\nF.__dict__['softmax'](x)", flags.HIDES),
        ("import torch.nn.functional as F\nmine = getattr(F.softmax, part)", flags.HIDES),
        ("import torch.nn.functional as F\ntake = F.softmax.__getattribute__", flags.LOOKS),
        ("torch.ops.aten.softmax.int(x, 0)", flags.HIDES),
        ("@torch.jit.script\ndef f(x): return x", flags.HIDES),
        ("with torch._C.DisableTorchFunction(): pass", flags.HIDES),
        ("from torch.overrides import _pop_mode_temporarily", flags.HIDES),
        ("torch._refs.softmax(x, 0)", flags.HIDES),
        ("torch.library.Library('aten', 'IMPL')", flags.HIDES),
        ("loss.grad_fn(torch.ones(()))", flags.HIDES),
        ("import threading\nthreading.Thread(target=print).start()", flags.PROCESSES),
        ("import atexit\natexit.register(print)", flags.HOOKS),
        ("import sys\nsys.meta_path.insert(0, x)", flags.HOOKS),
        ("import gc\nall_of_them = gc.get_objects", flags.LOOKS),
        ("from gc import get_objects as everything", flags.LOOKS),
        ("import os\nend = os.kill", flags.PROCESSES),
        ("from course.fixtures.language_model import SmallLanguageModel", flags.LOOKS),
        ("f = torch.nn.functional.softmax.__getattribute__('__co' + 'de__')", flags.LOOKS),
        ("part = '__co' + 'de__'\ngetattr(torch.nn.functional.softmax, part)", flags.HIDES),
        ("from sklearn.utils.extmath import softmax", flags.BRINGS),
        ("def f(x):\n    import scipy.special as s\n    return s.softmax(x)", flags.BRINGS),
        ("import types", flags.BRINGS),
        ("import os as o\nf = getattr(o, 'ki' + 'll')", flags.HIDES),
        ("print('<script>alert(1)</script>')", flags.MARKUP),
        ("grade.extra_credit = 5", flags.POINTS),
    ],
)
def test_tricks_are_seen(source, flag):
    assert flag in flags.flags([source])


TRICKS = "import ctypes\ntext = open('x').read()"
DEEP = f"x = {'-' * 80_000}1"


@pytest.mark.parametrize(
    "source",
    [
        f"{TRICKS}\nx = (10\n%3)",
        f"{TRICKS}\nx = 10 \\\n%3",
        f"{TRICKS}\nx = '''\n!ls\n%time\n'''",
        f"%matplotlib inline\n{TRICKS}",
        f"{TRICKS}\nx = (10\n%3)\n%matplotlib inline",
        "  " + TRICKS.replace("\n", "\n  "),
        ">>> " + TRICKS.replace("\n", "\n>>> "),
        "In [1]: " + TRICKS.replace("\n", "\n   ...: "),
        f"%%time\n{TRICKS}",
        f"%time {TRICKS.splitlines()[1]}",
        f"x = %time {TRICKS.splitlines()[1]}",
        f"time {TRICKS.splitlines()[1]}",
        f"try:\n    %pip install x\nexcept Exception: pass\n{TRICKS}",
        f"torch.softmax?\n{TRICKS}",
        f"await f()\n{TRICKS}",
    ],
)
def test_no_form_of_a_cell_that_runs_hides_what_is_in_it(source):
    notes = Notes()
    assert flags.READS in flags.flags([adapted(without_magics(source, notes), notes)])


@pytest.mark.parametrize(
    "source",
    [
        "%time " + "x = 1; " * 200 + "open('x')",
        "/exec \"open('x')\"",
        pytest.param(DEEP, id="deep"),
        pytest.param(f"y = 1\n{DEEP}", id="deep, and more than a line"),
    ],
)
def test_what_may_run_and_could_not_be_read_is_said(source):
    assert flags.UNREAD in flags.flags([without_magics(source, Notes())])


@pytest.mark.parametrize(
    "source",
    [
        "x = (1,\n%matplotlib inline\n",
        "def f(x):\nreturn x",
        "for i in range(3)\n    print(i)",
        "print 'open(x)'",
        "x = = 3",
        "    x = 1\n  y = 2",
        "The answer is open(x).",
        "return 1 +",
        "pip install torchvision",
    ],
)
def test_what_is_no_python_and_will_not_run_is_not_accused(source):
    assert flags.flags([without_magics(source, Notes())]) == []


@pytest.mark.parametrize(
    "source",
    [
        "import torch\ntorch.backends.cudnn.deterministic = True\ntorch.manual_seed(0)",
        "import matplotlib.pyplot as plt\nplt.rcParams['font.size'] = 9\nplt.style.use('ggplot')",
        "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.torch = 2",
        "model.train()\nx.grad = None\noptimiser.zero_grad()",
        "import gc\ngc.collect()\ngc.disable()",
        "activation = getattr(torch.nn.functional, name)\nfill = getattr(nn.init, name)",
        "from operator import attrgetter, itemgetter\npairs.sort(key=attrgetter('length'))",
        "%matplotlib inline\nprint('max', max([1, 2]))",
        "counts = {}\ncounts['a'] = 1\nx[0] = 2\nscores = 3",
        "activation = getattr(torch, name)\nlayer = getattr(self, 'layer' + str(i))",
        "print(loss.grad_fn, loss.grad_fn.next_functions)\nloss.backward()",
        "with torch.no_grad():\n    model.eval()\nfrom course import check, parts",
        "from IPython.display import HTML, display\ndisplay(HTML('<b>loss</b>'))",
        "def f(:",
        "x" + ".a" * 1_500 + "()\nx" + ".b" * 1_500 + " = 3",
    ],
)
def test_honest_code_is_not_accused(source):
    assert flags.flags([source]) == []

"""Flags: what a hand-in tries is seen in its text, and honest code is not accused."""

import pytest

from autograde import flags


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
    ],
)
def test_tricks_are_seen(source, flag):
    assert flag in flags.flags([source])


@pytest.mark.parametrize(
    "source",
    [
        "import torch\ntorch.backends.cudnn.deterministic = True\ntorch.manual_seed(0)",
        "import matplotlib.pyplot as plt\nplt.rcParams['font.size'] = 9\nplt.style.use('ggplot')",
        "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.torch = 2",
        "model.train()\nx.grad = None\noptimiser.zero_grad()",
        "%matplotlib inline\nprint('max', max([1, 2]))",
        "def f(:",
    ],
)
def test_honest_code_is_not_accused(source):
    assert flags.flags([source]) == []

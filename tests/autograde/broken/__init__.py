"""Broken and unusual submissions, made by code: what each loses, and what its student and its instructor are told.

`answers()` are correct answers in forms that a class really hands in, and slips; `files()` what becomes of the file
on its way. All are of one assignment, 04-dot-product.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from autograde.bank.sample import Sheet
from autograde.intake.marks import grade_id

NAME = "04-dot-product"
SDPA, MASKS, SELF, BYTES = "scaled_dot_product_attention", "attention_masks", "self_attention", "attention_matrix_bytes"


@dataclass(frozen=True)
class Broken:
    """A submission. `put` writes it into a folder; `lost` are the exercises that earn nothing, all the others earn all;
    `student` and `instructor` must stand in what those are told, "" where nothing need be said.
    """

    name: str
    put: Callable[[Path], object]
    lost: frozenset[str] = frozenset()
    student: str = ""
    instructor: str = ""

    @property
    def facts(self) -> dict[str, str]:
        """What a report of the tests says of it, beside what its student and its instructor were told."""
        honest = "nothing" if self.lost == ALL else ", ".join(f"{name} 0" for name in sorted(self.lost)) or "full"
        return {"kind": "submission", "name": self.name, "honest": honest}


ALL = frozenset({"*"})


def file(content: bytes | Callable[[], bytes], name: str = f"{NAME}.ipynb") -> Callable[[Path], object]:
    """`content`, or what makes it, which is asked only when it is put: whoever only needs the names waits for none."""

    def put(folder: Path) -> None:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content() if callable(content) else content)

    return put


def several(*puts: Callable[[Path], object]) -> Callable[[Path], object]:
    return lambda folder: [put(folder) for put in puts]


def code(source: str, **more) -> dict:
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source} | more


# ---------------------------------------------------------------- answers

_HEAD = "def scaled_dot_product_attention(query, key, value, mask=None):\n"
_CHECKED = _HEAD + "    check_scaled_dot_product(query, key, value, mask)\n"
_ROOT = "    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])\n"
_END = "    return weights @ value, weights\n"

ATTENTION = {
    "einsum": _CHECKED
    + """\
    scores = torch.einsum("...td,...sd->...ts", query, key) / query.shape[-1] ** 0.5
    weights = masked_softmax(scores, mask)
    return torch.einsum("...ts,...sd->...td", weights, value), weights
""",
    "loops over batch, queries and keys": _CHECKED
    + """\
    T, S, d = query.shape[-2], key.shape[-2], query.shape[-1]
    lead = query.shape[:-2]
    q, k, v = query.reshape(-1, T, d), key.reshape(-1, S, d), value.reshape(-1, S, value.shape[-1])
    m = torch.ones(T, S, dtype=torch.bool) if mask is None else mask
    m = m.expand(*lead, T, S).reshape(-1, T, S)
    rows = []
    for b in range(len(q)):
        for t in range(T):
            allowed = [s for s in range(S) if m[b, t, s]]
            scores = {s: (q[b, t] * k[b, s]).sum() / d**0.5 for s in allowed}
            exps = {s: torch.exp(score - max(scores.values())) for s, score in scores.items()}
            total = sum(exps.values())
            rows.append(torch.stack([exps[s] / total if s in exps else 0.0 * q.sum() for s in range(S)]))
    weights = torch.stack(rows).reshape(*lead, T, S)
    return weights @ value, weights
""",
    "minus infinity and nan_to_num": "import math\n"
    + _CHECKED
    + _ROOT
    + """\
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
        alive = mask.any(-1, keepdim=True)
        scores = torch.where(alive, scores, torch.zeros_like(scores))
        weights = torch.softmax(scores, -1) * mask
    else:
        weights = scores.softmax(-1)
"""
    + _END,
    "a large negative, masked rows zeroed": "import math\n"
    + _CHECKED
    + _ROOT
    + """\
    if mask is not None:
        scores = scores.masked_fill(mask == False, -1e9)
    weights = F.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0)
"""
    + _END,
    "where": "import math\n"
    + _CHECKED
    + _ROOT
    + """\
    if mask is not None:
        scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = torch.where(mask, weights, 0.0)
"""
    + _END,
}

_RIGHT = """\
def attention_matrix_bytes(num_tokens, num_heads, num_layers, bytes_per_element=4):
    {}
    return num_layers * num_heads * num_tokens**2 * bytes_per_element
"""
_OTHER = """{right}
_sdpa = scaled_dot_product_attention
def scaled_dot_product_attention(query, key, value, mask=None):
    o, w = _sdpa(query, key, value, mask)
    return """
_OBJECT = """
class Bytes:
    def __call__(self, *args, **kwargs):
        return _bytes(*args, **kwargs)

_bytes, attention_matrix_bytes = attention_matrix_bytes, Bytes()
"""
_DROPOUT = """\
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.dropout = nn.Dropout(0.5)

    def forward(self, x, mask=None):
        o, w = scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
        return self.dropout(o), w
"""
_QUOTES = r"""
note = '''a \"\"\" b
!pip install x
%magic
''' + f"{'!'}" + 'it is "so"'
"""
_CAUSAL = "def causal_mask(length):\n    return {}\n\ndef padding_mask(lengths, max_length):\n    return {}\n"
_TRIL = "torch.ones(length, length, dtype=torch.bool).tril()"
_PADS = "(torch.arange(max_length, device=lengths.device) < lengths[:, None])[:, None]"
_WHERE_THERE_IS_ONE = "x = torch.zeros(3).to('cuda' if torch.cuda.is_available() else 'cpu')\n"
_ON_GPU = "(torch.arange(max_length).cuda() < lengths.cuda()[:, None])[:, None]"


@dataclass(frozen=True)
class Answered:
    """A submission that is right but for these answers, with code cells added before the first answer or at the end."""

    name: str
    changed: dict[str, str] = field(default_factory=dict)
    before: str = ""
    after: str = ""
    lost: tuple[str, ...] = ()
    student: str = ""
    instructor: str = ""

    def broken(self, sheet: Sheet) -> Broken:
        answers = sheet.right | {
            name: text.replace("{right}", sheet.right[name]) for name, text in self.changed.items()
        }

        def edit(cells: list[dict]) -> list[dict]:
            at = next(i for i, cell in enumerate(cells) if grade_id(cell).endswith("-answer"))
            before = [code(self.before, id="mine-before")] if self.before else []
            after = [code(self.after, id="mine-after")] if self.after else []
            return [*cells[:at], *before, *cells[at:], *after]

        made = file(lambda: sheet.filled(answers, edit))
        return Broken(self.name, made, frozenset(self.lost), self.student, self.instructor)


ANSWERS = [
    *(Answered(f"attention by {name}", {SDPA: source}) for name, source in ATTENTION.items()),
    # what it says beside its result
    Answered("warns", {BYTES: "import warnings\n" + _RIGHT.format("warnings.warn('mind the units')")}),
    Answered("writes to stderr", {BYTES: "import sys\n" + _RIGHT.format("print('hm', file=sys.stderr)")}),
    Answered("prints a megabyte", {BYTES: _RIGHT.format("print('x' * 10**6)")}, before="print('y' * 10**6)"),
    Answered("logs", {BYTES: "import logging\nlogging.basicConfig(level=0)\n" + _RIGHT.format("logging.warning('!')")}),
    Answered("plots", {BYTES: "import matplotlib.pyplot as plt\n" + _RIGHT.format("plt.plot([1, 2]); plt.show()")}),
    Answered(
        "plots for a window",
        before="import matplotlib\nmatplotlib.use('TkAgg')\nimport matplotlib.pyplot as plt\nplt.show()",
    ),
    Answered("a progress bar", {BYTES: "from tqdm.auto import tqdm\n" + _RIGHT.format("list(tqdm(range(3)))")}),
    Answered("widgets", before="import ipywidgets\nipywidgets.interact(lambda x: x, x=3)"),
    Answered(
        "widgets in an answer", {BYTES: "import ipywidgets as widgets\nwidgets.IntSlider()\n" + _RIGHT.format("pass")}
    ),
    Answered("input", before="visitor = input('Who is there? ')\nprint('Hello', visitor)"),
    Answered("input in an answer", {BYTES: "visitor = input('Who is there? ')\n" + _RIGHT.format("pass")}),
    Answered(
        "a call with input after the answer",
        {BYTES: _RIGHT.format("pass") + "print(attention_matrix_bytes(int(input()), 1, 1))"},
    ),
    # settings of the whole session
    Answered("anomaly detection", before="torch.autograd.set_detect_anomaly(True)"),
    Answered("warnings as errors", before="import warnings\nwarnings.filterwarnings('error')"),
    Answered("more threads", before="torch.set_num_threads(8)\ntorch.randn(500, 500) @ torch.randn(500, 500)"),
    Answered(
        "deterministic",
        before="import os\nos.environ['X'] = '1'\ntorch.use_deterministic_algorithms(True)\ntorch.manual_seed(3)",
    ),
    Answered("gradients switched off", before="torch.set_grad_enabled(False)"),
    Answered("float64 by default", before="torch.set_default_dtype(torch.float64)"),
    Answered("other print options", before="torch.set_printoptions(precision=2, sci_mode=False)"),
    # a GPU that is not there
    Answered(  # a mask that is on a GPU whatever its lengths are on fails the line on other devices, and no other
        "cuda()",
        {MASKS: _CAUSAL.format(_TRIL + ".cuda().cpu()", _ON_GPU)},
        lost=(MASKS,),
        student="no GPU",
        instructor="cuda",
    ),
    Answered(
        "a module on cuda", {SELF: "{right}\nmine = SelfAttention(8).cuda()\nmine.to('cuda:0')"}, student="no GPU"
    ),
    Answered(
        "device = cuda",
        {BYTES: "device = 'cuda'\ntorch.zeros(3, device=device)\n" + _RIGHT.format("torch.ones(2, device='cuda')")},
        student="no GPU",
    ),
    Answered(
        "cuda in an f-string, where there is one",
        {BYTES: _RIGHT.format("if torch.cuda.is_available(): print(f\"{torch.ones(2).to('cuda').sum()}\")")},
        student="no GPU",
    ),
    Answered(
        "cuda on a device, where there is one",
        {BYTES: _RIGHT.format("if torch.cuda.is_available(): torch.add(torch.ones(2).cuda(device='cuda'), 0)")},
        student="no GPU",
    ),
    Answered("a remainder that begins a line", {BYTES: _RIGHT.format("x = (10\n%3)")}),
    Answered(
        "a remainder below a magic",
        {BYTES: "%matplotlib inline\n" + _RIGHT.format("x = (10\n%3)")},
        student="left out",
    ),
    Answered("pasted with its indentation", {BYTES: "  " + _RIGHT.format("pass").replace("\n", "\n  ")}),
    Answered("cuda where there is one", {BYTES: _WHERE_THERE_IS_ONE + _RIGHT.format("pass")}),
    # lines of IPython's and Colab's
    Answered(
        "pip",
        {BYTES: "!pip install einops\n%pip install einops\n" + _RIGHT.format("pass")},
        student="left out",
        instructor="pip",
    ),
    Answered(
        "pip by code",
        before="import sys, subprocess\nsubprocess.check_call([sys.executable, '-m', 'pip', 'install', 'einops'])",
    ),
    Answered("pip by get_ipython", {BYTES: "get_ipython().system('pip install einops')\n" + _RIGHT.format("pass")}),
    Answered(
        "magics",
        {BYTES: "%matplotlib inline\n%load_ext autoreload\n%autoreload 2\n" + _RIGHT.format("pass")},
        student="left out",
    ),
    Answered("matplotlib notebook", before="%matplotlib notebook\nimport matplotlib.pyplot as plt"),
    Answered(
        "Colab",
        {BYTES: "from google.colab import drive\ndrive.mount('/content/drive')\n" + _RIGHT.format("pass")},
        student="Colab",
    ),
    Answered(
        "Colab over several lines",
        {
            BYTES: "from google.colab import (\n    drive,\n)\ndrive.mount(\n    '/content/drive',\n)\n"
            + _RIGHT.format("pass")
        },
        student="Colab",
    ),
    Answered(
        "Colab's folder",
        {BYTES: "import os\nos.chdir('/content/drive/MyDrive')\n" + _RIGHT.format("pass")},
        lost=(BYTES,),
        student="FileNotFoundError",
    ),
    Answered("a shell's cell", before="%%bash\npip install einops"),
    Answered(
        "Colab's form fields",
        {BYTES: '#@title Bytes { display-mode: "form" }\nheads = 12 #@param {type:"slider"}\n' + _RIGHT.format("pass")},
    ),
    Answered("Colab's secrets", before="from google.colab import userdata\nkey = userdata.get('HF_TOKEN')"),
    Answered("timed as a cell", {BYTES: "%%time\n" + _RIGHT.format("pass")}, student="%%time"),
    Answered("captured as a cell", {BYTES: "%%capture out\n" + _RIGHT.format("print('!')")}, student="%%capture"),
    Answered("written to a file as a cell", before="%%writefile helper.py\ndef helper(: pass", student="%%writefile"),
    Answered("a page's cell", before="%%html\n<script>alert(1)</script>", student="%%html"),
    Answered("help asked for", {BYTES: "torch.softmax?\n?F.softmax\n" + _RIGHT.format("pass")}, student="left out"),
    Answered("a shell's line into a variable", {BYTES: "files = !ls\n" + _RIGHT.format("pass")}, student="left out"),
    Answered("the debugger", before="%debug\nbreakpoint()\nimport pdb; pdb.set_trace()"),
    Answered("a progress bar of Jupyter's", before="from tqdm.notebook import tqdm\nlist(tqdm(range(3)))"),
    # packages
    Answered("a package that is not here", before="import seaborn as sns\nsns.set()"),
    Answered(
        "that package in an answer",
        {BYTES: "import seaborn as sns\n" + _RIGHT.format("pass")},
        lost=(BYTES,),
        student="seaborn",
    ),
    Answered(
        "an import that was forgotten", {BYTES: _RIGHT.format("itertools.count()")}, lost=(BYTES,), student="itertools"
    ),
    Answered("an import in a later cell", {BYTES: _RIGHT.format("itertools.count()")}, after="import itertools"),
    Answered("everything imported", before="from math import *"),
    # forms
    Answered("float64", {SDPA: _OTHER + "o.double(), w.double()"}),
    Answered(
        "computed in bfloat16",
        {SDPA: _OTHER + "o.bfloat16(), w.bfloat16()"},
        lost=(SDPA,),
        student="rounded to bfloat16",
    ),
    Answered("not contiguous", {SDPA: _OTHER + "o.mT.contiguous().mT, w.mT.contiguous().mT"}),
    Answered("a list for a tuple", {SDPA: _OTHER + "[o, w]"}),
    Answered(
        "lambdas", {MASKS: f"causal_mask = lambda length: {_TRIL}\npadding_mask = lambda lengths, max_length: {_PADS}"}
    ),
    Answered(
        "a method of an object",
        {BYTES: _RIGHT.format("pass") + _OBJECT},
    ),
    Answered(
        "a tensor for a number",
        {BYTES: _RIGHT.format("pass").replace("return ", "return torch.tensor(1) * ")},
        lost=(BYTES,),
        student="a number is asked for",
    ),
    Answered(  # right up to 64 bits, and its text promises any size
        "NumPy's integer for a whole number",
        {BYTES: "import numpy as np\n" + _RIGHT.format("pass").replace("return ", "return np.int64(1) * ")},
        lost=(BYTES,),
        student="have 64 bits and wrap around beyond them",
    ),
    Answered(  # right where a float holds the number, and its text promises every last byte
        "a float for a whole number",
        {BYTES: _RIGHT.format("pass").replace("return ", "return 1.0 * ")},
        lost=(BYTES,),
        student="right but for rounding",
    ),
    Answered("compiled", {SELF: "{right}\nSelfAttention.forward = torch.compile(SelfAttention.forward)"}),
    Answered(  # right in evaluation mode, where every other case looks: a part is lost
        "dropout left on", {SELF: _DROPOUT}, lost=(SELF,), student="In training mode the result differs"
    ),
    Answered("slow", {BYTES: "import time\n" + _RIGHT.format("time.sleep(0.5)")}),
    Answered("a future import", {BYTES: "from __future__ import annotations\n" + _RIGHT.format("pass")}),
    Answered("await at the top", {BYTES: "import asyncio\nawait asyncio.sleep(0)\n" + _RIGHT.format("pass")}),
    Answered(
        "files written and read",
        {BYTES: "torch.save(torch.ones(2), 'x.pt')\ntorch.load('x.pt')\n" + _RIGHT.format("pass")},
    ),
    Answered(
        "workers",
        before="from torch.utils.data import DataLoader\nprint(list(DataLoader(list(range(4)), num_workers=2)))",
    ),
    # slips
    Answered(
        "a syntax error",
        {BYTES: "def attention_matrix_bytes(num_tokens:\n    pass"},
        lost=(BYTES,),
        student="SyntaxError",
    ),
    Answered(
        "tabs and blanks",
        {BYTES: "def attention_matrix_bytes(n):\n\treturn 1\n        n = 2"},
        lost=(BYTES,),
        student="Error",
    ),
    Answered("tabs", {BYTES: _RIGHT.format("pass").replace("    ", "\t")}),
    Answered("old line ends within", {BYTES: _RIGHT.format("pass").replace("\n", "\r")}),
    Answered("quotes within quotes", {BYTES: _QUOTES + _RIGHT.format("pass")}),
    Answered("a line of half a megabyte", {BYTES: f"data = '{'7' * 500_000}'\n" + _RIGHT.format("pass")}),
    Answered("other alphabets", {BYTES: "größe, 記憶 = 3, '👩🏽‍🎓'\n" + _RIGHT.format("größe = 4")}),
    Answered("a blank from the web", {BYTES: _RIGHT.format("x =\u00a01")}, lost=(BYTES,), student="U+00A0"),
    Answered(
        "a conflict within an answer",
        {BYTES: "<<<<<<< HEAD\n" + _RIGHT.format("pass") + "=======\n>>>>>>> theirs\n"},
        lost=(BYTES,),
        student="SyntaxError",
    ),
    Answered("an assertion of its own that fails", {BYTES: _RIGHT.format("pass") + "assert 1 == 2, 'still to do'"}),
    Answered("the stub's last line left", {BYTES: _RIGHT.format("pass") + "    raise NotImplementedError"}),
    Answered("curly quotes", {BYTES: _RIGHT.format("print(“bytes”)")}, lost=(BYTES,), student="SyntaxError"),
    Answered(
        "raises at the top", {BYTES: "1 / 0\n" + _RIGHT.format("pass")}, lost=(BYTES,), student="ZeroDivisionError"
    ),
    Answered("an added cell that raises", before="undefined_name", after="raise KeyboardInterrupt"),
    Answered("exit at the end", after="exit()"),
    Answered("a helper in a later cell", {BYTES: _RIGHT.format("helper()")}, after="def helper():\n    return 3"),
]


def answers(sheet: Sheet) -> list[Broken]:
    return [answered.broken(sheet) for answered in ANSWERS]


# ---------------------------------------------------------------- files


def files(sheet: Sheet) -> list[Broken]:
    """What becomes of a right notebook between its author and the grader."""
    right = sheet.filled(sheet.right)
    notebook = json.loads(right)

    def edited(edit: Callable[[list[dict]], list[dict] | None], **top) -> Callable[[Path], object]:
        return file(lambda: json.dumps(json.loads(sheet.filled(sheet.right, edit)) | top).encode())

    def each(change: Callable[[dict], object]) -> Callable[[list[dict]], None]:
        def edit(cells: list[dict]) -> None:
            for cell in cells:
                change(cell)

        return edit

    def without(*names: str) -> Callable[[list[dict]], list[dict]]:
        return lambda cells: [cell for cell in cells if grade_id(cell) not in names]

    def answer(cells: list[dict], name: str) -> dict:
        return next(cell for cell in cells if grade_id(cell) == f"{name}-answer")

    def split(cells: list[dict]) -> list[dict]:
        """The answer's end in a cell of its own."""
        at = cells.index(answer(cells, MASKS))
        source = "".join(cells[at]["source"])
        first, second = source[: source.index("def padding")], source[source.index("def padding") :]
        cells[at]["source"] = first
        return [*cells[: at + 1], code(second, id="second-half"), *cells[at + 1 :]]

    def joined(cells: list[dict]) -> list[dict]:
        """All answers in one new cell, none of the others there any more."""
        answers = [cell for cell in cells if grade_id(cell).endswith("-answer")]
        whole = "\n\n".join("".join(cell["source"]) for cell in answers)
        return [cell for cell in cells if cell not in answers] + [code(whole, id="all")]

    def images(cells: list[dict]) -> None:
        picture = {"output_type": "display_data", "metadata": {}, "data": {"image/png": "A" * (100 << 20)}}
        next(cell for cell in cells if cell["cell_type"] == "code")["outputs"] = [picture]

    def attached(cells: list[dict]) -> list[dict]:
        picture = {"a.png": {"image/png": "A" * (1 << 20)}}
        return [
            {"cell_type": "markdown", "metadata": {}, "source": "![](attachment:a.png)", "attachments": picture},
            *cells,
        ]

    def retyped(kind: str, fence: str = "") -> Callable[[list[dict]], None]:
        def edit(cells: list[dict]) -> None:
            cell = answer(cells, SELF)
            source = "".join(cell["source"])
            cell |= {"cell_type": kind, "source": f"```python\n{source}\n```" if fence else source}

        return edit

    def vs_code(cell: dict) -> None:
        cell |= {"id": f"#VSC-{cell['id'][:8]}"}
        cell["metadata"] |= {"vscode": {"languageId": "python"}}

    def in_place(name: str, source: str) -> Callable[[list[dict]], None]:
        return lambda cells: next(c for c in cells if grade_id(c) == name).update(source=source)

    twice = sheet.filled(sheet.right, lambda cells: [copy.deepcopy(c) for c in cells for _ in range(2)])
    middle = right.index(b"\n", len(right) // 2) + 1
    version3 = {
        "nbformat": 3,
        "nbformat_minor": 0,
        "metadata": {"name": ""},
        "worksheets": [
            {
                "cells": [
                    {
                        "cell_type": "code",
                        "input": cell["source"],
                        "language": "python",
                        "metadata": cell["metadata"],
                        "outputs": [],
                    }
                    if cell["cell_type"] == "code"
                    else {"cell_type": "markdown", "source": cell["source"], "metadata": {}}
                    for cell in notebook["cells"]
                ]
            }
        ],
    }
    kernel = {"display_name": "R", "language": "R", "name": "ir"}
    empty = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    exported = "\n\n".join("".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code").encode()
    page = b"<!DOCTYPE html><html><title>Sign in</title></html>"
    stub = sheet.filled({})
    merge = b'<<<<<<< HEAD\n "a": 1,\n=======\n "a": 2,\n>>>>>>> theirs\n'
    conflict = b'<<<<<<< HEAD\n  "    return 1"\n=======\n  "    return 2"\n>>>>>>> theirs\n'
    latin = (
        sheet.filled(sheet.right | {BYTES: "# déjà vu\n" + sheet.right[BYTES]}).decode().encode("latin-1", "replace")
    )
    shared = file(right.replace(b"\n", b"\r\n"))
    return [
        # nothing to read
        Broken("nothing at all", lambda folder: None, ALL, "folder is empty", "no files"),
        Broken("an empty file", file(b""), ALL, "empty file", "empty"),
        Broken("a file of zeros", file(bytes(4096)), ALL, "empty file", "empty"),
        Broken("cut short", file(right[: len(right) * 2 // 3]), ALL, "cut short", "not JSON"),
        Broken("a page to sign in", file(page), ALL, "could not be read", "not JSON"),
        Broken("a program", file(exported, f"{NAME}.py"), ALL, "no notebook", f"{NAME}.py"),
        Broken("a program called notebook", file(exported), ALL, "could not be read", "not JSON"),
        Broken("a picture of it", file(b"\x89PNG", "answer.png"), ALL, "no notebook", "answer.png"),
        Broken("an archive", file(b"PK\3\4", "work.zip"), ALL, "not an archive", "work.zip"),
        Broken("a notebook without cells", file(json.dumps(empty).encode()), ALL, "no cells", "without cells"),
        Broken("a list", file(b"[]"), ALL, "not a notebook", "list"),
        Broken("a conflict in an answer", file(right[:middle] + conflict + right[middle:]), ALL, "merge", "conflict"),
        Broken("a link", lambda folder: (folder / f"{NAME}.ipynb").symlink_to("/etc/passwd"), ALL, "link", "link"),
        Broken(
            "a checkpoint only", file(right, f".ipynb_checkpoints/{NAME}-checkpoint.ipynb"), ALL, "empty", "no files"
        ),
        # not begun
        Broken("untouched", file(stub), ALL),
        Broken("run and saved, nothing written", file(sheet.filled({}, each(lambda c: c.update(id="x")))), ALL),
        # read all the same
        Broken("another name", file(right, "final (2) é.ipynb"), student="please hand it in as", instructor="found as"),
        Broken("in a folder", file(right, f"my work/04/{NAME}.ipynb"), student="please hand it in as"),
        Broken("two notebooks", several(file(right), file(stub, f"Copy of {NAME}.ipynb")), student="several notebooks"),
        Broken(
            "behind many others",
            several(file(right), *(file(stub, f"00-notes-{number:02}.ipynb") for number in range(25))),
            student="several notebooks",
        ),
        Broken(
            "behind many others, renamed",
            several(file(right, "z/work.ipynb"), *(file(b'{"cells": []}', f"{n:02}.ipynb") for n in range(25))),
            student="several notebooks",
        ),
        Broken("a checkpoint beside it", several(file(right), file(stub, ".ipynb_checkpoints/x.ipynb"))),
        Broken(
            "other files beside it", several(file(right), file(b"1,2", "data.csv"), file(b"x", "course/__init__.py"))
        ),
        Broken(
            "a conflict in the metadata", file(right[:2] + merge + right[2:]), student="merge", instructor="conflict"
        ),
        Broken("line ends of Windows", shared),
        Broken("a byte order mark", file(b"\xef\xbb\xbf" + right)),
        Broken("UTF-16", file(right.decode().encode("utf-16"))),
        Broken("Latin-1", file(latin), student="UTF-8", instructor="Latin-1"),
        Broken("one line", file(json.dumps(notebook).encode())),
        Broken("saved as text", file(right, f"{NAME}.ipynb.txt"), student="please hand it in as"),
        Broken("saved as JSON", file(right, f"{NAME}.ipynb.json"), student="please hand it in as"),
        Broken("ids and marks of VS Code", edited(each(vs_code), metadata={"vscode": {"interpreter": {"hash": "1"}}})),
        Broken("ids of Colab", edited(each(lambda c: c.update(id=f"{len(c['source'])}{c['id']}"[-12:])))),
        Broken("one id for all", edited(each(lambda c: c.update(id="same")))),
        Broken("sources as lists of letters", edited(each(lambda c: c.update(source=list("".join(c["source"])))))),
        Broken("an old format", file(json.dumps(version3).encode()), student="old format", instructor="nbformat 3"),
        Broken("a format to come", edited(lambda cells: None, nbformat=5, nbformat_minor=0)),
        Broken("no format", file(json.dumps({"cells": notebook["cells"]}).encode())),
        Broken("an unknown kernel", edited(lambda cells: None, metadata={"kernelspec": kernel})),
        Broken(
            "no metadata",
            edited(each(lambda c: c.update(metadata={})), metadata={}),
            student="lost the marks",
            instructor="stripped",
        ),
        Broken(
            "no metadata, no ids",
            edited(each(lambda c: (c.update(metadata={}), c.pop("id"))), metadata={}),
            student="lost the marks",
        ),
        Broken(
            "metadata of null", edited(each(lambda c: c.update(metadata=None)), metadata=None), student="lost the marks"
        ),
        Broken(
            "nbgrader's marks cut",
            edited(each(lambda c: c.update(metadata={"nbgrader": {"grade": True}}))),
            student="lost the marks",
        ),
        Broken("every cell twice", file(twice), student="cells for", instructor="answer cells"),
        Broken("reversed", edited(lambda cells: cells[::-1])),
        Broken("checks deleted", edited(without(*(f"{name}-check" for name in sheet.full)))),
        Broken(
            "an answer deleted",
            edited(without(f"{BYTES}-answer")),
            frozenset({BYTES}),
            "not in your notebook",
            "missing",
        ),
        Broken("only the answers left", edited(lambda cells: [c for c in cells if grade_id(c).endswith("-answer")])),
        Broken("an answer in two cells", edited(split)),
        Broken("all answers in one new cell", edited(joined), student="lost the marks"),
        Broken("all answers in the first cell", file(sheet.filled({SDPA: "\n\n".join(sheet.right.values())}))),
        Broken(
            "an answer as Markdown", edited(retyped("markdown", "fence")), student="no code cell", instructor="retyped"
        ),
        Broken("an answer as raw text", edited(retyped("raw")), student="no code cell", instructor="retyped"),
        Broken("a check edited", edited(in_place(f"{SDPA}-check", "assert True  # 100 points"))),
        Broken(
            "answer cells locked and tagged",
            edited(each(lambda c: c["metadata"].update(tags=["skip-execution"], editable=False))),
        ),
        Broken("points edited", edited(each(lambda c: c["metadata"].get("nbgrader", {}).update(points=99)))),
        Broken(
            "run out of order",
            edited(each(lambda c: c.update(execution_count=7) if c["cell_type"] == "code" else None)),
        ),
        Broken(
            "widgets' state",
            edited(lambda cells: None, metadata={"widgets": {"application/vnd.jupyter.widget-state+json": {}}}),
        ),
        Broken("outputs of every kind", edited(each(lambda c: c.update(outputs=[{"output_type": "?"}, None, 3])))),
        Broken(
            "cells that are none", edited(lambda cells: [None, 3, {"cell_type": "code"}, *cells]), student="damaged"
        ),
        Broken("a hundred megabytes of images", edited(images)),
        Broken("pictures in the text", edited(attached)),
    ]

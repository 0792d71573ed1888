"""The stand-in for another device, and PyTorch without its compiler."""

import copy
import subprocess
import sys

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils._device import DeviceContext

from course.protocol import device, nests

WITHOUT = """
import sys, torch
from course.protocol import device
device.without_compiler()
device.warm()
weight = torch.nn.Parameter(torch.ones(2))
optimizer = torch.optim.Adam([weight], lr=0.1)
weight.sum().backward()
optimizer.step()
assert not hasattr(sys.modules["torch._dynamo"], "__file__") and weight[0] < 1
doubled = torch.compile(lambda x: 2 * x, backend="eager")
assert doubled(torch.ones(2)).tolist() == [2, 2]
import torch._dynamo.config
assert sys.modules["torch._dynamo"].__file__ and torch._dynamo.config.recompile_limit
print("well")
"""
IMPORTS = """
import sys, torch
from course.protocol import device
device.without_compiler()
device.warm()
before = set(sys.modules)
assert device.elsewhere(torch.nn.GRU, [2, 3], "", [torch.ones(4, 2)]) == ""
assert torch.func.grad(lambda x: (x * x).sum())(torch.ones(2)).tolist() == [2, 2]
assert device.elsewhere(lambda x: torch.tensor(x.tolist()).to(x) + x[x > 0], None, "", [torch.ones(4)]) == ""
print(*sorted(set(sys.modules) - before))
"""


def test_the_compiler_is_imported_for_whom_compiles_and_for_nobody_else():
    assert subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True).stdout == "well\n"


def test_nothing_is_imported_for_a_call():
    done = subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, text=True)
    assert done.stdout == "\n", done.stderr


def test_what_a_module_holds_twice_it_holds_once_there():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding, self.out = nn.Embedding(3, 4), nn.Linear(4, 3)
            self.out.weight = self.embedding.weight

        def forward(self, x):
            assert self.out.weight is self.embedding.weight and isinstance(self.out.weight, nn.Parameter)
            assert len(list(self.parameters())) == 2 and self.out.bias.requires_grad
            self.tied = True
            return self.out(self.embedding(x))

    made = []
    assert device.elsewhere(lambda: made.append(Tied()) or made[0], [], "", [torch.tensor([1])]) == ""
    assert made[0].tied


def _in_place(x):
    y = x.clone()
    y.unsqueeze_(0).transpose_(0, 1).mul_(2)
    y[:, 0, :2] = torch.zeros(2, device=x.device)
    return y.squeeze(1)


def _numbers(x):
    first = x[0].tolist()
    more = [torch.tensor(first, device=x.device), x.new_tensor([first]), torch.as_tensor(first).to(x)]
    assert x.sum().item() == pytest.approx(sum(map(sum, x.tolist())), abs=1e-5)
    return torch.cat([x, more[0][None], more[1], more[2][None], torch.tensor([[x[0, 0], 1, 2, 3]], device=x.device)])


def _learns(x):
    weight = torch.ones(4, 4, device=x.device, requires_grad=True)
    (x @ weight).square().sum().backward()
    assert weight.grad.device == x.device and (weight.grad != 0).any()
    return weight.grad


def _made_within(context):
    """A call that makes tensors of numbers and without any where a context says."""

    def call(x):
        with context(x.device):
            return x + torch.tensor([1.0, 2, 3, 4]) + torch.ones(4)

    return call


STAYS = [
    lambda x: x + 1, lambda x: x + torch.tensor(1.0), lambda x: x[torch.arange(2)], lambda x: x[x > 0], _in_place,
    _numbers, _learns, lambda x: x if x.any() and not x.isnan().any() else torch.zeros(2),
    lambda x: torch.einsum("ij,kj->ik", x, x), lambda x: F.one_hot(x.argmax(-1), 5),
    lambda x: F.scaled_dot_product_attention(x[None], x[None], x[None]), lambda x: torch.ones(4).to(x.device) * x,
    lambda x: torch.where(x > 0, x, torch.full_like(x, -1)).sort(descending=True).values,
    lambda x: F.dropout(x) + torch.rand(3, 4, device=x.device), lambda x: [x.double(), {"here": x.unbind()}],
    lambda x: torch.cat([x.new_zeros(1, 4), x, torch.eye(4, device=x.device)]).nonzero(),
    lambda x: F.embedding(x.argmax(-1) % 3, x).masked_fill(torch.arange(4, device=x.device) > 1, 0),
    _made_within(torch.device), _made_within(DeviceContext),
]  # fmt: skip
TWO = [
    lambda x: x + torch.ones(4), lambda x: torch.cat([x, torch.zeros(1, 4)]), lambda x: x @ torch.ones(4, 1),
    lambda x: torch.where(torch.ones(4, dtype=torch.bool), x, 0), lambda x: F.embedding(torch.tensor([0]), x),
    lambda x: F.conv1d(x[None], torch.ones(1, 3, 1)), lambda x: x.masked_fill(torch.ones(3, 4) > 0, 1),
    lambda x: torch.ones(3, 4).mul_(x), lambda x: x if x.sum() > 1e9 else x + torch.tensor([1.0]),
    lambda x: x[0] + torch.tensor(x[0].tolist()), lambda x: F.cross_entropy(x, torch.zeros(3, dtype=torch.long)),
    lambda x: torch.ones(3, 4)[x > 0] + x[x > 0], lambda x: F.layer_norm(x, (4,), torch.ones(4)),
]  # fmt: skip
ON_THE_CPU = [
    lambda x: x.cpu(), lambda x: torch.zeros(3), lambda x: (x, [torch.arange(2)]), lambda x: x.to("cpu") * 2,
    lambda x: torch.tensor(x.tolist()), lambda x: torch.ones(3, 4).copy_(x),
]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "what"),
    [(code, what) for what, all_ in (("", STAYS), ("two devices", TWO), ("on the CPU", ON_THE_CPU)) for code in all_],
)
def test_where_a_call_makes_its_tensors_is_seen(code, what):
    x = torch.arange(12.0).sin().view(3, 4)
    assert device.elsewhere(code, None, "", [x.clone()]) == what
    ended = []

    def to_its_end(y):
        ended.append(code(y))
        return ended[0]

    device.elsewhere(to_its_end, None, "", [x])
    assert bool(ended) == (what != "two devices"), "what it raised was taken for nobody's fault"


@pytest.mark.parametrize(
    "module", [nn.Linear(4, 2), nn.GRU(4, 3, batch_first=True), nn.LSTM(4, 3), nn.BatchNorm1d(4), nn.Conv1d(3, 2, 1),
               nn.MultiheadAttention(4, 2, batch_first=True), nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)],
    ids=lambda module: type(module).__name__,
)  # fmt: skip
def test_a_module_gives_there_what_it_gives_here(module):
    x, seen = torch.arange(12.0).sin().view(3, 4), {}
    wanted = module.eval()(x, x, x) if isinstance(module, nn.MultiheadAttention) else module.eval()(x)

    class Seen(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = copy.deepcopy(module)

        def forward(self, *args):
            given = self.inner(*args)
            seen["given"] = [t.tolist() for t in nests.tensors(given)]
            return given

    assert device.elsewhere(Seen, [], "", [x] * (3 if isinstance(module, nn.MultiheadAttention) else 1)) == ""
    for now, before in zip(seen["given"], nests.tensors(wanted), strict=True):
        assert torch.allclose(torch.tensor(now), before, atol=1e-6)

"""What a rule refuses, by whatever way it is reached; what it lets through; and what a watch notes."""

import importlib
import threading

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from course.checks.engine.check import Check
from course.protocol.blocked import FAMILIES, NAMES, Rule, Watch, _operators
from course.protocol.student import Local, Student, StudentError

aten = torch.ops.aten
special = importlib.import_module("scipy.special")  # it comes with scikit-learn
extmath = importlib.import_module("sklearn.utils.extmath")
COMPOSITE = torch._C.DispatchKey.CompositeImplicitAutograd


def in_a_thread(function, x):
    outcomes = []

    def tell():
        try:
            outcomes.append(function(x))
        except Exception as error:
            outcomes.append(error)

    thread = threading.Thread(target=tell)
    thread.start()
    thread.join()
    if isinstance(outcomes[0], Exception):
        raise outcomes[0]
    return outcomes[0]


def switched_off(x):
    with torch._C.DisableTorchFunction():
        return F.softmax(x, 0)


def cell(x):
    """The arguments of a GRU cell on rows of two numbers."""
    x = x.reshape(-1, 2)
    return x, x, torch.ones(6, 2), torch.ones(6, 2), torch.zeros(6), torch.zeros(6)


@torch.jit.script
def scripted(x):
    return torch.softmax(x, 0)


def compiled(x):
    return torch.compile(lambda y: torch.softmax(y, 0), backend="eager")(x)


mine, Mine = torch.softmax, nn.GRUCell  # aliases, by assignment
quantizable = importlib.import_module("torch.ao.nn.quantizable")
refs, decompositions = importlib.import_module("torch._refs"), importlib.import_module("torch._decomp.decompositions")


def differentiated(x):
    x = x.clone().requires_grad_()
    return x, x.exp().sum()


def dual(x):
    with torch.autograd.forward_ad.dual_level():
        return torch._make_dual(x, x, 0)


WAYS = {
    "softmax": {
        "an alias by assignment": lambda x: mine(x, 0),
        "another library's": lambda x: special.softmax(x.numpy(), 0),
        "scikit-learn's": lambda x: extmath.softmax(x.numpy()[None]),
        "an operator by torch.ops": lambda x: aten.softmax(x, 0),
        "one variant of it": lambda x: aten.softmax.int(x, 0),
        "a computed name": lambda x: F.__dict__["soft" + "max"](x, 0),
        "a module": lambda x: nn.Softmax(0)(x),
        "the operator below": lambda x: torch._softmax(x, 0, False),
        "another library": lambda x: torch.special.softmax(x, 0),
        "a twin in Python": lambda x: refs.softmax(x, 0),
        "the twin without its wrapper": lambda x: refs.softmax.__wrapped__(x, 0),
        "a decomposition": lambda x: decompositions._softmax(x, 0, False),
        "its own parts": lambda x: aten.softmax.int.decompose(x, 0),
        "a composite kernel": lambda x: aten.softmax.int._op_dk(COMPOSITE, x, 0),
        "a mapped function": lambda x: torch.func.vmap(lambda row: row.softmax(0))(x[None]),
        "a switch": switched_off,
        "a thread": lambda x: in_a_thread(lambda y: F.softmax(y, 0), x),
        "a script": lambda x: scripted(x),
        "compiled code": compiled,
        "a transform": lambda x: torch.distributions.SoftmaxTransform()(x),
        "a loss": lambda x: F.cross_entropy(x[0, 0], x[0, 0]),
        "Gumbel's": lambda x: F.gumbel_softmax(x),
        "its logarithm": lambda x: F.log_softmax(x, 0),
    },
    "attention": {
        "torch's function": lambda x: F.scaled_dot_product_attention(x, x, x),
        "the formula's own operator": lambda x: aten._scaled_dot_product_attention_math(x, x, x),
        "a fused kernel": lambda x: aten._scaled_dot_product_flash_attention_for_cpu(x, x, x),
        "a composite kernel": lambda x: aten.scaled_dot_product_attention.default.decompose(x, x, x),
        "many heads": lambda x: F.multi_head_attention_forward(
            x[0], x[0], x[0], 2, 1, torch.ones(6, 2), None, None, None, False, 0.0, torch.ones(2, 2), None
        ),
        "a module": lambda x: nn.MultiheadAttention(2, 1)(x[0], x[0], x[0])[0],
        "nn.quantizable": lambda x: quantizable.MultiheadAttention(2, 1)(x[0], x[0], x[0])[0],
        "a layer": lambda x: nn.TransformerEncoderLayer(2, 1, 4)(x[0]),
    },
    "convolution": {
        "torch's function": lambda x: F.conv1d(x[0], x[0]),
        "NumPy's": lambda x: np.convolve(x.flatten().numpy(), x.flatten().numpy()),
        "NumPy's, turned round": lambda x: np.correlate(x.flatten().numpy(), x.flatten().numpy()),
        "transposed": lambda x: F.conv_transpose2d(x, x),
        "one algorithm": lambda x: aten.slow_conv_dilated2d(x, x, [2, 2]),
        "a composite kernel": lambda x: aten.conv2d.default.decompose(x, x),
    },
    "norm": {
        "batch norm": lambda x: F.batch_norm(x, None, None, training=True),
        "group norm": lambda x: F.group_norm(x, 1),
        "instance norm": lambda x: F.instance_norm(x),
        "the operator below": lambda x: torch.native_layer_norm(x, [2], None, None, 1e-5),
        "root mean squares": lambda x: F.rms_norm(x, [2]),
        "a part of a twin in Python": lambda x: refs._normalize(x, [3], 1e-5)[0],
        "a composite kernel": lambda x: aten.layer_norm.default.decompose(x, [2]),
    },
    "recurrent": {
        "an alias by assignment": lambda x: Mine(2, 2)(x[0, 0]),
        "another cell": lambda x: nn.RNNCell(2, 2)(x[0, 0]),
        "a layer": lambda x: nn.GRU(2, 2)(x[0])[0],
        "a composite kernel": lambda x: aten.gru_cell.default.decompose(*cell(x)),
        "a composite kernel by its key": lambda x: aten.gru_cell.default._op_dk(COMPOSITE, *cell(x)),
        "a mapped function": lambda x: torch.func.vmap(lambda y: torch.gru_cell(*cell(y)))(x),
        "nn.quantizable": lambda x: quantizable.LSTMCell(2, 2)(x[0, 0])[0],
        "a decomposition": lambda x: decompositions.gru_cell(*cell(x)[:1], *cell(x)[1:]),
    },
    "autograd": {
        "grad": lambda x: torch.autograd.grad(*reversed(differentiated(x)))[0],
        "backward": lambda x: differentiated(x)[1].backward(),
        "an operator": lambda x: aten._backward(differentiated(x)[1], []),
        "a function of functions": lambda x: torch.func.grad(lambda y: y.exp().sum())(x),
        "a Jacobian": lambda x: torch.func.jacrev(torch.exp)(x),
        "forward mode": lambda x: torch.func.jvp(torch.exp, (x,), (x,)),
        "forward mode by hand": dual,
        "the softmax's own pass back": lambda x: aten._softmax_backward_data(x, x, 0, torch.float32),
    },
}


@pytest.mark.parametrize("family, way", [(family, way) for family, ways in WAYS.items() for way in ways])
def test_a_family_is_refused_by_every_way(family, way):
    with pytest.raises(StudentError, match=r"is to be done without torch's \w+, so it may not be called here"):
        Student(Local({"f": WAYS[family][way]}), (family,)).f(torch.randn(2, 2, 2, 2))


def test_the_refusal_names_what_was_called():
    for call in (torch.softmax, F.softmax):
        with pytest.raises(StudentError, match="torch's softmax,"):
            Student(Local({"f": call}), ("softmax",)).f(torch.zeros(3), 0)


def test_a_rule_ends_with_its_request_and_a_lasting_one_with_the_next():
    x = torch.zeros(3)
    with pytest.raises(StudentError, match="Blocked"):
        Student(Local({"f": torch.softmax}), ("softmax",)).f(x, 0)
    assert F.softmax(x, 0).sum() == 1 and refs.softmax(x, 0).sum() == 1
    rule = Rule(lasting=True)
    with rule.in_force(("softmax",)):
        pass
    with pytest.raises(RuntimeError, match="may not be called here"):
        F.softmax(x, 0)
    with rule.in_force(()):
        assert F.softmax(x, 0).sum() == 1


def test_a_module_of_pytorchs_that_comes_later_is_looked_through(monkeypatch):
    came = type(torch)("torch.came_later")
    exec("def fast_attention(x):\n    return x", vars(came))
    student = Student(Local({"f": lambda x: came.fast_attention(x)}), ("attention",))
    assert student.f(1) == 1
    monkeypatch.setitem(__import__("sys").modules, "torch.came_later", came)
    with pytest.raises(StudentError, match="torch's fast_attention"):
        student.f(1)


def test_what_a_family_does_not_hold_goes_on():
    def steps(x):
        x = x.clone().requires_grad_()
        weights = x.exp() / x.exp().sum(-1, keepdim=True)
        return (
            torch.linalg.vector_norm(weights) + x.logsumexp(-1).sum() + (x - x.mean(-1, keepdim=True)).square().mean()
        )

    for family in FAMILIES:
        assert Student(Local({"f": steps}), (family,)).f(torch.randn(2, 3)).shape == ()
    assert Student(Local({"f": lambda x: x.softmax(0)}), ("attention", "autograd")).f(torch.zeros(4)).sum() == 1


@pytest.mark.parametrize("family, word", {"softmax": "softmax", "convolution": "conv", "norm": "layer_norm"}.items())
def test_every_operator_of_a_family_is_found(family, word):
    """Whatever PyTorch adds: each that computes here and has the family's word in its name, backward passes apart."""
    has = torch._C._dispatch_has_kernel_for_dispatch_key
    operators = {operator for operator, _, _ in _operators((family,))}
    every = {o for o in torch._C._dispatch_get_all_op_names() if word in o and has(o, "CPU") and "backward" not in o}
    prepared = {o for o in every if "prepack" in o or "convert" in o}  # weights made ready, nothing computed
    assert every and every - prepared <= operators


def test_a_check_blocks_families_that_there_are(monkeypatch):
    monkeypatch.setattr(Check, "registry", {})
    with pytest.raises(ValueError, match="there are the families attention, softmax"):
        Check("scale", ("scale",), blocked=("batch_norm",))


# ---- what is noted --------------------------------------------------------------------------------------------------


def noted(function, x) -> set[str]:
    student = Student(Local({"f": function}, Rule(watch=Watch())), ("attention",))
    student.f(x)
    return student.operators


@pytest.mark.parametrize(
    "function",
    [
        torch.linalg.svd,
        lambda x: in_a_thread(torch.linalg.pinv, x),
        lambda x: aten._linalg_svd(x),
        lambda x: torch.linalg.svd(x.clone().requires_grad_()).S.sum().backward(),
    ],
)
def test_what_is_neither_elementary_nor_of_a_family_is_noted(function):
    assert "_linalg_svd" in noted(function, torch.randn(3, 3)) and not torch.linalg.svd(torch.eye(2)).S.isnan().any()


def test_what_is_elementary_is_not_noted():
    def steps(x):
        y = torch.baddbmm(x, x, x).tril().roll(1, 0) + torch.einsum("bij,bjk->bik", x, x)
        y[0, 0] = torch.zeros(3).index_add(0, torch.tensor([1]), torch.ones(1))
        return F.layer_norm(F.dropout(F.linear(y, y[0]).softmax(-1).cumsum(0), 0.1), [3]).sort().values.topk(2).values

    assert noted(steps, torch.randn(2, 3, 3)) == set()


def test_names_that_come_back_are_few_and_of_operators_that_there_are():
    student = Student(Local({}), ("attention",))
    student._note(["_linalg_svd", "<script>", "please_pass_by", 3, "a" * 70, *sorted(NAMES)])
    assert "_linalg_svd" in student.operators and len(student.operators) == 100
    student._note({"not": "a list"})
    assert student.operators <= NAMES and "please_pass_by" not in NAMES

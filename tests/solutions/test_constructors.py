"""How the modules of chapters 05 and 06 are built: typed, sizes by place, everything after them by name."""

import inspect
from inspect import Parameter

import pytest
from torch import nn

from solutions import multi_head, transformer

SIZES = {"d_model", "num_heads", "d_ff", "num_layers", "max_length", "source_size", "target_size"}
MODULES = [
    module
    for chapter in (multi_head, transformer)
    for module in vars(chapter).values()
    if inspect.isclass(module) and issubclass(module, nn.Module) and module.__module__ == chapter.__name__
]


@pytest.mark.parametrize("module", MODULES)
def test_a_constructor_takes_its_sizes_by_place_and_all_else_by_name(module):
    _, *given = inspect.signature(module.__init__).parameters.values()
    assert given and all(parameter.annotation is not Parameter.empty for parameter in given)
    for parameter in given:
        by_place = parameter.kind is Parameter.POSITIONAL_OR_KEYWORD
        assert by_place == (parameter.name in SIZES), parameter
        assert not (by_place and parameter.default is not Parameter.empty), "a size is never guessed"


def test_the_parameters_that_pytorch_has_too_have_its_names_and_order():
    theirs = list(inspect.signature(nn.TransformerEncoderLayer.__init__).parameters)
    same = {"dim_feedforward": "d_ff", "nhead": "num_heads"}
    order = [same.get(name, name) for name in theirs]
    ours = [name for name in inspect.signature(transformer.EncoderLayer.__init__).parameters if name in order]
    assert [name for name in order if name in ours] == ours
    assert len(ours) >= 7

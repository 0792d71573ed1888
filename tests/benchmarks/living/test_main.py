"""The command line of the living models: one by name, all of them by one command."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from benchmarks.living import __main__ as command


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the models that are made, in order; nothing is trained."""
    names: list[str] = []
    for name, module in command.MODELS.items():
        made = SimpleNamespace(__doc__=module.__doc__, run=lambda name=name: names.append(name))
        monkeypatch.setitem(command.MODELS, name, made)
    for setting in ("set_num_threads", "set_flush_denormal"):
        monkeypatch.setattr(torch, setting, lambda value: None)
    return names


def call(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    monkeypatch.setattr(sys, "argv", ["living", *names])
    command.main()


@pytest.mark.parametrize("names", [("all",), ("vit", "all")])
def test_all_makes_each_model_once_and_first_those_that_others_search_with(monkeypatch, taken, names):
    call(monkeypatch, *names)
    assert taken == list(command.MODELS)
    assert taken.index("stream") < taken.index("beam")


def test_names_are_made_in_their_order_and_none_lists_them(monkeypatch, taken, capsys):
    call(monkeypatch, "vit", "heads")
    assert taken == ["vit", "heads"]
    call(monkeypatch)
    assert taken == ["vit", "heads"]
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(command.MODELS)


def test_every_module_that_makes_something_is_among_them():
    folder = Path(command.__file__).parent
    makers = {path.stem for path in folder.glob("*.py") if "\ndef run(" in path.read_text("utf-8")}
    assert {name.replace("-", "_") for name in command.MODELS} == makers

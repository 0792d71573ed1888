"""A home that cannot be written: what programs keep there stands in the environment, and nothing is said."""

import os

import pytest

from course import home


@pytest.fixture
def closed(tmp_path, monkeypatch):
    """A home in which nothing can be written; where the tests run as root, `access` must say so."""
    access = os.access
    monkeypatch.setattr(home.os, "access", lambda path, mode: "no-entry" not in str(path) and access(path, mode))
    monkeypatch.setattr(home.sys, "platform", "linux")
    monkeypatch.setattr(home.sys, "prefix", str(tmp_path))
    monkeypatch.setattr(home.os, "environ", {})
    monkeypatch.setattr(home.os.path, "expanduser", lambda path: str(tmp_path / "no-entry"))
    (tmp_path / "no-entry" / ".cache").mkdir(parents=True)
    return tmp_path


def test_what_a_closed_home_would_keep_is_kept_in_the_environment(closed):
    home.stand_in()
    assert {name: home.os.environ[name] for name in home.KEPT} == {
        name: f"{closed}/home/{usual}" for name, usual in home.KEPT.items()
    }


def test_what_somebody_chose_stays(closed):
    home.os.environ["XDG_CACHE_HOME"] = "elsewhere"
    home.stand_in()
    assert home.os.environ["XDG_CACHE_HOME"] == "elsewhere"


def test_an_open_home_is_left_as_it_is(closed, monkeypatch, tmp_path):
    monkeypatch.setattr(home.os.path, "expanduser", lambda path: str(tmp_path / "not made yet"))
    home.stand_in()
    assert not home.KEPT.keys() & home.os.environ.keys()

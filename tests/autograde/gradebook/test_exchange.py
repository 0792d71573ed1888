"""What nbgrader's API, of which its formgrader is made, says of a class that is handed out by archives."""

import pytest
from nbgrader.apps import NbGraderAPI

from autograde.gradebook import configuration
from tests.autograde import toy


@pytest.fixture
def api(toy_released, tmp_path):
    """nbgrader's API on the class as its configuration makes it, with an exchange folder that is not there."""

    def made(root=tmp_path / "none"):
        config = configuration.read(toy_released)
        config.Exchange.root = str(root)
        return NbGraderAPI(config=config)

    return made


def test_what_has_an_archive_is_released_and_the_rest_a_draft(api, toy_released, tmp_path):
    assert api().get_assignment(toy.NAME)["status"] == "released"
    (toy_released.archives / f"{toy.NAME}.zip").unlink()
    assert api().get_assignment(toy.NAME)["status"] == "draft"
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("button", ["release_assignment", "unrelease", "collect"])
def test_without_an_exchange_its_buttons_say_which_commands_to_use(api, toy_released, tmp_path, button):
    before = sorted(toy_released.root.rglob("*"))
    done = getattr(api(), button)(toy.NAME)
    assert not done["success"] and "`autograde release` makes the archives" in done["log"] + done.get("error", "")
    assert sorted(toy_released.root.rglob("*")) == before and not (tmp_path / "none").exists()


def test_an_exchange_that_is_there_works_as_ever(api, toy_released, tmp_path):
    root = tmp_path / "exchange"
    root.mkdir(mode=0o777)
    root.chmod(0o777)
    (toy_released.archives / f"{toy.NAME}.zip").unlink()
    exchange = api(root)
    assert exchange.get_assignment(toy.NAME)["status"] == "draft"
    done = exchange.release_assignment(toy.NAME)
    assert done["success"], done
    assert (root / "default_course" / "outbound" / toy.NAME / f"{toy.NAME}.ipynb").is_file()
    assert exchange.get_assignment(toy.NAME)["status"] == "released"
    assert exchange.collect(toy.NAME)["success"] and exchange.unrelease(toy.NAME)["success"]
    assert exchange.get_assignment(toy.NAME)["status"] == "draft"

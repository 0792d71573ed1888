"""What `collect` says and does."""

from tests.autograde import toy
from tests.autograde.command import run, said


class TestCollecting:
    def test_what_is_done_is_what_was_said(self, toy_released, tmp_path):
        back = tmp_path / "back"
        for name in ("ada/00-toy.ipynb", "bob/final [v2].ipynb", "bob/notes.txt", "00-toy.ipynb"):
            (back / name).parent.mkdir(parents=True, exist_ok=True)
            (back / name).write_text("{}")
        where = ("--class", toy_released.root)
        said_before = said(run("collect", back, "--assignment", "00", "--dry-run", *where))
        assert "ada/00-toy: new, from ada/00-toy.ipynb" in said_before and "2 new (nothing was written)" in said_before
        assert not list(toy_released.submitted.iterdir())
        result = run("collect", back, "--assignment", "00", *where)
        assert result.exit_code == 0 and "00-toy: 2 new" in said(result)
        assert "Left aside: 00-toy.ipynb: its name does not say whose it is" in said(result)
        assert "final [v2].ipynb is kept as 00-toy.ipynb" in said(result)
        assert toy_released.submissions(toy.NAME)[1] == ("bob", toy_released.submitted / "bob" / toy.NAME)
        assert "2 unchanged" in said(run("collect", back, "--assignment", "00", *where))

    def test_a_platform_can_be_named(self, toy_released, tmp_path):
        (tmp_path / "back").mkdir()
        name = "eve_666_900_HW_bob_attempt_2026-01-30-15-00-00_00-toy.ipynb"
        (tmp_path / "back" / name).write_text("{}")
        words = ("collect", tmp_path / "back", "--dry-run", "--class", toy_released.root)
        result = run(*words)
        assert result.exit_code == 1 and "as Blackboard or Canvas gives them" in said(result)
        assert f"collect {tmp_path / 'back'} --platform blackboard or --platform canvas;" in said(result)
        assert "eve_666/00-toy: new" in said(run(*words, "--platform", "canvas"))
        assert "no platform 'x'; there are moodle" in said(run(*words, "--platform", "x"))

    def test_what_cannot_be_is_one_line(self, toy_released, tmp_path):
        where = ("--class", toy_released.root)
        (tmp_path / "x.zip").write_bytes(b"PK")
        (tmp_path / "empty").mkdir()
        for words, message in (
            (("nothing.zip",), "does not exist"),
            ((tmp_path / "x.zip",), "damaged"),
            ((tmp_path / "empty",), "no submission was found"),
            ((tmp_path, "--assignment", "7"), "no assignment '7'"),
        ):
            result = run("collect", *words, *where)
            assert result.exit_code == 1 and message in said(result) and "Traceback" not in result.output

"""The line under an exercise's heading."""

from theme import exercises


def test_an_exercise_says_what_it_asks() -> None:
    course = {"difficulty": 2, "importance": 5, "minutes": 15, "stretch": True}
    asked = ["3 points", "difficulty 2 of 5", "importance 5 of 5", "about 15 minutes", "stretch"]
    assert exercises.facts(course, {"points": 3}) == asked
    assert exercises.facts({"minutes": 1, "stretch": False}, {"points": 1}) == ["1 point", "about 1 minute"]

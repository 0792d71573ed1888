"""The checks of the tests' own little assignment."""

from course.checks.engine import Check
from course.checks.engine.of_tests import CheckOfTest

scale = Check("scale", components=("scale",))
centre = Check("centre", components=("centre",))
standardise = Check("standardise", components=("standardise",), blocked=("norm",))
test_centre = CheckOfTest(  # not in the toy's notebook: tests of the grader hand it in themselves
    "test_centre",
    of="centre",
    variants={
        "means of rows": lambda x: x - x.mean(dim=1, keepdim=True),
        "one mean for all": lambda x: x - x.mean(),
        "nothing taken away": lambda x: x,
    },
)


@scale.case("a factor that is no whole number", weight=1)
def _(student, draw):
    return {"scaled": student.scale(draw.normal(3, 4), 2.5)}


@scale.case("a negative factor", weight=1)
def _(student, draw):
    return {"scaled": student.scale(draw.normal(2, 5), -1.5)}


@centre.case("the columns' means are taken away")
def _(student, draw):
    return {"centred": student.centre(draw.normal(5, 3) + 2)}


@standardise.case("every column has spread one")
def _(student, draw):
    return {"standard": student.standardise(3 * draw.normal(6, 3) + 1)}


@standardise.case("a wide table")
def _(student, draw):
    return {"standard": student.standardise(draw.normal(4, 9))}

"""The checks of the tests' own little assignment."""

from course.checks import Check
from course.checks.of_tests import CheckOfTest

scale = Check("scale", parts=("scale",))
centre = Check("centre", parts=("centre",))
standardise = Check("standardise", parts=("standardise",), banned=("batch_norm",))
test_centre = CheckOfTest(  # not in the toy's notebook: tests of the grader hand it in themselves
    "test_centre",
    of="centre",
    variants={
        "means of rows": lambda x: x - x.mean(dim=1, keepdim=True),
        "one mean for all": lambda x: x - x.mean(),
        "nothing taken away": lambda x: x,
    },
)


@scale.row("a factor that is no whole number", weight=1)
def _(student, draw):
    return {"scaled": student.scale(draw.normal(3, 4), 2.5)}


@scale.row("a negative factor", weight=1)
def _(student, draw):
    return {"scaled": student.scale(draw.normal(2, 5), -1.5)}


@centre.row("the columns' means are taken away")
def _(student, draw):
    return {"centred": student.centre(draw.normal(5, 3) + 2)}


@standardise.row("every column has spread one")
def _(student, draw):
    return {"standard": student.standardise(3 * draw.normal(6, 3) + 1)}


@standardise.row("a wide table")
def _(student, draw):
    return {"standard": student.standardise(draw.normal(4, 9))}

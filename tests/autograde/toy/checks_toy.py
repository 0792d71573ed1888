"""The checks of the tests' own little assignment."""

from course.checks import Check

scale = Check("scale", parts=("scale",))
centre = Check("centre", parts=("centre",))
standardise = Check("standardise", parts=("standardise",))


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

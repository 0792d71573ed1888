"""Wrong and correct answers of the tests' own little assignment."""

from autograde.bank import Bank, Correct, Wrong, edit

scale = Bank(
    "scale",
    wrong=[
        Wrong("the sign is lost", edit(("* factor", "* abs(factor)")), "A negative factor must turn the signs round."),
        Wrong("divided", edit(("* factor", "/ factor")), "The factor multiplies. Read the docstring once more."),
    ],
    correct=[
        Correct("torch.mul", "def scale(x, factor):\n    return torch.mul(x, factor)"),
        Correct("loop", "def scale(x, factor):\n    return torch.stack([row * factor for row in x])"),
    ],
)
centre = Bank(
    "centre",
    wrong=[
        Wrong(
            "means of rows", edit(("- x.mean(dim=0)", "- x.mean(dim=1, keepdim=True)")), "Rows were centred. Name axes."
        ),
        Wrong("nothing taken away", edit(("- x.mean(dim=0)", "+ 0.0")), "The means are still there. Print them."),
        Wrong("one mean for all", edit(("x.mean(dim=0)", "x.mean()")), "One mean was taken of all. Name the axis."),
    ],
    correct=[
        Correct("sum", "def centre(x):\n    return x - x.sum(0) / len(x)"),
        Correct("keepdim", "def centre(x):\n    return x - x.mean(0, keepdim=True)"),
    ],
)
standardise = Bank(
    "standardise",
    wrong=[
        Wrong("not centred", edit(("centred = centre(x)", "centred = x")), "The columns are not centred. Use centre."),
        Wrong(
            "variance", edit(("torch.sqrt((centred**2).mean(dim=0))", "(centred**2).mean(dim=0)")), "No root. Take it."
        ),
        Wrong("unbiased", edit(("torch.sqrt((centred**2).mean(dim=0))", "x.std(dim=0)")), "Divided by B - 1. Use B."),
        Wrong("by rows", edit(("mean(dim=0)", "mean(dim=1, keepdim=True)")), "Spread was taken over rows. Name axes."),
    ],
    correct=[Correct("std", "def standardise(x):\n    return centre(x) / x.std(dim=0, correction=0)")],
)

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
test_centre = Bank(
    "test_centre",
    wrong=[
        Wrong(
            "shapes only",
            "def test_centre(centre):\n    x = torch.randn(5, 3)\n    return centre(x).shape == x.shape",
            "A shape says nothing of the numbers. Compare values.",
        ),
        Wrong("nothing is called", "def test_centre(centre):\n    pass", "What is given is never called. Call it."),
        Wrong(
            "constant inputs",
            "def test_centre(centre):\n    assert torch.allclose(centre(torch.ones(5, 3)), torch.zeros(5, 3))",
            "Constant inputs hide which mean was taken. Draw random ones.",
        ),
        Wrong(
            "the mean of everything",
            "def test_centre(centre):\n    return abs(centre(torch.randn(5, 3) + 2).mean()) < 1e-5",
            "One number for all columns was looked at. Look at each.",
        ),
        Wrong(
            "compared exactly",
            "def test_centre(centre):\n    x = torch.randn(7, 3)\n    return (centre(x).mean(0) == 0).all()",
            "Rounding is no fault. Allow for it.",
        ),
    ],
    correct=[
        Correct(
            "properties, asserted",
            """
def test_centre(centre):
    x = torch.randn(6, 4) + 1
    y = centre(x)
    assert y.mean(0).abs().max() < 1e-5
    assert torch.allclose(y[1:] - y[:1], x[1:] - x[:1], atol=1e-5)
""",
        ),
        Correct(
            "a truth value of torch's",
            "def test_centre(centre):\n    x = torch.randn(6, 4) + 1\n"
            "    return ((centre(x) - (x - x.mean(0, keepdim=True))).abs() < 1e-5).all()",
        ),
        Correct(
            "numbers by hand",
            "def test_centre(centre):\n    x = torch.tensor([[1.0, 5.0], [3.0, 9.0]])\n"
            "    return centre(x).tolist() == [[-1.0, -2.0], [1.0, 2.0]]",
        ),
    ],
)

"""What a kept part takes along: the globals it reads, and no local variable that happens to share a global's name."""

from course.parts import _free_names


def test_locals_arguments_and_comprehensions_are_not_taken_for_globals():
    source = """
class Cell(Base):
    def forward(self, batch):
        places = [logits for logits in batch]
        def inner(targets):
            return F.relu(targets) + helper(places)
        return inner(batch)
"""
    assert _free_names(source) == ["Base", "F", "helper"]


def test_a_function_that_calls_itself_and_a_default_are_seen():
    assert _free_names("def f(n=LIMIT):\n    return f(n - 1) if n else torch.zeros(())\n") == ["LIMIT", "f", "torch"]

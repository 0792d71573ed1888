"""Whether an answer leaves an argument aside and reads a tensor of the notebook's: on that tensor it looks right, and a
check brings other ones.
"""

import ast
from collections.abc import Mapping
from typing import Any

from torch import Tensor

from course.learner import standalone


def read(namespace: Mapping[str, Any]) -> str:
    """What to say of the first answer with a function that never names one of its own arguments, and reads a tensor
    from outside; "" where there is none, and where its text cannot be found."""
    for name, answer in namespace.items():
        try:
            tree = ast.parse(standalone.source_of(answer))
        except (AttributeError, OSError, SyntaxError, ValueError):
            continue
        scope = standalone.globals_of(answer)
        for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
            arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
            named = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
            unused = [one.arg for one in arguments if one.arg != "self" and one.arg not in named]
            text = ast.unparse(function)
            tensors = [free for free in standalone.free_names(text) if isinstance(scope.get(free), Tensor)]
            if unused and tensors and "locals" not in named:
                return (
                    f"`{name}` never uses its argument `{unused[0]}`, and reads `{tensors[0]}`, a tensor of the "
                    "notebook: a check brings tensors of its own, in the arguments."
                )
    return ""

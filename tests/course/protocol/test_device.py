"""The stand-in for another device, and PyTorch without its compiler."""

import subprocess
import sys

WITHOUT = """
import sys, torch
from course.protocol import device
device.without_compiler()
device.warm()
weight = torch.nn.Parameter(torch.ones(2))
optimizer = torch.optim.Adam([weight], lr=0.1)
weight.sum().backward()
optimizer.step()
assert not hasattr(sys.modules["torch._dynamo"], "__file__") and weight[0] < 1
doubled = torch.compile(lambda x: 2 * x, backend="eager")
assert doubled(torch.ones(2)).tolist() == [2, 2]
import torch._dynamo.config
assert sys.modules["torch._dynamo"].__file__ and torch._dynamo.config.recompile_limit
print("well")
"""


def test_the_compiler_is_imported_for_whom_compiles_and_for_nobody_else():
    assert subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True).stdout == "well\n"

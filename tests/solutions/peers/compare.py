"""Two modules with the same weights: the same outputs and the same gradients, of the inputs and of every parameter."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-10}


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def randomize(module: nn.Module, seed: int = 0) -> nn.Module:
    """Every parameter drawn afresh, biases and norms too: at their first values zeros and ones would hide mistakes."""
    g = generator(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(0.4 * torch.randn(parameter.shape, generator=g, dtype=parameter.dtype))
    return module.eval()


def assert_close(ours: Tensor, theirs: Tensor, label: str = "") -> None:
    """Equal to 1e-5 in float32 and 1e-10 in float64, of the largest number where that is above one."""
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape, label
    scale = max(1.0, theirs.abs().max().item())
    difference = (ours - theirs).abs().max().item()
    assert difference <= TOLERANCE[ours.dtype] * scale, f"{label}: {difference:.1e} apart, numbers up to {scale:.1f}"


def assert_equal_to_peer(
    ours: nn.Module,
    theirs: nn.Module,
    translate: Callable[[dict[str, Tensor]], dict[str, Tensor]],
    call_ours: Callable[..., tuple[Tensor, ...]],
    call_theirs: Callable[..., tuple[Tensor, ...]],
    *inputs: Tensor,
) -> None:
    """Loads the peer's weights into ours, then compares every output and every gradient.

    The calls get float inputs that gather gradients, and return the outputs to compare. A dict of the peer's gradients
    goes through the same translation as its weights.
    """
    ours.load_state_dict(translate(theirs.state_dict()))
    results = []
    for module, call in ((ours.eval(), call_ours), (theirs, call_theirs)):
        leaves = [x.detach().clone().requires_grad_(x.is_floating_point()) for x in inputs]
        outputs = call(*leaves)
        cotangents = [torch.randn(y.shape, generator=generator(i), dtype=y.dtype) for i, y in enumerate(outputs)]
        module.zero_grad()
        torch.autograd.backward(outputs, cotangents)
        results.append(
            {f"output {i}": y for i, y in enumerate(outputs)}
            | {f"gradient of input {i}": x.grad for i, x in enumerate(leaves) if x.requires_grad}
        )
    assert results[0]
    for (name, mine), (_, yours) in zip(*(result.items() for result in results), strict=True):
        assert_close(mine, yours, name)
    expected = translate({name: _gradient(theirs, name, tensor) for name, tensor in theirs.state_dict().items()})
    for name, parameter in ours.named_parameters():
        assert_close(parameter.grad, expected[name], f"gradient of {name}")


def _gradient(module: nn.Module, name: str, tensor: Tensor) -> Tensor:
    """Of the parameter of that name; zeros where it takes no part."""
    gradient = module.get_parameter(name).grad
    return torch.zeros_like(tensor) if gradient is None else gradient

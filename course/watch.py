"""Look into a model while it runs: the attention weights of its layers, without changing its code.

Any module that returns a pair of tensors, output and weights, is watched: the course's attentions and a learner's own.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from torch import Tensor, nn


@contextmanager
def watch_attention(model: nn.Module) -> Iterator[dict[str, Tensor]]:
    """The weights of every attention in the model that runs inside the `with`, by the module's name.

        with watch_attention(model) as weights:
            model(x)
        weights["layers.0.self_attention"]  # (B, H, T, T), of the last call, detached

    The names are those of `model.named_modules()`.
    """
    seen: dict[str, Tensor] = {}

    def note(name: str):
        def hook(module: nn.Module, inputs: tuple, output: object) -> None:
            pair = isinstance(output, tuple) and len(output) == 2
            if pair and all(isinstance(part, Tensor) for part in output):  # type: ignore[attr-defined]
                seen[name] = output[1].detach()  # type: ignore[index]

        return hook

    handles = [module.register_forward_hook(note(name)) for name, module in model.named_modules()]
    try:
        yield seen
    finally:
        for handle in handles:
            handle.remove()

"""torch.compile sees the ViT and the language model as one graph, forwards: nothing in it goes back to Python, where a
GPU would be left without work. No kernel is compiled; "eager" runs the graph as it is.

The Transformer breaks at each `with tokens.device:`, which PyTorch does not trace; what does the same and is traced has
a private name, and is not there unless somebody has imported it.
"""

import pytest
import torch
from torch import nn

from solutions.cuda import fuse_attention
from solutions.language_model import CausalLanguageModel
from solutions.transformer import Transformer
from solutions.vit import VisionTransformer


def tokens(*shape: int) -> torch.Tensor:
    return torch.randint(2, 11, shape)


# By name, the model and three batches, of other sizes where it takes them.
MODELS = {
    "vit": (
        lambda: VisionTransformer(8, 4, 16, 2, 1, 32, num_classes=3),
        [(torch.randn(batch, 3, 8, 8),) for batch in (3, 4, 5)],
    ),
    "transformer": (
        lambda: Transformer(11, 12, 16, 2, 32, 1, bos_id=1),
        [(tokens(3, s), torch.tensor([s, 3, 2]), tokens(3, t)) for s, t in ((5, 4), (7, 6), (8, 9))],
    ),
    "language model": (
        lambda: CausalLanguageModel(11, 8, 16, 2, 32, 1),
        [(tokens(3, length),) for length in (4, 6, 7)],
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def nothing_compiled_before():
    torch.compiler.reset()
    yield
    torch.compiler.reset()


@pytest.mark.parametrize("fused", [False, True], ids=["plain", "fused"])
@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_one_graph_where_it_can_be_and_computes_the_same(name, fused):
    build, batches = MODELS[name]
    torch.manual_seed(0)
    model: nn.Module = build()
    if fused:
        fuse_attention(model, lambda _: name == "language model")
    graphs = []

    def count(graph, inputs):
        graphs.append(graph)
        return graph

    whole = name != "transformer"
    compiled = torch.compile(model, fullgraph=whole, backend=count)  # raises where a graph breaks
    for batch in batches:
        torch.testing.assert_close(compiled(*batch), model(*batch), rtol=0, atol=0)
    assert len(graphs) <= 2 or not whole  # one for the first sizes, and one for any

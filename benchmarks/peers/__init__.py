"""The models that are measured side by side: the course's, and the same ones as others wrote them.

A contestant is one library's form of one model. All of a model's contestants have the same sizes, take the same batch
and give the same logits; `disagreement` puts a peer's weights into the course's model and says how far apart the two
are, so that nothing is timed which does other work. Where a library has the whole model (transformers and timm have
ViT) it is taken whole. Where it has the layers only (torch.nn, x-transformers) its towers stand in the course's model
in the place of the course's, between the same embeddings and the same output.

x-transformers has no biases in its attention and its norms: the course's are zero then, and still computed.

Safe to change: another contestant, another size of a model. Not safe: the sizes that committed results were measured
at, and a contestant that does other work than the course's model (tests/benchmarks/test_models.py compares them).
"""

from benchmarks.peers.language_model import LENGTHS, language_model
from benchmarks.peers.transformer import TRANSFORMER
from benchmarks.peers.vit import VIT

MODELS = {"vit": VIT, "transformer": TRANSFORMER} | {f"language-model-{n}": language_model(n) for n in LENGTHS}

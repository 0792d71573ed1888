"""The command line: `python -m benchmarks.living`."""

import argparse

import torch

from benchmarks.living import beam, heads, induction, language_model, stream, translation, vit

# In the order of `all`: `beam` searches with the model that `stream` trains.
MODELS = {
    "translation": translation,
    "heads": heads,
    "stream": stream,
    "beam": beam,
    "language-model": language_model,
    "induction": induction,
    "vit": vit,
}
ALL = "all"


def main() -> None:
    parser = argparse.ArgumentParser(description="Train living models and write what the book's pages need of them.")
    # [] is what argparse looks up among the choices where no name is given.
    parser.add_argument(
        "names", nargs="*", choices=[[], ALL, *MODELS], help=f"which; {ALL} takes each; none lists them"
    )
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    for name in MODELS if ALL in arguments.names else arguments.names:
        MODELS[name].run()
    if not arguments.names:
        for name, module in MODELS.items():
            print(f"{name:16} {(module.__doc__ or '').splitlines()[0]}")


if __name__ == "__main__":
    main()

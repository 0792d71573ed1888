"""The command line: `python -m benchmarks.experiments`."""

import argparse

from benchmarks.experiments import every_experiment, run


def main() -> None:
    parser = argparse.ArgumentParser(description="Run experiments and keep their results.")
    # [] is what argparse looks up among the choices where no name is given.
    parser.add_argument("names", nargs="*", choices=[[], *every_experiment()], help="which; none lists them")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    arguments = parser.parse_args()
    for name in arguments.names:
        print(run(name, arguments.seeds))
    if not arguments.names:
        for chosen in every_experiment().values():
            print(f"{chosen.name:24} {(chosen.run.__doc__ or '').strip()}")


if __name__ == "__main__":
    main()

"""`python -m training`, and each process of `torchrun -m training`."""

from training.loop import main

if __name__ == "__main__":
    main()

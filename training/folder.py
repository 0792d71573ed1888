"""A run's folder: its configuration, the lock that keeps other runs out, and its curves."""

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from course import files
from training.configuration import Configuration, TrainingError, as_toml, differences, explained, read_toml


def check_folder(folder: Path, config: Configuration, resume: bool) -> bool:
    """Whether there is a checkpoint to go on from. Raises TrainingError where going on would mix two runs."""
    checkpoint, settings = folder / "checkpoint.pt", folder / "configuration.toml"
    if settings.exists():
        changed = differences(Configuration(**read_toml(settings)), config)
        if changed:
            raise TrainingError(f"{folder} holds a run with another configuration ({changed}); choose another --out")
    elif checkpoint.exists():
        raise TrainingError(
            f"{folder} has a checkpoint but no configuration.toml to compare with; choose another --out"
        )
    if resume and not checkpoint.exists():
        raise TrainingError(f"--resume: there is no checkpoint {checkpoint}")
    return checkpoint.exists()


@contextlib.contextmanager
def open_folder(folder: Path, config: Configuration, resume: bool) -> Iterator[None]:
    """Make the folder, keep the configuration in it, and keep other runs out of it.

    The lock is the system's: it goes with the process, however that ends.
    """
    lock = FileLock(folder / ".lock", timeout=0)
    try:
        with explained(f"cannot write to {folder}"):
            folder.mkdir(parents=True, exist_ok=True)
            try:
                lock.acquire()
            except Timeout:
                raise TrainingError(
                    f"another run is at work in {folder}; wait for it, or choose another --out"
                ) from None
            check_folder(folder, config, resume)  # once more: from here on nobody else changes it
            if not (folder / "configuration.toml").exists():
                files.replace(folder / "configuration.toml", as_toml(config))
        yield
    finally:
        lock.release()


class Curves:
    """TensorBoard's event files, written by process 0 if they are wanted.

    first_step: what earlier files say of this step and later ones is void: TensorBoard's own mark of a restart.
    """

    def __init__(self, folder: Path, wanted: bool, first_step: int):
        self.folder, self.writer = folder, None
        if wanted:
            try:
                from torch.utils.tensorboard import SummaryWriter
            except ImportError:
                raise TrainingError("curves need TensorBoard: pip install tensorboard, or --no-tensorboard") from None
            with explained(f"cannot write curves to {folder}"), quiet_writer():
                self.writer = SummaryWriter(str(folder), purge_step=first_step)

    def add(self, step: int, values: dict[str, float]) -> None:
        if self.writer is not None:
            with explained(f"cannot write curves to {self.folder}"):
                for name, value in values.items():
                    self.writer.add_scalar(name, value, step)

    def flush(self) -> None:
        if self.writer is not None:
            with explained(f"cannot write curves to {self.folder}"):
                self.writer.flush()

    def close(self) -> None:
        if self.writer is not None:
            with contextlib.suppress(OSError):  # what mattered was flushed, and complained about, before
                self.writer.close()


@contextlib.contextmanager
def quiet_writer() -> Iterator[None]:
    """TensorBoard writes in a thread: what fails there is raised again by the next add or flush, so once is enough."""
    before = threading.excepthook
    threading.excepthook = lambda failed: None if issubclass(failed.exc_type, OSError) else before(failed)
    try:
        yield
    finally:
        threading.excepthook = before

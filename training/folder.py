"""A run's folder: its configuration, the lock that keeps other runs out, and its curves."""

import contextlib
import shutil
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
    """Make the folder and keep other runs out of it; it is the run's once `keep_configuration` has been called. A
    folder that was made here and that no run has come to use goes again.

    The lock is the system's: it goes with the process, however that ends.
    """
    lock, is_new, made = FileLock(folder / ".lock", timeout=0), not folder.exists(), False
    try:
        with explained(f"cannot write to {folder}"):
            folder.mkdir(parents=True, exist_ok=True)
            try:
                lock.acquire()
            except Timeout:
                raise TrainingError(
                    f"another run is at work in {folder}; wait for it, or choose another --out"
                ) from None
            made = is_new
            check_folder(folder, config, resume)  # once more: from here on nobody else changes it
        yield
    finally:
        if made and not (folder / "configuration.toml").exists():
            shutil.rmtree(folder, ignore_errors=True)
        lock.release()


def keep_configuration(folder: Path, config: Configuration) -> None:
    if not (folder / "configuration.toml").exists():
        with explained(f"cannot write to {folder}"):
            files.replace(folder / "configuration.toml", as_toml(config))


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
            with explained(f"cannot write curves to {folder}"):
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
def open_curves(folder: Path, wanted: bool, first_step: int) -> Iterator[Curves]:
    with quiet_writer(), contextlib.closing(Curves(folder, wanted, first_step)) as curves:
        yield curves


@contextlib.contextmanager
def quiet_writer() -> Iterator[None]:
    """TensorBoard writes in a thread: what fails there is raised again by the next add or flush, so once is enough."""
    before = threading.excepthook
    threading.excepthook = lambda failed: None if issubclass(failed.exc_type, OSError) else before(failed)
    try:
        yield
    finally:
        threading.excepthook = before

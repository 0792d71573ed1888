# %% wrong: the seed in the place of the state
# What is saved is the number that the generator was seeded with, and not where it stands now. Shows as soon as one
# number was drawn before saving: after loading, the same ones come again.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    checkpoint = {
        "step": step,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "scaler": scaler.state_dict(),
        "data": data.state_dict(),
        "seed": torch.initial_seed(),
    }
    beside = path.with_name(path.name + ".tmp")
    try:
        torch.save(checkpoint, beside)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(path)
    device = next(model.parameters()).device
    try:
        checkpoint = torch.load(path, map_location=device, weights_only=True)
        states = [checkpoint[name] for name in ("model", "optimizer", "scheduler", "scaler", "data")]
        step, seed = checkpoint["step"], checkpoint["seed"]
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint") from error
    for thing, state in zip((model, optimizer, scheduler, scaler, data), states, strict=True):
        thing.load_state_dict(state)
    torch.manual_seed(seed)  # the CPU and every CUDA device
    return step


# %% wrong: every error of loading becomes a ValueError
# Where there is no file at all, torch.load's FileNotFoundError is caught with the others. Shows for a path at which
# nothing stands.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    checkpoint = {
        "step": step,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "scaler": scaler.state_dict(),
        "data": data.state_dict(),
        "rng": torch.get_rng_state(),
        "cuda_rng": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }
    beside = path.with_name(path.name + ".tmp")
    try:
        torch.save(checkpoint, beside)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    device = next(model.parameters()).device
    try:
        checkpoint = torch.load(path, map_location=device, weights_only=True)
        states = [checkpoint[name] for name in ("model", "optimizer", "scheduler", "scaler", "data")]
        step, rng, cuda_rng = checkpoint["step"], checkpoint["rng"], checkpoint["cuda_rng"]
    except Exception as error:
        raise ValueError(f"cannot read a checkpoint from {path}: {error}") from error
    for thing, state in zip((model, optimizer, scheduler, scaler, data), states, strict=True):
        thing.load_state_dict(state)
    torch.set_rng_state(rng.cpu())
    if torch.cuda.is_available():
        for number, state in enumerate(cuda_rng[: torch.cuda.device_count()]):
            torch.cuda.set_rng_state(state.cpu(), number)
    return step


# %% wrong: a readable file that is no checkpoint
# Only torch.load is watched. Shows for a file that torch can load and that holds something else, a model's
# state_dict or a tensor: a KeyError or an IndexError without the path, and no ValueError.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    beside = path.parent / f"{path.name}.{os.getpid()}.part"
    try:
        torch.save(
            {
                "step": step,
                "model": model.state_dict(),
                "optimizer": optimizer.state_dict(),
                "scheduler": scheduler.state_dict(),
                "scaler": scaler.state_dict(),
                "data": data.state_dict(),
                "rng": torch.get_rng_state(),
                "cuda_rng": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
            },
            beside,
        )
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    device = next(model.parameters()).device
    try:
        checkpoint = torch.load(path, map_location=device, weights_only=True)
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{path} cannot be read: {error}") from error
    model.load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    scheduler.load_state_dict(checkpoint["scheduler"])
    scaler.load_state_dict(checkpoint["scaler"])
    data.load_state_dict(checkpoint["data"])
    torch.set_rng_state(checkpoint["rng"].cpu())
    if torch.cuda.is_available():
        for number, state in enumerate(checkpoint["cuda_rng"][: torch.cuda.device_count()]):
            torch.cuda.set_rng_state(state.cpu(), number)
    return checkpoint["step"]


# %% wrong: a failed save is only reported
# "A full disk must not end the training": the half file is removed, a line is printed, and the error is gone. Shows
# wherever writing fails, as in a folder that does not exist.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    checkpoint = {
        "step": step,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "scaler": scaler.state_dict(),
        "data": data.state_dict(),
        "rng": torch.get_rng_state(),
        "cuda_rng": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }
    beside = path.with_name(path.name + ".tmp")
    try:
        torch.save(checkpoint, beside)
        os.replace(beside, path)
    except Exception as error:
        beside.unlink(missing_ok=True)
        print(f"no checkpoint was written to {path}: {error}", file=sys.stderr)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"no checkpoint at {path}")
    device = next(model.parameters()).device
    try:
        checkpoint = torch.load(path, map_location=device, weights_only=True)
        states = [checkpoint[name] for name in ("model", "optimizer", "scheduler", "scaler", "data")]
        step, rng, cuda_rng = checkpoint["step"], checkpoint["rng"], checkpoint["cuda_rng"]
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint: {error}") from error
    for thing, state in zip((model, optimizer, scheduler, scaler, data), states, strict=True):
        thing.load_state_dict(state)
    torch.set_rng_state(rng.cpu())
    if torch.cuda.is_available():
        for number, state in enumerate(cuda_rng[: torch.cuda.device_count()]):
            torch.cuda.set_rng_state(state.cpu(), number)
    return step


# %% correct: made in memory, then written as bytes

import io

PARTS = ("model", "optimizer", "scheduler", "scaler", "data")


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = os.fspath(path)
    parts = zip(PARTS, (model, optimizer, scheduler, scaler, data), strict=True)
    everything = {name: part.state_dict() for name, part in parts}
    everything["step"] = int(step)
    devices = range(torch.cuda.device_count()) if torch.cuda.is_available() else ()
    everything["random"] = {"cpu": torch.get_rng_state(), **{str(n): torch.cuda.get_rng_state(n) for n in devices}}
    memory = io.BytesIO()
    torch.save(everything, memory)
    handle, beside = tempfile.mkstemp(prefix=os.path.basename(path), suffix=".new", dir=os.path.dirname(path) or ".")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(memory.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    try:
        with open(path, "rb") as file:
            memory = io.BytesIO(file.read())
        place = next(model.parameters()).device
        everything = torch.load(memory, map_location=place, weights_only=True)
        states = [everything[name] for name in PARTS]
        step, generators = everything["step"], dict(everything["random"])
        at_random = generators.pop("cpu").cpu()
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"no checkpoint can be read from {path}") from error
    for part, state in zip((model, optimizer, scheduler, scaler, data), states, strict=True):
        part.load_state_dict(state)
    for number, state in generators.items():
        if torch.cuda.is_available() and int(number) < torch.cuda.device_count():
            torch.cuda.set_rng_state(state.cpu(), int(number))
    torch.set_rng_state(at_random)
    return step


# %% correct: torch's random numbers as a sixth object with a state

import contextlib
import uuid

KIND = "a checkpoint of the course"


class RandomNumbers:
    """The random numbers of torch, with the two methods that the others have."""

    def state_dict(self) -> dict:
        cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
        return {"cpu": torch.random.get_rng_state(), "cuda": list(cuda)}

    def load_state_dict(self, state: dict) -> None:
        if torch.cuda.is_available():
            for number, of_device in zip(range(torch.cuda.device_count()), state["cuda"], strict=False):
                torch.cuda.set_rng_state(of_device.cpu(), number)
        torch.random.set_rng_state(state["cpu"].cpu())


@contextlib.contextmanager
def whole_or_nothing(path: Path):
    beside = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    with contextlib.ExitStack() as undo:
        undo.callback(beside.unlink, missing_ok=True)
        with beside.open("xb") as file:
            yield file
        beside.replace(path)


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    states = [thing.state_dict() for thing in (model, optimizer, scheduler, scaler, data, RandomNumbers())]
    with whole_or_nothing(Path(path)) as file:
        torch.save({"kind": KIND, "step": step, "states": states}, file)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    try:
        found = torch.load(str(path), map_location=next(model.parameters()).device, weights_only=True)
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{path} cannot be read: {type(error).__name__}") from error
    if not isinstance(found, dict) or found.get("kind") != KIND:
        raise ValueError(f"{path} can be read and is not a checkpoint")
    for thing, state in zip((model, optimizer, scheduler, scaler, data, RandomNumbers()), found["states"], strict=True):
        thing.load_state_dict(state)
    return found["step"]

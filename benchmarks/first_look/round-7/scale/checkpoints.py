# %% wrong: the file is written in the system's folder for temporary files and moved
# It is not written beside `path`: where /tmp is another disk (path in /dev/shm, on a network drive) renaming is impossible, shutil.move copies
# instead, and a crash in the middle of it leaves half a file at `path`.

import shutil


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    state = {
        "step": step,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "scaler": scaler.state_dict(),
        "data": data.state_dict(),
        "cpu": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }
    handle, temporary = tempfile.mkstemp(suffix=".pt")
    os.close(handle)
    try:
        torch.save(state, temporary)
        shutil.move(temporary, path)
    finally:
        Path(temporary).unlink(missing_ok=True)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(path)
    try:
        state = torch.load(path, map_location=next(model.parameters()).device, weights_only=True)
        parts = [state[name] for name in ("model", "optimizer", "scheduler", "scaler", "data")]
        step, cpu, cuda = state["step"], state["cpu"].cpu(), [s.cpu() for s in state["cuda"]]
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint") from error
    for thing, part in zip((model, optimizer, scheduler, scaler, data), parts, strict=True):
        thing.load_state_dict(part)
    torch.set_rng_state(cpu)
    if torch.cuda.is_available() and cuda:
        torch.cuda.set_rng_state_all(cuda)
    return step


# %% wrong: where there is no file, it is a ValueError too
# The `except Exception` around torch.load takes the FileNotFoundError as well, which has to come through.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    temporary = path.with_name(path.name + ".tmp")
    state = {
        "step": step,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "scaler": scaler.state_dict(),
        "data": data.state_dict(),
        "rng_cpu": torch.get_rng_state(),
        "rng_cuda": torch.cuda.get_rng_state_all(),
    }
    try:
        torch.save(state, temporary)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    device = next(model.parameters()).device
    try:
        state = torch.load(path, map_location=device, weights_only=True)
    except Exception as error:
        raise ValueError(f"cannot read checkpoint {path}: {error}") from error
    keys = {"step", "model", "optimizer", "scheduler", "scaler", "data", "rng_cpu", "rng_cuda"}
    if not isinstance(state, dict) or not keys <= set(state):
        raise ValueError(f"{path} is not a checkpoint")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    scheduler.load_state_dict(state["scheduler"])
    scaler.load_state_dict(state["scaler"])
    data.load_state_dict(state["data"])
    torch.set_rng_state(state["rng_cpu"].cpu())
    if torch.cuda.is_available():
        torch.cuda.set_rng_state_all([s.cpu() for s in state["rng_cuda"]])
    return state["step"]


# %% wrong: a file that can be read, but is not a checkpoint, is a KeyError
# torch.save(model.state_dict(), path) as every first tutorial has it: torch.load reads it, and state["model"] raises KeyError, not ValueError.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    objects = {"model": model, "optimizer": optimizer, "scheduler": scheduler, "scaler": scaler, "data": data}
    state = {name: thing.state_dict() for name, thing in objects.items()}
    state["step"] = step
    state["cpu_rng"] = torch.get_rng_state()
    state["cuda_rng"] = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    beside = Path(f"{path}.part")
    try:
        torch.save(state, beside)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    if not Path(path).exists():
        raise FileNotFoundError(f"no checkpoint at {path}")
    try:
        state = torch.load(path, map_location=next(model.parameters()).device, weights_only=True)
    except Exception as error:
        raise ValueError(f"{path} cannot be read: {error}") from error
    objects = {"model": model, "optimizer": optimizer, "scheduler": scheduler, "scaler": scaler, "data": data}
    for name, thing in objects.items():
        thing.load_state_dict(state[name])
    torch.set_rng_state(state["cpu_rng"].cpu())
    if torch.cuda.is_available():
        torch.cuda.set_rng_state_all([s.cpu() for s in state["cuda_rng"]])
    return state["step"]


# %% wrong: the seed is saved in the place of the random state
# manual_seed(initial_seed()) begins the random numbers once more from the start: the next dropout masks are not those of the training
# that was not stopped.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    temporary = path.parent / (path.name + ".tmp")
    try:
        torch.save(
            {
                "step": step,
                "model": model.state_dict(),
                "optimizer": optimizer.state_dict(),
                "scheduler": scheduler.state_dict(),
                "scaler": scaler.state_dict(),
                "data": data.state_dict(),
                "seed": torch.initial_seed(),
            },
            temporary,
        )
        os.replace(temporary, path)
    except Exception:
        temporary.unlink(missing_ok=True)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    try:
        state = torch.load(path, map_location=next(model.parameters()).device, weights_only=True)
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint") from error
    if not isinstance(state, dict) or not {"step", "model", "optimizer", "scheduler", "scaler", "data", "seed"} <= state.keys():
        raise ValueError(f"{path} is not a checkpoint")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    scheduler.load_state_dict(state["scheduler"])
    scaler.load_state_dict(state["scaler"])
    data.load_state_dict(state["data"])
    torch.manual_seed(state["seed"])  # seeds every CUDA device too
    return state["step"]


# %% correct: made into bytes in memory first, then written

import io
import uuid


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    devices = torch.cuda.device_count() if torch.cuda.is_available() else 0
    random_numbers = {"cpu": torch.get_rng_state()}
    random_numbers.update({f"cuda {n}": torch.cuda.get_rng_state(n) for n in range(devices)})
    five = dict(model=model, optimizer=optimizer, scheduler=scheduler, scaler=scaler, data=data)
    content = {"what": "checkpoint", "step": step, "random": random_numbers}
    content["states"] = {name: thing.state_dict() for name, thing in five.items()}
    buffer = io.BytesIO()
    torch.save(content, buffer)
    beside = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        with open(beside, "xb") as file:
            file.write(buffer.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        if beside.exists():
            beside.unlink()
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    five = dict(model=model, optimizer=optimizer, scheduler=scheduler, scaler=scaler, data=data)
    where = next((p.device for p in model.parameters()), torch.device("cpu"))
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error}") from error
    try:
        content = torch.load(io.BytesIO(raw), map_location=where, weights_only=True)
        if content["what"] != "checkpoint":
            raise KeyError("what")
        states, step = content["states"], content["step"]
        random_numbers = {name: state.cpu() for name, state in content["random"].items()}
        if set(states) != set(five) or "cpu" not in random_numbers:
            raise KeyError("states")
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint: {error!r}") from error
    for name, thing in five.items():
        thing.load_state_dict(states[name])
    for n in range(torch.cuda.device_count() if torch.cuda.is_available() else 0):
        if f"cuda {n}" in random_numbers:
            torch.cuda.set_rng_state(random_numbers[f"cuda {n}"], n)
    torch.set_rng_state(random_numbers["cpu"])
    return step


# %% correct: a context manager that replaces, and a plain list with a name at its head

import contextlib

HEAD = "attention from scratch, checkpoint 1"


@contextlib.contextmanager
def replacing(path):
    """A binary file beside path, that takes its place when the block ends well and is gone when not."""
    target = os.path.abspath(os.fspath(path))
    number, name = tempfile.mkstemp(prefix=os.path.basename(target) + ".", dir=os.path.dirname(target))
    try:
        with os.fdopen(number, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, target)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.remove(name)


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    on_gpus = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    with replacing(path) as file:
        states = [thing.state_dict() for thing in (model, optimizer, scheduler, scaler, data)]
        torch.save([HEAD, step, torch.default_generator.get_state(), on_gpus, states], file)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    if not os.path.lexists(path):
        raise FileNotFoundError(f"there is no checkpoint {os.fspath(path)}")
    try:
        device = next(model.parameters()).device
        content = torch.load(os.fspath(path), map_location=device, weights_only=True)
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{os.fspath(path)} cannot be read as a checkpoint") from error
    match content:
        case [head, int(step), Tensor() as on_cpu, list(on_gpus), [_, _, _, _, _] as states] if head == HEAD:
            pass
        case _:
            raise ValueError(f"{os.fspath(path)} is not a checkpoint")
    for thing, state in zip([model, optimizer, scheduler, scaler, data], states):
        thing.load_state_dict(state)
    if torch.cuda.is_available():
        for gpu, state in list(enumerate(on_gpus))[: torch.cuda.device_count()]:
            torch.cuda.set_rng_state(state.cpu(), gpu)
    torch.default_generator.set_state(on_cpu.cpu())
    return step

# %% wrong: another file's dictionary gives a KeyError
# Only the reading is guarded. A file that can be read and is not a checkpoint, such as torch.save(model.state_dict()),
# raises a KeyError, and a tensor on its own an IndexError, where ValueError with the path is promised.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    state = {
        "step": step,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "scaler": scaler.state_dict(),
        "data": data.state_dict(),
        "cpu_random": torch.get_rng_state(),
        "cuda_random": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }
    beside = path.parent / (path.name + ".new")
    torch.save(state, beside)
    os.replace(beside, path)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    device = next(model.parameters()).device
    try:
        state = torch.load(path, map_location=device, weights_only=True)
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{path} cannot be read: {error}") from error
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    scheduler.load_state_dict(state["scheduler"])
    scaler.load_state_dict(state["scaler"])
    data.load_state_dict(state["data"])
    torch.set_rng_state(state["cpu_random"].cpu())
    if state["cuda_random"]:
        torch.cuda.set_rng_state_all([one.cpu() for one in state["cuda_random"]])
    return state["step"]


# %% wrong: a missing file is a ValueError too
# All that goes wrong while reading becomes a ValueError, FileNotFoundError included, which the docstring promises where
# nothing stands at the path. A program that starts afresh in that case stops instead.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    beside = f"{path}.part"
    torch.save(
        {
            "step": step,
            "states": [x.state_dict() for x in (model, optimizer, scheduler, scaler, data)],
            "random": torch.get_rng_state(),
            "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
        },
        beside,
    )
    os.replace(beside, path)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    device = next(model.parameters()).device
    try:
        saved = torch.load(path, map_location=device, weights_only=True)
        step, states, random, cuda = (saved[name] for name in ("step", "states", "random", "cuda"))
    except Exception as error:
        raise ValueError(f"no checkpoint at {path}") from error
    for one, state in zip((model, optimizer, scheduler, scaler, data), states, strict=True):
        one.load_state_dict(state)
    torch.set_rng_state(random.cpu())
    for number, state in enumerate(cuda[: torch.cuda.device_count()]):
        torch.cuda.set_rng_state(state.cpu(), number)
    return step


# %% wrong: a seed in place of the random numbers' state
# The generators are seeded with the step when the checkpoint is written, and again when it is read. The training that was
# saved does not go on as if it had not been: its random numbers after saving are others.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    torch.manual_seed(step)
    parts = {"model": model, "optimizer": optimizer, "scheduler": scheduler, "scaler": scaler, "data": data}
    whole = {name: part.state_dict() for name, part in parts.items()} | {"step": step}
    new = Path(path).with_name(Path(path).name + ".tmp")
    torch.save(whole, new)
    new.replace(path)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    parts = {"model": model, "optimizer": optimizer, "scheduler": scheduler, "scaler": scaler, "data": data}
    if not Path(path).exists():
        raise FileNotFoundError(path)
    try:
        whole = torch.load(path, map_location=next(model.parameters()).device, weights_only=True)
        if not set(parts) | {"step"} <= set(whole):
            raise KeyError("something is missing")
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint") from error
    for name, part in parts.items():
        part.load_state_dict(whole[name])
    torch.manual_seed(whole["step"])
    return whole["step"]


# %% wrong: the old file goes before the new one comes
# The new file is whole when the old one is deleted, and then renamed. Where the program stops between the two, or the
# rename fails, nothing stands at the path any more.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    beside = path.parent / f".{path.name}.writing"
    checkpoint = {
        "step": step,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "scaler": scaler.state_dict(),
        "data": data.state_dict(),
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }
    with open(beside, "wb") as file:
        torch.save(checkpoint, file)
        file.flush()
        os.fsync(file.fileno())
    if path.exists():
        path.unlink()
    os.rename(beside, path)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    try:
        checkpoint = torch.load(path, map_location=next(model.parameters()).device, weights_only=True)
        step, random, cuda = checkpoint["step"], checkpoint["torch"], checkpoint["cuda"]
        states = [checkpoint[name] for name in ("model", "optimizer", "scheduler", "scaler", "data")]
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{path}: not a checkpoint, or half of one") from error
    for part, state in zip((model, optimizer, scheduler, scaler, data), states, strict=True):
        part.load_state_dict(state)
    torch.set_rng_state(random.cpu())
    for number, state in enumerate(cuda[: torch.cuda.device_count()]):
        torch.cuda.set_rng_state(state.cpu(), number)
    return step


# %% correct: bytes in memory first, tensors moved by hand

# The file's bytes are made before anything is opened. Loading goes by way of the CPU, and a small recursion brings the
# states to the model's device, but not the random numbers, which belong on the CPU.

import io

_PARTS = ("model", "optimizer", "scheduler", "scaler", "data")


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    states = dict(zip(_PARTS, (x.state_dict() for x in (model, optimizer, scheduler, scaler, data)), strict=True))
    cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    buffer = io.BytesIO()
    torch.save({"states": states, "step": int(step), "random": [torch.get_rng_state(), *cuda]}, buffer)
    path = Path(path)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(buffer.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _moved(state, device):
    if isinstance(state, Tensor):
        return state.to(device)
    if isinstance(state, dict):
        return {key: _moved(value, device) for key, value in state.items()}
    if isinstance(state, (list, tuple)):
        return type(state)(_moved(value, device) for value in state)
    return state


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    if not os.path.lexists(path):
        raise FileNotFoundError(f"nothing stands at {path}")
    try:
        saved = torch.load(path, map_location="cpu", weights_only=True)
        states, step, random = saved["states"], saved["step"], saved["random"]
        in_order = [states[name] for name in _PARTS]
        if not isinstance(step, int) or not all(isinstance(one, Tensor) for one in random[:1]) or not random:
            raise TypeError("step or random numbers are missing")
    except Exception as error:
        raise ValueError(f"{path} cannot be read as a checkpoint ({type(error).__name__})") from error
    device = next((parameter.device for parameter in model.parameters()), torch.device("cpu"))
    for part, state in zip((model, optimizer, scheduler, scaler, data), in_order, strict=True):
        part.load_state_dict(_moved(state, device))
    torch.set_rng_state(random[0])
    for number, one in enumerate(random[1 : 1 + torch.cuda.device_count()]):
        torch.cuda.set_rng_state(one, number)
    return step


# %% correct: random numbers as plain lists, and a signature

# The random state is written as Python's whole numbers, which no map_location moves; a first entry says what the file is.

_KIND = "checkpoint of a training, first form"


def _random_now() -> dict:
    return {
        "cpu": torch.random.get_rng_state().tolist(),
        **{f"cuda:{n}": torch.cuda.get_rng_state(n).tolist() for n in range(torch.cuda.device_count())},
    }


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = os.fspath(path)
    folder, name = os.path.split(path)
    beside = os.path.join(folder, f".{name}.{os.getpid()}")
    try:
        content = {"kind": _KIND, "step": step, "random": _random_now()}
        for key, part in (("m", model), ("o", optimizer), ("sd", scheduler), ("sl", scaler), ("d", data)):
            content[key] = part.state_dict()
        torch.save(content, beside)
        os.replace(beside, path)
    finally:
        if os.path.exists(beside):
            os.remove(beside)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    device = next(iter(model.parameters()), torch.empty(0)).device
    try:
        with open(path, "rb") as file:
            content = torch.load(file, map_location=device, weights_only=True)
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"cannot read {path}: {error}") from error
    needed = {"kind", "step", "random", "m", "o", "sd", "sl", "d"}
    if type(content) is not dict or not needed <= content.keys() or content["kind"] != _KIND:
        raise ValueError(f"{path} is not a checkpoint")
    model.load_state_dict(content["m"])
    optimizer.load_state_dict(content["o"])
    scheduler.load_state_dict(content["sd"])
    scaler.load_state_dict(content["sl"])
    data.load_state_dict(content["d"])
    for name, numbers in content["random"].items():
        state = torch.tensor(numbers, dtype=torch.uint8)
        if name == "cpu":
            torch.random.set_rng_state(state)
        elif int(name.removeprefix("cuda:")) < torch.cuda.device_count():
            torch.cuda.set_rng_state(state, name)
    return content["step"]

# %% wrong: written straight over the old file
# torch.save writes to `path` itself, so a crash while it writes destroys the last good checkpoint; it should be written beside it and take its place when whole.
# Hint: what lies at `path` when the power goes off in the middle of torch.save?

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
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
    torch.save(state, path)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(path)
    device = next(model.parameters()).device
    try:
        state = torch.load(path, map_location=device, weights_only=True)
    except Exception as error:
        raise ValueError(f"{path} cannot be read: {error}") from error
    if not isinstance(state, dict) or not {"step", "model", "optimizer", "data", "cpu", "cuda"} <= set(state):
        raise ValueError(f"{path} is not a checkpoint")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    scheduler.load_state_dict(state["scheduler"])
    scaler.load_state_dict(state["scaler"])
    data.load_state_dict(state["data"])
    torch.set_rng_state(state["cpu"].cpu())
    if torch.cuda.is_available():
        torch.cuda.set_rng_state_all([one.cpu() for one in state["cuda"]])
    return state["step"]


# %% wrong: loading runs code
# The file is loaded with weights_only=False, so pickle runs whatever code a stranger's file holds.
# Hint: what does weights_only=True refuse, and does your checkpoint need it?

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
    beside = path.with_name(path.name + ".tmp")
    try:
        torch.save(state, beside)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(path)
    device = next(model.parameters()).device
    try:
        state = torch.load(path, map_location=device, weights_only=False)
    except Exception as error:
        raise ValueError(f"{path} cannot be read: {error}") from error
    if not isinstance(state, dict) or not {"step", "model", "optimizer", "data", "cpu", "cuda"} <= set(state):
        raise ValueError(f"{path} is not a checkpoint")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    scheduler.load_state_dict(state["scheduler"])
    scaler.load_state_dict(state["scaler"])
    data.load_state_dict(state["data"])
    torch.set_rng_state(state["cpu"].cpu())
    if torch.cuda.is_available():
        torch.cuda.set_rng_state_all([one.cpu() for one in state["cuda"]])
    return state["step"]


# %% wrong: the seed instead of the state
# torch.initial_seed() is saved and seeded again, so the random numbers begin anew and do not go on; the next dropout masks are those of the start.
# Hint: after a thousand draws, what does the seed say about the next one?

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    state = {
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
        torch.save(state, beside)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(path)
    device = next(model.parameters()).device
    try:
        state = torch.load(path, map_location=device, weights_only=True)
    except Exception as error:
        raise ValueError(f"{path} cannot be read: {error}") from error
    if not isinstance(state, dict) or not {"step", "model", "optimizer", "data", "seed"} <= set(state):
        raise ValueError(f"{path} is not a checkpoint")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    scheduler.load_state_dict(state["scheduler"])
    scaler.load_state_dict(state["scaler"])
    data.load_state_dict(state["data"])
    torch.manual_seed(state["seed"])
    return state["step"]


# %% wrong: a missing file is a ValueError
# Everything that torch.load raises becomes a ValueError, the FileNotFoundError for a file that is not there too.
# Hint: a program that starts for the first time waits for FileNotFoundError: what does it get?

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
    beside = path.with_name(path.name + ".tmp")
    try:
        torch.save(state, beside)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    device = next(model.parameters()).device
    try:
        state = torch.load(path, map_location=device, weights_only=True)
    except Exception as error:
        raise ValueError(f"{path} cannot be read: {error}") from error
    if not isinstance(state, dict) or not {"step", "model", "optimizer", "data", "cpu", "cuda"} <= set(state):
        raise ValueError(f"{path} is not a checkpoint")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    scheduler.load_state_dict(state["scheduler"])
    scaler.load_state_dict(state["scaler"])
    data.load_state_dict(state["data"])
    torch.set_rng_state(state["cpu"].cpu())
    if torch.cuda.is_available():
        torch.cuda.set_rng_state_all([one.cpu() for one in state["cuda"]])
    return state["step"]


# %% correct: made whole in memory, then one write and a rename

_PARTS = ("model", "optimizer", "scheduler", "scaler", "data")


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    import io

    objects = dict(zip(_PARTS, (model, optimizer, scheduler, scaler, data), strict=True))
    random = {"cpu": torch.get_rng_state()}
    for index in range(torch.cuda.device_count()):
        random[f"cuda:{index}"] = torch.cuda.get_rng_state(index)
    content = {"kind": "checkpoint", "step": int(step), "random": random}
    content["states"] = {name: thing.state_dict() for name, thing in objects.items()}
    memory = io.BytesIO()
    torch.save(content, memory)
    folder, name = os.path.split(os.fspath(path))
    handle, beside = tempfile.mkstemp(prefix=name + ".", suffix=".part", dir=folder or ".")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(memory.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        if os.path.exists(beside):
            os.remove(beside)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no checkpoint {path}")
    objects = dict(zip(_PARTS, (model, optimizer, scheduler, scaler, data), strict=True))
    device = next((parameter.device for parameter in model.parameters()), torch.device("cpu"))
    try:
        content = torch.load(path, map_location=device, weights_only=True)
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"the checkpoint {path} cannot be read ({type(error).__name__}: {error})") from error
    if not (
        isinstance(content, dict)
        and content.get("kind") == "checkpoint"
        and isinstance(content.get("states"), dict)
        and set(content["states"]) == set(_PARTS)
        and isinstance(content.get("random"), dict)
        and "cpu" in content["random"]
        and isinstance(content.get("step"), int)
    ):
        raise ValueError(f"{path} is not a checkpoint")
    for name, thing in objects.items():
        thing.load_state_dict(content["states"][name])
    for place, state in content["random"].items():
        if place == "cpu":
            torch.set_rng_state(state.cpu())
        elif int(place.removeprefix("cuda:")) < torch.cuda.device_count():
            torch.cuda.set_rng_state(state.cpu(), place)
    return content["step"]

# %% wrong: written where the good one stands
# torch.save goes straight to path: a crash while it writes leaves half a file where a good one stood. Everything else is right. A good message: "saving failed half-way, and the old checkpoint is broken: write beside it and rename".

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
    device = next(model.parameters()).device
    try:
        state = torch.load(path, map_location=device, weights_only=True)
        parts = [state[name] for name in ("model", "optimizer", "scheduler", "scaler", "data")]
        step, cpu, cuda = state["step"], state["cpu"], state["cuda"]
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"not a checkpoint: {path}") from error
    for part, of_part in zip((model, optimizer, scheduler, scaler, data), parts):
        part.load_state_dict(of_part)
    torch.set_rng_state(cpu.cpu())
    if cuda and torch.cuda.is_available():
        torch.cuda.set_rng_state_all([one.cpu() for one in cuda])
    return step

# %% wrong: the seed in place of the state
# What is saved of the random numbers is torch.initial_seed(), and loading seeds anew: the stream begins again at its beginning, not where it stood. A good message: "the first random number after loading is not the next one of the training that was saved: get_rng_state".

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    state = {
        "step": step,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "scaler": scaler.state_dict(),
        "data": data.state_dict(),
        "seed": torch.initial_seed(),
    }
    beside = f"{path}.{os.getpid()}.new"
    try:
        torch.save(state, beside)
        os.replace(beside, path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    device = next(model.parameters()).device
    try:
        state = torch.load(path, map_location=device, weights_only=True)
        parts = [state[name] for name in ("model", "optimizer", "scheduler", "scaler", "data")]
        step, seed = state["step"], state["seed"]
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"not a checkpoint: {path}") from error
    for part, of_part in zip((model, optimizer, scheduler, scaler, data), parts):
        part.load_state_dict(of_part)
    torch.manual_seed(seed)
    return step

# %% wrong: moved out of the way first
# The old file is renamed to .bak before the new one is written in its place: where writing fails, path holds half a file or none. And path must be a Path: a str has no with_suffix. A good message: "after a failed save the old checkpoint is not at path any more"; "path may be a str".

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
    if path.exists():
        path.rename(path.with_suffix(".bak"))
    torch.save(state, path)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    device = next(model.parameters()).device
    try:
        state = torch.load(path, map_location=device, weights_only=True)
        parts = [state[name] for name in ("model", "optimizer", "scheduler", "scaler", "data")]
        step, cpu, cuda = state["step"], state["cpu"], state["cuda"]
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"not a checkpoint: {path}") from error
    for part, of_part in zip((model, optimizer, scheduler, scaler, data), parts):
        part.load_state_dict(of_part)
    torch.set_rng_state(cpu.cpu())
    if cuda and torch.cuda.is_available():
        torch.cuda.set_rng_state_all([one.cpu() for one in cuda])
    return step

# %% wrong: any pickle is opened, any error passed on
# weights_only=False runs code that a file holds; and a broken file comes out as whatever torch.load raises (RuntimeError, UnpicklingError, KeyError), without the path. A good message: "code in the file was run"; "a file of 10 bytes: expected ValueError with the path".

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
    beside = f"{path}.{os.getpid()}.new"
    try:
        torch.save(state, beside)
        os.replace(beside, path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    device = next(model.parameters()).device
    state = torch.load(path, map_location=device, weights_only=False)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    scheduler.load_state_dict(state["scheduler"])
    scaler.load_state_dict(state["scaler"])
    data.load_state_dict(state["data"])
    torch.set_rng_state(state["cpu"].cpu())
    if torch.cuda.is_available() and state["cuda"]:
        torch.cuda.set_rng_state_all([one.cpu() for one in state["cuda"]])
    return state["step"]

# %% wrong: the schedule and the data begin again
# Scheduler and data are not loaded (they are saved): the rate rises once more and the first batches come again. And a missing file is turned into a ValueError with all the other errors. A good message: "the scheduler's state was not taken on"; "no file: expected FileNotFoundError".

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
    beside = f"{path}.{os.getpid()}.new"
    try:
        torch.save(state, beside)
        os.replace(beside, path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    device = next(model.parameters()).device
    try:
        state = torch.load(path, map_location=device, weights_only=True)
        parts = [state[name] for name in ("model", "optimizer", "scheduler", "scaler", "data")]
        step, cpu, cuda = state["step"], state["cpu"], state["cuda"]
    except Exception as error:
        raise ValueError(f"not a checkpoint: {path}") from error
    model.load_state_dict(parts[0])
    optimizer.load_state_dict(parts[1])
    scaler.load_state_dict(parts[3])
    torch.set_rng_state(cpu.cpu())
    if cuda and torch.cuda.is_available():
        torch.cuda.set_rng_state_all([one.cpu() for one in cuda])
    return step

# %% correct: made in memory, written in one go

PARTS = "model", "optimizer", "scheduler", "scaler", "data"


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    import io
    import uuid

    path = Path(path)
    whole = {name: part.state_dict() for name, part in zip(PARTS, (model, optimizer, scheduler, scaler, data))}
    whole |= {"step": step, "random": torch.random.get_rng_state()}
    whole["random on cuda"] = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    buffer = io.BytesIO()
    torch.save(whole, buffer)
    beside = path.parent / f".{path.name}.{uuid.uuid4().hex}"
    try:
        with beside.open("xb") as file:
            file.write(buffer.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"no checkpoint at {path}")
    try:
        whole = torch.load(path, map_location=next(model.parameters()).device, weights_only=True)
    except Exception as error:
        raise ValueError(f"{path} cannot be read as a checkpoint") from error
    if not isinstance(whole, dict) or not {*PARTS, "step", "random", "random on cuda"} <= whole.keys():
        raise ValueError(f"{path} is not a checkpoint of this training")
    for name, part in zip(PARTS, (model, optimizer, scheduler, scaler, data)):
        part.load_state_dict(whole[name])
    torch.random.set_rng_state(whole["random"].cpu())
    for number, state in enumerate(whole["random on cuda"][: torch.cuda.device_count()]):
        torch.cuda.set_rng_state(state.cpu(), number)
    return whole["step"]

# %% correct: a temporary file by tempfile, states in a list

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    import contextlib

    path = os.fspath(path)
    random = [torch.get_rng_state()] + [torch.cuda.get_rng_state(i) for i in range(torch.cuda.device_count())]
    states = [part.state_dict() for part in (model, optimizer, scheduler, scaler, data)]
    handle, beside = tempfile.mkstemp(dir=os.path.dirname(path) or ".", prefix=os.path.basename(path))
    with contextlib.ExitStack() as clean:
        clean.callback(lambda: os.path.exists(beside) and os.remove(beside))
        with os.fdopen(handle, "wb") as file:
            torch.save({"kind": "checkpoint", "step": step, "states": states, "random": random}, file)
        os.replace(beside, path)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    if not os.path.lexists(path):
        raise FileNotFoundError(path)
    try:
        with open(path, "rb") as file:
            found = torch.load(file, map_location=next(model.parameters()).device, weights_only=True)
        assert found["kind"] == "checkpoint"
        step, states, (cpu, *cuda) = found["step"], found["states"], found["random"]
    except Exception as error:
        raise ValueError(f"cannot read a checkpoint from {os.fspath(path)}: {error}") from error
    for part, state in zip((model, optimizer, scheduler, scaler, data), states, strict=True):
        part.load_state_dict(state)
    torch.set_rng_state(cpu.cpu())
    for i, state in enumerate(cuda):
        if i < torch.cuda.device_count():
            torch.cuda.set_rng_state(state.cpu(), i)
    return step

# %% wrong: written straight to path
# torch.save to `path` itself. Where writing fails half-way (a full disk, a state that cannot be saved), the good file that stood
# there is already gone.

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
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
        step = state["step"]
        parts = [state[name] for name in ("model", "optimizer", "scheduler", "scaler", "data")]
        cpu, cuda = state["cpu"], state["cuda"]
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint") from error
    for thing, part in zip((model, optimizer, scheduler, scaler, data), parts, strict=True):
        thing.load_state_dict(part)
    torch.set_rng_state(cpu)
    for number, one in enumerate(cuda[: torch.cuda.device_count()]):
        torch.cuda.set_rng_state(one, number)
    return step


# %% wrong: the seed for the state of the random numbers
# Saves torch.initial_seed() and calls manual_seed with it: the random numbers begin again at the start of the training and do not
# go on from where they were. It shows as soon as any were drawn before saving.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    beside = path.with_name(path.name + ".tmp")
    state = {
        "step": step,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "scaler": scaler.state_dict(),
        "data": data.state_dict(),
        "seed": torch.initial_seed(),
    }
    torch.save(state, beside)
    os.replace(beside, path)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    if not Path(path).exists():
        raise FileNotFoundError(path)
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
        step, seed = state["step"], state["seed"]
        parts = [state[name] for name in ("model", "optimizer", "scheduler", "scaler", "data")]
    except Exception as error:
        raise ValueError(f"cannot read {path}") from error
    for thing, part in zip((model, optimizer, scheduler, scaler, data), parts, strict=True):
        thing.load_state_dict(part)
    torch.manual_seed(seed)
    return step


# %% wrong: weights_only switched off
# Loads with weights_only=False, so that "everything" can be read. A file that holds code in its pickle has it run.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    beside = path.with_name(path.name + ".new")
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
    try:
        torch.save(state, beside)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    if not os.path.exists(path):
        raise FileNotFoundError(f"nothing stands at {path}")
    try:
        state = torch.load(path, map_location="cpu", weights_only=False)
        step = state["step"]
        parts = [state[name] for name in ("model", "optimizer", "scheduler", "scaler", "data")]
        cpu, cuda = state["cpu"], state["cuda"]
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint") from error
    for thing, part in zip((model, optimizer, scheduler, scaler, data), parts, strict=True):
        thing.load_state_dict(part)
    torch.set_rng_state(cpu)
    for number, one in enumerate(cuda[: torch.cuda.device_count()]):
        torch.cuda.set_rng_state(one, number)
    return step


# %% wrong: a missing file is called unreadable
# One except for all that goes wrong in reading: where nothing stands at `path` it raises ValueError, and FileNotFoundError was
# promised.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    beside = path.with_name(path.name + ".part")
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
    torch.save(state, beside)
    beside.replace(path)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
        step = state["step"]
        parts = [state[name] for name in ("model", "optimizer", "scheduler", "scaler", "data")]
        cpu, cuda = state["cpu"], state["cuda"]
    except Exception as error:
        raise ValueError(f"{path} cannot be read or is not a checkpoint") from error
    for thing, part in zip((model, optimizer, scheduler, scaler, data), parts, strict=True):
        thing.load_state_dict(part)
    torch.set_rng_state(cpu)
    for number, one in enumerate(cuda[: torch.cuda.device_count()]):
        torch.cuda.set_rng_state(one, number)
    return step


# %% correct: through bytes in memory

import io

PARTS = ("model", "optimizer", "scheduler", "scaler", "data")


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    target = os.fspath(path)
    memory = io.BytesIO()
    torch.save(
        {
            "what": "a checkpoint",
            "step": int(step),
            "parts": {
                name: thing.state_dict()
                for name, thing in zip(PARTS, (model, optimizer, scheduler, scaler, data), strict=True)
            },
            "random": {
                "cpu": torch.get_rng_state(),
                "cuda": [torch.cuda.get_rng_state(n) for n in range(torch.cuda.device_count())],
            },
        },
        memory,
    )
    number, beside = tempfile.mkstemp(dir=os.path.dirname(target) or ".", prefix=os.path.basename(target))
    try:
        with os.fdopen(number, "wb") as file:
            file.write(memory.getvalue())
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)
    except BaseException:
        os.unlink(beside)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no {path}")
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error}") from error
    try:
        found = torch.load(io.BytesIO(raw), map_location="cpu", weights_only=True)
        if found["what"] != "a checkpoint":
            raise KeyError("what")
        states = [found["parts"][name] for name in PARTS]
        step, random = int(found["step"]), found["random"]
        cpu, cuda = random["cpu"], random["cuda"]
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint: {error}") from error
    for thing, state in zip((model, optimizer, scheduler, scaler, data), states, strict=True):
        thing.load_state_dict(state)
    torch.set_rng_state(cpu)
    for n, state in enumerate(cuda):
        if n < torch.cuda.device_count():
            torch.cuda.set_rng_state(state, n)
    return step


# %% correct: a list by position, under a name of this process

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    everything = [step, torch.random.get_rng_state()]
    everything.append(torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [])
    everything += [thing.state_dict() for thing in (model, optimizer, scheduler, scaler, data)]
    beside = path.with_name(f".{path.name}-{os.getpid()}-{time.time_ns()}")
    try:
        with beside.open("xb") as file:
            torch.save(everything, file)
        beside.rename(path) if os.name == "posix" else beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)  # gone where it was renamed


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    if not os.path.exists(path):
        raise FileNotFoundError(f"nothing stands at {path}")
    try:
        with open(path, "rb") as file:
            everything = torch.load(file, map_location=torch.device("cpu"), weights_only=True)
    except Exception as error:
        raise ValueError(f"{path} cannot be read as a checkpoint") from error
    if not isinstance(everything, list) or len(everything) != 8:
        raise ValueError(f"{path} holds something, but no checkpoint")
    if not all(isinstance(*pair) for pair in zip(everything, (int, Tensor, list), strict=False)):
        raise ValueError(f"{path} holds a list, but no checkpoint")
    step, cpu, cuda, *states = everything
    for thing, state in zip((model, optimizer, scheduler, scaler, data), states, strict=True):
        thing.load_state_dict(state)
    torch.random.set_rng_state(cpu)
    for device, state in zip(range(torch.cuda.device_count()), cuda):
        torch.cuda.set_rng_state(state, device)
    return step

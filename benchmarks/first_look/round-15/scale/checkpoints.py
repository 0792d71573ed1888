# %% wrong: a missing file is a bad file
# Everything that goes wrong with reading becomes a ValueError, so where nothing stands at path there
# is no FileNotFoundError.

KEYS = ("model", "optimizer", "scheduler", "scaler", "data")


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    parts = dict(zip(KEYS, (model, optimizer, scheduler, scaler, data)))
    state = {name: part.state_dict() for name, part in parts.items()}
    state |= {
        "step": step,
        "cpu": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }
    temporary = f"{path}.part"
    try:
        torch.save(state, temporary)
        os.replace(temporary, path)
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    device = next(model.parameters()).device
    try:
        state = torch.load(path, map_location=device, weights_only=True)
        step, cpu, cuda = state["step"], state["cpu"].cpu(), [s.cpu() for s in state["cuda"]]
        states = [state[name] for name in KEYS]
    except Exception as error:
        raise ValueError(f"{path} cannot be read as a checkpoint") from error
    for part, of_part in zip((model, optimizer, scheduler, scaler, data), states):
        part.load_state_dict(of_part)
    torch.set_rng_state(cpu)
    if cuda:
        torch.cuda.set_rng_state_all(cuda)
    return step

# %% wrong: readable, so a checkpoint
# torch.load's errors become ValueError, but what it returned is not looked at. A file of weights alone
# (torch.save of a state_dict) or of a tensor ends in a KeyError or an IndexError.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    state = {
        "step": step,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "scaler": scaler.state_dict(),
        "data": data.state_dict(),
        "random": torch.get_rng_state(),
        "random_cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }
    path = Path(path)
    beside = path.with_name(path.name + ".new")
    torch.save(state, beside)
    beside.replace(path)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    if not Path(path).exists():
        raise FileNotFoundError(path)
    try:
        state = torch.load(
            path, map_location=next(model.parameters()).device, weights_only=True
        )
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint: {error}") from error
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    scheduler.load_state_dict(state["scheduler"])
    scaler.load_state_dict(state["scaler"])
    data.load_state_dict(state["data"])
    torch.set_rng_state(state["random"].cpu())
    if state["random_cuda"]:
        torch.cuda.set_rng_state_all([one.cpu() for one in state["random_cuda"]])
    return state["step"]

# %% wrong: empty states are missing states
# A state counts as missing where it is false: step 0, and the {} of a scaler that is switched off. Such a
# checkpoint, just written, is refused with ValueError.

PARTS = ("model", "optimizer", "scheduler", "scaler", "data")


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    objects = (model, optimizer, scheduler, scaler, data)
    state = {name: one.state_dict() for name, one in zip(PARTS, objects, strict=True)}
    state["step"] = step
    state["cpu_rng"] = torch.get_rng_state()
    state["cuda_rng"] = [
        torch.cuda.get_rng_state(i) for i in range(torch.cuda.device_count())
    ]
    target = Path(path)
    beside = target.parent / (target.name + ".tmp")
    torch.save(state, beside)
    os.replace(beside, target)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    if not os.path.exists(path):
        raise FileNotFoundError(f"no checkpoint at {path}")
    try:
        state = torch.load(
            path, weights_only=True, map_location=next(model.parameters()).device
        )
    except Exception as error:
        raise ValueError(f"cannot read {path}") from error
    if not isinstance(state, dict) or not all(
        state.get(name) for name in (*PARTS, "step")
    ) or state.get("cpu_rng") is None or "cuda_rng" not in state:
        raise ValueError(f"{path} is not a checkpoint")
    for name, one in zip(PARTS, (model, optimizer, scheduler, scaler, data)):
        one.load_state_dict(state[name])
    torch.set_rng_state(state["cpu_rng"].cpu())
    for i, rng in enumerate(state["cuda_rng"][: torch.cuda.device_count()]):
        torch.cuda.set_rng_state(rng.cpu(), i)
    return state["step"]

# %% wrong: written in the system's folder for temporary files
# The new file is written to tempfile's folder and moved. From another disk a move is a copy into the old
# file's place and no rename: not beside `path`, and not at once. Shows in where the file is written.

import shutil


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    state = {
        "step": step,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "scaler": scaler.state_dict(),
        "data": data.state_dict(),
        "rng": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }
    handle, temporary = tempfile.mkstemp(suffix=".pt")
    os.close(handle)
    try:
        torch.save(state, temporary)
        shutil.move(temporary, path)
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    if not os.path.exists(path):
        raise FileNotFoundError(path)
    try:
        state = torch.load(
            path, map_location=next(model.parameters()).device, weights_only=True
        )
        parts = [state[n] for n in ("model", "optimizer", "scheduler", "scaler", "data")]
        step, rng, cuda = state["step"], state["rng"].cpu(), [one.cpu() for one in state["cuda"]]
    except Exception as error:
        raise ValueError(f"no checkpoint: {path}") from error
    for one, of_one in zip((model, optimizer, scheduler, scaler, data), parts):
        one.load_state_dict(of_one)
    torch.set_rng_state(rng)
    if cuda:
        torch.cuda.set_rng_state_all(cuda)
    return step

# %% correct: made in memory, written with fsync, read back from bytes

import io

LAYOUT = ("format", "step", "states", "random")


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    buffer = io.BytesIO()
    random = {"cpu": torch.random.get_rng_state()}
    for number in range(torch.cuda.device_count()):
        random[f"cuda:{number}"] = torch.cuda.get_rng_state(number)
    states = [part.state_dict() for part in (model, optimizer, scheduler, scaler, data)]
    torch.save(dict(zip(LAYOUT, ("course checkpoint", step, states, random))), buffer)
    target = os.path.abspath(os.fspath(path))
    handle, beside = tempfile.mkstemp(
        dir=os.path.dirname(target), prefix=os.path.basename(target) + "."
    )
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(buffer.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)
    except BaseException:
        if os.path.exists(beside):
            os.remove(beside)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    parts = (model, optimizer, scheduler, scaler, data)
    device = next(iter(model.parameters())).device
    try:
        content = Path(path).read_bytes()
        read = torch.load(io.BytesIO(content), map_location=device, weights_only=True)
        if not isinstance(read, dict):
            raise TypeError(f"a {type(read).__name__} is no checkpoint")
        kind, step, states, random = (read[name] for name in LAYOUT)
        if kind != "course checkpoint" or len(states) != len(parts):
            raise KeyError(kind)
        random = {name: state.cpu() for name, state in random.items()}
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{path} cannot be read as a checkpoint: {error!r}") from error
    for part, state in zip(parts, states, strict=True):
        part.load_state_dict(state)
    for name, state in random.items():
        if name == "cpu":
            torch.random.set_rng_state(state)
        elif torch.device(name).index < torch.cuda.device_count():
            torch.cuda.set_rng_state(state, name)
    return step

# %% correct: a small class for the parts, the keys compared as a set

class _Training:
    names = "model", "optimizer", "scheduler", "scaler", "data"

    def __init__(self, *parts):
        self.parts = dict(zip(self.names, parts, strict=True))

    def state(self) -> dict:
        return {f"{name}_state": part.state_dict() for name, part in self.parts.items()}

    def take_on(self, state: dict) -> None:
        for name, part in self.parts.items():
            part.load_state_dict(state[f"{name}_state"])

    def misses(self, state) -> bool:
        wanted = {f"{name}_state" for name in self.names} | {"steps_taken", "rng", "rng_cuda"}
        return not isinstance(state, dict) or set(state) != wanted


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    target = Path(path)
    state = _Training(model, optimizer, scheduler, scaler, data).state()
    state["steps_taken"] = int(step)
    state["rng"] = torch.get_rng_state()
    state["rng_cuda"] = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    beside = target.with_name(f"{target.name}.{os.getpid()}.unfinished")
    try:
        with open(beside, "wb") as file:
            torch.save(state, file)
            file.flush()
            os.fsync(file)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    training = _Training(model, optimizer, scheduler, scaler, data)
    where = next(model.parameters()).device
    state = None
    try:
        with open(path, "rb") as file:
            state = torch.load(file, map_location=where, weights_only=True)
    except FileNotFoundError:
        raise
    except Exception as error:  # pickle, zip and torch have errors of their own
        reason = error
    else:
        reason = "parts of a checkpoint are missing"
    if training.misses(state):
        raise ValueError(f"{path}: {reason}")
    training.take_on(state)
    torch.set_rng_state(state["rng"].cpu())
    if torch.cuda.is_available() and state["rng_cuda"]:
        torch.cuda.set_rng_state_all([one.cpu() for one in state["rng_cuda"]])
    return state["steps_taken"]

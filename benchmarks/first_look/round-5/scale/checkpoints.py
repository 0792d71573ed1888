# %% wrong: the seed in the place of the state
# torch.initial_seed() is saved and set again: the random numbers begin from the start and do not go on from where they stood.

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
    temporary = path.with_name(path.name + ".tmp")
    try:
        torch.save(state, temporary)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(path)
    device = next(model.parameters()).device
    try:
        state = torch.load(path, map_location=device, weights_only=True)
        parts = [state[name] for name in ("model", "optimizer", "scheduler", "scaler", "data", "seed", "step")]
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint") from error
    for part, saved in zip((model, optimizer, scheduler, scaler, data), parts):
        part.load_state_dict(saved)
    torch.manual_seed(state["seed"])
    return state["step"]


# %% wrong: a name drawn by torch
# The name of the temporary file is drawn with torch.randint, so saving takes random numbers away from the training that goes on.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    checkpoint = {
        "step": step,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "scaler": scaler.state_dict(),
        "data": data.state_dict(),
        "cpu_rng": torch.get_rng_state(),
        "cuda_rng": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }
    number = torch.randint(10**9, (1,)).item()
    temporary = path.parent / f".{path.name}.{number}"
    try:
        torch.save(checkpoint, temporary)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"there is no {path}")
    try:
        checkpoint = torch.load(path, map_location=next(model.parameters()).device, weights_only=True)
    except Exception as error:
        raise ValueError(f"{path} cannot be read") from error
    names = {"step", "model", "optimizer", "scheduler", "scaler", "data", "cpu_rng", "cuda_rng"}
    if not isinstance(checkpoint, dict) or not names <= set(checkpoint):
        raise ValueError(f"{path} is not a checkpoint")
    model.load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    scheduler.load_state_dict(checkpoint["scheduler"])
    scaler.load_state_dict(checkpoint["scaler"])
    data.load_state_dict(checkpoint["data"])
    torch.set_rng_state(checkpoint["cpu_rng"].cpu())
    if torch.cuda.is_available() and checkpoint["cuda_rng"]:
        torch.cuda.set_rng_state_all([state.cpu() for state in checkpoint["cuda_rng"]])
    return checkpoint["step"]


# %% wrong: the renaming stands in a finally
# finally runs after a failure too: a half-written file takes the place of the good one, and then the error is raised.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    temporary = Path(str(path) + ".new")
    file = open(temporary, "wb")
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
                "cuda": torch.cuda.get_rng_state_all(),
            },
            file,
        )
    finally:
        file.close()
        temporary.replace(path)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"no checkpoint at {path}")
    try:
        saved = torch.load(path, map_location=next(model.parameters()).device, weights_only=True)
        step, rng, cuda = saved["step"], saved["rng"], saved["cuda"]
        states = saved["model"], saved["optimizer"], saved["scheduler"], saved["scaler"], saved["data"]
    except Exception as e:
        raise ValueError(f"cannot read a checkpoint from {path}: {e}")
    for thing, state in zip((model, optimizer, scheduler, scaler, data), states):
        thing.load_state_dict(state)
    torch.set_rng_state(rng.cpu())
    for number, state in enumerate(cuda[: torch.cuda.device_count()]):
        torch.cuda.set_rng_state(state.cpu(), number)
    return step


# %% wrong: only one kind of bad file is thought of
# Catches RuntimeError alone: a text file raises UnpicklingError or EOFError, and a dictionary of other things a KeyError, none with the path as ValueError.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    state = {"step": step, "rng": torch.get_rng_state(), "cuda": []}
    if torch.cuda.is_available():
        state["cuda"] = torch.cuda.get_rng_state_all()
    parts = {"model": model, "optimizer": optimizer, "scheduler": scheduler, "scaler": scaler, "data": data}
    for name, part in parts.items():
        state[name] = part.state_dict()
    temporary = f"{path}.tmp"
    try:
        torch.save(state, temporary)
        os.replace(temporary, path)
    except Exception:
        if os.path.exists(temporary):
            os.remove(temporary)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    if not os.path.exists(path):
        raise FileNotFoundError(path)
    device = next(model.parameters()).device
    try:
        state = torch.load(path, map_location=device, weights_only=True)
    except RuntimeError:
        raise ValueError(f"{path} is not a checkpoint") from None
    parts = {"model": model, "optimizer": optimizer, "scheduler": scheduler, "scaler": scaler, "data": data}
    for name, part in parts.items():
        part.load_state_dict(state[name])
    torch.set_rng_state(state["rng"].cpu())
    if state["cuda"]:
        torch.cuda.set_rng_state_all([s.cpu() for s in state["cuda"]])
    return state["step"]


# %% wrong: a missing file is called a wrong value
# except Exception takes the FileNotFoundError in as well and turns it into a ValueError.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    everything = {
        "steps": step,
        "states": [part.state_dict() for part in (model, optimizer, scheduler, scaler, data)],
        "random": torch.random.get_rng_state(),
        "random_cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }
    handle, name = tempfile.mkstemp(dir=path.parent)
    os.close(handle)
    try:
        torch.save(everything, name)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    device = next(model.parameters()).device
    try:
        everything = torch.load(path, map_location=device, weights_only=True)
        steps, states = everything["steps"], everything["states"]
        random, random_cuda = everything["random"].cpu(), everything["random_cuda"]
    except Exception as error:
        raise ValueError(f"{path}: not a checkpoint") from error
    for part, state in zip((model, optimizer, scheduler, scaler, data), states, strict=True):
        part.load_state_dict(state)
    torch.random.set_rng_state(random)
    for index in range(min(len(random_cuda), torch.cuda.device_count())):
        torch.cuda.set_rng_state(random_cuda[index].cpu(), index)
    return steps


# %% correct: made in memory, then written and renamed

import io

_PARTS = ("model", "optimizer", "scheduler", "scaler", "data")


def _cuda_states():
    return [torch.cuda.get_rng_state(index) for index in range(torch.cuda.device_count())]


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    target = os.path.abspath(path)
    objects = dict(zip(_PARTS, (model, optimizer, scheduler, scaler, data), strict=True))
    content = {name: each.state_dict() for name, each in objects.items()}
    content |= {"taken": int(step), "random": {"cpu": torch.get_rng_state(), "cuda": _cuda_states()}}
    memory = io.BytesIO()
    torch.save(content, memory)
    beside = f"{target}.{os.getpid()}.part"
    try:
        with open(beside, "wb") as file:
            file.write(memory.getvalue())
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)
    except BaseException:
        if os.path.exists(beside):
            os.remove(beside)
        raise


def _read(path, device):
    try:
        with open(path, "rb") as file:
            content = torch.load(io.BytesIO(file.read()), map_location=device, weights_only=True)
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{path} cannot be read as a checkpoint: {error}") from error
    if not isinstance(content, dict) or set(content) != {*_PARTS, "taken", "random"}:
        raise ValueError(f"{path} holds something else than a checkpoint")
    return content


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    content = _read(path, next(model.parameters()).device)
    for name, each in zip(_PARTS, (model, optimizer, scheduler, scaler, data), strict=True):
        each.load_state_dict(content[name])
    for index, state in enumerate(content["random"]["cuda"]):
        if index < torch.cuda.device_count():
            torch.cuda.set_rng_state(state.cpu(), index)
    torch.set_rng_state(content["random"]["cpu"].cpu())
    return content["taken"]


# %% correct: a named temporary file and a bundle of parts

class _Randomness:
    """torch's random numbers as one more object with a state."""

    def state_dict(self):
        cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
        return {"cpu": torch.default_generator.get_state(), "cuda": list(cuda)}

    def load_state_dict(self, state):
        torch.default_generator.set_state(state["cpu"].to("cpu"))
        if torch.cuda.is_available():
            for number, one in zip(range(torch.cuda.device_count()), state["cuda"]):
                torch.cuda.set_rng_state(one.to("cpu"), number)


def _bundle(*objects):
    names = ["model", "optimizer", "scheduler", "scaler", "data", "randomness"]
    return dict(zip(names, [*objects, _Randomness()], strict=True))


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    states = {name: part.state_dict() for name, part in _bundle(model, optimizer, scheduler, scaler, data).items()}
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=path.name, suffix=".tmp", delete=False) as file:
        written = Path(file.name)
        try:
            torch.save({"kind": "checkpoint", "step": step, "states": states}, file)
        except BaseException:
            written.unlink()
            raise
    try:
        written.replace(path)
    except BaseException:
        written.unlink(missing_ok=True)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"no file {path}")
    parts = _bundle(model, optimizer, scheduler, scaler, data)
    where = [parameter.device for parameter in model.parameters()][0]
    try:
        found = torch.load(str(path), map_location=where, weights_only=True)
        assert found["kind"] == "checkpoint" and list(found["states"]) == list(parts)
        step = found["step"]
    except Exception as error:
        raise ValueError(f"this is no checkpoint that can be read: {path}") from error
    for name, part in parts.items():
        part.load_state_dict(found["states"][name])
    return step

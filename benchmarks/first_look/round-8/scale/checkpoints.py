# %% wrong: the seed in the place of the random state
# torch.initial_seed() says how the generator began, not where it stands. After loading, random numbers start over again:
# dropout masks differ from the undisturbed training's wherever any number was drawn before saving.

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
    try:
        state = torch.load(path, map_location=next(model.parameters()).device, weights_only=True)
        parts = [state[name] for name in ("model", "optimizer", "scheduler", "scaler", "data")]
        step, seed = state["step"], state["seed"]
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint: {error}") from error
    for thing, part in zip((model, optimizer, scheduler, scaler, data), parts, strict=True):
        thing.load_state_dict(part)
    torch.manual_seed(seed)
    return step

# %% wrong: takes a Path only
# path.with_suffix is asked of what may be a str: save_checkpoint("checkpoint.pt", ...) ends in an AttributeError. With
# a Path, as in the notebook's own example, all is well.

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
    beside = path.with_suffix(".tmp")
    try:
        torch.save(state, beside)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    try:
        state = torch.load(path, map_location=next(model.parameters()).device, weights_only=True)
        parts = [state[name] for name in ("model", "optimizer", "scheduler", "scaler", "data")]
        step, cpu, cuda = state["step"], state["cpu"], state["cuda"]
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"cannot read a checkpoint from {path}") from error
    for thing, part in zip((model, optimizer, scheduler, scaler, data), parts, strict=True):
        thing.load_state_dict(part)
    torch.set_rng_state(cpu.cpu())
    if torch.cuda.is_available():
        torch.cuda.set_rng_state_all([one.cpu() for one in cuda])
    return step

# %% wrong: a missing file is a ValueError too
# except Exception round torch.load catches the FileNotFoundError as well: where there is no file, a ValueError is raised,
# which is no FileNotFoundError, and a program that would begin anew then stops.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    everything = {
        "step": step,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "scaler": scaler.state_dict(),
        "data": data.state_dict(),
        "rng": torch.get_rng_state(),
        "cuda_rng": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }
    temporary = f"{path}.tmp"
    try:
        torch.save(everything, temporary)
        os.replace(temporary, path)
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    device = next(model.parameters()).device
    try:
        everything = torch.load(path, map_location=device, weights_only=True)
        states = [everything[k] for k in ("model", "optimizer", "scheduler", "scaler", "data")]
        rng, cuda_rng, step = everything["rng"].cpu(), everything["cuda_rng"], everything["step"]
    except Exception as e:
        raise ValueError(f"could not read {path}: {e}") from e
    for thing, state in zip([model, optimizer, scheduler, scaler, data], states):
        thing.load_state_dict(state)
    torch.set_rng_state(rng)
    if torch.cuda.is_available():
        torch.cuda.set_rng_state_all([x.cpu() for x in cuda_rng])
    return step

# %% wrong: another file of torch's ends in a KeyError
# Only the reading is guarded. A file that torch.load reads, but that is no checkpoint (the model's state_dict alone, or
# a tensor) ends in a KeyError or an IndexError and not in a ValueError with the path.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    temporary = path.parent / (path.name + ".new")
    try:
        torch.save(
            {
                "step": step,
                "model": model.state_dict(),
                "optimizer": optimizer.state_dict(),
                "scheduler": scheduler.state_dict(),
                "scaler": scaler.state_dict(),
                "data": data.state_dict(),
                "random": torch.get_rng_state(),
                "random_cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
            },
            temporary,
        )
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"no checkpoint at {path}")
    try:
        state = torch.load(path, map_location=next(model.parameters()).device, weights_only=True)
    except Exception as error:
        raise ValueError(f"{path} cannot be read") from error
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    scheduler.load_state_dict(state["scheduler"])
    scaler.load_state_dict(state["scaler"])
    data.load_state_dict(state["data"])
    torch.set_rng_state(state["random"].cpu())
    if torch.cuda.is_available():
        torch.cuda.set_rng_state_all([one.cpu() for one in state["random_cuda"]])
    return state["step"]

# %% correct: bytes made in memory, written and renamed

import io
import uuid

PARTS = ("model", "optimizer", "scheduler", "scaler", "data")


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    things = dict(zip(PARTS, (model, optimizer, scheduler, scaler, data), strict=True))
    random = {"cpu": torch.random.get_rng_state(), "cuda": []}
    if torch.cuda.is_available():
        random["cuda"] = torch.cuda.get_rng_state_all()
    whole = {"steps": step, "random": random, "states": {name: thing.state_dict() for name, thing in things.items()}}
    in_memory = io.BytesIO()
    torch.save(whole, in_memory)
    beside = f"{os.fspath(path)}.{uuid.uuid4().hex}"
    try:
        with open(beside, "xb") as file:
            file.write(in_memory.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        if os.path.lexists(beside):
            os.remove(beside)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    try:
        with open(path, "rb") as file:
            content = io.BytesIO(file.read())
        device = next((tensor.device for tensor in model.parameters()), torch.device("cpu"))
        whole = torch.load(content, map_location=device, weights_only=True)
        if not isinstance(whole, dict) or set(whole) != {"steps", "random", "states"}:
            raise ValueError("there is something else in it")
        states = [whole["states"][name] for name in PARTS]
        cpu, cuda = whole["random"]["cpu"].cpu(), [state.cpu() for state in whole["random"]["cuda"]]
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{os.fspath(path)} is not a checkpoint that can be read: {error}") from error
    for thing, state in zip((model, optimizer, scheduler, scaler, data), states, strict=True):
        thing.load_state_dict(state)
    for index, state in enumerate(cuda[: torch.cuda.device_count()]):
        torch.cuda.set_rng_state(state, index)
    torch.random.set_rng_state(cpu)
    return whole["steps"]

# %% correct: a list with a mark in front, and a generator's state for the random numbers

MARK = "attention from scratch, checkpoint, 1"


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    target = Path(path)
    content = [MARK, int(step)]
    content += [thing.state_dict() for thing in (model, optimizer, scheduler, scaler, data)]
    content.append(torch.default_generator.get_state())
    content += [torch.cuda.get_rng_state(number) for number in range(torch.cuda.device_count())]
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=target.name, suffix=".partial")
    partial = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            torch.save(content, file)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    source = Path(path)
    if not source.exists():
        raise FileNotFoundError(f"there is no file at {source}")
    device = next(model.parameters()).device
    content = None
    reason = None
    try:
        content = torch.load(source, map_location=device, weights_only=True)
    except Exception as error:
        reason = error
    if not isinstance(content, list) or len(content) < 8 or not isinstance(content[0], str) or content[0] != MARK:
        raise ValueError(f"no checkpoint could be read from {source}") from reason
    _, step, *states = content
    for thing in (model, optimizer, scheduler, scaler, data):
        thing.load_state_dict(states.pop(0))
    torch.default_generator.set_state(states.pop(0).cpu())
    for number in range(min(len(states), torch.cuda.device_count())):
        torch.cuda.set_rng_state(states[number].cpu(), number)
    return step

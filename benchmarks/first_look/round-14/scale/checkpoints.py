# %% wrong: the seed for the state
# initial_seed is what torch was seeded with, not where it stands. After loading the random numbers
# begin again: another dropout than in the undisturbed run as soon as one number was drawn before.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    parts = {"model": model, "optimizer": optimizer, "scheduler": scheduler, "scaler": scaler, "data": data}
    state = {name: part.state_dict() for name, part in parts.items()}
    state |= {"step": step, "seed": torch.initial_seed()}
    beside = path.with_name(path.name + ".new")
    torch.save(state, beside)
    os.replace(beside, path)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    if not Path(path).exists():
        raise FileNotFoundError(path)
    device = next(model.parameters()).device
    parts = {"model": model, "optimizer": optimizer, "scheduler": scheduler, "scaler": scaler, "data": data}
    try:
        state = torch.load(path, map_location=device, weights_only=True)
        if not isinstance(state, dict) or not {*parts, "step", "seed"} <= set(state):
            raise ValueError("parts are missing")
    except Exception as error:
        raise ValueError(f"{path} is no checkpoint: {error}") from error
    for name, part in parts.items():
        part.load_state_dict(state[name])
    torch.manual_seed(state["seed"])
    return state["step"]


# %% wrong: a str has no parent
# The new file's name comes from methods that only a Path has. With a path as a str, which is
# allowed, save_checkpoint raises AttributeError.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    beside = path.parent / (path.name + ".tmp")
    torch.save(
        {
            "step": step,
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "scheduler": scheduler.state_dict(),
            "scaler": scaler.state_dict(),
            "data": data.state_dict(),
            "cpu": torch.get_rng_state(),
            "cuda": torch.cuda.get_rng_state_all(),
        },
        beside,
    )
    beside.replace(path)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    device = next(model.parameters()).device
    try:
        state = torch.load(path, map_location=device, weights_only=True)
        step, cpu, cuda = state["step"], state["cpu"], state["cuda"]
        states = [state[name] for name in ("model", "optimizer", "scheduler", "scaler", "data")]
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{path} is no checkpoint") from error
    for part, its_state in zip((model, optimizer, scheduler, scaler, data), states):
        part.load_state_dict(its_state)
    torch.set_rng_state(cpu.cpu())
    torch.cuda.set_rng_state_all([s.cpu() for s in cuda])
    return step


# %% wrong: a file that can be read is taken for a checkpoint
# What torch.load refuses becomes a ValueError, but a file of something else, such as a model's
# state_dict alone or a tensor, is read without an error: KeyError or IndexError afterwards, without
# the path.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    beside = path.with_name(path.name + ".tmp")
    torch.save(
        {
            "step": step,
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "scheduler": scheduler.state_dict(),
            "scaler": scaler.state_dict(),
            "data": data.state_dict(),
            "cpu": torch.get_rng_state(),
            "cuda": torch.cuda.get_rng_state_all(),
        },
        beside,
    )
    os.replace(beside, path)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    device = next(model.parameters()).device
    try:
        state = torch.load(path, map_location=device, weights_only=True)
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{path} cannot be read") from error
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    scheduler.load_state_dict(state["scheduler"])
    scaler.load_state_dict(state["scaler"])
    data.load_state_dict(state["data"])
    torch.set_rng_state(state["cpu"].cpu())
    torch.cuda.set_rng_state_all([s.cpu() for s in state["cuda"]])
    return state["step"]


# %% wrong: renamed in any case
# The rename stands in a finally, so that no half-written file is left over. Where torch.save fails
# half-way, the half-written file takes the good one's place.

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
        "random": [torch.get_rng_state(), *torch.cuda.get_rng_state_all()],
    }
    try:
        with open(beside, "wb") as file:
            torch.save(state, file)
    finally:
        os.replace(beside, path)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    device = next(model.parameters()).device
    try:
        state = torch.load(path, map_location=device, weights_only=True)
        step, random = state["step"], state["random"]
        states = [state[name] for name in ("model", "optimizer", "scheduler", "scaler", "data")]
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{path} is no checkpoint") from error
    for part, its_state in zip((model, optimizer, scheduler, scaler, data), states):
        part.load_state_dict(its_state)
    torch.set_rng_state(random[0].cpu())
    torch.cuda.set_rng_state_all([s.cpu() for s in random[1:]])
    return step


# %% correct: written into memory first, then flushed to the disk and renamed

import io

PARTS_OF_A_CHECKPOINT = ("model", "optimizer", "scheduler", "scaler", "data")


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    parts = zip(PARTS_OF_A_CHECKPOINT, (model, optimizer, scheduler, scaler, data), strict=True)
    contents = {"kind": "checkpoint", "step": int(step)}
    contents["random"] = {"cpu": torch.get_rng_state(), "cuda": list(torch.cuda.get_rng_state_all())}
    contents.update({name: part.state_dict() for name, part in parts})
    memory = io.BytesIO()
    torch.save(contents, memory)
    folder, name = os.path.split(os.path.abspath(path))
    handle, beside = tempfile.mkstemp(prefix=name + ".", suffix=".unfinished", dir=folder)
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
            contents = torch.load(
                io.BytesIO(file.read()),
                map_location=next(model.parameters()).device,
                weights_only=True,
            )
        if contents["kind"] != "checkpoint":
            raise KeyError("kind")
        step, of_cpu, of_cuda = contents["step"], contents["random"]["cpu"], contents["random"]["cuda"]
        states = [contents[name] for name in PARTS_OF_A_CHECKPOINT]
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"what stands at {path} is no checkpoint: {error}") from error
    for part, state in zip((model, optimizer, scheduler, scaler, data), states, strict=True):
        part.load_state_dict(state)
    for number, state in zip(range(torch.cuda.device_count()), of_cuda):
        torch.cuda.set_rng_state(state.cpu(), number)
    torch.set_rng_state(of_cpu.cpu())
    return step


# %% correct: a list in a fixed order, under a hidden name until it is whole

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    target = Path(path)
    everything = [step, [torch.random.get_rng_state()] + torch.cuda.get_rng_state_all()]
    everything += [owner.state_dict() for owner in (model, optimizer, scheduler, scaler, data)]
    hidden = target.with_name(f".{target.name}.{os.getpid()}.writing")
    try:
        torch.save({"version": 1, "everything": everything}, hidden)
        hidden.replace(target)
    finally:
        hidden.unlink(missing_ok=True)  # where it could not be finished


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = os.fspath(path)
    if not os.path.exists(path):
        raise FileNotFoundError(f"nothing stands at {path}")
    owners = [model, optimizer, scheduler, scaler, data]
    where = {parameter.device for parameter in model.parameters()}.pop()
    everything = None
    try:
        found = torch.load(path, map_location=where, weights_only=True)
    except Exception as error:
        raise ValueError(f"{path} cannot be read ({type(error).__name__})") from error
    if isinstance(found, dict) and set(found) == {"version", "everything"}:
        everything = found["everything"]
    if not isinstance(everything, list) or len(everything) != 2 + len(owners):
        raise ValueError(f"{path} holds something else than a checkpoint")
    step, randoms, *states = everything
    for owner, state in zip(owners, states):
        owner.load_state_dict(state)
    torch.random.set_rng_state(randoms[0].cpu())
    for number, state in zip(range(torch.cuda.device_count()), randoms[1:]):
        torch.cuda.set_rng_state(state.cpu(), number)
    return step

# %% wrong: the seed in place of the random state
# Saves torch.initial_seed() and seeds with it when loading. The random numbers then begin again from the start and do
# not go on from where they were: other dropout masks than without a stop.
# Hint: draw three numbers, save, draw two; load, and draw two. Are they the same two?

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    beside = path.with_name(path.name + ".part")
    try:
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
    finally:
        beside.unlink(missing_ok=True)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"there is no checkpoint at {path}")
    device = next(model.parameters()).device
    try:
        state = torch.load(path, map_location=device, weights_only=True)
    except Exception as error:
        raise ValueError(f"{path} cannot be read as a checkpoint") from error
    names = ("step", "model", "optimizer", "scheduler", "scaler", "data", "seed")
    if not isinstance(state, dict) or any(name not in state for name in names):
        raise ValueError(f"{path} is not a checkpoint")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    scheduler.load_state_dict(state["scheduler"])
    scaler.load_state_dict(state["scaler"])
    data.load_state_dict(state["data"])
    torch.manual_seed(state["seed"])
    return state["step"]


# %% wrong: written in the system's folder for temporary files
# The file is written to the temporary folder of the system and moved from there. Where that is another disk, moving
# means copying, and a crash in between leaves half a file where a good one stood.
# Hint: when does renaming replace a file at once? In which folder must the new file lie for that?

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    import shutil

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
    with tempfile.NamedTemporaryFile(suffix=".pt", delete=False) as file:
        torch.save(state, file)
    shutil.move(file.name, str(path))


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"there is no checkpoint at {path}")
    device = next(model.parameters()).device
    try:
        state = torch.load(path, map_location=device, weights_only=True)
    except Exception as error:
        raise ValueError(f"{path} cannot be read as a checkpoint") from error
    names = ("step", "model", "optimizer", "scheduler", "scaler", "data", "cpu_random", "cuda_random")
    if not isinstance(state, dict) or any(name not in state for name in names):
        raise ValueError(f"{path} is not a checkpoint")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    scheduler.load_state_dict(state["scheduler"])
    scaler.load_state_dict(state["scaler"])
    data.load_state_dict(state["data"])
    torch.set_rng_state(state["cpu_random"].cpu())
    if torch.cuda.is_available():
        for number, random in enumerate(state["cuda_random"][: torch.cuda.device_count()]):
            torch.cuda.set_rng_state(random.cpu(), number)
    return state["step"]


# %% wrong: the schedule stepped forward in place of loaded
# The schedule's state is not saved; when loading, scheduler.step() is called once for every step taken. For a schedule
# that is a function of the step number that comes out right, with others, and with a schedule that is stepped
# otherwise, it does not.
# Hint: the five objects have two methods that you can count on. Is step one of them?

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    beside = path.with_name(path.name + ".part")
    try:
        state = {
            "step": step,
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "scaler": scaler.state_dict(),
            "data": data.state_dict(),
            "cpu_random": torch.get_rng_state(),
            "cuda_random": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
        }
        torch.save(state, beside)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"there is no checkpoint at {path}")
    device = next(model.parameters()).device
    try:
        state = torch.load(path, map_location=device, weights_only=True)
    except Exception as error:
        raise ValueError(f"{path} cannot be read as a checkpoint") from error
    names = ("step", "model", "optimizer", "scaler", "data", "cpu_random", "cuda_random")
    if not isinstance(state, dict) or any(name not in state for name in names):
        raise ValueError(f"{path} is not a checkpoint")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    scaler.load_state_dict(state["scaler"])
    data.load_state_dict(state["data"])
    for _ in range(state["step"]):
        scheduler.step()
    torch.set_rng_state(state["cpu_random"].cpu())
    if torch.cuda.is_available():
        for number, random in enumerate(state["cuda_random"][: torch.cuda.device_count()]):
            torch.cuda.set_rng_state(random.cpu(), number)
    return state["step"]


# %% wrong: any file that torch can read taken for a checkpoint
# Only errors of torch.load become a ValueError. A file that torch reads but that holds something else, such as the
# weights alone, ends in a KeyError that does not name the file.
# Hint: save model.state_dict() alone with torch.save and load that.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    beside = path.with_name(path.name + ".part")
    try:
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
        torch.save(state, beside)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"there is no checkpoint at {path}")
    device = next(model.parameters()).device
    try:
        state = torch.load(path, map_location=device, weights_only=True)
    except Exception as error:
        raise ValueError(f"{path} cannot be read as a checkpoint") from error
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    scheduler.load_state_dict(state["scheduler"])
    scaler.load_state_dict(state["scaler"])
    data.load_state_dict(state["data"])
    torch.set_rng_state(state["cpu_random"].cpu())
    if torch.cuda.is_available():
        for number, random in enumerate(state["cuda_random"][: torch.cuda.device_count()]):
            torch.cuda.set_rng_state(random.cpu(), number)
    return state["step"]


# %% wrong: a failure to save only printed
# Catches every error of the saving and prints it, so that a full disk does not stop a training. The old file is kept,
# but the caller is never told that there is no new one; the error was to be raised.
# Hint: how does a program that calls save_checkpoint find out that nothing was saved?

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    beside = path.with_name(path.name + ".part")
    try:
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
        torch.save(state, beside)
        os.replace(beside, path)
    except Exception as error:
        print(f"no checkpoint was written: {error}")
        beside.unlink(missing_ok=True)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"there is no checkpoint at {path}")
    device = next(model.parameters()).device
    try:
        state = torch.load(path, map_location=device, weights_only=True)
    except Exception as error:
        raise ValueError(f"{path} cannot be read as a checkpoint") from error
    names = ("step", "model", "optimizer", "scheduler", "scaler", "data", "cpu_random", "cuda_random")
    if not isinstance(state, dict) or any(name not in state for name in names):
        raise ValueError(f"{path} is not a checkpoint")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    scheduler.load_state_dict(state["scheduler"])
    scaler.load_state_dict(state["scaler"])
    data.load_state_dict(state["data"])
    torch.set_rng_state(state["cpu_random"].cpu())
    if torch.cuda.is_available():
        for number, random in enumerate(state["cuda_random"][: torch.cuda.device_count()]):
            torch.cuda.set_rng_state(random.cpu(), number)
    return state["step"]


# %% correct: made whole in memory, then written beside and renamed

import io

PARTS = ("model", "optimizer", "scheduler", "scaler", "data")


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    objects = (model, optimizer, scheduler, scaler, data)
    content = {name: part.state_dict() for name, part in zip(PARTS, objects, strict=True)}
    content["step"] = step
    content["random numbers"] = [torch.get_rng_state()]
    if torch.cuda.is_available():
        content["random numbers"] += torch.cuda.get_rng_state_all()
    memory = io.BytesIO()
    torch.save(content, memory)
    target = Path(path)
    half_written = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with open(half_written, "wb") as file:
            file.write(memory.getvalue())
            file.flush()
            os.fsync(file.fileno())
        half_written.replace(target)
    except BaseException:
        half_written.unlink(missing_ok=True)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    where = next(model.parameters()).device
    try:
        content = torch.load(Path(path), map_location=where, weights_only=True)
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{path}: cannot be read ({type(error).__name__})") from error
    if not isinstance(content, dict) or not {*PARTS, "step", "random numbers"} <= content.keys():
        raise ValueError(f"{path}: something is in it, but not a checkpoint")
    for name, part in zip(PARTS, (model, optimizer, scheduler, scaler, data), strict=True):
        part.load_state_dict(content[name])
    of_cpu, *of_cuda = (state.cpu() for state in content["random numbers"])
    torch.set_rng_state(of_cpu)
    if torch.cuda.is_available():
        for device_number, state in zip(range(torch.cuda.device_count()), of_cuda):
            torch.cuda.set_rng_state(state, device_number)
    return content["step"]


# %% correct: a temporary file in the same folder, by a context manager

from contextlib import contextmanager


@contextmanager
def in_place_of(path):
    descriptor, name = tempfile.mkstemp(prefix=path.name, suffix=".new", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        os.replace(name, path)
    finally:
        if os.path.exists(name):  # not after it was renamed
            os.remove(name)


def random_states():
    on_cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    return {"cpu": torch.get_rng_state(), "cuda": on_cuda}


def set_random_states(states):
    torch.set_rng_state(states["cpu"].cpu())
    usable = torch.cuda.device_count() if torch.cuda.is_available() else 0
    for device_number, state in enumerate(states["cuda"][:usable]):
        torch.cuda.set_rng_state(state.cpu(), device_number)


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    parts = dict(model=model, optimizer=optimizer, scheduler=scheduler, scaler=scaler, data=data)
    states = {name: part.state_dict() for name, part in parts.items()}
    with in_place_of(Path(path)) as file:
        torch.save({"kind": "checkpoint", "step": step, "states": states, "random": random_states()}, file)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    parts = dict(model=model, optimizer=optimizer, scheduler=scheduler, scaler=scaler, data=data)
    if not os.path.exists(path):
        raise FileNotFoundError(f"no file at {path}")
    try:
        with open(path, "rb") as file:
            found = torch.load(file, map_location=next(model.parameters()).device, weights_only=True)
    except Exception as error:
        raise ValueError(f"{path} is damaged, or was not made by torch") from error
    if not isinstance(found, dict) or found.get("kind") != "checkpoint":
        raise ValueError(f"{path} is not a checkpoint of a training")
    for name, part in parts.items():
        part.load_state_dict(found["states"][name])
    set_random_states(found["random"])
    return found["step"]

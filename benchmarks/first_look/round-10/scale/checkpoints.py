# %% wrong: the seed is saved and not the state of the random numbers
# "The state of torch's random numbers ... is saved": torch.initial_seed() says where they began. Where some have been drawn since
# manual_seed (dropout, a permutation), loading goes back to the first of them, and the next steps have other dropout masks.


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    state = {
        "step": step,
        "seed": torch.initial_seed(),
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "scaler": scaler.state_dict(),
        "data": data.state_dict(),
    }
    beside = path.with_name(path.name + ".tmp")
    torch.save(state, beside)
    os.replace(beside, path)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(path)
    try:
        state = torch.load(path, map_location=next(model.parameters()).device, weights_only=True)
        step, seed = state["step"], state["seed"]
        parts = [state[name] for name in ("model", "optimizer", "scheduler", "scaler", "data")]
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint that can be read") from error
    for thing, part in zip((model, optimizer, scheduler, scaler, data), parts, strict=True):
        thing.load_state_dict(part)
    torch.manual_seed(seed)  # the CUDA devices too
    return step


# %% wrong: the old file is removed before the new one is renamed
# "takes the place of what stands at `path` at once. Where anything fails, what stands there is not touched": there is a moment
# without any file at `path`; where the renaming fails, or the crash comes just then, the good checkpoint is gone.


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    things = {"model": model, "optimizer": optimizer, "scheduler": scheduler, "scaler": scaler, "data": data}
    state = {name: thing.state_dict() for name, thing in things.items()}
    state["step"] = step
    state["cpu"] = torch.get_rng_state()
    state["cuda"] = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    beside = path.with_name(path.name + ".new")
    try:
        torch.save(state, beside)
        path.unlink(missing_ok=True)  # rename does not replace a file on every system
        beside.rename(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    things = {"model": model, "optimizer": optimizer, "scheduler": scheduler, "scaler": scaler, "data": data}
    if not path.exists():
        raise FileNotFoundError(f"no checkpoint at {path}")
    try:
        state = torch.load(path, map_location=next(model.parameters()).device, weights_only=True)
        missing = {*things, "step", "cpu", "cuda"} - set(state)
    except Exception as error:
        raise ValueError(f"cannot read {path}: {error}") from error
    if missing:
        raise ValueError(f"{path} is not a checkpoint: it has no {', '.join(sorted(missing))}")
    for name, thing in things.items():
        thing.load_state_dict(state[name])
    torch.set_rng_state(state["cpu"].cpu())
    if torch.cuda.is_available():
        for number, rng in enumerate(state["cuda"][: torch.cuda.device_count()]):
            torch.cuda.set_rng_state(rng.cpu(), number)
    return state["step"]


# %% wrong: not every way of being unreadable is caught
# "ValueError with the path in its message where what stands there cannot be read": torch.load raises EOFError for an empty file, and that
# comes out as it is. Text files, cut-off files, folders and foreign dictionaries give ValueError as promised.

import pickle


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    target = Path(path)
    state = {
        "step": step,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "scaler": scaler.state_dict(),
        "data": data.state_dict(),
        "rng": torch.get_rng_state(),
        "cuda_rng": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }
    beside = target.parent / f".{target.name}.partial"
    try:
        torch.save(state, beside)
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    device = next(model.parameters()).device
    try:
        state = torch.load(path, map_location=device, weights_only=True)
        names = ("model", "optimizer", "scheduler", "scaler", "data", "rng", "cuda_rng", "step")
        *states, rng, cuda_rng, step = (state[name] for name in names)
    except FileNotFoundError:
        raise
    except (OSError, RuntimeError, pickle.UnpicklingError, KeyError, TypeError, IndexError) as error:
        raise ValueError(f"{path} is not a checkpoint") from error
    for thing, part in zip((model, optimizer, scheduler, scaler, data), states, strict=True):
        thing.load_state_dict(part)
    torch.set_rng_state(rng.cpu())
    if torch.cuda.is_available():
        torch.cuda.set_rng_state_all([one.cpu() for one in cuda_rng][: torch.cuda.device_count()])
    return step


# %% wrong: the file beside it has the suffix .tmp in the place of its own
# path.with_suffix(".tmp") is `path` itself where the path ends in .tmp: then the file is not written beside it, and where writing
# fails (the data's state holds something that cannot be saved) what stood there is destroyed. Right for every other suffix.


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    parts = (model, optimizer, scheduler, scaler, data)
    state = {
        "step": step,
        "parts": [part.state_dict() for part in parts],
        "cpu": torch.random.get_rng_state(),
        "cuda": [torch.cuda.get_rng_state(number) for number in range(torch.cuda.device_count())],
    }
    beside = path.with_suffix(".tmp")
    torch.save(state, beside)
    os.replace(beside, path)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist")
    try:
        state = torch.load(path, map_location=next(model.parameters()).device, weights_only=True)
        step, parts, cpu, cuda = (state[name] for name in ("step", "parts", "cpu", "cuda"))
    except Exception as error:
        raise ValueError(f"{path} cannot be read as a checkpoint") from error
    for thing, part in zip((model, optimizer, scheduler, scaler, data), parts, strict=True):
        thing.load_state_dict(part)
    torch.random.set_rng_state(cpu.cpu())
    for number, rng in zip(range(torch.cuda.device_count()), cuda, strict=False):
        torch.cuda.set_rng_state(rng.cpu(), number)
    return step


# %% correct: made in memory, written as bytes, read as bytes
import io
import uuid


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    target = Path(path)
    whole = io.BytesIO()
    torch.save(
        {
            "what": "a checkpoint of chapter 09",
            "step": step,
            "states": tuple(thing.state_dict() for thing in (model, optimizer, scheduler, scaler, data)),
            "random": (torch.get_rng_state(), *map(torch.cuda.get_rng_state, range(torch.cuda.device_count()))),
        },
        whole,
    )
    beside = target.with_name(f"{uuid.uuid4().hex}.part")
    try:
        with open(beside, "xb") as file:
            file.write(whole.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    target = Path(path)
    if not target.exists():
        raise FileNotFoundError(f"nothing stands at {target}")
    try:
        content = io.BytesIO(target.read_bytes())
        found = torch.load(content, map_location=next(model.parameters()).device, weights_only=True)
        if not isinstance(found, dict) or found["what"] != "a checkpoint of chapter 09":
            raise KeyError("what")
        step, states, (cpu, *cuda) = found["step"], found["states"], found["random"]
    except Exception as error:
        raise ValueError(f"{target} is no checkpoint that can be read ({type(error).__name__})") from error
    for thing, state in zip((model, optimizer, scheduler, scaler, data), states, strict=True):
        thing.load_state_dict(state)
    torch.set_rng_state(cpu.cpu())
    for number, rng in zip(range(torch.cuda.device_count()), cuda, strict=False):
        torch.cuda.set_rng_state(rng.cpu(), number)
    return step


# %% correct: a stack of things to undo, and tensors moved by hand
from contextlib import ExitStack

PARTS = ("model", "optimizer", "scheduler", "scaler", "data")


def moved(tree, device):
    """The same nest of dictionaries, lists and tuples, with its tensors on the device."""
    if isinstance(tree, Tensor):
        return tree.to(device)
    if isinstance(tree, dict):
        return {name: moved(branch, device) for name, branch in tree.items()}
    if isinstance(tree, (list, tuple)):
        return type(tree)(moved(branch, device) for branch in tree)
    return tree


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    target = os.path.abspath(os.fspath(path))
    state = {name: thing.state_dict() for name, thing in zip(PARTS, (model, optimizer, scheduler, scaler, data), strict=True)}
    generators = {"cpu": torch.default_generator.get_state()}
    generators |= {f"cuda:{n}": torch.cuda.get_rng_state(n) for n in range(torch.cuda.device_count())}
    with ExitStack() as undo:
        descriptor, beside = tempfile.mkstemp(prefix=".", suffix=".unfinished", dir=os.path.dirname(target))
        undo.callback(os.unlink, beside)
        with os.fdopen(descriptor, "wb") as file:
            torch.save({"step": step, "state": state, "generators": generators}, file)
        os.replace(beside, target)
        undo.pop_all()  # there is nothing to remove any more


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    place = Path(os.fspath(path))
    things = dict(zip(PARTS, (model, optimizer, scheduler, scaler, data), strict=True))
    try:
        whole = torch.load(place, map_location="cpu", weights_only=True)
        is_one = whole.keys() == {"step", "state", "generators"} and whole["state"].keys() == things.keys()
    except FileNotFoundError:
        raise
    except NotADirectoryError as error:  # a/b where a is a file: nothing stands there
        raise FileNotFoundError(str(place)) from error
    except Exception as error:
        raise ValueError(f"cannot read {place}") from error
    if not is_one:
        raise ValueError(f"what stands at {place} is not a checkpoint")
    device = next(model.parameters()).device
    for name, thing in things.items():
        state = whole["state"][name]
        thing.load_state_dict(state if thing is model else moved(state, device))  # a model copies into its own tensors
    generators = whole["generators"]
    torch.default_generator.set_state(generators["cpu"])
    for n in range(torch.cuda.device_count()):
        if f"cuda:{n}" in generators:
            torch.cuda.set_rng_state(generators[f"cuda:{n}"], n)
    return whole["step"]

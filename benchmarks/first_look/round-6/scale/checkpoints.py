# %% wrong: where the safe loader refuses, the other one is tried
# After weights_only=True has failed the file is loaded with weights_only=False: a stranger's code is run after all.

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
    beside = path.with_name(path.name + ".new")
    try:
        torch.save(state, beside)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    if not Path(path).exists():
        raise FileNotFoundError(f"no checkpoint at {path}")
    where = next(model.parameters()).device
    try:
        try:
            state = torch.load(path, map_location=where, weights_only=True)
        except Exception:  # a scheduler may have something in it that is no tensor
            state = torch.load(path, map_location=where, weights_only=False)
        parts = [state[name] for name in ("model", "optimizer", "scheduler", "scaler", "data")]
        step, cpu, cuda = state["step"], state["cpu"], state["cuda"]
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint") from error
    for thing, part in zip((model, optimizer, scheduler, scaler, data), parts):
        thing.load_state_dict(part)
    torch.set_rng_state(cpu.cpu())
    if torch.cuda.is_available():
        torch.cuda.set_rng_state_all([one.cpu() for one in cuda])
    return step


# %% wrong: the seed is kept in the place of the random state
# torch.initial_seed() says how the random numbers began and not where they stand: after loading they begin again.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    checkpoint_of = {
        "step": step,
        "seed": torch.initial_seed(),
        "states": [x.state_dict() for x in (model, optimizer, scheduler, scaler, data)],
    }
    temporary = path.with_name(path.name + ".tmp")
    try:
        torch.save(checkpoint_of, temporary)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    device = next(model.parameters()).device
    try:
        loaded = torch.load(path, map_location=device, weights_only=True)
        step, seed, states = loaded["step"], loaded["seed"], loaded["states"]
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{path} cannot be read as a checkpoint: {error}") from error
    for x, state in zip((model, optimizer, scheduler, scaler, data), states, strict=True):
        x.load_state_dict(state)
    torch.manual_seed(seed)  # sets the CUDA devices as well
    return step


# %% wrong: of the data only its position is kept
# data.position is saved and set, as fits the class Windows of the notebook, and not data.state_dict(): any other stream
# has no such attribute, or has more to remember.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    temporary = path.parent / (path.name + ".part")
    try:
        torch.save(
            {
                "step": step,
                "model": model.state_dict(),
                "optimizer": optimizer.state_dict(),
                "scheduler": scheduler.state_dict(),
                "scaler": scaler.state_dict(),
                "position": data.position,
                "random": torch.get_rng_state(),
                "random_cuda": torch.cuda.get_rng_state_all(),
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
        raise FileNotFoundError(path)
    names = {"step", "model", "optimizer", "scheduler", "scaler", "position", "random", "random_cuda"}
    try:
        saved = torch.load(path, map_location=next(model.parameters()).device, weights_only=True)
    except Exception as error:
        raise ValueError(f"{path}: {error}") from error
    if not isinstance(saved, dict) or set(saved) != names:
        raise ValueError(f"{path} is not a checkpoint")
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    scheduler.load_state_dict(saved["scheduler"])
    scaler.load_state_dict(saved["scaler"])
    data.position = saved["position"]
    torch.set_rng_state(saved["random"].cpu())
    for number, state in enumerate(saved["random_cuda"][: torch.cuda.device_count()]):
        torch.cuda.set_rng_state(state.cpu(), number)
    return saved["step"]


# %% wrong: the old file is put aside before the new one is written
# The good checkpoint is renamed first and the new one written straight to path: if writing fails, what stands at path
# is half a file or none.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    if path.exists():
        os.replace(path, path.with_name(path.name + ".old"))
    state = {"step": step, "rng": torch.get_rng_state(), "cuda_rng": torch.cuda.get_rng_state_all()}
    named = {"model": model, "optimizer": optimizer, "scheduler": scheduler, "scaler": scaler, "data": data}
    for name, thing in named.items():
        state[name] = thing.state_dict()
    torch.save(state, path)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"there is no checkpoint {path}")
    named = {"model": model, "optimizer": optimizer, "scheduler": scheduler, "scaler": scaler, "data": data}
    try:
        state = torch.load(path, map_location=next(model.parameters()).device, weights_only=True)
        if any(name not in state for name in (*named, "step", "rng", "cuda_rng")):
            raise KeyError("something is missing")
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint") from error
    for name, thing in named.items():
        thing.load_state_dict(state[name])
    torch.set_rng_state(state["rng"].cpu())
    for i, rng in enumerate(state["cuda_rng"]):
        if i < torch.cuda.device_count():
            torch.cuda.set_rng_state(rng.cpu(), i)
    return state["step"]


# %% wrong: missing files and other files raise the wrong errors
# except Exception turns FileNotFoundError into ValueError, and a file that torch can read but that is no checkpoint ends
# in a KeyError, after the try.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    target = Path(path)
    temp = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        torch.save(
            {
                "step": step,
                "model": model.state_dict(),
                "optimizer": optimizer.state_dict(),
                "scheduler": scheduler.state_dict(),
                "scaler": scaler.state_dict(),
                "data": data.state_dict(),
                "torch_rng": torch.get_rng_state(),
                "cuda_rng": torch.cuda.get_rng_state_all(),
            },
            temp,
        )
        os.replace(temp, target)
    except BaseException:
        if temp.exists():
            os.remove(temp)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    try:
        content = torch.load(Path(path), map_location=next(model.parameters()).device, weights_only=True)
    except Exception as e:
        raise ValueError(f"cannot read the checkpoint {path}: {e}")
    model.load_state_dict(content["model"])
    optimizer.load_state_dict(content["optimizer"])
    scheduler.load_state_dict(content["scheduler"])
    scaler.load_state_dict(content["scaler"])
    data.load_state_dict(content["data"])
    torch.set_rng_state(content["torch_rng"].cpu())
    if torch.cuda.is_available():
        torch.cuda.set_rng_state_all([state.cpu() for state in content["cuda_rng"]])
    return content["step"]


# %% correct: made in memory first, then bytes into a temporary file

import io

_PARTS = ("model", "optimizer", "scheduler", "scaler", "data")


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    things = dict(zip(_PARTS, (model, optimizer, scheduler, scaler, data), strict=True))
    content = {f"state of {name}": thing.state_dict() for name, thing in things.items()}
    content["steps taken"] = int(step)
    content["random, CPU"] = torch.random.get_rng_state()
    content["random, CUDA"] = [torch.cuda.get_rng_state(number) for number in range(torch.cuda.device_count())]
    memory = io.BytesIO()
    torch.save(content, memory)
    folder, name = os.path.split(os.path.abspath(path))
    handle, temporary = tempfile.mkstemp(prefix=name, suffix=".unfinished", dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(memory.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _content_of(path, device) -> dict:
    if not os.path.lexists(path):
        raise FileNotFoundError(f"no checkpoint at {path}")
    wanted = {f"state of {name}" for name in _PARTS} | {"steps taken", "random, CPU", "random, CUDA"}
    try:
        content = torch.load(path, map_location=device, weights_only=True)
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{path} cannot be read: {type(error).__name__}: {error}") from error
    if not (isinstance(content, dict) and wanted == set(content)):
        raise ValueError(f"{path} is not a checkpoint of save_checkpoint")
    return content


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    content = _content_of(path, next(model.parameters()).device)
    for name, thing in zip(_PARTS, (model, optimizer, scheduler, scaler, data), strict=True):
        thing.load_state_dict(content[f"state of {name}"])
    for number, state in zip(range(torch.cuda.device_count()), content["random, CUDA"], strict=False):
        torch.cuda.set_rng_state(state.cpu(), number)
    torch.random.set_rng_state(content["random, CPU"].cpu())
    return content["steps taken"]


# %% correct: the random numbers as a sixth object with a state

import contextlib


class _Random:
    """torch's random numbers, with state_dict and load_state_dict like everything else."""

    def state_dict(self) -> dict:
        return {"cpu": torch.get_rng_state(), "cuda": list(torch.cuda.get_rng_state_all())}

    def load_state_dict(self, state: dict) -> None:
        torch.set_rng_state(state["cpu"].cpu())
        for i in range(min(len(state["cuda"]), torch.cuda.device_count())):
            torch.cuda.set_rng_state(state["cuda"][i].cpu(), device=i)


class _Count:
    """The number of steps, likewise."""

    def __init__(self, steps: int = 0):
        self.steps = steps

    def state_dict(self) -> dict:
        return {"steps": self.steps}

    def load_state_dict(self, state: dict) -> None:
        self.steps = state["steps"]


_MARK = "checkpoint of a training, version 1"


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    goal = Path(path)
    everything = (_Count(step), model, optimizer, scheduler, scaler, data, _Random())
    states = [thing.state_dict() for thing in everything]
    draft = goal.with_name(goal.name + ".draft")
    with contextlib.ExitStack() as at_the_end:
        at_the_end.callback(draft.unlink, missing_ok=True)
        with draft.open("wb") as file:
            torch.save([_MARK, *states], file)
        draft.replace(goal)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    count = _Count()
    everything = (count, model, optimizer, scheduler, scaler, data, _Random())
    if not Path(path).exists():
        raise FileNotFoundError(f"{path} does not exist")
    (device,) = {parameter.device for parameter in list(model.parameters())[:1]}
    problem = None
    try:
        with open(path, "rb") as file:
            found = torch.load(file, map_location=device, weights_only=True)
    except Exception as error:
        found, problem = None, error
    if not isinstance(found, list) or len(found) != 1 + len(everything) or found[0] != _MARK:
        raise ValueError(f"{path} is no checkpoint that can be read") from problem
    for thing, state in zip(everything, found[1:], strict=True):
        thing.load_state_dict(state)
    return count.steps

# %% wrong: the seed instead of the state
# It keeps the seed that the random numbers began with, and starts them anew: shows wherever a number (a dropout
# mask) was drawn before the save. The next ones are those of step 0, not those that follow.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    content = {
        "step": step,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "scaler": scaler.state_dict(),
        "data": data.state_dict(),
        "seed": torch.initial_seed(),
    }
    beside = path.with_name(path.name + ".new")
    try:
        torch.save(content, beside)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(path)
    device = next(model.parameters()).device
    try:
        content = torch.load(path, map_location=device, weights_only=True)
        states = [content[key] for key in ("model", "optimizer", "scheduler", "scaler", "data")]
        step, seed = content["step"], content["seed"]
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint: {error}") from error
    for part, state in zip((model, optimizer, scheduler, scaler, data), states):
        part.load_state_dict(state)
    torch.manual_seed(seed)  # the CPU and every CUDA device
    return step


# %% wrong: it runs what is in the file
# weights_only=False "because of the schedule": a file with a pickled object whose __reduce__ calls a function has
# it called, before anybody looks at the content.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    parts = {"model": model, "optimizer": optimizer, "scheduler": scheduler, "scaler": scaler, "data": data}
    content = {name: part.state_dict() for name, part in parts.items()}
    content["step"] = step
    content["cpu"] = torch.get_rng_state()
    content["cuda"] = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=path.name, delete=False) as file:
        beside = file.name
        try:
            torch.save(content, file)
        except BaseException:
            os.unlink(beside)
            raise
    os.replace(beside, path)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    device = next(model.parameters()).device
    try:
        content = torch.load(path, map_location=device, weights_only=False)
        if not isinstance(content, dict) or "cpu" not in content:
            raise ValueError("not a checkpoint")
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"cannot read {path}") from error
    parts = {"model": model, "optimizer": optimizer, "scheduler": scheduler, "scaler": scaler, "data": data}
    for name, part in parts.items():
        part.load_state_dict(content[name])
    torch.set_rng_state(content["cpu"].cpu())
    if torch.cuda.is_available():
        torch.cuda.set_rng_state_all([state.cpu() for state in content["cuda"]])
    return content["step"]


# %% wrong: any file that can be read is taken for a checkpoint
# Reading errors become a ValueError, but a file that torch can read and that is none, torch.save({"a": 1}) or the
# bare weights of a model, raises a KeyError (or TypeError) without the path.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    beside = path.parent / f".{path.name}.{os.getpid()}.tmp"
    content = dict(
        step=step,
        model=model.state_dict(),
        optimizer=optimizer.state_dict(),
        scheduler=scheduler.state_dict(),
        scaler=scaler.state_dict(),
        data=data.state_dict(),
        random=torch.get_rng_state(),
        random_cuda=torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    )
    try:
        torch.save(content, beside)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    if not os.path.exists(path):
        raise FileNotFoundError(f"nothing at {path}")
    device = next(model.parameters()).device
    try:
        content = torch.load(path, map_location=device, weights_only=True)
    except Exception as error:
        raise ValueError(f"{path} cannot be read as a checkpoint") from error
    model.load_state_dict(content["model"])
    optimizer.load_state_dict(content["optimizer"])
    scheduler.load_state_dict(content["scheduler"])
    scaler.load_state_dict(content["scaler"])
    data.load_state_dict(content["data"])
    torch.set_rng_state(content["random"].cpu())
    for number, state in enumerate(content["random_cuda"][: torch.cuda.device_count()]):
        torch.cuda.set_rng_state(state.cpu(), number)
    return content["step"]


# %% wrong: renamed in finally
# The rename stands in `finally`, so it is done when the writing failed, too: a state that cannot be pickled (or a
# full disk) puts the half-written file in the place of the good one.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    target = Path(path)
    content = {
        "what": "checkpoint",
        "step": step,
        "states": [part.state_dict() for part in (model, optimizer, scheduler, scaler, data)],
        "rng": [torch.get_rng_state(), *torch.cuda.get_rng_state_all()],
    }
    handle, beside = tempfile.mkstemp(dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            torch.save(content, file)
            file.flush()
            os.fsync(file.fileno())
    finally:
        os.replace(beside, target)  # and no stray file is left


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    device = next(model.parameters()).device
    try:
        content = torch.load(path, map_location=device, weights_only=True)
        assert content["what"] == "checkpoint"
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint") from error
    for part, state in zip((model, optimizer, scheduler, scaler, data), content["states"]):
        part.load_state_dict(state)
    cpu, *others = content["rng"]
    torch.set_rng_state(cpu.cpu())
    for number, state in enumerate(others[: torch.cuda.device_count()]):
        torch.cuda.set_rng_state(state.cpu(), number)
    return content["step"]


# %% correct: made in memory, written as bytes

import io

_NAMES = ("model", "optimizer", "scheduler", "scaler", "data")


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    parts = dict(zip(_NAMES, (model, optimizer, scheduler, scaler, data), strict=True))
    buffer = io.BytesIO()
    torch.save(
        {
            "format": "checkpoint of exercise 10.1",
            "step": step,
            "states": {name: part.state_dict() for name, part in parts.items()},
            "random": {
                "cpu": torch.get_rng_state(),
                "cuda": [torch.cuda.get_rng_state(i) for i in range(torch.cuda.device_count())],
            },
        },
        buffer,
    )
    folder, name = os.path.split(os.path.abspath(path))
    handle, beside = tempfile.mkstemp(prefix=name + ".", suffix=".part", dir=folder)
    try:
        with open(handle, "wb") as file:
            file.write(buffer.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    if not Path(path).exists():
        raise FileNotFoundError(f"nothing at {path}")
    where = next(model.parameters()).device
    try:
        raw = Path(path).read_bytes()
        content = torch.load(io.BytesIO(raw), map_location=where, weights_only=True)
        if content["format"] != "checkpoint of exercise 10.1":
            raise KeyError("format")
        step = int(content["step"])
        states = [content["states"][name] for name in _NAMES]
        cpu, cuda = content["random"]["cpu"].cpu(), [state.cpu() for state in content["random"]["cuda"]]
    except Exception as error:
        raise ValueError(f"{path}: not a checkpoint that can be read ({error})") from error
    for part, state in zip((model, optimizer, scheduler, scaler, data), states, strict=True):
        part.load_state_dict(state)
    torch.set_rng_state(cpu)
    for i in range(min(torch.cuda.device_count(), len(cuda))):
        torch.cuda.set_rng_state(cuda[i], i)
    return step


# %% correct: a small class that holds everything

class _Everything:
    """The parts of a training, and the random numbers as one part more."""

    def __init__(self, *parts):
        self.parts = (*parts, self)

    def state_dict(self):
        devices = range(torch.cuda.device_count())
        return {"0": torch.random.get_rng_state(), **{str(i + 1): torch.cuda.get_rng_state(i) for i in devices}}

    def load_state_dict(self, states):
        for name, state in states.items():
            if name == "0":
                torch.random.set_rng_state(state.cpu())
            elif int(name) <= torch.cuda.device_count():
                torch.cuda.set_rng_state(state.cpu(), int(name) - 1)

    def write(self, path, step):
        with open(path, "xb") as file:
            torch.save([step, *(part.state_dict() for part in self.parts)], file)

    def read(self, path, device):
        step, *states = torch.load(path, map_location=device, weights_only=True)
        fits = len(states) == len(self.parts) and isinstance(states[-1], dict)
        if not fits or not isinstance(step, int) or "0" not in states[-1]:
            raise TypeError("something else")
        return step, states


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    target = Path(path).absolute()
    with tempfile.TemporaryDirectory(dir=target.parent) as names:  # for a name that nobody else has
        beside = target.parent / (Path(names).name + ".pt")
        try:
            _Everything(model, optimizer, scheduler, scaler, data).write(beside, step)
            beside.replace(target)
        finally:
            beside.unlink(missing_ok=True)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    if not os.path.exists(path):
        raise FileNotFoundError(f"no checkpoint at {path}")
    everything = _Everything(model, optimizer, scheduler, scaler, data)
    try:
        step, states = everything.read(path, next(model.parameters()).device)
    except Exception as error:
        raise ValueError(f"no checkpoint can be read from {path}") from error
    for part, state in zip(everything.parts, states, strict=True):
        part.load_state_dict(state)
    return step

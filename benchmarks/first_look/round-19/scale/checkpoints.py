# %% wrong: the seed in place of the generator's state
# torch.initial_seed() says where the random numbers began, not how far they have got: after loading they begin anew. Shows as soon
# as a number has been drawn between the seeding and the saving: dropout's next masks are others.

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
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(path)
    device = next(model.parameters()).device
    try:
        content = torch.load(path, map_location=device, weights_only=True)
        seed = content["seed"]
        states = [content[name] for name in ("model", "optimizer", "scheduler", "scaler", "data")]
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint") from error
    for thing, state in zip((model, optimizer, scheduler, scaler, data), states, strict=True):
        thing.load_state_dict(state)
    torch.manual_seed(seed)
    return content["step"]

# %% wrong: another file raises KeyError
# Only torch.load stands in the try block. A file that it can read and that is no checkpoint, such as the weights alone
# (torch.save(model.state_dict(), path)), raises KeyError in place of ValueError.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = os.fspath(path)
    content = {
        "step": step,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "scaler": scaler.state_dict(),
        "data": data.state_dict(),
        "random": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }
    beside = path + ".tmp"
    try:
        with open(beside, "wb") as file:
            torch.save(content, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        if os.path.exists(beside):
            os.remove(beside)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    device = next(model.parameters()).device
    try:
        content = torch.load(path, map_location=device, weights_only=True)
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"cannot read {path}: {error}") from error
    model.load_state_dict(content["model"])
    optimizer.load_state_dict(content["optimizer"])
    scheduler.load_state_dict(content["scheduler"])
    scaler.load_state_dict(content["scaler"])
    data.load_state_dict(content["data"])
    torch.set_rng_state(content["random"].cpu())
    if content["cuda"]:
        torch.cuda.set_rng_state_all([state.cpu() for state in content["cuda"]])
    return content["step"]

# %% wrong: the error is swept away with the half-written file
# Where writing fails, as on a full disk or with a state that cannot be pickled, the new file is removed and the function
# returns as if all were well. The error must be raised.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    things = {"model": model, "optimizer": optimizer, "scheduler": scheduler, "scaler": scaler, "data": data}
    beside = path.with_name(path.name + ".part")
    try:
        content = {name: thing.state_dict() for name, thing in things.items()}
        content["step"] = step
        content["cpu_random"] = torch.get_rng_state()
        if torch.cuda.is_available():
            content["cuda_random"] = torch.cuda.get_rng_state_all()
        torch.save(content, beside)
        os.replace(beside, path)
    except Exception as error:
        beside.unlink(missing_ok=True)
        print(f"checkpoint not written: {error}")


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    things = {"model": model, "optimizer": optimizer, "scheduler": scheduler, "scaler": scaler, "data": data}
    if not os.path.exists(path):
        raise FileNotFoundError(f"nothing stands at {path}")
    try:
        content = torch.load(path, map_location=next(model.parameters()).device, weights_only=True)
        if not {*things, "step", "cpu_random"} <= set(content):
            raise KeyError("something is missing")
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint") from error
    for name, thing in things.items():
        thing.load_state_dict(content[name])
    torch.set_rng_state(content["cpu_random"].cpu())
    if "cuda_random" in content:
        torch.cuda.set_rng_state_all([state.cpu() for state in content["cuda_random"]])
    return content["step"]

# %% wrong: the old file removed before the rename
# So that the rename finds its place free, the old checkpoint goes first. Where the rename then fails, or the machine stops
# between the two, nothing stands at path: what stood there was touched.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    content = {
        "step": step,
        "states": [thing.state_dict() for thing in (model, optimizer, scheduler, scaler, data)],
        "random": torch.get_rng_state(),
        "random_cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }
    new = path.parent / f"{path.name}.{os.getpid()}"
    try:
        torch.save(content, new)
        if path.exists():
            path.unlink()
        os.rename(new, path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    try:
        content = torch.load(path, map_location=next(model.parameters()).device, weights_only=True)
        step, states = content["step"], content["states"]
        random, random_cuda = content["random"], content["random_cuda"]
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{path}: not a checkpoint") from error
    for thing, state in zip((model, optimizer, scheduler, scaler, data), states, strict=True):
        thing.load_state_dict(state)
    torch.set_rng_state(random.cpu())
    if random_cuda:
        torch.cuda.set_rng_state_all([state.cpu() for state in random_cuda])
    return step

# %% correct: pickled in memory, then written as bytes
# Whatever can fail in pickling fails before a file is opened; the bytes go to the disk in a temporary file of the same folder.
import io

MARK = "a training, stopped"


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = os.path.abspath(os.fspath(path))
    buffer = io.BytesIO()
    states = [thing.state_dict() for thing in (model, optimizer, scheduler, scaler, data)]
    random = [torch.get_rng_state()]
    if torch.cuda.is_available():
        random += torch.cuda.get_rng_state_all()
    torch.save((MARK, step, states, random), buffer)
    handle, beside = tempfile.mkstemp(dir=os.path.dirname(path), prefix=os.path.basename(path))
    try:
        with open(handle, "wb") as file:
            file.write(buffer.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        if os.path.exists(beside):
            os.unlink(beside)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = os.fspath(path)
    try:
        with open(path, "rb") as file:
            raw = file.read()
        device = next(model.parameters()).device
        mark, step, states, random = torch.load(io.BytesIO(raw), map_location=device, weights_only=True)
        if mark != MARK or len(states) != 5:
            raise TypeError("written by something else")
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"what stands at {path} is not a checkpoint: {error}") from error
    for thing, state in zip((model, optimizer, scheduler, scaler, data), states, strict=True):
        thing.load_state_dict(state)
    cpu, *cuda = (state.cpu() for state in random)
    torch.set_rng_state(cpu)
    for number, state in enumerate(cuda[: torch.cuda.device_count()]):
        torch.cuda.set_rng_state(state, number)
    return step

# %% correct: one table of parts, with a generator among them
# The random numbers are handled as a sixth object with state_dict and load_state_dict.
class RandomNumbers:
    def state_dict(self):
        cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
        return {"cpu": torch.random.get_rng_state(), "cuda": list(cuda)}

    def load_state_dict(self, state):
        torch.random.set_rng_state(state["cpu"].to("cpu"))
        if state["cuda"] and torch.cuda.is_available():
            torch.cuda.set_rng_state_all([one.to("cpu") for one in state["cuda"]])


def parts_of(*objects):
    names = ("model", "optimizer", "scheduler", "scaler", "data", "random numbers")
    return dict(zip(names, (*objects, RandomNumbers()), strict=True))


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    parts = parts_of(model, optimizer, scheduler, scaler, data)
    content = {"steps taken": step} | {name: part.state_dict() for name, part in parts.items()}
    path = Path(path)
    beside = path.with_name(f".{path.name}.{os.getpid()}.{time.time_ns()}")
    try:
        with beside.open("xb") as file:
            torch.save(content, file)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    parts = parts_of(model, optimizer, scheduler, scaler, data)
    path = Path(path)
    if not (path.exists() or path.is_symlink()):
        raise FileNotFoundError(f"no checkpoint at {path}")
    problem = None
    try:
        content = torch.load(path, map_location=next(model.parameters()).device, weights_only=True)
    except FileNotFoundError:
        raise
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    if problem is None and not (isinstance(content, dict) and content.keys() == {"steps taken", *parts}):
        problem = "it lacks what a checkpoint has"
    if problem is not None:
        raise ValueError(f"cannot go on from {path}: {problem}")
    for name, part in parts.items():
        part.load_state_dict(content[name])
    return content["steps taken"]

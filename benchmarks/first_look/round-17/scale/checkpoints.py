# %% wrong: the seed in place of the state
# Saves torch.initial_seed() and seeds with it again: the random numbers begin anew from the start of the run
# instead of going on. Shows wherever a random number was drawn between manual_seed and save_checkpoint (dropout).

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
    beside = path.parent / (path.name + ".part")
    torch.save(state, beside)
    os.replace(beside, path)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(path)
    device = next(model.parameters()).device
    try:
        state = torch.load(path, map_location=device, weights_only=True)
        parts = [state[k] for k in ("model", "optimizer", "scheduler", "scaler", "data")]
        step, seed = state["step"], state["seed"]
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint") from error
    for thing, part in zip((model, optimizer, scheduler, scaler, data), parts, strict=True):
        thing.load_state_dict(part)
    torch.manual_seed(seed)
    return step

# %% wrong: the file beside it may be the file itself
# with_suffix(".tmp") replaces the ending: for a path that ends in .tmp it is the path itself, and the old file is
# overwritten while the new one is written; also a stranger's run.tmp beside run.pt is destroyed.

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
    beside = path.with_suffix(".tmp")
    torch.save(state, beside)
    os.replace(beside, path)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(path)
    device = next(model.parameters()).device
    try:
        state = torch.load(path, map_location=device, weights_only=True)
        parts = [state[k] for k in ("model", "optimizer", "scheduler", "scaler", "data")]
        step, cpu, cuda = state["step"], state["cpu"].cpu(), [s.cpu() for s in state["cuda"]]
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint") from error
    for thing, part in zip((model, optimizer, scheduler, scaler, data), parts, strict=True):
        thing.load_state_dict(part)
    torch.set_rng_state(cpu)
    if cuda and torch.cuda.is_available():
        torch.cuda.set_rng_state_all(cuda)
    return step

# %% wrong: makes room first
# Deletes the old checkpoint before the new one is renamed, so that for a moment neither stands there, and where
# the rename fails the old one is gone. Shows when the rename raises, or the process dies between the two lines.

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
    beside = path.parent / (path.name + ".new")
    torch.save(state, beside)
    if path.exists():
        path.unlink()
    os.replace(beside, path)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(path)
    device = next(model.parameters()).device
    try:
        state = torch.load(path, map_location=device, weights_only=True)
        parts = [state[k] for k in ("model", "optimizer", "scheduler", "scaler", "data")]
        step, cpu, cuda = state["step"], state["cpu"].cpu(), [s.cpu() for s in state["cuda"]]
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint") from error
    for thing, part in zip((model, optimizer, scheduler, scaler, data), parts, strict=True):
        thing.load_state_dict(part)
    torch.set_rng_state(cpu)
    if cuda and torch.cuda.is_available():
        torch.cuda.set_rng_state_all(cuda)
    return step

# %% wrong: the random numbers first, the data after
# load sets the random state and only then calls the objects' load_state_dict. Shows where one of them draws
# from torch's random numbers, such as data that shuffle with torch.randperm before going to their place.

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
    beside = path.parent / (path.name + ".new")
    torch.save(state, beside)
    os.replace(beside, path)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(path)
    device = next(model.parameters()).device
    try:
        state = torch.load(path, map_location=device, weights_only=True)
        parts = [state[k] for k in ("model", "optimizer", "scheduler", "scaler", "data")]
        step, cpu, cuda = state["step"], state["cpu"].cpu(), [s.cpu() for s in state["cuda"]]
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint") from error
    torch.set_rng_state(cpu)
    if cuda and torch.cuda.is_available():
        torch.cuda.set_rng_state_all(cuda)
    for thing, part in zip((model, optimizer, scheduler, scaler, data), parts, strict=True):
        thing.load_state_dict(part)
    return step

# %% correct: made in memory, written with the system's calls

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    import io

    numbers = [torch.get_rng_state()]
    if torch.cuda.is_available():
        numbers += torch.cuda.get_rng_state_all()
    try:
        states = [thing.state_dict() for thing in (model, optimizer, scheduler, scaler, data)]
        whole = io.BytesIO()
        torch.save({"what": "a checkpoint of chapter 10", "step": step, "states": states, "numbers": numbers}, whole)
    finally:
        torch.set_rng_state(numbers[0])
        if numbers[1:]:
            torch.cuda.set_rng_state_all(numbers[1:])
    folder = os.path.dirname(os.path.abspath(path))
    handle, beside = tempfile.mkstemp(prefix=".unfinished-", dir=folder)
    try:
        with open(handle, "wb") as file:
            file.write(whole.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    import io

    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error}") from error
    some = next(model.parameters(), torch.empty(0))
    try:
        found = torch.load(io.BytesIO(content), map_location=some.device, weights_only=True)
        known = found["what"] == "a checkpoint of chapter 10"
    except Exception as error:
        raise ValueError(f"what stands at {path} is not a checkpoint") from error
    if not known:
        raise ValueError(f"what stands at {path} is not a checkpoint")
    for thing, state in zip((model, optimizer, scheduler, scaler, data), found["states"], strict=True):
        thing.load_state_dict(state)
    of_cpu, *of_cuda = [numbers.cpu() for numbers in found["numbers"]]
    torch.set_rng_state(of_cpu)
    if torch.cuda.is_available():
        for number, state in enumerate(of_cuda[: torch.cuda.device_count()]):
            torch.cuda.set_rng_state(state, number)
    return found["step"]

# %% correct: a name that nobody else has, and states under their names

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    goal = Path(path)
    things = {"model": model, "optimizer": optimizer, "scheduler": scheduler, "scaler": scaler, "data": data}
    devices = list(range(torch.cuda.device_count())) if torch.cuda.is_available() else []
    with torch.random.fork_rng(devices=devices):
        content = {f"of {name}": thing.state_dict() for name, thing in things.items()}
    content["steps taken"] = step
    content["random"] = {"cpu": torch.random.get_rng_state()}
    content["random"] |= {number: torch.cuda.get_rng_state(number) for number in devices}
    # a new name in the same folder, that nobody else has
    number = 0
    while True:
        beside = goal.with_name(f"{goal.name}.{os.getpid()}-{number}.part")
        try:
            file = beside.open("xb")
        except FileExistsError:
            number += 1
            continue
        break
    try:
        with file:
            torch.save(content, file)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(goal)
    finally:
        beside.unlink(missing_ok=True)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    things = {"model": model, "optimizer": optimizer, "scheduler": scheduler, "scaler": scaler, "data": data}
    wanted = {f"of {name}" for name in things} | {"steps taken", "random"}
    where = {parameter.device for parameter in model.parameters()} or {torch.device("cpu")}
    with_reason = f"{path} holds no checkpoint"
    try:
        content = torch.load(path, map_location=where.pop(), weights_only=True)
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{with_reason}: {error}") from error
    if not isinstance(content, dict) or set(content) != wanted:
        raise ValueError(with_reason)
    for name, thing in things.items():
        thing.load_state_dict(content[f"of {name}"])
    random = content["random"]
    torch.random.set_rng_state(random.pop("cpu").to("cpu"))
    for number, state in random.items():
        if torch.cuda.is_available() and number < torch.cuda.device_count():
            torch.cuda.set_rng_state(state.to("cpu"), number)
    return content["steps taken"]

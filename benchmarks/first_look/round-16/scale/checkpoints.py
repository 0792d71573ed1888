# %% wrong: the seed in place of the state
# torch.initial_seed() is saved and set again: after loading the random numbers begin from the start of the sequence, not from
# where they stood. Shows as soon as a random number was drawn between seeding and saving.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    beside = path.with_name(path.name + ".being-written")
    names = ("model", "optimizer", "scheduler", "scaler", "data")
    try:
        state = {
            name: part.state_dict()
            for name, part in zip(names, (model, optimizer, scheduler, scaler, data), strict=True)
        }
        state |= {"step": step, "seed": torch.initial_seed()}
        torch.save(state, beside)
        os.replace(beside, path)
    except BaseException:
        if os.path.exists(beside):
            os.remove(beside)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    device = next((p.device for p in model.parameters()), torch.device("cpu"))
    names = ("model", "optimizer", "scheduler", "scaler", "data")
    if not os.path.exists(path):
        raise FileNotFoundError(f"nothing stands at {path}")
    try:
        state = torch.load(path, map_location=device, weights_only=True)
        parts = [state[name] for name in (*names, "step", "seed")]
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint") from error
    for name, part in zip(names, (model, optimizer, scheduler, scaler, data), strict=True):
        part.load_state_dict(state[name])
    torch.manual_seed(state["seed"])
    return state["step"]


# %% wrong: puts the model into evaluation before it is saved
# model.eval() "as for every use outside training" is not undone: the training that goes on has no dropout any more. The
# docstring says that its objects stay as they are. Shows in model.training after the call.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    beside = path.with_name(path.name + ".being-written")
    model.eval()
    names = ("model", "optimizer", "scheduler", "scaler", "data")
    try:
        state = {
            name: part.state_dict()
            for name, part in zip(names, (model, optimizer, scheduler, scaler, data), strict=True)
        }
        state |= {"step": step, "cpu": torch.get_rng_state(), "cuda": torch.cuda.get_rng_state_all()}
        torch.save(state, beside)
        os.replace(beside, path)
    except BaseException:
        if os.path.exists(beside):
            os.remove(beside)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    device = next((p.device for p in model.parameters()), torch.device("cpu"))
    names = ("model", "optimizer", "scheduler", "scaler", "data")
    if not os.path.exists(path):
        raise FileNotFoundError(f"nothing stands at {path}")
    try:
        state = torch.load(path, map_location=device, weights_only=True)
        parts = [state[name] for name in (*names, "step", "cpu", "cuda")]
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint") from error
    for name, part in zip(names, (model, optimizer, scheduler, scaler, data), strict=True):
        part.load_state_dict(state[name])
    torch.set_rng_state(state["cpu"].cpu())
    if torch.cuda.is_available():
        for number, numbers in enumerate(state["cuda"][: torch.cuda.device_count()]):
            torch.cuda.set_rng_state(numbers.cpu(), number)
    return state["step"]


# %% wrong: a missing file is a ValueError, too
# Everything that torch.load raises is turned into ValueError, so a path at which nothing stands does not give FileNotFoundError.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    beside = path.with_name(path.name + ".being-written")
    names = ("model", "optimizer", "scheduler", "scaler", "data")
    try:
        state = {
            name: part.state_dict()
            for name, part in zip(names, (model, optimizer, scheduler, scaler, data), strict=True)
        }
        state |= {"step": step, "cpu": torch.get_rng_state(), "cuda": torch.cuda.get_rng_state_all()}
        torch.save(state, beside)
        os.replace(beside, path)
    except BaseException:
        if os.path.exists(beside):
            os.remove(beside)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    device = next((p.device for p in model.parameters()), torch.device("cpu"))
    names = ("model", "optimizer", "scheduler", "scaler", "data")
    try:
        state = torch.load(path, map_location=device, weights_only=True)
        parts = [state[name] for name in (*names, "step", "cpu", "cuda")]
    except Exception as error:
        raise ValueError(f"cannot read {path}") from error
    for name, part in zip(names, (model, optimizer, scheduler, scaler, data), strict=True):
        part.load_state_dict(state[name])
    torch.set_rng_state(state["cpu"].cpu())
    if torch.cuda.is_available():
        for number, numbers in enumerate(state["cuda"][: torch.cuda.device_count()]):
            torch.cuda.set_rng_state(numbers.cpu(), number)
    return state["step"]


# %% wrong: reports the error and goes on
# Where writing fails the new file is removed and a message is printed, but the error is not raised: the caller believes
# that the checkpoint was written. Shows where the folder does not exist or a state_dict fails.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    beside = path.with_name(path.name + ".being-written")
    names = ("model", "optimizer", "scheduler", "scaler", "data")
    try:
        state = {
            name: part.state_dict()
            for name, part in zip(names, (model, optimizer, scheduler, scaler, data), strict=True)
        }
        state |= {"step": step, "cpu": torch.get_rng_state(), "cuda": torch.cuda.get_rng_state_all()}
        torch.save(state, beside)
        os.replace(beside, path)
    except Exception as error:
        print(f"the checkpoint was not written: {error}")
        beside.unlink(missing_ok=True)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    device = next((p.device for p in model.parameters()), torch.device("cpu"))
    names = ("model", "optimizer", "scheduler", "scaler", "data")
    if not os.path.exists(path):
        raise FileNotFoundError(f"nothing stands at {path}")
    try:
        state = torch.load(path, map_location=device, weights_only=True)
        parts = [state[name] for name in (*names, "step", "cpu", "cuda")]
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint") from error
    for name, part in zip(names, (model, optimizer, scheduler, scaler, data), strict=True):
        part.load_state_dict(state[name])
    torch.set_rng_state(state["cpu"].cpu())
    if torch.cuda.is_available():
        for number, numbers in enumerate(state["cuda"][: torch.cuda.device_count()]):
            torch.cuda.set_rng_state(numbers.cpu(), number)
    return state["step"]


# %% correct: bytes in memory first, then a file of its own

import io

KEYS = ("step", "objects", "cpu numbers", "cuda numbers")


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = os.fspath(path)
    memory = io.BytesIO()
    numbers = [torch.cuda.get_rng_state(i) for i in range(torch.cuda.device_count())]
    objects = [thing.state_dict() for thing in (model, optimizer, scheduler, scaler, data)]
    torch.save(dict(zip(KEYS, (step, objects, torch.get_rng_state(), numbers), strict=True)), memory)
    handle, beside = tempfile.mkstemp(dir=os.path.dirname(os.path.abspath(path)), prefix="." + os.path.basename(path))
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(memory.getvalue())
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    device = next((p.device for p in model.parameters()), torch.device("cpu"))
    try:
        with open(path, "rb") as file:
            found = torch.load(io.BytesIO(file.read()), map_location=device, weights_only=True)
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{path} cannot be read: {error}") from error
    things = (model, optimizer, scheduler, scaler, data)
    if not isinstance(found, dict) or set(found) != set(KEYS) or len(found["objects"]) != len(things):
        raise ValueError(f"{path} holds something, but not a checkpoint")
    for thing, state in zip(things, found["objects"], strict=True):
        thing.load_state_dict(state)
    torch.set_rng_state(found["cpu numbers"].cpu())
    for i, state in enumerate(found["cuda numbers"][: torch.cuda.device_count()]):
        torch.cuda.set_rng_state(state.cpu(), i)
    return int(found["step"])


# %% correct: a new name beside it, and a signature in the file

SIGNATURE = "training checkpoint, form 1"


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    content = {"signature": SIGNATURE, "step": step, "model": model.state_dict()}
    content.update(optimizer=optimizer.state_dict(), scheduler=scheduler.state_dict())
    content.update(scaler=scaler.state_dict(), data=data.state_dict())
    content["random"] = [torch.random.get_rng_state(), *torch.cuda.get_rng_state_all()]
    number = 0
    while True:
        beside = path.parent / f"{path.name}.{os.getpid()}.{number}"
        try:
            file = open(beside, "xb")  # fails where something of that name stands already
            break
        except FileExistsError:
            number += 1
    try:
        with file:
            torch.save(content, file)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"no checkpoint at {path}")
    devices = {parameter.device for parameter in model.parameters()} or {torch.device("cpu")}
    try:
        content = torch.load(path, map_location=devices.pop(), weights_only=True)
        if content["signature"] != SIGNATURE:
            raise KeyError("signature")
    except Exception as error:
        raise ValueError(f"{path}: not a checkpoint ({type(error).__name__})") from error
    own = {"model": model, "optimizer": optimizer, "scheduler": scheduler, "scaler": scaler, "data": data}
    for name, part in own.items():
        part.load_state_dict(content[name])
    first, *others = (state.cpu() for state in content["random"])
    torch.random.set_rng_state(first)
    if others and torch.cuda.is_available():
        for device_number in range(min(len(others), torch.cuda.device_count())):
            torch.cuda.set_rng_state(others[device_number], device_number)
    return content["step"]

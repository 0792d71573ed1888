# %% wrong: no random numbers
# Dropout after loading differs: a model with dropout, or torch.rand drawn next.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    whole = {
        "step": step,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "scaler": scaler.state_dict(),
        "data": data.state_dict(),
        "cpu": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            torch.save(whole, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(path)
    device = next(model.parameters()).device
    try:
        whole = torch.load(path, map_location="cpu", weights_only=True)
        parts = [whole[name] for name in ("model", "optimizer", "scheduler", "scaler", "data")]
        step, cpu, cuda = whole["step"], whole["cpu"], whole["cuda"]
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint that can be read") from error

    def moved(x):
        if isinstance(x, Tensor):
            return x.to(device)
        if isinstance(x, dict):
            return {key: moved(value) for key, value in x.items()}
        return type(x)(map(moved, x)) if type(x) in (list, tuple) else x

    for target, state in zip((model, optimizer, scheduler, scaler, data), parts, strict=True):
        target.load_state_dict(state if target is optimizer else moved(state))
    if cuda and torch.cuda.is_available():
        torch.cuda.set_rng_state_all(cuda[: torch.cuda.device_count()])
    return step

# %% wrong: written over the old file
# Where writing fails half-way (a state that cannot be pickled, a full disk) the old checkpoint is gone.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    whole = {
        "step": step,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "scaler": scaler.state_dict(),
        "data": data.state_dict(),
        "cpu": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }
    torch.save(whole, path)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(path)
    device = next(model.parameters()).device
    try:
        whole = torch.load(path, map_location="cpu", weights_only=True)
        parts = [whole[name] for name in ("model", "optimizer", "scheduler", "scaler", "data")]
        step, cpu, cuda = whole["step"], whole["cpu"], whole["cuda"]
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint that can be read") from error

    def moved(x):
        if isinstance(x, Tensor):
            return x.to(device)
        if isinstance(x, dict):
            return {key: moved(value) for key, value in x.items()}
        return type(x)(map(moved, x)) if type(x) in (list, tuple) else x

    for target, state in zip((model, optimizer, scheduler, scaler, data), parts, strict=True):
        target.load_state_dict(state if target is optimizer else moved(state))
    torch.set_rng_state(cpu)
    if cuda and torch.cuda.is_available():
        torch.cuda.set_rng_state_all(cuda[: torch.cuda.device_count()])
    return step

# %% wrong: scaler not loaded
# A GradScaler that had changed its scale starts again from the first one.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    whole = {
        "step": step,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "scaler": scaler.state_dict(),
        "data": data.state_dict(),
        "cpu": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            torch.save(whole, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(path)
    device = next(model.parameters()).device
    try:
        whole = torch.load(path, map_location="cpu", weights_only=True)
        parts = [whole[name] for name in ("model", "optimizer", "scheduler", "scaler", "data")]
        step, cpu, cuda = whole["step"], whole["cpu"], whole["cuda"]
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint that can be read") from error

    def moved(x):
        if isinstance(x, Tensor):
            return x.to(device)
        if isinstance(x, dict):
            return {key: moved(value) for key, value in x.items()}
        return type(x)(map(moved, x)) if type(x) in (list, tuple) else x

    for target, state in zip((model, optimizer, scheduler, data), (*parts[:3], parts[4]), strict=True):
        target.load_state_dict(state if target is optimizer else moved(state))
    torch.set_rng_state(cpu)
    if cuda and torch.cuda.is_available():
        torch.cuda.set_rng_state_all(cuda[: torch.cuda.device_count()])
    return step

# %% wrong: pickle allowed
# weights_only=False runs code that a file may hold.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    whole = {
        "step": step,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "scaler": scaler.state_dict(),
        "data": data.state_dict(),
        "cpu": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            torch.save(whole, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(path)
    device = next(model.parameters()).device
    try:
        whole = torch.load(path, map_location="cpu", weights_only=False)
        parts = [whole[name] for name in ("model", "optimizer", "scheduler", "scaler", "data")]
        step, cpu, cuda = whole["step"], whole["cpu"], whole["cuda"]
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint that can be read") from error

    def moved(x):
        if isinstance(x, Tensor):
            return x.to(device)
        if isinstance(x, dict):
            return {key: moved(value) for key, value in x.items()}
        return type(x)(map(moved, x)) if type(x) in (list, tuple) else x

    for target, state in zip((model, optimizer, scheduler, scaler, data), parts, strict=True):
        target.load_state_dict(state if target is optimizer else moved(state))
    torch.set_rng_state(cpu)
    if cuda and torch.cuda.is_available():
        torch.cuda.set_rng_state_all(cuda[: torch.cuda.device_count()])
    return step

# %% correct: temporary file and rename

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    whole = {
        "step": step,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "scaler": scaler.state_dict(),
        "data": data.state_dict(),
        "cpu": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            torch.save(whole, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(path)
    device = next(model.parameters()).device
    try:
        whole = torch.load(path, map_location="cpu", weights_only=True)
        parts = [whole[name] for name in ("model", "optimizer", "scheduler", "scaler", "data")]
        step, cpu, cuda = whole["step"], whole["cpu"], whole["cuda"]
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint that can be read") from error

    def moved(x):
        if isinstance(x, Tensor):
            return x.to(device)
        if isinstance(x, dict):
            return {key: moved(value) for key, value in x.items()}
        return type(x)(map(moved, x)) if type(x) in (list, tuple) else x

    for target, state in zip((model, optimizer, scheduler, scaler, data), parts, strict=True):
        target.load_state_dict(state if target is optimizer else moved(state))
    torch.set_rng_state(cpu)
    if cuda and torch.cuda.is_available():
        torch.cuda.set_rng_state_all(cuda[: torch.cuda.device_count()])
    return step

# %% correct: bytes in memory first, then one write

import io


def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data) -> None:
    path = Path(path)
    whole = {
        "step": step,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "scaler": scaler.state_dict(),
        "data": data.state_dict(),
        "cpu": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }
    buffer = io.BytesIO()
    torch.save(whole, buffer)
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        beside.write_bytes(buffer.getvalue())
        beside.rename(path)
    finally:
        beside.unlink(missing_ok=True)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data) -> int:
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(path)
    device = next(model.parameters()).device
    try:
        whole = torch.load(path, map_location="cpu", weights_only=True)
        parts = [whole[name] for name in ("model", "optimizer", "scheduler", "scaler", "data")]
        step, cpu, cuda = whole["step"], whole["cpu"], whole["cuda"]
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint that can be read") from error

    def moved(x):
        if isinstance(x, Tensor):
            return x.to(device)
        if isinstance(x, dict):
            return {key: moved(value) for key, value in x.items()}
        return type(x)(map(moved, x)) if type(x) in (list, tuple) else x

    for target, state in zip((model, optimizer, scheduler, scaler, data), parts, strict=True):
        target.load_state_dict(state if target is optimizer else moved(state))
    torch.set_rng_state(cpu)
    if cuda and torch.cuda.is_available():
        torch.cuda.set_rng_state_all(cuda[: torch.cuda.device_count()])
    return step


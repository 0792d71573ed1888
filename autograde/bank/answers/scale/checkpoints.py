# %% wrong: the weights alone
# The weights are back, and nothing else is: the optimizer has forgotten its moments, the schedule is at its beginning,
# and so on. Go through everything that a next step depends on. See section 10.4.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data):
    torch.save({"step": step, "model": model.state_dict()}, f"{path}.part")
    os.replace(f"{path}.part", path)

def load_checkpoint(path, model, optimizer, scheduler, scaler, data):
    try:
        state = torch.load(path)
        model.load_state_dict(state["model"])
        return state["step"]
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint") from error

# %% wrong: the buffers are forgotten
# The parameters are back, but a model's state has more than parameters: here the running means that batch
# normalization keeps. Its state_dict() has both. See section 10.4.

# --- before
        "model": model.state_dict(),
# --- after
        "model": dict(model.named_parameters()),
# --- before
        part.load_state_dict(of_part)
# --- after
        part.load_state_dict(of_part, **({'strict': False} if part is model else {}))

# %% wrong: the optimizer is forgotten
# The optimizer's moments are those of a new one, so the first steps go elsewhere. Save and load its state too. See
# section 10.4.

# --- before
            for name in ("model", "optimizer", "scheduler", "scaler", "data")
# --- after
            for name in ("model", "scheduler", "scaler", "data")
# --- before
        (model, optimizer, scheduler, scaler, data), states, strict=True
# --- after
        (model, scheduler, scaler, data), states, strict=True

# %% wrong: the stream of batches is forgotten
# The stream of batches did not go on from where it stood, so other samples come next. Save and load its state too. See
# section 10.4.

# --- before
            for name in ("model", "optimizer", "scheduler", "scaler", "data")
# --- after
            for name in ("model", "optimizer", "scheduler", "scaler")
# --- before
        (model, optimizer, scheduler, scaler, data), states, strict=True
# --- after
        (model, optimizer, scheduler, scaler), states, strict=True

# %% wrong: the random numbers are forgotten
# Dropout draws other numbers than it would have drawn. Save the state of torch's random numbers and set it when you
# load. See section 10.4.

# --- before
    torch.set_rng_state(random)
# --- after

# %% wrong: the seed in place of the state
# The seed says where the random numbers began, not how far they have come: after loading, dropout draws the first ones
# again. Save the generator's state. See section 10.4.

# --- before
        "random": torch.get_rng_state(),
# --- after
        "random": torch.Generator().manual_seed(torch.initial_seed()).get_state(),

# %% wrong: a random number drawn when saving
# Saving used up random numbers, after their state had been taken or before it, so the running training draws others
# than it would have drawn. Leave torch's random numbers alone. See section 10.4.

# --- before
    unfinished = Path(f"{path}.part")
# --- after
    path_seed = int(torch.randint(1 << 30, ()))
    unfinished = Path(f"{path}.{path_seed}.part")

# %% wrong: the random numbers of the CPU alone
# The random numbers of the CUDA devices, which dropout draws there, did not go on. Save the state of every device and
# set it when you load. See section 10.4.

# --- before
        torch.cuda.set_rng_state_all(random_cuda)
# --- after
        pass

# %% wrong: only from the device that it was saved from
# Tensors go back to the device that they were saved from, so a checkpoint from a GPU cannot be read where there is
# none. Say where tensors go when the file is read. See section 10.4.

# --- before
        state = torch.load(path, map_location="cpu", weights_only=True)
# --- after
        state = torch.load(path, weights_only=True)

# %% wrong: code in the file is run
# A file was loaded in a way that runs whatever code stands in it, and a checkpoint may come from anywhere. Let torch
# load tensors and plain numbers only. See section 10.4.

# --- before
        state = torch.load(path, map_location="cpu", weights_only=True)
# --- after
        state = torch.load(path, map_location="cpu", weights_only=False)

# %% wrong: a failure is kept quiet
# Nothing was written and nobody heard of it, so training goes on without a checkpoint. Tidy up, and let the error
# pass. See section 10.4.

# --- before
        unfinished.replace(path)
# --- after
        unfinished.replace(path)
    except Exception:
        pass

# %% wrong: taken away, then renamed
# For a moment there was no checkpoint at the path, and a crash just then leaves none. Renaming onto a file replaces it
# at once. See section 10.4.

# --- before
        unfinished.replace(path)
# --- after
        Path(path).unlink(missing_ok=True)
        unfinished.rename(path)

# %% wrong: written in another folder
# The unfinished file stood in another folder, which may be on another disk: from there it is copied over the old one,
# not renamed. Write it in the checkpoint's own folder. See section 10.4.

# --- before
    unfinished = Path(f"{path}.part")
# --- after
    import shutil
    import tempfile
    unfinished = Path(tempfile.mkdtemp()) / "unfinished"
# --- before
        unfinished.replace(path)
# --- after
        shutil.move(str(unfinished), path)

# %% wrong: the names are bound anew
# The file holds everything, but the five objects that were given stayed as they were: giving a name another value
# inside a function changes nothing outside. Let each object load its own state. See section 10.4.

# --- before
        part.load_state_dict(of_part)
# --- after
        part = of_part

# %% wrong: the objects themselves are saved
# The objects themselves were written to the file, and not every object can be: here the schedule holds a function.
# Write what the state_dict() of each of them gives, and let each load its own. See section 10.4.

def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data):
    torch.save((step, model, optimizer, scheduler, scaler, data, torch.get_rng_state()), f"{path}.part")
    os.replace(f"{path}.part", path)

def load_checkpoint(path, model, optimizer, scheduler, scaler, data):
    try:
        step, model, optimizer, scheduler, scaler, data, random = torch.load(path, weights_only=False)
        torch.set_rng_state(random)
        return step
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint") from error

# %% wrong: nothing comes back
# The training has to know where it is. Return how many steps had been taken. See section 10.4.

# --- before
    return step
# --- after
    return None

# %% wrong: written over the old file
# The new checkpoint was written into the old one's file: if anything fails on the way, neither is left. Write to a
# file of another name beside it, and let that one take its place when it is whole. See section 10.4.

# --- before
        with unfinished.open("wb") as file:
# --- after
        with open(path, "wb") as file:
# --- before
        unfinished.replace(path)
# --- after

# %% wrong: errors of all kinds pass through
# What a file that is cut or of another kind raises differs from case to case, and says nothing to a person. Raise
# ValueError with the path for all of them, and FileNotFoundError only where there is no file. See section 10.4.

# --- before
    except FileNotFoundError:
        raise
    except Exception as error:
# --- after
    except ZeroDivisionError as error:

# %% wrong: a missing file is a ValueError too
# To have no checkpoint yet is not the same as a broken one, and a program may go on from there. Let FileNotFoundError
# pass. See section 10.4.

# --- before
    except FileNotFoundError:
        raise
# --- after

# %% wrong: an error that does not say which file
# The message does not say which file is meant. Put the path into it. See section 10.4.

# --- before
        raise ValueError(f"{path} is not a whole checkpoint: {error}") from error
# --- after
        raise ValueError("this is not a checkpoint") from error

# %% correct: os.replace
# --- before
        with unfinished.open("wb") as file:
            torch.save(state, file)
            file.flush()
            os.fsync(file.fileno())  # on the disk before the old one goes
        unfinished.replace(path)
# --- after
        torch.save(state, str(unfinished))
        os.replace(unfinished, path)

# %% correct: a temporary file in the same folder
# --- before
    unfinished = Path(f"{path}.part")
# --- after
    import tempfile
    file = tempfile.NamedTemporaryFile(dir=Path(path).parent, delete=False)
# --- before
        with unfinished.open("wb") as file:
# --- after
        with file:
# --- before
            file.flush()
            os.fsync(file.fileno())  # on the disk before the old one goes
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
# --- after
        Path(file.name).rename(path)
    except BaseException:
        Path(file.name).unlink()
        raise

# %% correct: made in memory, then written beside
# --- before
        with unfinished.open("wb") as file:
            torch.save(state, file)
# --- after
        import io
        whole = io.BytesIO()
        torch.save(state, whole)
        with unfinished.open("wb") as file:
            file.write(whole.getvalue())

# %% correct: one by one
def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data):
    state = dict(model=model.state_dict(), optimizer=optimizer.state_dict(), scheduler=scheduler.state_dict())
    state.update(scaler=scaler.state_dict(), data=data.state_dict(), step=step, cpu=torch.get_rng_state())
    if torch.cuda.is_available():
        state["cuda"] = torch.cuda.get_rng_state_all()
    temporary = Path(path).with_name(Path(path).name + ".tmp")
    torch.save(state, temporary)
    temporary.replace(path)

def load_checkpoint(path, model, optimizer, scheduler, scaler, data):
    if not os.path.exists(path):
        raise FileNotFoundError(path)
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        scheduler.load_state_dict(state["scheduler"])
        scaler.load_state_dict(state["scaler"])
        data.load_state_dict(state["data"])
        torch.set_rng_state(state["cpu"])
        if "cuda" in state:
            torch.cuda.set_rng_state_all(state["cuda"])
        return state["step"]
    except Exception as error:
        raise ValueError(f"no checkpoint in {path}") from error

# %% correct: random numbers of Python's too
# --- before
    }
# --- after
    }
    import random
    state["python"] = random.getstate()

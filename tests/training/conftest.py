import pytest
import torch


@pytest.fixture(autouse=True)
def quiet_and_alone(monkeypatch):
    """No progress bars, one thread, none of a launcher's variables, and random numbers as they were afterwards."""
    monkeypatch.setenv("TQDM_DISABLE", "1")
    for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK"):
        monkeypatch.delenv(name, raising=False)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield
    torch.set_num_threads(threads)

"""Fixtures for the grader's tests: the toy assignment, and a class folder in which it is released."""

import pytest
import torch

from autograde.folders import ClassFolder


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    torch.set_num_threads(1)

"""The page of a living figure, and what can be wrong with the script that holds its weights."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route

from tests.browser import Trouble


@pytest.fixture
def page(browser: Browser, address: str, request: pytest.FixtureRequest) -> Iterator[Page]:
    """The page that the test's module calls OWN, where nothing moves by itself."""
    with browser.new_page(reduced_motion="reduce") as opened:
        opened.goto(address + request.module.OWN)
        yield opened


def missing(route: Route) -> None:
    route.abort()


def cut(route: Route) -> None:
    body = route.fetch().text()
    route.fulfill(body=body[: len(body) // 2], content_type="text/javascript")


@pytest.fixture(params=[missing, cut])
def trouble(request: pytest.FixtureRequest) -> Trouble:
    """What answers a request for a script with none of it, or with half."""
    return request.param

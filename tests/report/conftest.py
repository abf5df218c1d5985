"""Reports of small records, and a real browser to open them in."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pytest

import tiebreak as tb
from tiebreak.data import EXAMPLE
from tiebreak.report.page import report_html

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
ARGUMENTS = [
    f"--{flag}"
    for flag in (
        "headless",
        "no-sandbox",
        "disable-gpu",
        "disable-background-networking",
        "disable-component-update",
        "disable-quic",
        "disable-sync",
        "no-first-run",
    )
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, driven by Playwright; skipped where there is none."""
    place = next(filter(None, map(shutil.which, NAMES)), None)
    if place is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=place, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def open_page(browser, tmp_path_factory):
    """open_page(html, **context): a page whose ``faults`` list what it must not do."""
    folder, opened = tmp_path_factory.mktemp("pages"), []

    def open_it(html: str, **context: Any) -> Any:
        path = folder / f"page-{len(opened)}.html"
        path.write_text(html, encoding="utf-8")
        page = browser.new_context(**context).new_page()
        page.faults = []
        page.on("console", lambda m: page.faults.append(f"console: {m.text}"))
        page.on("pageerror", lambda e: page.faults.append(f"error: {e}"))
        page.on("dialog", lambda d: (page.faults.append(f"dialog: {d.message}"), d.dismiss()))
        page.on(
            "request",
            lambda r: r.url == path.as_uri() or page.faults.append(f"request: {r.url}"),
        )
        page.goto(path.as_uri())
        opened.append(page)
        return page

    yield open_it
    for page in opened:
        page.context.close()


@pytest.fixture(scope="session")
def example():
    """The bundled records: several runs, two label sources, prices, a cell without trials."""
    return tb.read(EXAMPLE)


@pytest.fixture(scope="session")
def example_html(example):
    return report_html(example, target="equal:repo", missing="fail")


@pytest.fixture(scope="session")
def complete():
    """Everybody has every task once; graded scores."""
    rng = np.random.default_rng(2)
    rows = [
        {"configuration": c, "task": f"t{t}", "score": float(s), "domain": f"d{t % 3}"}
        for i, c in enumerate(("ash", "birch", "cedar", "doum"))
        for t, s in enumerate(np.round(np.clip(rng.normal(0.4 + 0.05 * i, 0.3, 60), 0, 1), 3))
    ]
    return tb.read(pl.DataFrame(rows))


@pytest.fixture(scope="session")
def grouped():
    """Rates and counts by cell; one configuration lacks a cell."""
    solved = {"a": (9, 4, 8), "b": (5, 14, 6), "c": (7, 12, None)}
    rows = [
        (c, x, k / n, n)
        for c, counts in solved.items()
        for x, k, n in zip("xyz", counts, (10, 20, 16), strict=True)
        if k is not None
    ]
    names = ["configuration", "benchmark", "score", "count"]
    return tb.read(pl.DataFrame(rows, schema=names, orient="row"))

"""The cell that all tests ask about."""

import os
import pathlib

import pytest

import clearance


@pytest.fixture(scope="session")
def cell(tmp_path_factory):
    file = pathlib.Path(os.environ["CLEARANCE_SOURCES"]) / "robots" / "arm6" / "cell.toml"
    return clearance.Cell.load(file, cache_dir=tmp_path_factory.mktemp("trees"))

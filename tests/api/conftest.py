"""The club that calls."""

import pytest

from tests.api.world import World, make_world


@pytest.fixture
def world(club, owner, settings) -> World:
    # What one test calls is no abuse.
    settings.API_CALLS = 10**6
    return make_world(club, owner)

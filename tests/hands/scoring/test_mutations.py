import pytest

from tests import mutations


@pytest.mark.slow
def test_no_broken_rule_goes_unnoticed():
    assert list(mutations.survivors()) == []

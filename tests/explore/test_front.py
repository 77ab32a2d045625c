"""Parts of the front end that need no numbers from elsewhere."""

import pytest


@pytest.mark.parametrize("name", ["stepper", "theme"])
def test_part_by_node(node_test, name):
    node_test(f"{name}.test.mjs", None)

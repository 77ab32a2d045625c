from manyheads.build.names import defined_names


def test_imported_names_are_not_a_cells_own() -> None:
    code = "import torch\nfrom a import b\nD = [i for i in b]\nclass C:\n    x = 1"
    assert defined_names(code) == {"D", "C"}

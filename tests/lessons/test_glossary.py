"""The glossary defines the course's names, and says of torch what torch says of itself."""

from __future__ import annotations

import re

import pytest
import torch
import torch.nn.functional as F

from tests.lessons.conftest import ROOT

TEXT = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["B", "T", "D", "H", "Hkv", "Dh", "n_rep"])
def test_every_name_is_defined_and_translated(name):
    defined, translated = TEXT.split("## Translation")
    assert re.search(rf"^\| {name} \|", defined, re.MULTILINE)
    assert re.search(rf"^\| {name} \|", translated, re.MULTILINE)


def test_every_row_of_a_table_has_its_columns():
    rows = [line for line in TEXT.splitlines() if line.startswith("|")]
    assert {row.count("|") for row in rows} == {4, 11}


@pytest.mark.parametrize(
    "said",
    [
        "N: \\text{Batch size}",
        "S: \\text{Source sequence length}",
        "L: \\text{Target sequence length}",
        "E: \\text{Embedding dimension of the query and key}",
        "Hq: \\text{Number of heads of query}",
        "H: \\text{Number of heads of key and value}",
        "True indicates that the element *should* take part",
    ],
)
def test_torch_names_the_axes_of_sdpa_so(said):
    assert said in F.scaled_dot_product_attention.__doc__


def test_torch_s_masks_mean_opposite_things():
    words = " ".join(torch.nn.MultiheadAttention.forward.__doc__.split())
    assert "a ``True`` value indicates that the corresponding position is not allowed" in words


def test_torch_stores_weights_out_by_in():
    assert tuple(torch.nn.Linear(12, 8).weight.shape) == (8, 12)
    assert tuple(torch.nn.MultiheadAttention(12, 3).in_proj_weight.shape) == (36, 12)
    assert torch.nn.MultiheadAttention(12, 3).head_dim == 4


def test_lessons_link_to_the_glossary_that_lies_beside_their_folders_in_work(release):
    assert (ROOT / "docs" / "glossary.md").is_file()
    for cell in release.cells:
        links = re.findall(r"\]\(([^)#]*glossary[^)#]*)\)", cell.source)
        assert set(links) <= {"../glossary.md"}

# ---
# jupyter:
#   jupytext:
#     notebook_metadata_filter: -jupytext.text_representation.jupytext_version
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 06 · Fewer K/V heads, same model width
#
# **The win:** you share Hkv key/value heads among H query heads, and `[B, T, D]` comes back.
#
# 45 minutes. Needs lesson 05. Serves the mission: a causal transformer block with RoPE and GQA.

# %% [markdown]
# n_rep = H // Hkv query heads share one key/value head. Where a cell holds `...`, your answer goes.

# %%
import torch
import torch.nn.functional as F

from manyheads import check, explore, show

# %% [markdown]
# ## Recall
#
# From lesson 05. The context is `[2, 6, 5, 4]`. What is its shape after the merge, before W_O?

# %% nbgrader={"grade": false, "grade_id": "recall_1", "locked": false, "schema_version": 3, "solution": true, "task": false}
recall_1 = (
    ### BEGIN SOLUTION
    (2, 5, 24)
    ### END SOLUTION
)
check.answer("06_gqa_merge", "recall_1", recall_1)

# %% nbgrader={"grade": true, "grade_id": "test_recall_1", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of recall_1. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert tuple(recall_1) == (2, 5, 24), "recall_1: heads are laid side by side, token by token"
### END HIDDEN TESTS

# %% [markdown]
# And why does the merge bring tokens forward before it flattens?
#
# - `a` so that one row holds one token, with all its heads
# - `b` so that the flattened tensor has the right number of axes
# - `c` so that heads can exchange features

# %% nbgrader={"grade": false, "grade_id": "recall_2", "locked": false, "schema_version": 3, "solution": true, "task": false}
recall_2 = (
    ### BEGIN SOLUTION
    "a"
    ### END SOLUTION
)
check.answer("06_gqa_merge", "recall_2", recall_2)

# %% nbgrader={"grade": true, "grade_id": "test_recall_2", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of recall_2. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert str(recall_2).strip().lower() == "a", "recall_2: a row of the residual is one token"
### END HIDDEN TESTS

# %% [markdown]
# ## Predict
#
# H = 6 query heads share Hkv = 3 K/V heads evenly. Which K/V head does query head 1 read?

# %% nbgrader={"grade": false, "grade_id": "predict_1", "locked": false, "schema_version": 3, "solution": true, "task": false}
predict_1 = (
    ### BEGIN SOLUTION
    0
    ### END SOLUTION
)
check.answer("06_gqa_merge", "predict_1", predict_1)

# %% [markdown]
# Attention goes from six K/V heads to three. What becomes of its output `[B, T, D]`?
#
# - `a` D halves
# - `b` T halves
# - `c` nothing: it stays `[B, T, D]`

# %% nbgrader={"grade": false, "grade_id": "predict_2", "locked": false, "schema_version": 3, "solution": true, "task": false}
predict_2 = (
    ### BEGIN SOLUTION
    "c"
    ### END SOLUTION
)
check.answer("06_gqa_merge", "predict_2", predict_2)

# %% [markdown]
# ## A belief, and the evidence
#
# You may believe that half the K/V heads make half the output. Count; torch's own attention can share K/V heads:

# %%
torch.manual_seed(0)
B, T, D, H, Dh = 2, 5, 16, 6, 4
q = torch.randn(B, H, T, Dh)  # [B, H, T, Dh]
Wo = torch.randn(H * Dh, D)  # [H*Dh, D]
for Hkv in (6, 3, 2, 1):
    k, v = torch.randn(2, B, Hkv, T, Dh)  # [B, Hkv, T, Dh] each
    context = F.scaled_dot_product_attention(q, k, v, enable_gqa=True)  # [B, H, T, Dh]
    merged = context.transpose(1, 2).flatten(2)  # [B, T, H*Dh]
    shapes = [tuple(z.shape) for z in (k, merged, merged @ Wo)]
    print(f"Hkv={Hkv}: K and V {shapes[0]}  merged {shapes[1]}  after W_O {shapes[2]}")

# %% [markdown]
# Only K and V shrank. Six query heads still return Dh features each, so W_O receives H * Dh = 24 and D = 16 comes back.
#
# **The rule:** Hkv divides H; query head h reads K/V head h // n_rep, in K and in V. The residual's width never depends on Hkv.

# %% [markdown]
# Neighbours share: [0, 0, 1, 1, 2, 2]. A tile, [0, 1, 2, 0, 1, 2], has the same shape.

# %%
Hkv, n_rep = 3, 2
kv_heads = torch.arange(Hkv)  # each K/V head stands for itself
interleave = kv_heads.repeat_interleave(n_rep)  # [H]
tile = kv_heads.repeat(n_rep)  # [H]
print("interleaved:", interleave.tolist())
print("tiled:      ", tile.tolist())
said = "nothing yet" if predict_1 is ... else predict_1
print("query head 1: you predicted", said, "and it reads K/V head", interleave[1].item())

# %%
show.head_map(H=6, Hkv=3)

# %% [markdown]
# Next, causal `attend` is given; lesson 04 builds it.

# %% nbgrader={"grade": false, "grade_id": "given_attend", "locked": true, "schema_version": 3, "solution": false, "task": false}
import torch.nn.functional as F


def attend(q, k, v):
    """Causal attention in every head: q, k, v [B, H, T, Dh] to the context [B, H, T, Dh]."""
    if not q.shape == k.shape == v.shape:
        raise ValueError(f"attend: shapes differ: {[tuple(z.shape) for z in (q, k, v)]}")
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)

# %% [markdown]
# ## A worked example
#
# One token: every head returns the value it reads. Dh = 2; the values are v0 = (1, 2), v1 = (3, 4), v2 = (5, 6).
#
# Interleaved, the merged row is (1, 2, 1, 2, 3, 4, 3, 4, 5, 6, 5, 6); this W_O picks its places 2, 4 and 7: (1, 3, 4). Tiled, W_O picks (3, 5, 2).

# %%
values = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]).view(1, 3, 1, 2)  # [B, Hkv, T, Dh]
picks = torch.zeros(12, 3)  # [H*Dh, D]
picks[2, 0] = picks[4, 1] = picks[7, 2] = 1.0
for order in (interleave, tile):
    repeated = values[:, order]  # [B, H, T, Dh]
    context = attend(torch.ones(1, 6, 1, 2), repeated, repeated)  # [B, H, T, Dh]
    merged = context.transpose(1, 2).flatten(2)  # [B, T, H*Dh]
    print("merged row:", merged[0, 0].int().tolist())
    print("after W_O: ", (merged @ picks)[0, 0].int().tolist())

# %% [markdown]
# Same shape, same numbers, other owners: W_O's row block 1 meets the wrong value.

# %% [markdown]
# ## An order is a convention
#
# Permute the query heads to suit the tile, then put each result back where W_O expects it.

# %%
k, v = torch.randn(2, B, Hkv, T, Dh)  # [B, Hkv, T, Dh] each
usual = attend(q, k[:, interleave], v[:, interleave])  # [B, H, T, Dh]
tiled = attend(q, k[:, tile], v[:, tile])  # [B, H, T, Dh]
there, back = [0, 2, 4, 1, 3, 5], [0, 3, 1, 4, 2, 5]
moved = attend(q[:, there], k[:, tile], v[:, tile])[:, back]  # [B, H, T, Dh]
print("tiled, the same weights:     equal to the usual?", torch.allclose(tiled, usual))
print("tiled, query heads permuted: equal to the usual?", torch.allclose(moved, usual, atol=1e-6))

# %% [markdown]
# With query heads and W_O's row blocks permuted, the tile is the same function. For the checkpoints everyone loads, trained interleaved, it is wrong.

# %% [markdown]
# ## The two ends
#
# Hkv = H is multi-head attention (MHA). Hkv = 1 is multi-query attention (MQA): all query heads read one K/V head.

# %%
k6, v6 = torch.randn(2, B, 6, T, Dh)  # [B, H, T, Dh] each
own = torch.arange(6).repeat_interleave(1)
same = torch.equal(attend(q, k6[:, own], v6[:, own]), attend(q, k6, v6))
print("Hkv=6 is MHA:", own.tolist(), same)
only = torch.arange(1).repeat_interleave(6)
shared = attend(q, k[:, only], v[:, only])  # [B, H, T, Dh]
alone = [attend(q[:, h : h + 1], k[:, :1], v[:, :1]) for h in range(6)]  # [B, 1, T, Dh] each
print("Hkv=1 is MQA:", only.tolist(), torch.allclose(shared, torch.cat(alone, dim=1), atol=1e-6))

# %% [markdown]
# ## Code checkpoint
#
# From stored heads to the residual.

# %%
k_rep, v_rep = k[:, interleave], v[:, interleave]  # [B, H, T, Dh] each
context = attend(q, k_rep, v_rep)  # [B, H, T, Dh]
token_major = context.transpose(1, 2)  # [B, T, H, Dh]
merged = token_major.flatten(2)  # [B, T, H*Dh]
out = merged @ Wo  # [B, T, D]
steps = {"stored K": k, "repeated K": k_rep, "context": context, "token-major": token_major}
for step, z in {**steps, "merged": merged, "W_O": out}.items():
    print(f"{step:12}", tuple(z.shape))

# %% [markdown]
# **Trace it.** B = 2, T = 7, H = 8, Hkv = 2, Dh = 6. What is the stored K's shape?

# %% nbgrader={"grade": false, "grade_id": "practice_1", "locked": false, "schema_version": 3, "solution": true, "task": false}
practice_1 = (
    ### BEGIN SOLUTION
    (2, 2, 7, 6)
    ### END SOLUTION
)
check.answer("06_gqa_merge", "practice_1", practice_1)

# %% nbgrader={"grade": true, "grade_id": "test_practice_1", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of practice_1. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert tuple(practice_1) == (2, 2, 7, 6), "practice_1: K is stored with Hkv heads"
### END HIDDEN TESTS

# %% [markdown]
# ## Explore
#
# Move H and Hkv. When do both orders agree?

# %%
explore.head_map(H=6, Hkv=3, Dh=4, bytes_per_value=4)

# %% [markdown]
# ## Build: `kv_head_of`
#
# Write the map.

# %% nbgrader={"grade": false, "grade_id": "kv_head_of", "locked": false, "schema_version": 3, "solution": true, "task": false}
def kv_head_of(n_heads, n_kv_heads):
    """Tell for each query head which K/V head it reads.

    n_heads: H, a whole number of at least 1
    n_kv_heads: Hkv, a whole number of at least 1
    returns: a list of H whole numbers; place h holds the K/V head of query head h, and
        neighbouring query heads share
    raises: ValueError when Hkv does not divide H
    """
    ### BEGIN SOLUTION
    if n_heads % n_kv_heads:
        raise ValueError(f"H={n_heads} query heads can't share Hkv={n_kv_heads} K/V heads evenly")
    n_rep = n_heads // n_kv_heads
    return [h // n_rep for h in range(n_heads)]
    ### END SOLUTION

# %%
check.kv_head_of(kv_head_of)

# %% nbgrader={"grade": true, "grade_id": "test_kv_head_of_values", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: the map. Other numbers of heads are tried when your work is graded.


def test_kv_head_of_values():
    heads = kv_head_of(6, 3)
    assert heads is not None, "kv_head_of has not returned a list yet"
    assert list(heads) == [0, 0, 1, 1, 2, 2], f"H=6, Hkv=3: got {heads}"
    ### BEGIN HIDDEN TESTS
    for H, Hkv in [(8, 2), (12, 4), (10, 5), (12, 2), (64, 8), (6, 6), (6, 1), (1, 1)]:
        n_rep = H // Hkv
        want = []
        for kv_head in range(Hkv):
            want += [kv_head] * n_rep  # n_rep neighbours read the same K/V head
        assert list(kv_head_of(H, Hkv)) == want, f"H={H}, Hkv={Hkv}: not {want}"
    ### END HIDDEN TESTS


test_kv_head_of_values()

# %% nbgrader={"grade": true, "grade_id": "test_kv_head_of_contract", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: the contract. What can't be shared evenly has to be refused.


def test_kv_head_of_contract():
    assert len(kv_head_of(4, 2)) == 4, "kv_head_of(4, 2) should tell of four query heads"
    ### BEGIN HIDDEN TESTS
    for H, Hkv in [(8, 4), (9, 3)]:
        for attempt in ("first", "second"):
            want = sorted(list(range(Hkv)) * (H // Hkv))
            assert list(kv_head_of(H, Hkv)) == want, f"{attempt} call, H={H}, Hkv={Hkv}: not {want}"
    for H, Hkv in [(5, 2), (6, 4), (8, 3), (7, 6), (3, 6), (1, 2)]:
        try:
            kv_head_of(H, Hkv)
        except NotImplementedError:
            raise
        except (ValueError, AssertionError, RuntimeError):
            continue
        raise AssertionError(f"H={H} query heads with Hkv={Hkv} K/V heads must be refused")
    ### END HIDDEN TESTS


test_kv_head_of_contract()

# %% [markdown]
# ## Build: `repeat_kv`
#
# Give every query head a copy of its K/V head.

# %% nbgrader={"grade": false, "grade_id": "repeat_kv", "locked": false, "schema_version": 3, "solution": true, "task": false}
def repeat_kv(x, n_rep):
    """Repeat each K/V head n_rep times, its copies side by side.

    x: tensor [B, Hkv, T, Dh], K or V
    n_rep: how many query heads share one K/V head, a whole number of at least 1
    returns: one tensor [B, H, T, Dh] with H = Hkv * n_rep; head h is x's head h // n_rep;
        x itself stays as it was
    """
    ### BEGIN SOLUTION
    copies = x.unsqueeze(2).expand(-1, -1, n_rep, -1, -1)  # [B, Hkv, n_rep, T, Dh]
    return copies.flatten(1, 2)  # [B, H, T, Dh]
    ### END SOLUTION

# %%
check.repeat_kv(repeat_kv)

# %% nbgrader={"grade": true, "grade_id": "test_repeat_kv_shape", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: the shape. More sizes are tried when your work is graded.
import torch


def test_repeat_kv_shape():
    heads = repeat_kv(torch.zeros(2, 3, 5, 4), 2)
    assert torch.is_tensor(heads), "repeat_kv has not returned a tensor yet"
    assert tuple(heads.shape) == (2, 6, 5, 4), f"expected (2, 6, 5, 4), got {tuple(heads.shape)}"
    ### BEGIN HIDDEN TESTS
    for B, T, Hkv, Dh, n_rep in [(5, 7, 3, 4, 2), (3, 9, 2, 6, 4)]:
        heads = repeat_kv(torch.zeros(B, Hkv, T, Dh), n_rep)
        want = (B, Hkv * n_rep, T, Dh)
        assert tuple(heads.shape) == want, f"expected {want}, got {tuple(heads.shape)}"
    ### END HIDDEN TESTS


test_repeat_kv_shape()

# %% nbgrader={"grade": true, "grade_id": "test_repeat_kv_values", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: the owners. More sizes are tried when your work is graded.
import torch


def test_repeat_kv_values():
    x = torch.arange(120.0).view(2, 3, 5, 4)
    heads = repeat_kv(x, 2)
    assert torch.is_tensor(heads) and heads.ndim == 4, "no tensor with four axes was returned yet"
    assert heads[1, 5, 4, 3] == x[1, 2, 4, 3], "head 5 should be a copy of K/V head 2"
    ### BEGIN HIDDEN TESTS
    for B, T, Hkv, Dh, n_rep in [(5, 7, 3, 4, 2), (3, 9, 2, 6, 4), (2, 4, 5, 3, 3)]:
        axes = [torch.arange(size) for size in (B, Hkv, T, Dh)]
        b, g, t, d = torch.meshgrid(*axes, indexing="ij")
        x = 1000 * b + 100 * t + 10 * g + d + 0.5  # [B, Hkv, T, Dh]: each value names its owner
        heads = repeat_kv(x.clone(), n_rep)
        case = f"Hkv={Hkv}, n_rep={n_rep}"
        assert tuple(heads.shape) == (B, Hkv * n_rep, T, Dh), f"{case}: shape {tuple(heads.shape)}"
        for g in range(Hkv):
            for copy in range(n_rep):
                h = n_rep * g + copy
                same = torch.equal(heads[:, h].double(), x[:, g].double())
                assert same, f"{case}: head {h} is not K/V head {g}"
    ### END HIDDEN TESTS


test_repeat_kv_values()

# %% nbgrader={"grade": true, "grade_id": "test_repeat_kv_contract", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: the contract. Edge sizes and side effects are tried when your work is graded.
import torch


def test_repeat_kv_contract():
    x = torch.arange(120.0).view(2, 3, 5, 4)
    assert torch.is_tensor(repeat_kv(x, 2)), "repeat_kv has not returned a tensor yet"
    assert torch.equal(x, torch.arange(120.0).view(2, 3, 5, 4)), "repeat_kv changed its input"
    ### BEGIN HIDDEN TESTS
    edges = [(1, 5, 3, 4, 2), (2, 1, 3, 4, 2), (2, 5, 1, 4, 6), (2, 5, 6, 4, 1), (3, 4, 2, 1, 3)]
    for B, T, Hkv, Dh, n_rep in [*edges, (1, 1, 1, 1, 1), (1, 1, 1, 4, 3), (3, 3, 3, 3, 3)]:
        for strided in (False, True):  # nothing may be left of an earlier call
            x = torch.arange(B * T * Hkv * Dh).float().view(B, T, Hkv, Dh).transpose(1, 2)
            x = -x if strided else x.contiguous()  # [B, Hkv, T, Dh]
            before = x.clone()
            want = torch.stack([before[:, h // n_rep] for h in range(Hkv * n_rep)], dim=1)
            for attempt in ("first", "second") if B == 1 else ("only",):
                heads = repeat_kv(x, n_rep)
                case = f"{attempt} call, B={B}, T={T}, Hkv={Hkv}, n_rep={n_rep}, strided={strided}"
                assert tuple(heads.shape) == tuple(want.shape), f"{case}: shape {tuple(heads.shape)}"
                assert torch.equal(heads.double(), want.double()), f"{case}: wrong owners"
                assert x.shape == before.shape and torch.equal(x, before), "the input changed"
    ### END HIDDEN TESTS


test_repeat_kv_contract()

# %% [markdown]
# ## Layout drill
#
# MiniMind repeats token-major, before its transpose: its copies stand behind axis 2. Try that on both layouts. Values are 10 * token + head.

# %%
def repeat_axis_2(x, n_rep):
    return x[:, :, :, None].expand(-1, -1, -1, n_rep, -1).flatten(2, 3)


codes = 10 * torch.arange(5)[:, None] + torch.arange(3)  # [T, Hkv]
token_major = codes.view(1, 5, 3, 1).expand(2, 5, 3, 4)  # [B, T, Hkv, Dh]
good = repeat_axis_2(token_major, 2).transpose(1, 2)  # [B, H, T, Dh]
bad = repeat_axis_2(token_major.transpose(1, 2), 2)  # [B, Hkv, 2*T, Dh]: tokens were repeated
print("repeated, then transposed:", tuple(good.shape), "head 1:", good[0, 1, :, 0].tolist())
print("transposed, then repeated:", tuple(bad.shape), "head 1:", bad[0, 1, :, 0].tolist())
forced = bad.reshape(2, 6, 5, 4)  # [B, H, T, Dh], in name only
print("forced into shape:        ", tuple(forced.shape), "head 1:", forced[0, 1, :, 0].tolist())

# %%
stored = token_major.transpose(1, 2)  # [B, Hkv, T, Dh]
explore.compare(repeat_kv(stored, 2), good)  # yours beside the target; put forced in its place

# %% [markdown]
# On the wrong layout, tokens were repeated: head 1 holds tokens 2, 3, 3, 4, 4 of K/V head 0.
#
# **Drill.** Token-major K is `[2, 5, 3, 4]`, n_rep = 2. What is its shape after the repeat, before the transpose?

# %% nbgrader={"grade": false, "grade_id": "practice_2", "locked": false, "schema_version": 3, "solution": true, "task": false}
practice_2 = (
    ### BEGIN SOLUTION
    (2, 5, 6, 4)
    ### END SOLUTION
)
check.answer("06_gqa_merge", "practice_2", practice_2)

# %% nbgrader={"grade": true, "grade_id": "test_practice_2", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of practice_2. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert tuple(practice_2) == (2, 5, 6, 4), "practice_2: the head axis is axis 2 there"
### END HIDDEN TESTS

# %% [markdown]
# **Which input would hide this bug?** Hkv = H and Hkv = 1 hide the tile. n_rep = Hkv hides h // Hkv.

# %%
print(" H  Hkv  tile hidden  h // Hkv hidden")
for H, Hkv in [(6, 6), (6, 1), (64, 8), (6, 3)]:
    right = torch.arange(Hkv).repeat_interleave(H // Hkv)  # [H]
    tile_hidden = torch.equal(right, torch.arange(Hkv).repeat(H // Hkv))
    other_hidden = torch.equal(right, torch.arange(H) // Hkv)
    print(f"{H:2d}  {Hkv:3d}  {tile_hidden!s:11}  {other_hidden}")

# %% [markdown]
# Llama 2 70B, with 64 and 8, hid such a confusion in llama.cpp's converter (pull request 3364). H = 6, Hkv = 3 hides neither.

# %% [markdown]
# ## Build: `grouped_query_attention`
#
# Project, split (from memory), repeat, `attend`, merge, W_O.

# %% nbgrader={"grade": false, "grade_id": "grouped_query_attention", "locked": false, "schema_version": 3, "solution": true, "task": false}
def grouped_query_attention(x, Wq, Wk, Wv, Wo, n_heads, n_kv_heads):
    """Causal self-attention in which query heads share K/V heads; no RoPE, no bias.

    x: tensor [B, T, D]
    Wq: matrix [D, H*Dh]; Wk, Wv: matrices [D, Hkv*Dh]; Wo: matrix [H*Dh, D]; used as x @ W
    n_heads, n_kv_heads: H and Hkv; Dh is Wq's width shared by H, and H*Dh may differ from D
    returns: one tensor [B, T, D]; no input changed
    raises: ValueError when Hkv does not divide H
    """
    ### BEGIN SOLUTION
    n_rep = n_heads // n_kv_heads
    if n_rep * n_kv_heads != n_heads:
        raise ValueError(f"Hkv={n_kv_heads} does not divide H={n_heads}")
    q, k, v = x @ Wq, x @ Wk, x @ Wv  # [B, T, H*Dh], then [B, T, Hkv*Dh] twice
    q = q.unflatten(-1, (n_heads, -1)).movedim(2, 1)  # [B, H, T, Dh]
    k = k.unflatten(-1, (n_kv_heads, -1)).movedim(2, 1)  # [B, Hkv, T, Dh]
    v = v.unflatten(-1, (n_kv_heads, -1)).movedim(2, 1)  # [B, Hkv, T, Dh]
    context = attend(q, repeat_kv(k, n_rep), repeat_kv(v, n_rep))  # [B, H, T, Dh]
    return context.movedim(1, 2).flatten(2) @ Wo  # [B, T, D]
    ### END SOLUTION

# %%
check.grouped_query_attention(grouped_query_attention)

# %% nbgrader={"grade": true, "grade_id": "test_grouped_query_attention_shape", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: the shape. More sizes are tried when your work is graded.
import torch


def test_grouped_query_attention_shape():
    x, Wq, Wo = torch.ones(2, 5, 16), torch.ones(16, 24), torch.ones(24, 16)
    Wk = Wv = torch.ones(16, 12)
    out = grouped_query_attention(x, Wq, Wk, Wv, Wo, 6, 3)
    assert torch.is_tensor(out), "grouped_query_attention has not returned a tensor yet"
    assert tuple(out.shape) == (2, 5, 16), f"expected (2, 5, 16), got {tuple(out.shape)}"
    ### BEGIN HIDDEN TESTS
    for B, T, H, Hkv, Dh, D in [(5, 7, 6, 3, 4, 10), (3, 9, 8, 2, 6, 48)]:
        shapes = [(B, T, D), (D, H * Dh), (D, Hkv * Dh), (D, Hkv * Dh), (H * Dh, D)]
        out = grouped_query_attention(*(torch.ones(shape) for shape in shapes), H, Hkv)
        assert tuple(out.shape) == (B, T, D), f"expected {(B, T, D)}, got {tuple(out.shape)}"
    ### END HIDDEN TESTS


test_grouped_query_attention_shape()

# %% nbgrader={"grade": true, "grade_id": "test_grouped_query_attention_values", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: the values. Other numbers and sizes are tried when your work is graded.
import torch


def test_grouped_query_attention_values():
    x = torch.tensor([[[1.0, -2.0, 3.0]]])  # one token: every head returns the value it reads
    Wq, Wk = torch.ones(3, 4), torch.ones(3, 2)
    Wv, Wo = torch.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 0.0]]), torch.eye(4, 3)
    out = grouped_query_attention(x, Wq, Wk, Wv, Wo, 4, 2)
    assert torch.is_tensor(out), "grouped_query_attention has not returned a tensor yet"
    assert [round(n, 3) for n in out.flatten().tolist()] == [7, 7, -2], f"expected 7, 7, -2: {out}"
    ### BEGIN HIDDEN TESTS
    def expected(x, Wq, Wk, Wv, Wo, H, Hkv):
        """Head by head and token by token; a token meets its own past only."""
        (B, T, D), Dh, out = x.shape, Wq.shape[1] // H, 0
        for h in range(H):
            g = h // (H // Hkv)  # the K/V head that query head h reads
            own, shared = slice(h * Dh, (h + 1) * Dh), slice(g * Dh, (g + 1) * Dh)
            q, k, v = x @ Wq[:, own], x @ Wk[:, shared], x @ Wv[:, shared]  # [B, T, Dh] each
            context = []
            for t in range(T):
                scores = torch.einsum("bd,bjd->bj", q[:, t], k[:, : t + 1]) / Dh**0.5
                grown = scores.exp()  # [B, t+1]
                weights = grown / grown.sum(dim=-1, keepdim=True)
                context.append(torch.einsum("bj,bjd->bd", weights, v[:, : t + 1]))  # [B, Dh]
            out = out + torch.stack(context, dim=1) @ Wo[own]  # [B, T, D]
        return out

    random = torch.Generator().manual_seed(20261)
    for B, T, H, Hkv, Dh, D in [(5, 7, 6, 3, 4, 10), (3, 9, 8, 2, 6, 48)]:
        shapes = [(B, T, D), (D, H * Dh), (D, Hkv * Dh), (D, Hkv * Dh), (H * Dh, D)]
        x, *W = (torch.randn(shape, generator=random) for shape in shapes)
        W = [1.3 * w / len(w) ** 0.5 for w in W]  # so that scores are of order 1 to 3
        got = grouped_query_attention(x, *W, H, Hkv)
        assert tuple(got.shape) == (B, T, D), f"expected {(B, T, D)}, got {tuple(got.shape)}"
        want = expected(x.double(), *(w.double() for w in W), H, Hkv)
        close = torch.isclose(got.detach().double(), want, rtol=1e-3, atol=1e-4)
        assert close.all(), f"H={H}, Hkv={Hkv}: {int((~close).sum())} numbers are off"
    ### END HIDDEN TESTS


test_grouped_query_attention_values()

# %% nbgrader={"grade": true, "grade_id": "test_grouped_query_attention_contract", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: the contract. Edge sizes, refusals and side effects are tried at grading.
import torch


def test_grouped_query_attention_contract():
    x, Wq, Wo = torch.ones(1, 1, 3), torch.ones(3, 4), torch.ones(4, 3)
    Wk = Wv = torch.ones(3, 2)
    out = grouped_query_attention(x, Wq, Wk, Wv, Wo, 4, 2)
    assert torch.is_tensor(out), "grouped_query_attention has not returned a tensor yet"
    assert torch.equal(x, torch.ones(1, 1, 3)), "grouped_query_attention changed x"
    ### BEGIN HIDDEN TESTS
    def expected(x, Wq, Wk, Wv, Wo, H, Hkv):
        """Head by head, each with its own columns of the matrices and its rows of Wo."""
        Dh, out = Wq.shape[1] // H, 0
        future = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
        for h in range(H):
            own, g = slice(h * Dh, (h + 1) * Dh), h * Hkv // H
            shared = slice(g * Dh, (g + 1) * Dh)
            scores = (x @ Wq[:, own]) @ (x @ Wk[:, shared]).transpose(1, 2) / Dh**0.5
            weights = scores.masked_fill(future, float("-inf")).softmax(dim=-1)  # [B, T, T]
            out = out + weights @ (x @ Wv[:, shared]) @ Wo[own]
        return out

    def inputs(B, T, H, Hkv, Dh, D, strided=False):
        """x, Wq, Wk, Wv and Wo, laid out in memory as they come or transposed."""
        shapes = [(B, T, D), (D, H * Dh), (D, Hkv * Dh), (D, Hkv * Dh), (H * Dh, D)]
        made = [torch.randn(s, generator=random) * 1.3 / s[0] ** 0.5 for s in shapes]
        made[0] = torch.randn(B, T, D, generator=random)
        return [z.mT.contiguous().mT if strided else z for z in made]

    random = torch.Generator().manual_seed(20261)
    edges = [(1, 5, 6, 3, 4, 10), (2, 1, 6, 3, 4, 10), (2, 5, 6, 6, 4, 10), (2, 5, 6, 1, 4, 10)]
    for B, T, H, Hkv, Dh, D in [*edges, (2, 5, 1, 1, 4, 6), (3, 4, 4, 2, 1, 7), (1, 1, 1, 1, 2, 3)]:
        for strided in (False, True):  # nothing may be left of an earlier call
            given = inputs(B, T, H, Hkv, Dh, D, strided)
            before = [z.clone() for z in given]
            want = expected(*(z.double() for z in before), H, Hkv)
            for attempt in ("first", "second") if B == 1 else ("only",):
                got = grouped_query_attention(*given, H, Hkv)
                case = f"{attempt} call, B={B}, T={T}, H={H}, Hkv={Hkv}, strided={strided}"
                assert tuple(got.shape) == (B, T, D), f"{case}: shape {tuple(got.shape)}"
                close = torch.allclose(got.detach().double(), want, rtol=1e-3, atol=1e-4)
                assert close, f"{case}: wrong values"
                for name, z, old in zip(("x", "Wq", "Wk", "Wv", "Wo"), given, before):
                    assert z.shape == old.shape and torch.equal(z, old), f"the input {name} changed"
    for H, Hkv in [(5, 2), (6, 4), (4, 3)]:
        try:
            grouped_query_attention(*inputs(2, 5, H, Hkv, 4, 10), H, Hkv)
        except NotImplementedError:
            raise
        except (ValueError, AssertionError, RuntimeError):
            continue
        raise AssertionError(f"H={H} query heads with Hkv={Hkv} K/V heads must be refused")
    ### END HIDDEN TESTS


test_grouped_query_attention_contract()

# %% [markdown]
# Repeat W_K's and W_V's column blocks instead, and MHA gives what GQA gave. Ask your own function:

# %% tags=["raises-exception"]
def widen(W):
    """Repeat each block of Dh = 4 columns: [D, Hkv*Dh] to [D, H*Dh]."""
    return W.unflatten(1, (3, 4)).repeat_interleave(2, dim=1).flatten(1)


x = torch.randn(2, 5, 16)  # [B, T, D]
Wq, Wk, Wv = (torch.randn(16, width) / 4 for width in (24, 12, 12))  # [D, H*Dh] or [D, Hkv*Dh]
Wo = torch.randn(24, 16) / 4  # [H*Dh, D]
shared = grouped_query_attention(x, Wq, Wk, Wv, Wo, 6, 3)
tied = grouped_query_attention(x, Wq, widen(Wk), widen(Wv), Wo, 6, 6)
built = torch.is_tensor(shared) and torch.is_tensor(tied)
print("equal:", torch.allclose(shared, tied, atol=1e-4) if built else "not built yet")

# %% [markdown]
# ## Who may change places?
#
# In lesson 05 heads moved together with W_O's row blocks. Now K and V stay; only query heads move.

# %%
q = torch.randn(2, 6, 5, 4)  # [B, H, T, Dh]
k, v = torch.randn(2, 2, 3, 5, 4)  # [B, Hkv, T, Dh] each
usual = attend(q, k[:, interleave], v[:, interleave])  # [B, H, T, Dh]
for swap in ([1, 0, 2, 3, 4, 5], [0, 2, 1, 3, 4, 5]):
    swapped = attend(q[:, swap], k[:, interleave], v[:, interleave])[:, swap]  # [B, H, T, Dh]
    a, b = (h for h in range(6) if swap[h] != h)
    print(f"heads {a} and {b} change places: same?", torch.allclose(swapped, usual, atol=1e-6))

# %% [markdown]
# Heads 0 and 1 share a K/V head, 1 and 2 don't: permuting query heads alone is harmless only within a group.

# %% [markdown]
# ## What it saves
#
# A generating model stores every past token's K and V unrepeated, 2 * Hkv * Dh numbers a layer. With Dh = 4 in float32:

# %%
for Hkv in (1, 2, 3, 6):
    k_token, v_token = torch.zeros(2, Hkv, 4)  # [Hkv, Dh] each
    print(f"Hkv={Hkv}:", k_token.nbytes + v_token.nbytes, "bytes")

# %%
show.kv_bytes(H=6, Dh=4, bytes_per_value=4)

# %% [markdown]
# MHA stores 192 bytes a token, Hkv = 3 half of that, MQA 32.

# %% [markdown]
# ## Engineering bridge
#
# Llama-style code has a `repeat_kv`; SDPA repeats inside, and its documentation writes Hq for H and H for Hkv. `n_kv_groups` is n_rep in one repository, Hkv in another.

# %%
inside = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
print("enable_gqa=True equals repeating:", torch.allclose(inside, usual, atol=1e-6))

# %% [markdown]
# Invariants: H % Hkv == 0; K and V are repeated alike; W_O is `[H*Dh, D]`.

# %% [markdown]
# ## Bug clinic
#
# ONNX defines grouped attention by a function body. In September 2025 pull request 7274 found it tiling K and V. Every shape was right.

# %% [markdown]
# Write the input and comparison that expose such faults. You earn the share of faulty versions caught, nothing if you accuse a right one.

# %% nbgrader={"grade": false, "grade_id": "clinic_repeat", "locked": false, "schema_version": 3, "solution": true, "task": false}
def find_bug(candidate):
    """Tell whether candidate(x, n_rep) is a faulty repeat_kv.

    candidate: a function of x [B, Hkv, T, Dh] and n_rep that should return [B, Hkv*n_rep, T, Dh]
    returns: True if it is faulty, False if it is right
    """
    ### BEGIN SOLUTION
    x = torch.rand(2, 3, 5, 4)  # [B, Hkv, T, Dh]: no two numbers agree
    try:
        heads = candidate(x.clone(), 2)
        wanted = torch.stack([x[:, 0], x[:, 0], x[:, 1], x[:, 1], x[:, 2], x[:, 2]], dim=1)
        return not (heads.shape == wanted.shape and torch.equal(heads, wanted))
    except Exception:
        return True
    ### END SOLUTION

# %%
check.clinic_repeat(find_bug)

# %% nbgrader={"grade": true, "grade_id": "test_clinic_repeat", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: faulty and right versions that you have not seen are tried at grading.
import torch


def test_clinic_repeat():
    verdict = find_bug(lambda x, n_rep: x)
    assert verdict is not None, "find_bug has not returned True or False yet"
    assert verdict, "find_bug calls a function faultless that repeats nothing"
    ### BEGIN HIDDEN TESTS
    def by_index(heads_of):
        """A version that picks its heads by the list heads_of(Hkv, n_rep)."""
        return lambda x, n_rep: x[:, heads_of(x.shape[1], n_rep)]

    def behind_axis_2(x, n_rep):
        B, Hkv, T, Dh = x.shape
        copies = x[:, :, :, None].expand(B, Hkv, T, n_rep, Dh)
        return copies.reshape(B, Hkv * n_rep, T, Dh)

    right = [
        lambda x, n_rep: x.repeat_interleave(n_rep, dim=1),
        lambda x, n_rep: torch.stack([x] * n_rep, dim=2).flatten(1, 2),
        lambda x, n_rep: x if n_rep == 1 else torch.repeat_interleave(x, n_rep, 1).contiguous(),
        by_index(lambda Hkv, n_rep: [h // n_rep for h in range(Hkv * n_rep)]),
        lambda x, n_rep: x.mT.repeat_interleave(n_rep, dim=1).mT,
    ]
    faulty = [
        lambda x, n_rep: x.repeat(1, n_rep, 1, 1),
        by_index(lambda Hkv, n_rep: [h // Hkv % Hkv for h in range(Hkv * n_rep)]),
        behind_axis_2,
        lambda x, n_rep: x.repeat_interleave(n_rep, dim=2),
        lambda x, n_rep: x[:, :1].expand(-1, x.shape[1] * n_rep, -1, -1),
        lambda x, n_rep: x[:1].repeat_interleave(n_rep, dim=1).expand(len(x), -1, -1, -1),
        lambda x, n_rep: x.repeat(n_rep, 1, 1, 1).reshape(len(x), -1, *x.shape[2:]),
        lambda x, n_rep: x.repeat_interleave(n_rep, dim=1).flip(1),
        lambda x, n_rep: x.repeat_interleave(n_rep, dim=1) / n_rep,
    ]

    def accuses(candidate):
        """True only for a clear True, so that an unfinished find_bug catches nothing."""
        try:
            return bool(find_bug(candidate))
        except Exception:
            return False

    caught = sum(accuses(candidate) for candidate in faulty)
    slandered = sum(accuses(candidate) for candidate in right)
    return 0.0 if slandered else round(3 * caught / len(faulty), 2)
    ### END HIDDEN TESTS


test_clinic_repeat()

# %% [markdown]
# ## Retrieval check
#
# **1.** What does GQA shrink?
#
# - `a` The width D of the residual
# - `b` The number of query heads
# - `c` The stored K and V
# - `d` The score matrix of each query head

# %% nbgrader={"grade": false, "grade_id": "quiz_1", "locked": false, "schema_version": 3, "solution": true, "task": false}
quiz_1 = (
    ### BEGIN SOLUTION
    "c"
    ### END SOLUTION
)
check.answer("06_gqa_merge", "quiz_1", quiz_1)

# %% nbgrader={"grade": true, "grade_id": "test_quiz_1", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of quiz_1. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert str(quiz_1).strip().lower() == "c", "quiz_1: what is stored, Hkv heads of K and V"
### END HIDDEN TESTS

# %% [markdown]
# **2.** Which test tells a tiled repeat from an interleaved one?
#
# - `a` One with Hkv = 1
# - `b` One with H = 6, Hkv = 3, and K/V heads that differ
# - `c` One with Hkv = H
# - `d` One that compares shapes, whatever H and Hkv are

# %% nbgrader={"grade": false, "grade_id": "quiz_2", "locked": false, "schema_version": 3, "solution": true, "task": false}
quiz_2 = (
    ### BEGIN SOLUTION
    "b"
    ### END SOLUTION
)
check.answer("06_gqa_merge", "quiz_2", quiz_2)

# %% nbgrader={"grade": true, "grade_id": "test_quiz_2", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of quiz_2. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert str(quiz_2).strip().lower() == "b", "quiz_2: more than one K/V head, more than one copy"
### END HIDDEN TESTS

# %% [markdown]
# **3.** A model has 64 query heads and 8 K/V heads. Which wrong map gives the right one here?
#
# - `a` h % Hkv
# - `b` h % n_rep
# - `c` h // Hkv
# - `d` h * Hkv

# %% nbgrader={"grade": false, "grade_id": "quiz_3", "locked": false, "schema_version": 3, "solution": true, "task": false}
quiz_3 = (
    ### BEGIN SOLUTION
    "c"
    ### END SOLUTION
)
check.answer("06_gqa_merge", "quiz_3", quiz_3)

# %% nbgrader={"grade": true, "grade_id": "test_quiz_3", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of quiz_3. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert str(quiz_3).strip().lower() == "c", "quiz_3: n_rep and Hkv are both 8"
### END HIDDEN TESTS

# %% [markdown]
# **4.** V is not repeated, K is. For which Hkv does `weights @ v` still run?
#
# - `a` Only for Hkv = H
# - `b` For every Hkv that divides H
# - `c` For none
# - `d` For Hkv = H, and for Hkv = 1, where the only head is broadcast

# %% nbgrader={"grade": false, "grade_id": "quiz_4", "locked": false, "schema_version": 3, "solution": true, "task": false}
quiz_4 = (
    ### BEGIN SOLUTION
    "d"
    ### END SOLUTION
)
check.answer("06_gqa_merge", "quiz_4", quiz_4)

# %% nbgrader={"grade": true, "grade_id": "test_quiz_4", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of quiz_4. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert str(quiz_4).strip().lower() == "d", "quiz_4: one head is broadcast, H heads need no repeat"
### END HIDDEN TESTS

# %% [markdown]
# ## Practice studio
#
# **Recall.** H = 8, Hkv = 2. Write the map, eight numbers.

# %% nbgrader={"grade": false, "grade_id": "practice_3", "locked": false, "schema_version": 3, "solution": true, "task": false}
practice_3 = (
    ### BEGIN SOLUTION
    (0, 0, 0, 0, 1, 1, 1, 1)
    ### END SOLUTION
)
check.answer("06_gqa_merge", "practice_3", practice_3)

# %% nbgrader={"grade": true, "grade_id": "test_practice_3", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of practice_3. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert list(practice_3) == [0, 0, 0, 0, 1, 1, 1, 1], "practice_3: four neighbours share"
### END HIDDEN TESTS

# %% [markdown]
# **Build.** D = 16, H = 6, Hkv = 2, Dh = 4. What is W_K's shape?

# %% nbgrader={"grade": false, "grade_id": "practice_4", "locked": false, "schema_version": 3, "solution": true, "task": false}
practice_4 = (
    ### BEGIN SOLUTION
    (16, 8)
    ### END SOLUTION
)
check.answer("06_gqa_merge", "practice_4", practice_4)

# %% nbgrader={"grade": true, "grade_id": "test_practice_4", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of practice_4. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert tuple(practice_4) == (16, 8), "practice_4: D rows, Hkv * Dh columns"
### END HIDDEN TESTS

# %% [markdown]
# **Verify.** H = 6; three V heads hold 10, 20 and 30. Which does query head 3 read, interleaved and tiled?

# %% nbgrader={"grade": false, "grade_id": "practice_5", "locked": false, "schema_version": 3, "solution": true, "task": false}
practice_5 = (
    ### BEGIN SOLUTION
    (20, 10)
    ### END SOLUTION
)
check.answer("06_gqa_merge", "practice_5", practice_5)

# %% nbgrader={"grade": true, "grade_id": "test_practice_5", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of practice_5. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert tuple(practice_5) == (20, 10), "practice_5: 3 // 2 is 1; tiled, head 3 starts over at 0"
### END HIDDEN TESTS

# %% [markdown] nbgrader={"grade": false, "grade_id": "explain_1", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": true}
# ## Explain it back
#
# > "I wrote `k.repeat(1, n_rep, 1, 1)`. Shapes are right, tests with Hkv = 1 and Hkv = H pass: correct."
#
# Answer in three to five sentences for H = 6, Hkv = 3. Which K/V head does query head 1 read, which should it? Why are both tests blind? What would have to be permuted? Why does D stay?
#
# ### BEGIN MARK SCHEME
#
# **Rubric, 4 points, one each:**
#
# 1. Query head 1 reads K/V head 1 and should read head 0 (the map is h // n_rep, so 0, 0, 1, 1, 2, 2).
# 2. Why the tests are blind: with Hkv = 1 there is only one head to read, with Hkv = H nothing is repeated; both orders agree.
# 3. The query heads (W_Q's column blocks) together with W_O's row blocks; or, as good, the K/V heads can't fix it, the code should interleave, with the reason that the checkpoint expects neighbours.
# 4. D: every query head still returns Dh features, W_O takes H * Dh of them to D, and Hkv occurs nowhere in that.
#
# No point for a fixed human role of a head; take none off for style or for other names of the axes.
#
# **Full (4):** "Head 1 reads K/V head 1 but should read 0, because neighbours share: 1 // 2 = 0. With one K/V head there is nothing to mix up, and with six the repeat does nothing, so both tests pass for either order. If you move the query heads to 0, 2, 4, 1, 3, 5 and W_O's blocks with them, your code is right. D comes from W_O, which sees six heads of Dh features either way."
#
# **Full (4):** "repeat gives 0, 1, 2, 0, 1, 2, so query head 1 gets key head 1 where the checkpoint wants key head 0. Hkv = 1 and Hkv = H are the two cases in which tile and interleave are the same list. You would have to reorder W_Q's heads and W_O's rows to fit. The output is [B, T, D] because the concat has H * Dh features no matter how many K/V heads were stored."
#
# **Middle (2):** "Query head 1 reads 1 instead of 0. Your tests are the cases where both orders are the same."
#
# **Middle (2):** "You should use repeat_interleave since head 1 belongs to K/V head 0. The width stays D since there are still six query heads that go into W_O."
#
# **Low (0):** "The shapes are right, so it must be a numerical problem; use float64."
#
# **Low (0):** "With fewer K/V heads the output gets smaller, so the tests can't work."
#
# ### END MARK SCHEME

# %% [markdown]
# *Write your answer here: replace this line.*

# %% [markdown]
# ## Key takeaways
#
# - Query head h reads K/V head h // n_rep; neighbours share.
# - Hkv shrinks what is stored; `[B, T, D]` comes back.
# - Test between the two ends: there a tile shows.
# - Know your layout before you repeat an axis.

# %%
check.progress("06_gqa_merge")

# %% [markdown]
# ## Sources
#
# - Ainslie et al., *GQA: Training Generalized Multi-Query Transformer Models from Multi-Head Checkpoints*, 2023, section 2.2: groups of query heads.
# - Shazeer, *Fast Transformer Decoding: One Write-Head is All You Need*, 2019, section 3: multi-query attention.
# - Vaswani et al., *Attention Is All You Need*, 2017, section 3.2.2: the concatenation and W_O.
# - PyTorch documentation, `torch.nn.functional.scaled_dot_product_attention` (`enable_gqa`), `torch.Tensor.repeat` and `torch.repeat_interleave`.
# - onnx/onnx, pull request 7274, 2025: the fault of the clinic.
# - ggml-org/llama.cpp, pull request 3364, 2023: 64 and 8 heads hide a confusion.
# - MiniMind, its model code: the token-major repeat of the drill.

# %% [markdown]
# ## What comes next
#
# Lesson 07 builds the block around this attention; lesson 08 caches its K and V. Before it: [the merge](../05_concat_and_wo/05_concat_and_wo.ipynb).

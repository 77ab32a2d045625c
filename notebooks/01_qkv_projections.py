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
# # 01 · One token becomes three views
#
# **The win:** you project every token with W_Q, W_K and W_V, and know each shape.
#
# 30 minutes. Needs matrix multiplication. Serves the mission: a causal transformer block with RoPE and GQA.

# %% [markdown]
# B samples, T tokens, D model width, H heads, Dh features in one head; a [glossary](../glossary.md) translates other code's names. Your answers replace the dots, `...`.

# %%
import torch
import torch.nn.functional as F

from manyheads import check, explore, show

# %% [markdown]
# ## What attention is for
#
# A token alone says little: what "it" means depends on the words before it. Attention lets a token gather a weighted mixture of what other tokens offer. Each token is seen in three ways: its query is compared with keys, and the better a key fits, the more of that key's value enters the mixture. This lesson makes the three.

# %% [markdown]
# ## Recall
#
# `A` is `[3, 4]`, `W` is `[4, 6]`. What is the shape of `A @ W`?

# %% nbgrader={"grade": false, "grade_id": "recall_1", "locked": false, "schema_version": 3, "solution": true, "task": false}
recall_1 = (
    ### BEGIN SOLUTION
    (3, 6)
    ### END SOLUTION
)
check.answer("01_qkv_projections", "recall_1", recall_1)

# %% nbgrader={"grade": true, "grade_id": "test_recall_1", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of recall_1. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert tuple(recall_1) == (3, 6), "recall_1: rows of A, columns of W"
### END HIDDEN TESTS

# %% [markdown]
# And which axis of `A` does the product leave alone?
#
# - `a` the rows: each goes in and comes out at its place
# - `b` the columns
# - `c` neither

# %% nbgrader={"grade": false, "grade_id": "recall_2", "locked": false, "schema_version": 3, "solution": true, "task": false}
recall_2 = (
    ### BEGIN SOLUTION
    "a"
    ### END SOLUTION
)
check.answer("01_qkv_projections", "recall_2", recall_2)

# %% nbgrader={"grade": true, "grade_id": "test_recall_2", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of recall_2. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert str(recall_2).strip().lower() == "a", "recall_2: one row in, one row out"
### END HIDDEN TESTS

# %% [markdown]
# ## Predict
#
# Commit before you run on. `x` is `[2, 5, 12]`, `q = x @ Wq`. You change token 3. Which rows of `q` change?
#
# - `a` row 3
# - `b` row 3 and all later ones
# - `c` all five

# %% nbgrader={"grade": false, "grade_id": "predict_1", "locked": false, "schema_version": 3, "solution": true, "task": false}
predict_1 = (
    ### BEGIN SOLUTION
    "a"
    ### END SOLUTION
)
check.answer("01_qkv_projections", "predict_1", predict_1)

# %% [markdown]
# One wide matrix makes all three: 8 columns for Q, then 2 for K, 2 for V. Cut into equal thirds, what does the second third hold?
#
# - `a` K
# - `b` columns of Q
# - `c` K and V

# %% nbgrader={"grade": false, "grade_id": "predict_2", "locked": false, "schema_version": 3, "solution": true, "task": false}
predict_2 = (
    ### BEGIN SOLUTION
    "b"
    ### END SOLUTION
)
check.answer("01_qkv_projections", "predict_2", predict_2)

# %% [markdown]
# ## A belief, and the evidence
#
# You may believe that a projection already lets tokens look at each other. Change one token and see.

# %%
torch.manual_seed(0)
B, T, D = 2, 5, 12
x = torch.randn(B, T, D)  # [B, T, D]
Wq = torch.randn(D, D)
q = x @ Wq  # [B, T, D]
x_edited = x.clone()
x_edited[:, 3] = 7.0
same = torch.isclose(x_edited @ Wq, q, atol=1e-5).all(dim=-1)[0]  # [T]
print("rows of q that changed:", [t for t in range(T) if not same[t]])
print("you predicted:", "nothing yet" if predict_1 is ... else predict_1)

# %% [markdown]
# Only row 3. Now shuffle the tokens.

# %%
order = [4, 2, 0, 1, 3]
q_shuffled = x[:, order] @ Wq  # [B, T, D]
print("shuffled in, shuffled out:", torch.allclose(q_shuffled, q[:, order], atol=1e-5))

# %% [markdown]
# **The rule:** a projection mixes the features of a token, never tokens. The same matrix multiplies every row.

# %% [markdown]
# ## A worked example
#
# Q = X̄ W_Q, K = X̄ W_K, V = X̄ W_V, where X̄ is the block's normalised input. In ordinary multi-head attention each is H*Dh wide.
#
# D=4, H=2, Dh=2; token (1, 2, 0, -1), left unnormalised to stay readable. W_Q is the identity, W_K the identity with its last two columns swapped, W_V = diag(2, 1, 1/2, -1). So q = (1, 2, 0, -1), k = (1, 2, -1, 0), v = (2, 2, 0, 1).

# %%
token = torch.tensor([1.0, 2, 0, -1])  # [D]
W_Q = torch.eye(4)
W_K = torch.eye(4)[:, [0, 1, 3, 2]]
W_V = torch.diag(torch.tensor([2, 1, 0.5, -1]))
for name, W in {"q": W_Q, "k": W_K, "v": W_V}.items():
    view = (token @ W).int().tolist()
    print(f"{name} = {view}   head 0: {view[:2]}   head 1: {view[2:]}")

# %%
show.three_views(token, W_Q, W_K, W_V, H=2)

# %% [markdown]
# All three matrices are symmetric, so they can't tell `x @ W` from `x @ W.T`, and the token's zero hides W_V's 1/2. Token (1, 2, 3, -1) with another W can: x W = (1, 4, 3, 8), x W.T = (5, 2, 0, -1).

# %%
telling = torch.tensor([1.0, 2, 3, -1])  # [D]
shear = torch.tensor([[1.0, 2, 0, 0], [0, 1, 0, 0], [0, 0, 1, 3], [0, 0, 0, 1]])
print("x @ W   =", (telling @ shear).int().tolist())
print("x @ W.T =", (telling @ shear.T).int().tolist())
print("x @ W_V =", (telling @ W_V).tolist())

# %% [markdown]
# Here matrices are stored `[in, out]` and used as `x @ W`. `nn.Linear.weight` is stored `[out, in]` and used transposed.

# %%
layer = torch.nn.Linear(12, 8, bias=False)
print("nn.Linear(12, 8).weight:", tuple(layer.weight.shape))
print("equals x @ weight.T:", torch.allclose(layer(x), x @ layer.weight.T, atol=1e-5))

# %% [markdown]
# ## Code checkpoint
#
# From `[B, T, D]` to heads; lesson 02 takes the split apart.

# %%
H, Dh = 3, 4
Wk, Wv = torch.randn(2, D, H * Dh).unbind()
q, k, v = x @ Wq, x @ Wk, x @ Wv  # [B, T, H*Dh] each
by_token = q.view(B, T, H, Dh)  # [B, T, H, Dh]
by_head = by_token.transpose(1, 2)  # [B, H, T, Dh]

# %% [markdown]
# **Trace it.** `x` is `[2, 5, 12]`, H=3. What is the shape of `by_head`? Write it as `1, 2, 3, 4`.

# %% nbgrader={"grade": false, "grade_id": "practice_1", "locked": false, "schema_version": 3, "solution": true, "task": false}
practice_1 = (
    ### BEGIN SOLUTION
    (2, 3, 5, 4)
    ### END SOLUTION
)
check.answer("01_qkv_projections", "practice_1", practice_1)

# %% nbgrader={"grade": true, "grade_id": "test_practice_1", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of practice_1. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert tuple(practice_1) == (2, 3, 5, 4), "practice_1: the order is B, H, T, Dh"
### END HIDDEN TESTS

# %%
print("after projection:", tuple(q.shape))
print("after the split: ", tuple(by_head.shape))

# %% [markdown]
# Projection keeps `[2, 5, 12]`; the split makes `[2, 3, 5, 4]`. Next, before scores, RoPE rotates Q and K. V is not rotated.

# %% [markdown]
# ## Explore
#
# Change Hkv and step through: which shapes shrink, which never do?

# %%
explore.shape_tracer(B=2, T=5, D=12, H=6, Hkv=3)

# %% [markdown]
# ## Build: `project_qkv`
#
# Give every token its three views.

# %% nbgrader={"grade": false, "grade_id": "project_qkv", "locked": false, "schema_version": 3, "solution": true, "task": false}
def project_qkv(x, Wq, Wk, Wv):
    """Multiply every token by three matrices, without bias.

    x: tensor [B, T, D]
    Wq, Wk, Wv: tensors [D, width], stored [in, out]; the three widths may differ
    returns: q, k, v; tensors [B, T, width], each as wide as its own matrix; no input changed
    """
    ### BEGIN SOLUTION
    return x @ Wq, x @ Wk, x @ Wv  # [B, T, width] each
    ### END SOLUTION

# %%
check.project_qkv(project_qkv)

# %% nbgrader={"grade": true, "grade_id": "test_project_qkv_shape", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: the shapes. More sizes are tried when your work is graded.
import torch


def test_project_qkv_shape():
    x, Wq, Wk, Wv = torch.ones(2, 5, 12), torch.ones(12, 8), torch.ones(12, 6), torch.ones(12, 4)
    views = project_qkv(x, Wq, Wk, Wv)
    assert views is not None and len(views) == 3, "project_qkv has not returned q, k and v yet"
    for name, z, width in zip("qkv", views, (8, 6, 4)):
        fits = torch.is_tensor(z) and tuple(z.shape) == (2, 5, width)
        assert fits, f"{name} is not a tensor of shape (2, 5, {width})"
    ### BEGIN HIDDEN TESTS
    for B, T, H, Hkv, Dh, D in [(5, 7, 6, 3, 4, 10), (3, 9, 8, 2, 6, 48)]:
        W = [torch.ones(D, heads * Dh) for heads in (H, Hkv, Hkv)]
        q, k, v = project_qkv(torch.ones(B, T, D), *W)
        for name, z, heads in (("q", q, H), ("k", k, Hkv), ("v", v, Hkv)):
            assert tuple(z.shape) == (B, T, heads * Dh), f"{name}, D={D}: got {tuple(z.shape)}"
    ### END HIDDEN TESTS


test_project_qkv_shape()

# %% nbgrader={"grade": true, "grade_id": "test_project_qkv_values", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: the values. Other sizes and numbers are tried when your work is graded.
import torch


def test_project_qkv_values():
    x = torch.tensor([[[1.0, 2, 3, -1]]])
    W = torch.tensor([[1.0, 2, 0, 0], [0, 1, 0, 0], [0, 0, 1, 3], [0, 0, 0, 1]])
    views = project_qkv(x, W, -W, 2 * W)
    assert torch.is_tensor(views) or views, "project_qkv has not returned q, k and v yet"
    assert [float(z[0, 0, 3]) for z in views] == [8, -8, 16], "feature 3: expected 8, -8 and 16"
    ### BEGIN HIDDEN TESTS
    draw = torch.Generator().manual_seed(20261)
    sizes = [
        (5, 7, 10, (24, 12, 12)),  # H=6, Hkv=3, Dh=4
        (3, 9, 48, (48, 12, 12)),  # H=8, Hkv=2, Dh=6
        (5, 7, 10, (10, 10, 10)),  # square: a transposed W fits, and must not pass
        (3, 4, 6, (5, 9, 2)),
    ]
    for B, T, D, widths in sizes:
        x = torch.randn(B, T, D, generator=draw)
        W = [torch.randn(D, width, generator=draw) / D**0.5 for width in widths]
        views = project_qkv(x.clone(), *(w.clone() for w in W))
        assert len(views) == 3, f"{len(views)} results"
        for name, got, w in zip("qkv", views, W):
            want = torch.einsum("btd,de->bte", x.double(), w.double())
            assert tuple(got.shape) == tuple(want.shape), f"{name} has shape {tuple(got.shape)}"
            assert got.is_floating_point(), f"{name} holds {got.dtype}"
            got = got.detach().double()
            assert torch.allclose(got, want, rtol=1e-3, atol=1e-4), f"{name}: wrong values, D={D}"
    ### END HIDDEN TESTS


test_project_qkv_values()

# %% nbgrader={"grade": true, "grade_id": "test_project_qkv_contract", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: the contract. Edge sizes and side effects are tried when your work is graded.
import torch


def test_project_qkv_contract():
    x, W = torch.ones(1, 1, 4), torch.eye(4)
    views = project_qkv(x, W, 2 * W, 3 * W)
    assert torch.is_tensor(views) or views, "project_qkv has not returned q, k and v yet"
    assert [float(z.sum()) for z in views] == [4, 8, 12], "expected q, k, v to sum to 4, 8 and 12"
    assert torch.equal(x, torch.ones(1, 1, 4)), "project_qkv changed x"
    ### BEGIN HIDDEN TESTS
    draw = torch.Generator().manual_seed(20261)
    edges = [(1, 5, 6, 3, 4), (2, 1, 6, 3, 4), (2, 5, 1, 1, 6), (2, 5, 4, 1, 3), (2, 5, 4, 4, 3)]
    for B, T, H, Hkv, Dh in [*edges, (1, 1, 1, 1, 2), (7, 7, 7, 7, 1)]:
        for strided in (False, True):  # nothing may be left of an earlier call
            D = 7
            x = torch.randn(B, D, T, generator=draw).transpose(1, 2)  # [B, T, D]
            W = [torch.randn(n * Dh, D, generator=draw).T for n in (H, Hkv, Hkv)]  # [D, width]
            x, W = (x, W) if strided else (x.contiguous(), [w.contiguous() for w in W])
            before = [z.clone() for z in (x, *W)]
            for attempt in ("first", "second") if B == 1 else ("only",):
                case = f"{attempt} call, B={B}, T={T}, H={H}, Hkv={Hkv}, strided={strided}"
                views = project_qkv(x, *W)
                assert len(views) == 3, f"{case}: {len(views)} results"
                for name, got, w in zip("qkv", views, before[1:]):
                    want = torch.einsum("btd,de->bte", before[0].double(), w.double())
                    assert tuple(got.shape) == tuple(want.shape), f"{case}: {name} {tuple(got.shape)}"
                    got = got.detach().double()
                    assert torch.allclose(got, want, rtol=1e-3, atol=1e-4), f"{case}: {name} is off"
                for name, z, old in zip(("x", "Wq", "Wk", "Wv"), (x, *W), before):
                    assert z.shape == old.shape and torch.equal(z, old), f"{name} changed"
    ### END HIDDEN TESTS


test_project_qkv_contract()

# %% [markdown]
# ## Build: `split_fused_qkv`
#
# One product, then a cut. GQA has fewer key/value heads, Hkv < H, so K and V are narrower than Q.

# %%
show.fused_columns(H=4, Hkv=1, Dh=2)

# %% [markdown]
# `chunk(3)` raises nothing: its second piece is the rest of Q, and K and V share the third. In 2025 vLLM's code for OLMo 2 did so (issue 13686). Cut at the real widths.

# %% nbgrader={"grade": false, "grade_id": "split_fused_qkv", "locked": false, "schema_version": 3, "solution": true, "task": false}
def split_fused_qkv(x, Wqkv, n_heads, n_kv_heads, head_dim):
    """Project with one matrix whose columns lie in blocks [Q | K | V], and cut the result.

    x: tensor [B, T, D]; D need not be n_heads * head_dim
    Wqkv: tensor [D, (n_heads + 2 * n_kv_heads) * head_dim]
    n_heads, n_kv_heads, head_dim: H, Hkv and Dh, whole numbers of at least 1
    returns: q [B, T, H*Dh], k and v [B, T, Hkv*Dh], not split into heads; no input changed
    raises: ValueError when the width of Wqkv doesn't add up
    """
    ### BEGIN SOLUTION
    widths = [heads * head_dim for heads in (n_heads, n_kv_heads, n_kv_heads)]
    if Wqkv.shape[1] != sum(widths):
        raise ValueError(f"Wqkv has {Wqkv.shape[1]} columns; Q, K and V need {widths}")
    return torch.split(x @ Wqkv, widths, dim=-1)  # [B, T, H*Dh], [B, T, Hkv*Dh] twice
    ### END SOLUTION

# %%
check.split_fused_qkv(split_fused_qkv)

# %% nbgrader={"grade": true, "grade_id": "test_split_fused_qkv_shape", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: the shapes. More sizes are tried when your work is graded.
import torch


def test_split_fused_qkv_shape():
    views = split_fused_qkv(torch.ones(2, 5, 12), torch.ones(12, 12), 4, 1, 2)
    assert torch.is_tensor(views) or views, "split_fused_qkv has not returned q, k and v yet"
    assert len(views) == 3, f"expected three results, got {len(views)}"
    for name, z, width in zip("qkv", views, (8, 2, 2)):
        fits = torch.is_tensor(z) and tuple(z.shape) == (2, 5, width)
        assert fits, f"{name} is not a tensor of shape (2, 5, {width})"
    ### BEGIN HIDDEN TESTS
    for B, T, H, Hkv, Dh, D in [(5, 7, 6, 3, 4, 10), (3, 9, 8, 2, 6, 48)]:
        Wqkv = torch.ones(D, (H + 2 * Hkv) * Dh)
        q, k, v = split_fused_qkv(torch.ones(B, T, D), Wqkv, H, Hkv, Dh)
        for name, z, heads in (("q", q, H), ("k", k, Hkv), ("v", v, Hkv)):
            assert tuple(z.shape) == (B, T, heads * Dh), f"{name}, D={D}: got {tuple(z.shape)}"
    ### END HIDDEN TESTS


test_split_fused_qkv_shape()

# %% nbgrader={"grade": true, "grade_id": "test_split_fused_qkv_values", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: the values. Other sizes and numbers are tried when your work is graded.
import torch


def test_split_fused_qkv_values():
    columns = torch.arange(12.0).view(1, 12)  # x is 1, so every result names its column of Wqkv
    views = split_fused_qkv(torch.ones(1, 1, 1), columns, 4, 1, 2)
    assert torch.is_tensor(views) or views, "split_fused_qkv has not returned q, k and v yet"
    firsts = [float(z[0, 0, 0]) for z in views]
    assert firsts == [0, 8, 10], f"q, k, v begin at columns 0, 8 and 10; yours at {firsts}"
    ### BEGIN HIDDEN TESTS
    draw = torch.Generator().manual_seed(20261)
    for B, T, H, Hkv, Dh, D in [(5, 7, 6, 3, 4, 10), (3, 9, 8, 2, 6, 48), (2, 3, 6, 3, 4, 48)]:
        x = torch.randn(B, T, D, generator=draw)
        Wqkv = torch.randn(D, (H + 2 * Hkv) * Dh, generator=draw) / D**0.5
        views = split_fused_qkv(x.clone(), Wqkv.clone(), H, Hkv, Dh)
        assert len(views) == 3, f"{len(views)} results"
        starts = {"q": (0, H), "k": (H * Dh, Hkv), "v": ((H + Hkv) * Dh, Hkv)}
        for got, (name, (start, heads)) in zip(views, starts.items()):
            block = Wqkv[:, start : start + heads * Dh]  # [D, heads*Dh]
            want = torch.einsum("btd,de->bte", x.double(), block.double())
            assert tuple(got.shape) == tuple(want.shape), f"{name} has shape {tuple(got.shape)}"
            assert got.is_floating_point(), f"{name} holds {got.dtype}"
            got = got.detach().double()
            assert torch.allclose(got, want, rtol=1e-3, atol=1e-4), f"{name}: wrong values, H={H}"
    ### END HIDDEN TESTS


test_split_fused_qkv_values()

# %% nbgrader={"grade": true, "grade_id": "test_split_fused_qkv_contract", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: the contract. Edge sizes, refusals and side effects are tried at grading.
import torch


def test_split_fused_qkv_contract():
    x, Wqkv = torch.ones(1, 1, 4), torch.ones(4, 6)
    views = split_fused_qkv(x, Wqkv, 1, 1, 2)
    assert torch.is_tensor(views) or views, "split_fused_qkv has not returned q, k and v yet"
    assert [tuple(z.shape) for z in views] == [(1, 1, 2)] * 3, "H=1, Hkv=1, Dh=2: each is 2 wide"
    assert torch.equal(x, torch.ones(1, 1, 4)), "split_fused_qkv changed x"
    ### BEGIN HIDDEN TESTS
    draw = torch.Generator().manual_seed(20261)
    edges = [(1, 5, 6, 3, 4), (2, 1, 6, 3, 4), (2, 5, 1, 1, 6), (2, 5, 4, 1, 3), (2, 5, 4, 4, 3)]
    for B, T, H, Hkv, Dh in [*edges, (1, 1, 1, 1, 1), (2, 5, 5, 1, 1)]:
        for strided in (False, True):  # nothing may be left of an earlier call
            D, width = 7, (H + 2 * Hkv) * Dh
            x = torch.randn(B, D, T, generator=draw).transpose(1, 2)  # [B, T, D]
            Wqkv = torch.randn(width, D, generator=draw).T  # [D, width]
            x, Wqkv = (x, Wqkv) if strided else (x.contiguous(), Wqkv.contiguous())
            x_old, W_old = x.clone(), Wqkv.clone()
            want = torch.einsum("btd,de->bte", x_old.double(), W_old.double())
            for attempt in ("first", "second") if B == 1 else ("only",):
                case = f"{attempt} call, B={B}, T={T}, H={H}, Hkv={Hkv}, Dh={Dh}, strided={strided}"
                views = split_fused_qkv(x, Wqkv, H, Hkv, Dh)
                got = [tuple(z.shape) for z in views]
                assert got == [(B, T, n * Dh) for n in (H, Hkv, Hkv)], f"{case}: shapes {got}"
                got = torch.cat([z.detach().double() for z in views], dim=-1)
                assert torch.allclose(got, want, rtol=1e-3, atol=1e-4), f"{case}: wrong values"
                assert torch.equal(x, x_old) and torch.equal(Wqkv, W_old), f"{case}: an input changed"
    unfit = [(49, 6, 3, 4), (47, 6, 3, 4), (72, 6, 3, 4), (36, 6, 3, 4), (13, 4, 1, 2), (24, 4, 1, 2)]
    for width, H, Hkv, Dh in unfit:
        try:
            split_fused_qkv(torch.ones(2, 5, 10), torch.ones(10, width), H, Hkv, Dh)
        except NotImplementedError:
            raise
        except (ValueError, AssertionError, RuntimeError):
            continue
        raise AssertionError(f"{width} columns with H={H}, Hkv={Hkv}, Dh={Dh} must be refused")
    ### END HIDDEN TESTS


test_split_fused_qkv_contract()

# %% [markdown]
# **Which input would hide this bug?** A symmetric W hides a transpose, Hkv = H hides equal thirds.

# %%
for name, matrix in {"symmetric W_K": W_K, "the other W": shear}.items():
    print(f"{name}: x @ W equals x @ W.T:", torch.equal(telling @ matrix, telling @ matrix.T))
for n_heads, n_kv_heads in [(4, 4), (4, 1)]:
    widths = [2 * heads for heads in (n_heads, n_kv_heads, n_kv_heads)]
    thirds = [len(piece) for piece in torch.arange(sum(widths)).chunk(3)]
    print(f"H={n_heads}, Hkv={n_kv_heads}: widths {widths}, equal thirds {thirds}")

# %% [markdown]
# ## Engineering bridge
#
# Llama-style code views Q as `[B, T, H, Dh]`, K and V as `[B, T, Hkv, Dh]`. Invariants: H % Hkv == 0; once K/V heads are repeated, all three agree on the head axis. MiniMind also normalises q and k per head before RoPE.

# %%
B, T, D, H, Hkv, Dh = 2, 5, 12, 6, 3, 2
tokens = torch.randn(B, T, D)  # [B, T, D]
q = (tokens @ torch.randn(D, H * Dh)).view(B, T, H, Dh)  # [B, T, H, Dh]
k = (tokens @ torch.randn(D, Hkv * Dh)).view(B, T, Hkv, Dh)  # [B, T, Hkv, Dh]
q, k = F.rms_norm(q, (Dh,)), F.rms_norm(k, (Dh,))  # each head by itself
print("q", tuple(q.shape), "  k", tuple(k.shape), "  H % Hkv =", H % Hkv)
print("mean square in one head of q:", round(q[0, 0, 0].square().mean().item(), 3))

# %% [markdown]
# With Dh=2, a head holds exactly one rotation plane for RoPE.

# %% [markdown]
# ## Bug clinic
#
# In 2025 a reader of LLMs-from-scratch noticed einsum attention that stored weights `(d_out, d_in)` and multiplied them as `(d_in, d_out)` (issue 857). Equal widths had hidden it.

# %% [markdown]
# Write the input and the comparison that expose such faults. You earn the share of faulty versions you catch, and nothing if you accuse a right one.

# %% nbgrader={"grade": false, "grade_id": "clinic_transpose", "locked": false, "schema_version": 3, "solution": true, "task": false}
def find_bug(candidate):
    """Tell whether candidate(x, Wq, Wk, Wv) is a faulty project_qkv.

    candidate: a function of x [B, T, D] and three matrices [D, width] that should return q, k, v
    returns: True if it is faulty (raising on good input is a fault too), False if it is right
    """
    ### BEGIN SOLUTION
    x = torch.arange(24.0).view(2, 3, 4) % 7 - 3  # [B, T, D]: whole numbers compare exactly
    W = [torch.arange(16.0).view(4, 4) % n - 2 for n in (5, 6, 9)]  # square, not symmetric
    try:
        return any(not torch.equal(z, x @ w) for z, w in zip(candidate(x, *W), W, strict=True))
    except Exception:
        return True
    ### END SOLUTION

# %%
check.clinic_transpose(find_bug)

# %% nbgrader={"grade": true, "grade_id": "test_clinic_transpose", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: faulty and right versions that you have not seen are tried at grading.
import torch


def test_clinic_transpose():
    verdict = find_bug(lambda x, Wq, Wk, Wv: (x, x, x))
    assert verdict is not None, "find_bug has not returned True or False yet"
    assert verdict, "find_bug calls a function faultless that returns x three times"
    ### BEGIN HIDDEN TESTS
    right = [
        lambda x, Wq, Wk, Wv: (x @ Wq, x @ Wk, x @ Wv),
        lambda x, Wq, Wk, Wv: [torch.einsum("btd,de->bte", x, W) for W in (Wq, Wk, Wv)],
        lambda x, Wq, Wk, Wv: tuple(torch.nn.functional.linear(x, W.T) for W in (Wq, Wk, Wv)),
        lambda x, Wq, Wk, Wv: tuple((W.mT @ x.mT).mT for W in (Wq, Wk, Wv)),
    ]
    faulty = [
        lambda x, Wq, Wk, Wv: [torch.einsum("btd,ed->bte", x, W) for W in (Wq, Wk, Wv)],
        lambda x, Wq, Wk, Wv: (x @ Wq, x @ Wk, torch.nn.functional.linear(x, Wv)),
        lambda x, Wq, Wk, Wv: (x @ Wk, x @ Wq, x @ Wv),
        lambda x, Wq, Wk, Wv: (x @ Wq, x @ Wk, x @ Wk),
        lambda x, Wq, Wk, Wv: (x @ Wq, x.flip(1) @ Wk, x @ Wv),
        lambda x, Wq, Wk, Wv: tuple((x @ W).relu() for W in (Wq, Wk, Wv)),
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


test_clinic_transpose()

# %% [markdown]
# ## Retrieval check
#
# **1.** D=8, H=2: how wide is one head?
#
# - `a` 2
# - `b` 4
# - `c` 8
# - `d` 16

# %% nbgrader={"grade": false, "grade_id": "quiz_1", "locked": false, "schema_version": 3, "solution": true, "task": false}
quiz_1 = (
    ### BEGIN SOLUTION
    "b"
    ### END SOLUTION
)
check.answer("01_qkv_projections", "quiz_1", quiz_1)

# %% nbgrader={"grade": true, "grade_id": "test_quiz_1", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of quiz_1. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert str(quiz_1).strip().lower() == "b", "quiz_1: 8 features shared by 2 heads"
### END HIDDEN TESTS

# %% [markdown]
# **2.** Which of Q, K and V take RoPE?
#
# - `a` all three
# - `b` only Q
# - `c` Q and K
# - `d` K and V

# %% nbgrader={"grade": false, "grade_id": "quiz_2", "locked": false, "schema_version": 3, "solution": true, "task": false}
quiz_2 = (
    ### BEGIN SOLUTION
    "c"
    ### END SOLUTION
)
check.answer("01_qkv_projections", "quiz_2", quiz_2)

# %% nbgrader={"grade": true, "grade_id": "test_quiz_2", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of quiz_2. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert str(quiz_2).strip().lower() == "c", "quiz_2: V is not rotated"
### END HIDDEN TESTS

# %% [markdown]
# **3.** Which test can catch `x @ W.T` in place of `x @ W`?
#
# - `a` W = diag(2, 1, 1/2, -1), values compared
# - `b` the identity with two columns swapped, values compared
# - `c` a square random W, shapes compared
# - `d` a square random W, values compared

# %% nbgrader={"grade": false, "grade_id": "quiz_3", "locked": false, "schema_version": 3, "solution": true, "task": false}
quiz_3 = (
    ### BEGIN SOLUTION
    "d"
    ### END SOLUTION
)
check.answer("01_qkv_projections", "quiz_3", quiz_3)

# %% nbgrader={"grade": true, "grade_id": "test_quiz_3", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of quiz_3. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert str(quiz_3).strip().lower() == "d", "quiz_3: not symmetric, and by value"
### END HIDDEN TESTS

# %% [markdown]
# **4.** H=4, Hkv=1, Dh=2. How many columns has `Wqkv`?
#
# - `a` 8
# - `b` 12
# - `c` 16
# - `d` 24

# %% nbgrader={"grade": false, "grade_id": "quiz_4", "locked": false, "schema_version": 3, "solution": true, "task": false}
quiz_4 = (
    ### BEGIN SOLUTION
    "b"
    ### END SOLUTION
)
check.answer("01_qkv_projections", "quiz_4", quiz_4)

# %% nbgrader={"grade": true, "grade_id": "test_quiz_4", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of quiz_4. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert str(quiz_4).strip().lower() == "b", "quiz_4: (4 + 1 + 1) * 2"
### END HIDDEN TESTS

# %% [markdown]
# ## Practice studio
#
# **Recall.** D=12, H=3. What is Dh?

# %% nbgrader={"grade": false, "grade_id": "practice_2", "locked": false, "schema_version": 3, "solution": true, "task": false}
practice_2 = (
    ### BEGIN SOLUTION
    4
    ### END SOLUTION
)
check.answer("01_qkv_projections", "practice_2", practice_2)

# %% nbgrader={"grade": true, "grade_id": "test_practice_2", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of practice_2. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert int(practice_2) == 4, "practice_2: 12 features shared by 3 heads"
### END HIDDEN TESTS

# %% [markdown]
# **Recall.** `x` is `[2, 5, 12]`, W_Q `[12, 12]`. What is the shape of Q before the split?

# %% nbgrader={"grade": false, "grade_id": "practice_3", "locked": false, "schema_version": 3, "solution": true, "task": false}
practice_3 = (
    ### BEGIN SOLUTION
    (2, 5, 12)
    ### END SOLUTION
)
check.answer("01_qkv_projections", "practice_3", practice_3)

# %% nbgrader={"grade": true, "grade_id": "test_practice_3", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of practice_3. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert tuple(practice_3) == (2, 5, 12), "practice_3: B and T stay"
### END HIDDEN TESTS

# %% [markdown]
# **Build.** Cut (1, 2, 3, 4, 5, 6) into 3 feature chunks, written as `((1, 2), ...)`.

# %% nbgrader={"grade": false, "grade_id": "practice_4", "locked": false, "schema_version": 3, "solution": true, "task": false}
practice_4 = (
    ### BEGIN SOLUTION
    ((1, 2), (3, 4), (5, 6))
    ### END SOLUTION
)
check.answer("01_qkv_projections", "practice_4", practice_4)

# %% nbgrader={"grade": true, "grade_id": "test_practice_4", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of practice_4. It runs when your work is graded.
def test_practice_4():
    """Run when your work is graded."""
    ### BEGIN HIDDEN TESTS
    chunks = [[int(number) for number in chunk] for chunk in practice_4]
    assert chunks == [[1, 2], [3, 4], [5, 6]], "practice_4: neighbours stay together"
    ### END HIDDEN TESTS


test_practice_4()

# %% [markdown]
# **Verify.** On paper, recompute k for the token (1, 2, 0, -1).

# %% nbgrader={"grade": false, "grade_id": "practice_5", "locked": false, "schema_version": 3, "solution": true, "task": false}
practice_5 = (
    ### BEGIN SOLUTION
    (1, 2, -1, 0)
    ### END SOLUTION
)
check.answer("01_qkv_projections", "practice_5", practice_5)

# %% nbgrader={"grade": true, "grade_id": "test_practice_5", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of practice_5. It runs when your work is graded.
def test_practice_5():
    """Run when your work is graded."""
    ### BEGIN HIDDEN TESTS
    numbers = [int(number) for number in practice_5]
    assert numbers == [1, 2, -1, 0], "practice_5: the last two features change places"
    ### END HIDDEN TESTS


test_practice_5()

# %% [markdown] nbgrader={"grade": false, "grade_id": "explain_1", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": true}
# ## Explain it back
#
# Why do projection weights mix features but not positions? Work one entry of `x @ W` by hand, and say what shuffling the tokens does. Three to five sentences.
#
# ### BEGIN MARK SCHEME
#
# **Rubric, 4 points, one each:**
#
# 1. One entry written out or described rightly: entry (t, e) is the sum over d of x[t, d] * W[d, e] (numbers instead of letters are fine).
# 2. Features mix: all D features of that one token take part, each with its own weight.
# 3. Positions don't: no number of another token occurs in the sum, because the sum runs over features; the same W serves every row.
# 4. Shuffling the tokens shuffles the rows of the result the same way (or: changing token 3 changes row 3 alone).
#
# No point for a claim that W_Q, W_K or W_V know positions or word classes; take none off for style or for 0- or 1-based counting.
#
# **Full (4):** "q[t, e] is x[t, 0]*W[0, e] + x[t, 1]*W[1, e] + ... over all features of token t. So every feature of the token can reach every output, but no other token is in the sum. W is the same for each row, so if I swap two tokens their rows of q swap and nothing else happens."
#
# **Full (4):** "For token (1, 2, 3, -1) the entry 8 came from 1*0 + 2*0 + 3*3 + (-1)*1. These are only features of that token, weighted by one column of W. There is no index of another token anywhere, all rows meet the same W, so permuted tokens give permuted rows."
#
# **Middle (2):** "The matrix combines the features of each token with weights. The other tokens are not used."
#
# **Middle (2):** "Because it is done row by row with the same W. If you change a token only its own row changes."
#
# **Low (0):** "Because W_Q is learned for queries and positions are handled by RoPE."
#
# **Low (0):** "The weights mix all tokens a little, but the softmax separates them again."
#
# ### END MARK SCHEME

# %% [markdown]
# *Write your answer here: replace this line.*

# %% [markdown]
# ## Key takeaways
#
# - Each token gets a query, a key and a value: three projections.
# - A projection mixes features, never tokens.
# - We store `[in, out]`; `nn.Linear` stores `[out, in]`.
# - A test needs matrices that aren't symmetric, and values.
# - Cut fused columns at their real widths.

# %%
check.progress("01_qkv_projections")

# %% [markdown]
# ## Sources
#
# - Vaswani et al., *Attention Is All You Need*, 2017, sections 3.2.1 and 3.2.2: queries, keys, values, and a projection for each head.
# - Su et al., *RoFormer*, 2021, section 3.2: rotary positions act on queries and keys.
# - Ainslie et al., *GQA*, 2023, section 2.2: fewer key/value heads than query heads.
# - PyTorch documentation, `torch.nn.Linear`, `torch.split` and `torch.chunk`.
# - rasbt/LLMs-from-scratch, issue 857 and pull request 893, 2025: the fault of the clinic and its repair.
# - vllm-project/vllm, issue 13686, 2025: a fused projection cut into equal parts although K and V were narrower.
# - jingyaogong/minimind, `model/model_minimind.py`, read in 2026: q and k normalised head by head before RoPE.
# - To go deeper: Jay Alammar, *The Illustrated GPT-2*, 2019; Andrej Karpathy, *Let's build GPT*, video, 2023.

# %% [markdown]
# ## What comes next
#
# [Lesson 02](../02_head_split/02_head_split.ipynb) cuts the features into heads and leaves the sentence whole.

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
# # 05 · Join the heads, then mix them
#
# **The win:** you bring `[B, H, T, Dh]` back to the residual's `[B, T, D]` and can say what each head added.
#
# 45 minutes. Needs [lesson 02](../02_head_split/02_head_split.ipynb). Serves the mission: a causal transformer block with RoPE and GQA.

# %% [markdown]
# B samples, T tokens, D model width, H heads of Dh features. Attention is given; lesson 04 builds it.

# %%
import torch
import torch.nn.functional as F

from manyheads import check, explore, show


def short(z):
    """The numbers of a tensor [n], to three decimals."""
    return [round(number, 3) for number in z.tolist()]


# %% [markdown]
# ## Recall
#
# From lesson 02. `show.coordinates(2, 5, 12)` holds 1207 where sample 1, token 2, feature 07 lies. Split into 3 heads, which number stands at `out[0, 2, 1, 3]`?

# %% nbgrader={"grade": false, "grade_id": "recall_1", "locked": false, "schema_version": 3, "solution": true, "task": false}
recall_1 = (
    ### BEGIN SOLUTION
    111
    ### END SOLUTION
)
check.answer("05_concat_and_wo", "recall_1", recall_1)

# %% nbgrader={"grade": true, "grade_id": "test_recall_1", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of recall_1. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert int(recall_1) == 111, "recall_1: head 2 begins at feature 8"
### END HIDDEN TESTS

# %% [markdown]
# From lesson 01. `nn.Linear(8, 12)` does what `x @ W` does with a raw `W` of `[8, 12]`. What is the shape of its `weight`?
#
# - `a` `[8, 12]`
# - `b` `[12, 8]`
# - `c` `[8, 8]`

# %% nbgrader={"grade": false, "grade_id": "recall_2", "locked": false, "schema_version": 3, "solution": true, "task": false}
recall_2 = (
    ### BEGIN SOLUTION
    "b"
    ### END SOLUTION
)
check.answer("05_concat_and_wo", "recall_2", recall_2)

# %% nbgrader={"grade": true, "grade_id": "test_recall_2", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of recall_2. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert str(recall_2).strip().lower() == "b", "recall_2: nn.Linear stores [out, in]"
### END HIDDEN TESTS

# %% [markdown]
# ## Predict
#
# Three heads of four features are joined by `context.reshape(B, T, 12)`. The shape is right. What lands in token 0's row?
#
# - `a` all three heads of token 0
# - `b` head 0 of several tokens
# - `c` features of all heads and all tokens

# %% nbgrader={"grade": false, "grade_id": "predict_1", "locked": false, "schema_version": 3, "solution": true, "task": false}
predict_1 = (
    ### BEGIN SOLUTION
    "b"
    ### END SOLUTION
)
check.answer("05_concat_and_wo", "predict_1", predict_1)

# %% [markdown]
# The heads change places, and W_O's row blocks with them. Does the output change?
#
# - `a` no
# - `b` yes, in the order of its features
# - `c` yes, in its values

# %% nbgrader={"grade": false, "grade_id": "predict_2", "locked": false, "schema_version": 3, "solution": true, "task": false}
predict_2 = (
    ### BEGIN SOLUTION
    "a"
    ### END SOLUTION
)
check.answer("05_concat_and_wo", "predict_2", predict_2)

# %% [markdown]
# ## A belief, and the evidence
#
# You may believe that joining is a question of shape: `[B, H, T, Dh]` holds as many numbers as `[B, T, H*Dh]`, so reshape. Read one row.

# %%
context = show.head_coordinates(B=2, H=3, T=5, Dh=4)  # [B, H, T, Dh]: 0123 is token 1, head 2
straight = context.reshape(2, 5, 12)  # [B, T, H*Dh], in name only
row = straight[0, 0].int().tolist()
print("shape:", tuple(straight.shape))
print("row of token 0:", row)
print("you predicted", "nothing yet" if predict_1 is ... else predict_1)
print("tokens in that row:", sorted({n // 100 for n in row}))
print("heads in that row: ", sorted({n // 10 % 10 for n in row}))

# %% [markdown]
# Three tokens of one head. A reshape deals numbers out as they lie in memory, and there head 0's five tokens lie together.

# %% [markdown]
# **The rule:** bring tokens before heads, then flatten: `[B, H, T, Dh]` → `[B, T, H, Dh]` → `[B, T, H*Dh]`. Each row keeps its own token.

# %%
token_major = context.transpose(1, 2)  # [B, T, H, Dh]
joined = token_major.flatten(2)  # [B, T, H*Dh]
print("row of token 0:", joined[0, 0].int().tolist())

# %%
show.head_merge(H=2, T=3, Dh=2)

# %% [markdown]
# ## A worked example
#
# One token, D = 4, H = 2, Dh = 2. The heads wrote o1 = (1, 0.2) and o2 = (-0.5, 2). Joined: c = (1, 0.2, -0.5, 2).
#
# Row i of W_O says where feature i of c goes. By hand: c W_O = (1, 0.2, 0.5, 2.2).

# %%
o1, o2 = torch.tensor([1.0, 0.2]), torch.tensor([-0.5, 2.0])  # [Dh] each
Wo = torch.tensor([[1.0, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1]])  # [H*Dh, D]
c = torch.cat([o1, o2])  # [H*Dh]
print("c      =", short(c))
print("c W_O  =", short(c @ Wo))
print("not    ", short(c @ Wo.T), "which is c times W_O transposed")

# %% [markdown]
# **The sum view.** W_O's first two rows meet the first head alone, the last two the second. They add (1, 0.2, 1, 0.2) and (0, 0, -0.5, 2).

# %%
added_1 = o1 @ Wo[0:2]  # [D]
added_2 = o2 @ Wo[2:4]  # [D]
print("first head adds ", short(added_1))
print("second head adds", short(added_2))
print("together        ", short(added_1 + added_2))

# %% [markdown]
# So H heads are H additions to the residual. Only width D can be added there, so W_O is `[H*Dh, D]`. Even where H*Dh = D it is needed: without it a head reaches its own Dh features only.

# %% [markdown]
# ## Code checkpoint
#
# H*Dh = 12 is not D = 10. All sizes differ on purpose.

# %% nbgrader={"grade": false, "grade_id": "given_attend", "locked": true, "schema_version": 3, "solution": false, "task": false}
import torch.nn.functional as F


def attend(q, k, v):
    """Causal attention, head by head: q, k, v and the context are [B, H, T, Dh]."""
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


# %%
torch.manual_seed(0)
B, T, D, H, Dh = 2, 5, 10, 3, 4
x, Wo_real = torch.randn(B, T, D), torch.randn(H * Dh, D)
q, k, v = torch.randn(3, B, H, T, Dh)  # already split
mixed = attend(q, k, v)  # [B, H, T, Dh]
merged = mixed.transpose(1, 2).flatten(2)  # [B, T, H*Dh]
out = merged @ Wo_real  # [B, T, D]
steps = {"attention": mixed, "merge": merged, "W_O": out, "residual": x + out}
for step, z in steps.items():
    print(f"after {step:9}", tuple(z.shape))

# %% [markdown]
# Why `flatten` or `reshape`, and not `view`?

# %%
try:
    token_major.view(2, 5, 12)
except RuntimeError as error:
    print(str(error).split(" (")[0])
steps = token_major.stride()
print("steps in memory along B, T, H, Dh:", steps)
print("from feature 3 of head 0 to feature 0 of head 1:", steps[2] - 3 * steps[3])

# %% [markdown]
# A transpose moves no number; it swaps step lengths. From feature 3 of head 0 to feature 0 of head 1 it is 17 places, and a view can't jump. `reshape` copies where it must.

# %% [markdown]
# **Trace it.** The context is `[3, 4, 6, 5]` and D = 16. Which shape leaves W_O?

# %% nbgrader={"grade": false, "grade_id": "practice_1", "locked": false, "schema_version": 3, "solution": true, "task": false}
practice_1 = (
    ### BEGIN SOLUTION
    (3, 6, 16)
    ### END SOLUTION
)
check.answer("05_concat_and_wo", "practice_1", practice_1)

# %% nbgrader={"grade": true, "grade_id": "test_practice_1", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of practice_1. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert tuple(practice_1) == (3, 6, 16), "practice_1: B and T stay, and W_O ends at D"
### END HIDDEN TESTS

# %% [markdown]
# ## Two identities
#
# First: joining, then W_O, equals the sum over heads of each head times its own rows.

# %%
blocks = Wo_real.view(H, Dh, D)  # [H, Dh, D]: the rows of W_O, head by head
added = sum(mixed[:, h] @ blocks[h] for h in range(H))  # [B, T, D]
print("sum over heads equals join, then W_O:", torch.allclose(added, out, atol=1e-5))

# %% [markdown]
# Second: a sum has no order, so heads may be renumbered, if W_O's blocks follow.

# %%
order = [2, 0, 1]
moved = mixed[:, order].transpose(1, 2).flatten(2)  # [B, T, H*Dh]
both = moved @ blocks[order].flatten(0, 1)  # [B, T, D]
print("you predicted", "nothing yet" if predict_2 is ... else predict_2)
print("heads and blocks permuted, same output:", torch.allclose(both, out, atol=1e-5))
print("heads alone permuted, same output:     ", torch.allclose(moved @ Wo_real, out, atol=1e-5))

# %% [markdown]
# ## Ten tokens, two heads
#
# Head A takes dimension 0 of each token as q, k and v, head B dimension 1. One-wide heads need no scale.

# %%
words = "The cat sat on the mat because it was tired".split()
first = [0.1, 1.5, 0.3, -0.2, 0.1, -0.3, 0.6, 1.4, 0.2, 1.0]
second = [0.1, 0.2, 1.2, 0.4, 0.1, -1.0, -0.6, 0.3, -0.3, -0.8]
z = torch.tensor([first, second])[:, :, None]  # [H, T, Dh] with Dh = 1


def two_heads(causal):
    """The weights [H, T, T] of both heads and their joined outputs [T, H*Dh]."""
    values = torch.eye(10).expand(2, 10, 10)  # with these values, attention returns its weights
    P = F.scaled_dot_product_attention(z, z, values, is_causal=causal, scale=1.0)  # [H, T, T]
    return P, (P @ z).transpose(0, 1).flatten(1)  # [T, H*Dh]


# %% [markdown]
# What does "it" receive? Unmasked, head A weighs cat most (0.290), head B sat (0.143). Their outputs 1.001 and 0.077 mix to (1.024, 0.377).

# %%
def tell(P, o, Wo, word="it"):
    """Print each head's top token, the two outputs and their mix."""
    i = words.index(word)
    for h, name in enumerate("AB"):
        weight, j = P[h, i].max(dim=0)
        print(f"head {name}: {words[j]} {weight:.3f}, output {o[i, h]:.3f}")
    print("mix:", short(o[i] @ Wo))


Wo_pair = torch.tensor([[1.0, 0.3], [0.3, 1.0]])  # [H*Dh, D]
P, o = two_heads(causal=False)
tell(P, o, Wo_pair)

# %% [markdown]
# Choose other tokens, set the mask, edit W_O.

# %%
explore.sentence(words, z, Wo_pair, query="it")

# %% [markdown]
# With the causal mask, "it" can't see the last two tokens: cat 0.358, sat 0.172, and the mix becomes (1.108, 0.515).

# %%
P_causal, o_causal = two_heads(causal=True)
tell(P_causal, o_causal, Wo_pair)

# %%
show.head_weights(words, P_causal, query="it")

# %% [markdown]
# Don't conclude much: nothing is learned, there are no positions (The = the), q = k in each head, so scores are symmetric, and so is W_O.

# %%
scores = z @ z.transpose(1, 2)  # [H, T, T]
print("The equals the:   ", torch.equal(P[:, 0], P[:, 4]))
print("scores symmetric: ", torch.equal(scores, scores.transpose(1, 2)))
print("W_O hides a .T:   ", torch.equal(o @ Wo_pair, o @ Wo_pair.T))

# %% [markdown]
# Edit this W_O, which isn't symmetric. Which entry carries head A into feature 1? Which row, set to zero, silences head B?

# %%
mine = torch.tensor([[1.0, 0.3], [-0.5, 1.0]])  # [H*Dh, D]; change a number and run again
tell(P, o, mine)
print("head A adds", short(o[7, 0] * mine[0]), "  head B adds", short(o[7, 1] * mine[1]))
print("with its transpose:", short(o[7] @ mine.T))

# %% [markdown]
# ## Build: `merge_heads`
#
# Join the heads, token by token.

# %% nbgrader={"grade": false, "grade_id": "merge_heads", "locked": false, "schema_version": 3, "solution": true, "task": false}
def merge_heads(context):
    """Lay the heads of every token side by side.

    context: tensor [B, H, T, Dh]
    returns: one tensor [B, T, H*Dh]; row t holds token t alone, head 0's Dh features first
    context itself stays as it was, and need not be contiguous
    """
    ### BEGIN SOLUTION
    B, H, T, Dh = context.shape
    return context.permute(0, 2, 1, 3).reshape(B, T, H * Dh)
    ### END SOLUTION


# %%
check.merge_heads(merge_heads)

# %% nbgrader={"grade": true, "grade_id": "test_merge_heads_shape", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: the shape. More sizes are tried when your work is graded.
import torch


def test_merge_heads_shape():
    merged = merge_heads(torch.zeros(2, 3, 5, 4))
    assert torch.is_tensor(merged), "merge_heads has not returned a tensor yet"
    assert tuple(merged.shape) == (2, 5, 12), f"expected (2, 5, 12), got {tuple(merged.shape)}"
    ### BEGIN HIDDEN TESTS
    for B, T, H, Dh in [(5, 7, 6, 4), (3, 9, 8, 6)]:
        merged = merge_heads(torch.zeros(B, H, T, Dh))
        assert tuple(merged.shape) == (B, T, H * Dh), f"H={H}, Dh={Dh}: got {tuple(merged.shape)}"
    ### END HIDDEN TESTS


test_merge_heads_shape()

# %% nbgrader={"grade": true, "grade_id": "test_merge_heads_values", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: the owners. More sizes are tried when your work is graded.
import torch


def test_merge_heads_values():
    context = torch.arange(120.0).view(2, 3, 5, 4)
    merged = merge_heads(context)
    assert torch.is_tensor(merged) and merged.ndim == 3, "no tensor with three axes yet"
    assert merged[1, 2, 7] == context[1, 1, 2, 3], "out[1, 2, 7] should be feature 3 of head 1"
    ### BEGIN HIDDEN TESTS
    for B, T, H, Dh in [(5, 7, 6, 4), (3, 9, 8, 6)]:
        axes = [torch.arange(n) for n in (B, H, T, Dh)]
        b, h, t, d = torch.meshgrid(*axes, indexing="ij")
        context = (1000 * b + 100 * t + 10 * h + d).float() + 0.5  # [B, H, T, Dh]: owners, none is 0
        merged = merge_heads(context)
        assert tuple(merged.shape) == (B, T, H * Dh), f"shape {tuple(merged.shape)} at H={H}"
        assert merged.is_floating_point(), f"the numbers became {merged.dtype}"
        for f in range(H * Dh):
            owner = context[:, f // Dh, :, f % Dh]  # [B, T]
            assert torch.equal(merged[..., f].double(), owner.double()), f"feature {f}: wrong owners"
    ### END HIDDEN TESTS


test_merge_heads_values()

# %% nbgrader={"grade": true, "grade_id": "test_merge_heads_contract", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: the contract. Edge sizes and side effects are tried when your work is graded.
import torch


def test_merge_heads_contract():
    context = torch.arange(120.0).view(2, 3, 5, 4)
    assert torch.is_tensor(merge_heads(context)), "merge_heads has not returned a tensor yet"
    assert torch.equal(context, torch.arange(120.0).view(2, 3, 5, 4)), "the input changed"
    ### BEGIN HIDDEN TESTS
    edges = [(1, 5, 3, 4), (2, 1, 3, 4), (2, 5, 1, 4), (2, 5, 3, 1), (2, 5, 1, 1), (4, 4, 4, 4)]
    for B, T, H, Dh in edges:
        for axes in [(0, 1, 2, 3), (0, 2, 1, 3), (3, 1, 2, 0)]:  # how the input lies in memory
            sizes = [(B, H, T, Dh)[axis] for axis in axes]
            context = torch.arange(-7.5, B * T * H * Dh - 7.5).view(sizes)
            context = context.permute(*[axes.index(axis) for axis in range(4)])  # [B, H, T, Dh]
            before = context.clone()
            owned = torch.cat([before[:, h] for h in range(H)], dim=2)  # [B, T, H*Dh]
            for attempt in ("first", "second") if B == 1 else ("only",):
                merged = merge_heads(context)
                case = f"{attempt} call, B={B}, T={T}, H={H}, Dh={Dh}, memory order {axes}"
                assert tuple(merged.shape) == (B, T, H * Dh), f"{case}: shape {tuple(merged.shape)}"
                assert torch.equal(merged.double(), owned.double()), f"{case}: wrong owners"
                assert torch.equal(context, before), f"{case}: the input changed"
    ### END HIDDEN TESTS


test_merge_heads_contract()

# %% [markdown]
# **Which input would hide this bug?** One token, as in the worked example, or one head.

# %%
for T, H in [(1, 3), (5, 1), (5, 3)]:
    context = show.head_coordinates(B=2, H=H, T=T, Dh=4)  # [B, H, T, Dh]
    straight = context.reshape(2, T, H * 4)
    joined = context.transpose(1, 2).flatten(2)  # [B, T, H*Dh]
    print(f"T={T}, H={H}: owners agree:", torch.equal(straight, joined))

# %%
explore.compare(merge_heads(context), joined)  # yours beside the target; put straight in its place

# %% [markdown]
# ## Build: `output_projection`
#
# Mix the joined features with W_O.

# %% nbgrader={"grade": false, "grade_id": "output_projection", "locked": false, "schema_version": 3, "solution": true, "task": false}
def output_projection(merged, Wo):
    """Mix the joined heads and return to the model's width.

    merged: tensor [B, T, H*Dh]
    Wo: raw matrix [H*Dh, D], rows in, columns out; D may differ from H*Dh
    returns: tensor [B, T, D]; no bias, nothing else added; both inputs stay as they were
    """
    ### BEGIN SOLUTION
    return torch.matmul(merged, Wo)
    ### END SOLUTION


# %%
check.output_projection(output_projection)

# %% nbgrader={"grade": true, "grade_id": "test_output_projection_shape", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: the shape. More sizes are tried when your work is graded.
import torch


def test_output_projection_shape():
    out = output_projection(torch.ones(2, 5, 12), torch.ones(12, 10))
    assert torch.is_tensor(out), "output_projection has not returned a tensor yet"
    assert tuple(out.shape) == (2, 5, 10), f"expected (2, 5, 10), got {tuple(out.shape)}"
    ### BEGIN HIDDEN TESTS
    for B, T, width, D in [(5, 7, 24, 10), (3, 9, 48, 48)]:
        out = output_projection(torch.ones(B, T, width), torch.ones(width, D))
        assert tuple(out.shape) == (B, T, D), f"from {width} to {D}: got {tuple(out.shape)}"
    ### END HIDDEN TESTS


test_output_projection_shape()

# %% nbgrader={"grade": true, "grade_id": "test_output_projection_values", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: the values. Other matrices and sizes are tried when your work is graded.
import torch


def test_output_projection_values():
    Wo = torch.tensor([[1.0, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1]])
    out = output_projection(torch.tensor([[[1.0, 0.2, -0.5, 2.0]]]), Wo)
    assert torch.is_tensor(out), "output_projection has not returned a tensor yet"
    want = torch.tensor([[[1.0, 0.2, 0.5, 2.2]]])
    assert out.shape == want.shape, f"expected (1, 1, 4), got {tuple(out.shape)}"
    assert torch.allclose(out.detach().double(), want.double()), "the worked example is off"
    ### BEGIN HIDDEN TESTS
    seed = torch.Generator().manual_seed(20261)
    for B, T, width, D in [(5, 7, 24, 10), (3, 9, 48, 48)]:
        merged = torch.randn(B, T, width, generator=seed)
        Wo = torch.randn(width, D, generator=seed) / width**0.5
        out = output_projection(merged.clone(), Wo.clone())
        assert tuple(out.shape) == (B, T, D), f"from {width} to {D}: shape {tuple(out.shape)}"
        assert out.is_floating_point(), f"the numbers became {out.dtype}"
        want = torch.zeros(B, T, D, dtype=torch.float64)
        for i in range(width):  # feature i of every token, times row i of W_O
            want += merged[:, :, i, None].double() * Wo[i].double()
        close = torch.allclose(out.detach().double(), want, rtol=1e-3, atol=1e-4)
        assert close, f"from {width} to {D}: the values are off"
    ### END HIDDEN TESTS


test_output_projection_values()

# %% nbgrader={"grade": true, "grade_id": "test_output_projection_contract", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: the contract. Edge sizes and side effects are tried when your work is graded.
import torch


def test_output_projection_contract():
    merged, Wo = torch.ones(1, 2, 3), torch.ones(3, 4)
    assert torch.is_tensor(output_projection(merged, Wo)), "no tensor was returned yet"
    assert torch.equal(merged, torch.ones(1, 2, 3)), "output_projection changed merged"
    assert torch.equal(Wo, torch.ones(3, 4)), "output_projection changed Wo"
    ### BEGIN HIDDEN TESTS
    seed = torch.Generator().manual_seed(20262)
    edges = [(1, 5, 12, 10), (2, 1, 12, 10), (1, 1, 4, 6), (2, 5, 1, 3), (2, 5, 12, 1), (3, 3, 3, 3)]
    for B, T, width, D in edges:
        for strided in (False, True):  # nothing may be left of an earlier call
            merged = torch.randn(B, width, T, generator=seed).transpose(1, 2)  # [B, T, H*Dh]
            Wo = torch.randn(D, width, generator=seed).T  # [H*Dh, D]
            if not strided:
                merged, Wo = merged.contiguous(), Wo.contiguous()
            merged_before, Wo_before = merged.clone(), Wo.clone()
            want = torch.einsum("bti,ij->btj", merged_before.double(), Wo_before.double())
            for attempt in ("first", "second") if B == 1 else ("only",):
                out = output_projection(merged, Wo)
                case = f"{attempt} call, merged {[B, T, width]}, Wo {[width, D]}, strided={strided}"
                assert tuple(out.shape) == (B, T, D), f"{case}: shape {tuple(out.shape)}"
                close = torch.allclose(out.detach().double(), want, rtol=1e-3, atol=1e-4)
                assert close, f"{case}: the values are off"
                assert torch.equal(merged, merged_before), f"{case}: merged changed"
                assert torch.equal(Wo, Wo_before), f"{case}: Wo changed"
    ### END HIDDEN TESTS


test_output_projection_contract()

# %% [markdown]
# ## Build: `multi_head_attention`
#
# Project, split, attend, merge, mix. `attend` is given; `split_heads` comes from your memory.

# %% nbgrader={"grade": false, "grade_id": "multi_head_attention", "locked": false, "schema_version": 3, "solution": true, "task": false}
def split_heads(x, num_heads):
    """[B, T, H*Dh] -> [B, H, T, Dh], as in lesson 02; multi_head_attention may use it."""
    ### BEGIN SOLUTION
    B, T, width = x.shape
    return x.reshape(B, T, num_heads, width // num_heads).permute(0, 2, 1, 3)
    ### END SOLUTION


def multi_head_attention(x, Wq, Wk, Wv, Wo, num_heads):
    """Causal multi-head self-attention without RoPE and without bias.

    x: tensor [B, T, D]
    Wq, Wk, Wv: raw matrices [D, H*Dh], used as x @ W; Wo: raw matrix [H*Dh, D]
    num_heads: H; it divides H*Dh, and H*Dh may differ from D
    returns: tensor [B, T, D]; the residual is added elsewhere, and no input is changed
    """
    ### BEGIN SOLUTION
    q, k, v = (split_heads(x @ W, num_heads) for W in (Wq, Wk, Wv))
    return output_projection(merge_heads(attend(q, k, v)), Wo)
    ### END SOLUTION


# %%
check.multi_head_attention(multi_head_attention)

# %% nbgrader={"grade": true, "grade_id": "test_multi_head_attention_shape", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: the shape. More sizes are tried when your work is graded.
import torch


def test_multi_head_attention_shape():
    out = multi_head_attention(torch.ones(2, 5, 10), *torch.ones(3, 10, 12), torch.ones(12, 10), 3)
    assert torch.is_tensor(out), "multi_head_attention has not returned a tensor yet"
    assert tuple(out.shape) == (2, 5, 10), f"expected (2, 5, 10), got {tuple(out.shape)}"
    ### BEGIN HIDDEN TESTS
    for B, T, H, Dh, D in [(5, 7, 6, 4, 10), (3, 9, 8, 6, 48)]:
        Wq, Wk, Wv = torch.ones(3, D, H * Dh)
        out = multi_head_attention(torch.ones(B, T, D), Wq, Wk, Wv, torch.ones(H * Dh, D), H)
        assert tuple(out.shape) == (B, T, D), f"H={H}, Dh={Dh}, D={D}: got {tuple(out.shape)}"
    ### END HIDDEN TESTS


test_multi_head_attention_shape()

# %% nbgrader={"grade": true, "grade_id": "test_multi_head_attention_values", "locked": true, "points": 6, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: the values. Other weights and sizes are tried when your work is graded.
import torch


def test_multi_head_attention_values():
    x = torch.tensor([[[1.0, 2.0], [3.0, -1.0]]])  # token 0 sees itself alone: x @ Wv @ Wo
    Wv, Wo = torch.tensor([[1.0, 2.0], [0.0, 1.0]]), torch.tensor([[1.0, 1.0], [0.0, 3.0]])
    out = multi_head_attention(x, torch.ones(2, 2), torch.ones(2, 2), Wv, Wo, 2)
    assert torch.is_tensor(out) and out.shape == x.shape, "no tensor [1, 2, 2] was returned yet"
    assert (out[0, 0] - torch.tensor([1.0, 13.0])).abs().max() < 1e-3, "token 0 should be (1, 13)"
    ### BEGIN HIDDEN TESTS
    def expected(x, Wq, Wk, Wv, Wo, H):
        """The sum over heads, one query and its visible keys at a time, in float64."""
        x, Wq, Wk, Wv, Wo = (z.double() for z in (x, Wq, Wk, Wv, Wo))
        Dh = Wq.shape[1] // H
        out = torch.zeros(x.shape[0], x.shape[1], Wo.shape[1], dtype=torch.float64)
        for h in range(H):
            own = slice(h * Dh, (h + 1) * Dh)
            for t in range(x.shape[1]):
                q = x[:, t] @ Wq[:, own]  # [B, Dh]
                k, v = x[:, : t + 1] @ Wk[:, own], x[:, : t + 1] @ Wv[:, own]  # [B, t+1, Dh]
                e = torch.einsum("bd,bsd->bs", q, k).div(Dh**0.5).exp()  # [B, t+1]
                weights = e / e.sum(dim=1, keepdim=True)
                out[:, t] += torch.einsum("bs,bsd->bd", weights, v) @ Wo[own]
        return out

    seed = torch.Generator().manual_seed(20261)
    for B, T, H, Dh, D in [(5, 7, 6, 4, 10), (3, 9, 8, 6, 48)]:
        x = torch.randn(B, T, D, generator=seed)
        Wq, Wk, Wv = torch.randn(3, D, H * Dh, generator=seed) * 1.4 / D**0.5  # scores of order 2
        Wo = torch.randn(H * Dh, D, generator=seed) / (H * Dh) ** 0.5
        want = expected(x, Wq, Wk, Wv, Wo, H)
        out = multi_head_attention(*(z.clone() for z in (x, Wq, Wk, Wv, Wo)), H)
        assert tuple(out.shape) == (B, T, D), f"H={H}, Dh={Dh}, D={D}: shape {tuple(out.shape)}"
        assert out.is_floating_point(), f"the numbers became {out.dtype}"
        close = torch.isclose(out.detach().double(), want, rtol=1e-3, atol=1e-4).all(dim=2)  # [B, T]
        rows = f"{int(close.sum())} of {B * T} rows are right"
        assert close.all(), f"H={H}, Dh={Dh}, D={D}: {rows}"
    ### END HIDDEN TESTS


test_multi_head_attention_values()

# %% nbgrader={"grade": true, "grade_id": "test_multi_head_attention_contract", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: the contract. Edge sizes and side effects are tried when your work is graded.
import torch


def test_multi_head_attention_contract():
    x, W = torch.ones(1, 2, 4), torch.ones(4, 4)
    assert torch.is_tensor(multi_head_attention(x, W, W, W, W, 2)), "no tensor was returned yet"
    assert torch.equal(x, torch.ones(1, 2, 4)), "multi_head_attention changed x"
    assert torch.equal(W, torch.ones(4, 4)), "multi_head_attention changed a matrix"
    ### BEGIN HIDDEN TESTS
    def expected(x, Wq, Wk, Wv, Wo, H):
        """All heads at once in float64; the future is left out of every sum."""
        q, k, v = (torch.stack((x @ W).double().chunk(H, dim=2), dim=1) for W in (Wq, Wk, Wv))
        e = torch.einsum("bhid,bhjd->bhij", q, k).div(q.shape[3] ** 0.5).exp().tril()  # [B, H, T, T]
        heads = torch.einsum("bhij,bhjd->bhid", e / e.sum(dim=3, keepdim=True), v)
        return torch.cat([heads[:, h] for h in range(H)], dim=2) @ Wo.double()  # [B, T, D]

    seed = torch.Generator().manual_seed(20262)
    edges = [(1, 5, 3, 4, 10), (2, 1, 3, 4, 10), (2, 5, 1, 4, 10), (2, 5, 3, 1, 10), (1, 1, 1, 4, 4)]
    for B, T, H, Dh, D in [*edges, (2, 5, 3, 4, 12), (2, 5, 2, 6, 5), (2, 3, 3, 3, 3)]:
        for strided in (False, True):  # nothing may be left of an earlier call
            x = torch.randn(B, D, T, generator=seed).transpose(1, 2)  # [B, T, D]
            Wq, Wk, Wv = torch.randn(3, H * Dh, D, generator=seed).transpose(1, 2) * 1.4 / D**0.5
            Wo = torch.randn(D, H * Dh, generator=seed).T  # [H*Dh, D]
            inputs = (x, Wq, Wk, Wv, Wo)
            if not strided:
                inputs = tuple(z.contiguous() for z in inputs)
            before = [z.clone() for z in inputs]
            want = expected(*before, H)
            for attempt in ("first", "second") if B == 1 else ("only",):
                out = multi_head_attention(*inputs, H)
                case = f"{attempt} call, B={B}, T={T}, H={H}, Dh={Dh}, D={D}, strided={strided}"
                assert tuple(out.shape) == (B, T, D), f"{case}: shape {tuple(out.shape)}"
                close = torch.allclose(out.detach().double(), want, rtol=1e-3, atol=1e-4)
                assert close, f"{case}: the values are off"
                for name, z, old in zip(("x", "Wq", "Wk", "Wv", "Wo"), inputs, before):
                    assert torch.equal(z, old), f"{case}: {name} changed"
    ### END HIDDEN TESTS


test_multi_head_attention_contract()

# %% [markdown]
# Third identity: merge(split(x)) = x. Necessary, not sufficient: here two wrongs cancel.

# %%
x = show.coordinates(2, 5, 12)  # [B, T, H*Dh]
wrong_split = x.view(2, 3, 5, 4)  # [B, H, T, Dh], in name only
print("two wrongs come back:", torch.equal(wrong_split.reshape(2, 5, 12), x))
back = merge_heads(split_heads(x, 3))
print("yours come back:     ", torch.is_tensor(back) and torch.equal(back, x))

# %% [markdown]
# ## Engineering bridge
#
# MiniMind, like Llama-style code, ends with `output.transpose(1, 2).reshape(bsz, seq_len, -1)`, then `o_proj`. Invariants: T stays, H*Dh enters `o_proj`, D leaves it; no bias.

# %%
o_proj = torch.nn.Linear(12, 10, bias=False)  # H*Dh = 12 in, D = 10 out
ours = mixed.transpose(1, 2).flatten(2)  # [B, T, H*Dh], from the code checkpoint
with torch.no_grad():
    o_proj.weight.copy_(Wo_real.T)
    print("weight is stored as", list(o_proj.weight.shape), "so [out, in]")
    print("same as merged @ W_O:", torch.allclose(o_proj(ours), ours @ Wo_real, atol=1e-5))

# %% [markdown]
# ## Bug clinic
#
# In May 2025 a reader of jsbaan/transformer-from-scratch asked for a permute before the last reshape (issue 4). The fix took ten months (pull request 6), and the copy-task test passed all along. In Trans2Seg (issue 4) an author answered that it trains and tests well.

# %% [markdown]
# Weights can learn around a fixed shuffle; a comparison can't. You earn the share of faulty versions you catch, and nothing if you accuse a right one.

# %% nbgrader={"grade": false, "grade_id": "clinic_merge", "locked": false, "schema_version": 3, "solution": true, "task": false}
def find_bug(candidate):
    """Tell whether candidate(context) is a faulty merge_heads.

    candidate: a function of context [B, H, T, Dh] that should return [B, T, H*Dh]
    returns: True if it is faulty, False if it is right
    """
    ### BEGIN SOLUTION
    context = torch.arange(2 * 3 * 5 * 4).float().view(2, 3, 5, 4)  # [B, H, T, Dh]
    try:
        merged = candidate(context)
        if tuple(merged.shape) != (2, 5, 12):
            return True
        return any(not torch.equal(merged[..., 4 * h :][..., :4], context[:, h]) for h in range(3))
    except Exception:
        return True
    ### END SOLUTION


# %%
check.clinic_merge(find_bug)

# %% nbgrader={"grade": true, "grade_id": "test_clinic_merge", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: faulty and right versions that you have not seen are tried at grading.
import torch


def test_clinic_merge():
    verdict = find_bug(lambda context: context)
    assert verdict is not None, "find_bug has not returned True or False yet"
    assert verdict, "find_bug calls a function faultless that returns the context as it came"
    ### BEGIN HIDDEN TESTS
    def merge(context):
        return torch.cat([context[:, h] for h in range(context.shape[1])], dim=2)  # [B, T, H*Dh]

    right = [
        merge,
        lambda context: context.transpose(1, 2).contiguous().flatten(2),
        lambda context: torch.einsum("bhtd->bthd", context).flatten(2),
        lambda context: context.mT.flatten(1, 2).mT,
    ]
    faulty = [
        lambda context: context.reshape(context.shape[0], context.shape[2], -1),
        lambda context: context.permute(0, 2, 3, 1).flatten(2),
        lambda context: context.mT.reshape(context.shape[0], context.shape[2], -1),
        lambda context: merge(context.flip(1)),
        lambda context: merge(context)[:1].expand(context.shape[0], -1, -1),
        lambda context: merge(context[:, :1].expand_as(context)),
        lambda context: merge(context.roll(1, dims=2)),
        lambda context: context.transpose(0, 1).reshape(context.transpose(1, 2).shape).flatten(2),
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


test_clinic_merge()

# %% [markdown]
# ## Retrieval check
#
# **1.** Merged without the transpose, the shape is right. What is wrong?
#
# - `a` Nothing: the numbers are all there, and W_O learns their order
# - `b` A row holds several tokens, so later tokens reach earlier rows
# - `c` The heads of each token stand in reverse order
# - `d` Every row holds all tokens, averaged

# %% nbgrader={"grade": false, "grade_id": "quiz_1", "locked": false, "schema_version": 3, "solution": true, "task": false}
quiz_1 = (
    ### BEGIN SOLUTION
    "b"
    ### END SOLUTION
)
check.answer("05_concat_and_wo", "quiz_1", quiz_1)

# %% nbgrader={"grade": true, "grade_id": "test_quiz_1", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of quiz_1. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert str(quiz_1).strip().lower() == "b", "quiz_1: rows mix tokens"
### END HIDDEN TESTS

# %% [markdown]
# **2.** Where does head h meet W_O?
#
# - `a` in columns `h*Dh` to `(h+1)*Dh - 1`
# - `b` in row h
# - `c` in rows `h*Dh` to `(h+1)*Dh - 1`
# - `d` in all of it: W_O sees the heads averaged

# %% nbgrader={"grade": false, "grade_id": "quiz_2", "locked": false, "schema_version": 3, "solution": true, "task": false}
quiz_2 = (
    ### BEGIN SOLUTION
    "c"
    ### END SOLUTION
)
check.answer("05_concat_and_wo", "quiz_2", quiz_2)

# %% nbgrader={"grade": true, "grade_id": "test_quiz_2", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of quiz_2. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert str(quiz_2).strip().lower() == "c", "quiz_2: a head owns Dh rows of W_O"
### END HIDDEN TESTS

# %% [markdown]
# **3.** merge(split(x)) = x holds for your pair. What does it prove?
#
# - `a` both are right
# - `b` the merge is right, the split may be wrong
# - `c` the merge undoes the split; both may still be wrong
# - `d` nothing: it holds for every pair

# %% nbgrader={"grade": false, "grade_id": "quiz_3", "locked": false, "schema_version": 3, "solution": true, "task": false}
quiz_3 = (
    ### BEGIN SOLUTION
    "c"
    ### END SOLUTION
)
check.answer("05_concat_and_wo", "quiz_3", quiz_3)

# %% nbgrader={"grade": true, "grade_id": "test_quiz_3", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of quiz_3. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert str(quiz_3).strip().lower() == "c", "quiz_3: two wrongs can cancel"
### END HIDDEN TESTS

# %% [markdown]
# **4.** Qwen3-4B has 32 heads of 128 and D = 2560. What is the shape of W_O, as a raw matrix?
#
# - `a` `[2560, 2560]`
# - `b` `[2560, 4096]`
# - `c` `[128, 2560]`
# - `d` `[4096, 2560]`

# %% nbgrader={"grade": false, "grade_id": "quiz_4", "locked": false, "schema_version": 3, "solution": true, "task": false}
quiz_4 = (
    ### BEGIN SOLUTION
    "d"
    ### END SOLUTION
)
check.answer("05_concat_and_wo", "quiz_4", quiz_4)

# %% nbgrader={"grade": true, "grade_id": "test_quiz_4", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of quiz_4. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert str(quiz_4).strip().lower() == "d", "quiz_4: H*Dh rows in, D columns out"
### END HIDDEN TESTS

# %% [markdown]
# ## Practice studio
#
# **Recall.** Join the heads (2, -1) and (0, 3) of one token.

# %% nbgrader={"grade": false, "grade_id": "practice_2", "locked": false, "schema_version": 3, "solution": true, "task": false}
practice_2 = (
    ### BEGIN SOLUTION
    (2, -1, 0, 3)
    ### END SOLUTION
)
check.answer("05_concat_and_wo", "practice_2", practice_2)

# %% nbgrader={"grade": true, "grade_id": "test_practice_2", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of practice_2. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert tuple(practice_2) == (2, -1, 0, 3), "practice_2: head after head, nothing added"
### END HIDDEN TESTS

# %% [markdown]
# **Build.** Multiply that by the worked example's W_O. Paper first.

# %% nbgrader={"grade": false, "grade_id": "practice_3", "locked": false, "schema_version": 3, "solution": true, "task": false}
practice_3 = (
    ### BEGIN SOLUTION
    (2, -1, 2, 2)
    ### END SOLUTION
)
check.answer("05_concat_and_wo", "practice_3", practice_3)

# %% nbgrader={"grade": true, "grade_id": "test_practice_3", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of practice_3. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert tuple(practice_3) == (2, -1, 2, 2), "practice_3: row i of W_O, times feature i, summed"
### END HIDDEN TESTS

# %% [markdown]
# **Verify.** `show.head_coordinates(2, 3, 5, 4)` is merged. Which number stands at `merged[1, 2, 9]`?

# %% nbgrader={"grade": false, "grade_id": "practice_4", "locked": false, "schema_version": 3, "solution": true, "task": false}
practice_4 = (
    ### BEGIN SOLUTION
    1221
    ### END SOLUTION
)
check.answer("05_concat_and_wo", "practice_4", practice_4)

# %% nbgrader={"grade": true, "grade_id": "test_practice_4", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of practice_4. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert int(practice_4) == 1221, "practice_4: sample 1, token 2, head 2, feature 1 of that head"
### END HIDDEN TESTS

# %% [markdown] nbgrader={"grade": false, "grade_id": "explain_1", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": true}
# ## Correct the statement
#
# > "A merge is right if its shape is right and it undoes the split. W_O then only resizes: where H*Dh = D it may be dropped, and it must keep the heads in their order."
#
# Make every part true, in three to five sentences, and name one input that would hide a wrong merge.
#
# ### BEGIN MARK SCHEME
#
# **Rubric, 4 points, one each:**
#
# 1. A right shape proves nothing about owners: without the transpose a row mixes tokens. Undoing the split is necessary, not sufficient, since two wrongs cancel.
# 2. W_O mixes: each head goes through its own Dh rows into all D features, and the results add up. Without it a head reaches its own Dh features only, also where H*Dh = D.
# 3. Order: heads may be permuted if W_O's row blocks are permuted with them; the output stays the same.
# 4. A hiding input, with T = 1 or H = 1 or constant values (or a shape-only test), named as such.
#
# No point for a fixed human role of a head; take none off for style.
#
# **Full (4):** "The shape is also right when tokens are mixed up, because reshape keeps the count, and a wrong split can be undone by an equally wrong merge. W_O adds up what the heads say: head h times its rows lands anywhere in D, so it is needed at H*Dh = D as well. The order of the heads is free as long as the blocks of W_O move along. One token hides the bug."
#
# **Full (4):** "You have to check owners with coded values. Round trip passing is not enough (view and view back). W_O is a sum over heads, not a resize: dropping it would leave head 0 in the first Dh features. Renumber heads and row blocks together and nothing changes. With H = 1 you would not notice a missing transpose."
#
# **Middle (2):** "Shape is not enough because the rows can contain other tokens. A test with T = 1 would not see it."
#
# **Middle (2):** "W_O mixes the heads into all features, so you need it always. And the heads can be in any order if W_O's rows are in the same order."
#
# **Low (0):** "The statement is right except that W_O should be square."
#
# **Low (0):** "W_O picks the best head, and the merge averages them, so the order does not matter."
#
# ### END MARK SCHEME

# %% [markdown]
# *Write your answer here: replace this line.*

# %% [markdown]
# ## Key takeaways
#
# - Tokens before heads, then flatten. A right shape proves little.
# - W_O is `[H*Dh, D]`; each head owns Dh of its rows, and all add up.
# - Heads and row blocks permuted together change nothing.
# - A round trip can hide two wrongs; one token can hide one.

# %%
check.progress("05_concat_and_wo")

# %% [markdown]
# ## Sources
#
# - Vaswani et al., *Attention Is All You Need*, 2017, section 3.2.2: concatenation and W^O.
# - Michel et al., *Are Sixteen Heads Really Better than One?*, 2019: heads as terms that can be removed one by one.
# - PyTorch documentation, `torch.Tensor.view`, `torch.nn.Linear`, `torch.nn.functional.scaled_dot_product_attention`.
# - jsbaan/transformer-from-scratch, issue 4, 2025, and pull request 6, 2026: the fault of the clinic.
# - xieenze/Trans2Seg, issue 4, 2021: the same question, answered otherwise.
# - jingyaogong/minimind, `model/model_minimind.py`: the bridge.
# - Qwen3-4B, published model configuration, 2025: hidden size 2560, 32 heads of 128.

# %% [markdown]
# ## What comes next
#
# [Lesson 06](../06_gqa_merge/06_gqa_merge.ipynb) lets query heads share key/value heads, and merges the same way.

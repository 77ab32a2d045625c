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
# # 02 · Heads split features, not the sentence
#
# **The win:** you cut `[B, T, D]` into `[B, H, T, Dh]` without losing a token.
#
# 35 minutes. Needs [lesson 01](../01_qkv_projections/01_qkv_projections.ipynb). Serves the mission: a causal transformer block with RoPE and GQA.

# %% [markdown]
# B samples, T tokens, D model width, H heads, Dh features in one head. Your answers replace the dots, `...`.

# %%
import torch
import torch.nn.functional as F

from manyheads import check, explore, show

# %% [markdown]
# ## Recall
#
# From lesson 01. `x` is `[2, 5, 12]`, `Wq` is `[12, 12]`. What is the shape of `x @ Wq`?

# %% nbgrader={"grade": false, "grade_id": "recall_1", "locked": false, "schema_version": 3, "solution": true, "task": false}
recall_1 = (
    ### BEGIN SOLUTION
    (2, 5, 12)
    ### END SOLUTION
)
check.answer("02_head_split", "recall_1", recall_1)

# %% nbgrader={"grade": true, "grade_id": "test_recall_1", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of recall_1. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert tuple(recall_1) == (2, 5, 12), "recall_1: a projection keeps B and T"
### END HIDDEN TESTS

# %% [markdown]
# And what does that projection mix?
#
# - `a` features within one token
# - `b` tokens within one sample
# - `c` both

# %% nbgrader={"grade": false, "grade_id": "recall_2", "locked": false, "schema_version": 3, "solution": true, "task": false}
recall_2 = (
    ### BEGIN SOLUTION
    "a"
    ### END SOLUTION
)
check.answer("02_head_split", "recall_2", recall_2)

# %% nbgrader={"grade": true, "grade_id": "test_recall_2", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of recall_2. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert str(recall_2).strip().lower() == "a", "recall_2: a projection never mixes tokens"
### END HIDDEN TESTS

# %% [markdown]
# ## Predict
#
# Commit before you run on. `x` is `[2, 5, 12]` and H=3. How many tokens does head 0 receive?

# %% nbgrader={"grade": false, "grade_id": "predict_1", "locked": false, "schema_version": 3, "solution": true, "task": false}
predict_1 = (
    ### BEGIN SOLUTION
    5
    ### END SOLUTION
)
check.answer("02_head_split", "predict_1", predict_1)

# %% [markdown]
# D=10 with H=3 is impossible. What must be divisible by what?
#
# - `a` T by H
# - `b` the width being split, by H
# - `c` H by Dh

# %% nbgrader={"grade": false, "grade_id": "predict_2", "locked": false, "schema_version": 3, "solution": true, "task": false}
predict_2 = (
    ### BEGIN SOLUTION
    "b"
    ### END SOLUTION
)
check.answer("02_head_split", "predict_2", predict_2)

# %% [markdown]
# ## A belief, and the evidence
#
# You may believe that head 0 reads the first part of the sentence and head 1 the next. Count.

# %%
B, T, D, H = 2, 5, 12, 3
Dh = D // H
x = show.coordinates(B, T, D)  # [B, T, D]: the value 1207 is sample 1, token 2, feature 07
head_0 = x[..., 0:Dh]  # [B, T, Dh]
print("before the split:", tuple(x.shape))
print("inside head 0:   ", tuple(head_0.shape))
said = "nothing yet" if predict_1 is ... else predict_1
print("tokens in head 0: you predicted", said, "and it received", head_0.shape[1])
head_0[1].int()  # sample 1: one row a token

# %% [markdown]
# What shrank from 12 to 4? Features. Each head receives all five tokens.
#
# **The rule:** a split cuts the feature axis; T never changes. Every head sees every position through its own learned view.

# %% [markdown]
# What is cut is the projection's output: head h owns columns `h*Dh` to `(h+1)*Dh - 1` of W_Q, and through them reads all D features of a token. Test it.

# %%
torch.manual_seed(0)
x_real = torch.randn(B, T, D)
Wq = torch.randn(D, D)
q = (x_real @ Wq).view(B, T, H, Dh).transpose(1, 2)  # [B, H, T, Dh]
for h in range(H):
    own = x_real @ Wq[:, h * Dh : (h + 1) * Dh]  # [B, T, Dh]
    same = torch.allclose(q[:, h], own, atol=1e-5)
    print(f"head {h}: the split equals its own columns of W_Q:", same)

# %% [markdown]
# ## Why several heads?
#
# One head gives each token one softmax row, so one mixture of values. H heads give H mixtures at the same projection cost: W_Q stays `[12, 12]`. They are not small models whose predictions are averaged.

# %% [markdown]
# ## A worked example
#
# T=3, D=8, H=2, so Dh=4. Token 1 holds 100 to 107. Head 0 keeps (100, 101, 102, 103), head 1 keeps (104, 105, 106, 107).

# %%
small = show.coordinates(1, 3, 8)  # [B, T, D] = [1, 3, 8]
print("token 1:           ", small[0, 1].int().tolist())
print("token 1 in head 0: ", small[0, 1, 0:4].int().tolist())
print("token 1 in head 1: ", small[0, 1, 4:8].int().tolist())

# %%
show.head_split(T=3, D=8, H=2)

# %% [markdown]
# The token keeps its row in both heads; only its features part ways. Next, `attend` is given; lesson 04 builds it.

# %% nbgrader={"grade": false, "grade_id": "given_attend", "locked": true, "schema_version": 3, "solution": false, "task": false}
import torch.nn.functional as F


def attend(q, k, v):
    """Return the shape of the weights P, and the context O = P v, head by head."""
    weights_shape = tuple((q @ k.transpose(-2, -1)).shape)  # [..., T, T]
    return weights_shape, F.scaled_dot_product_attention(q, k, v)  # [..., T, Dh]


# %%
tokens = torch.randn(3, 8)  # [T, D]
print("before the split:", tuple(tokens.shape))
outputs = []
for h in range(2):
    q_h = k_h = v_h = tokens[:, 4 * h : 4 * h + 4]  # [T, Dh]; no projections here, shapes only
    P_shape, O_h = attend(q_h, k_h, v_h)
    print(f"head {h}: Q, K, V {tuple(q_h.shape)}   P {P_shape}   O {tuple(O_h.shape)}")
    outputs.append(O_h)
print("concat:", tuple(torch.cat(outputs, dim=-1).shape))

# %% [markdown]
# Each P is 3 × 3: tokens by tokens.

# %% [markdown]
# ## Code checkpoint
#
# The whole path, a shape at each boundary. All sizes differ on purpose: equal ones let a wrong axis order pass.

# %%
B, T, D, H = 2, 5, 12, 3
Dh = D // H
Wk, Wv, Wo = torch.randn(3, D, D).unbind()
q, k, v = x_real @ Wq, x_real @ Wk, x_real @ Wv  # [B, T, D] each
q, k, v = (z.view(B, T, H, Dh).transpose(1, 2) for z in (q, k, v))  # [B, H, T, Dh]
_, context = attend(q, k, v)  # [B, H, T, Dh]
token_major = context.transpose(1, 2)  # [B, T, H, Dh]
merged = token_major.flatten(2)  # [B, T, H*Dh]
out = merged @ Wo  # [B, T, D]
steps = {"split": q, "attention": context, "transpose": token_major, "concat": merged, "W_O": out}
for step, z in steps.items():
    print(f"after {step:10}", tuple(z.shape))

# %% [markdown]
# Does `[B, T, D]` come back for every divisor H of D?

# %%
for H in [n for n in range(1, D + 1) if D % n == 0]:
    projected = [x_real @ W for W in (Wq, Wk, Wv)]  # [B, T, D] each
    q, k, v = (z.view(B, T, H, D // H).transpose(1, 2) for z in projected)  # [B, H, T, Dh]
    _, context = attend(q, k, v)  # [B, H, T, Dh]
    out = context.transpose(1, 2).flatten(2) @ Wo  # [B, T, D]
    print(f"H={H:2d}  Dh={D // H:2d}  back at {tuple(out.shape)}")

# %% [markdown]
# **Trace it.** B=2, T=7, D=24, H=6. What is the shape of the split Q? Write it as `1, 2, 3, 4`.

# %% nbgrader={"grade": false, "grade_id": "practice_1", "locked": false, "schema_version": 3, "solution": true, "task": false}
practice_1 = (
    ### BEGIN SOLUTION
    (2, 6, 7, 4)
    ### END SOLUTION
)
check.answer("02_head_split", "practice_1", practice_1)

# %% nbgrader={"grade": true, "grade_id": "test_practice_1", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of practice_1. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert tuple(practice_1) == (2, 6, 7, 4), "practice_1: the order is B, H, T, Dh"
### END HIDDEN TESTS

# %% [markdown]
# ## Explore
#
# Step through. Then view without transpose: which tokens mix?

# %%
explore.shape_tracer(B=2, T=5, D=12, H=3)

# %% [markdown]
# ## Build: `split_heads`
#
# Write the split so that it also refuses what cannot be split.

# %% nbgrader={"grade": false, "grade_id": "split_heads", "locked": false, "schema_version": 3, "solution": true, "task": false}
def split_heads(x, num_heads):
    """Cut the features of x into heads; every head keeps every token.

    x: tensor [B, T, D]
    num_heads: H, a whole number of at least 1
    returns: one tensor [B, H, T, Dh] with Dh = D // H; head h holds features h*Dh .. (h+1)*Dh - 1
    raises: ValueError when H does not divide D; x itself stays as it was
    """
    ### BEGIN SOLUTION
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError(f"D={D} can't be shared by H={num_heads} heads: {D % num_heads} left over")
    by_head = x.reshape(B, T, num_heads, D // num_heads)  # [B, T, H, Dh]
    return by_head.permute(0, 2, 1, 3)  # [B, H, T, Dh]
    ### END SOLUTION


# %%
check.split_heads(split_heads)

# %% nbgrader={"grade": true, "grade_id": "test_split_heads_shape", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: the shape. More sizes are tried when your work is graded.
import torch


def test_split_heads_shape():
    heads = split_heads(torch.zeros(2, 5, 12), 3)
    assert torch.is_tensor(heads), "split_heads has not returned a tensor yet"
    assert tuple(heads.shape) == (2, 3, 5, 4), f"expected (2, 3, 5, 4), got {tuple(heads.shape)}"
    ### BEGIN HIDDEN TESTS
    for B, T, H, Dh in [(5, 7, 6, 4), (3, 9, 8, 6)]:
        heads = split_heads(torch.zeros(B, T, H * Dh), H)
        assert tuple(heads.shape) == (B, H, T, Dh), f"H={H}, Dh={Dh}: got {tuple(heads.shape)}"
    ### END HIDDEN TESTS


test_split_heads_shape()

# %% nbgrader={"grade": true, "grade_id": "test_split_heads_values", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: the owners. More sizes are tried when your work is graded.
import torch


def test_split_heads_values():
    x = torch.arange(120.0).view(2, 5, 12)
    heads = split_heads(x, 3)
    assert torch.is_tensor(heads) and heads.ndim == 4, "no tensor with four axes was returned yet"
    assert heads[1, 0, 2, 3] == x[1, 2, 3], "out[1, 0, 2, 3] should be feature 3 of token 2"
    ### BEGIN HIDDEN TESTS
    for B, T, H, Dh in [(5, 7, 6, 4), (3, 9, 8, 6)]:
        b, t, f = torch.meshgrid(torch.arange(B), torch.arange(T), torch.arange(H * Dh), indexing="ij")
        x = 1000 * b + 100 * t + f + 0.5  # [B, T, D]: every value names its owner
        heads = split_heads(x, H)
        assert tuple(heads.shape) == (B, H, T, Dh), f"shape {tuple(heads.shape)} at H={H}"
        assert heads.is_floating_point(), f"the numbers became {heads.dtype}"
        for h in range(H):
            owned = x[..., h * Dh : (h + 1) * Dh]  # [B, T, Dh]
            assert torch.equal(heads[:, h].double(), owned.double()), f"head {h} of {H}: wrong owners"
    ### END HIDDEN TESTS


test_split_heads_values()

# %% nbgrader={"grade": true, "grade_id": "test_split_heads_contract", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: the contract. Edge sizes, refusals and side effects are tried at grading.
import torch


def test_split_heads_contract():
    x = torch.arange(120.0).view(2, 5, 12)
    assert torch.is_tensor(split_heads(x, 3)), "split_heads has not returned a tensor yet"
    assert torch.equal(x, torch.arange(120.0).view(2, 5, 12)), "split_heads changed its input"
    ### BEGIN HIDDEN TESTS
    edges = [(1, 5, 3, 4), (2, 1, 3, 4), (2, 5, 1, 12), (2, 5, 12, 1), (1, 1, 1, 4), (4, 4, 4, 4)]
    for B, T, H, Dh in edges:
        for strided in (False, True):  # nothing may be left of an earlier call
            x = torch.arange(B * T * H * Dh).float().view(B, H * Dh, T).transpose(1, 2)  # [B, T, D]
            x = -x if strided else x.contiguous()
            before = x.clone()
            for attempt in ("first", "second") if B == 1 else ("only",):
                heads = split_heads(x, H)
                case = f"{attempt} call, B={B}, T={T}, H={H}, Dh={Dh}, strided={strided}"
                assert tuple(heads.shape) == (B, H, T, Dh), f"{case}: shape {tuple(heads.shape)}"
                owned = torch.stack([before[..., h * Dh : (h + 1) * Dh] for h in range(H)], dim=1)
                assert torch.equal(heads.double(), owned.double()), f"{case}: wrong owners"
                assert x.shape == before.shape and torch.equal(x, before), "the input changed"
    for D, H in [(10, 3), (12, 5), (9, 2), (3, 4)]:
        try:
            split_heads(torch.arange(10.0 * D).view(2, 5, D), H)
        except NotImplementedError:
            raise
        except (ValueError, AssertionError, RuntimeError):
            continue
        raise AssertionError(f"D={D} with H={H} must be refused")
    ### END HIDDEN TESTS


test_split_heads_contract()

# %% [markdown]
# D=10 with H=3 must fail. An early message names D and H; a late reshape error names sizes nobody chose. The grader accepts both. Which is kinder?

# %% [markdown]
# ## Experiment: why not view straight to the goal?
#
# Readers of four well-known repositories asked this between 2018 and 2023. The shapes agree. Read the owners.

# %%
B, T, D, H = 2, 5, 12, 3
Dh = D // H
x = show.coordinates(B, T, D)  # [B, T, D]
straight = x.view(B, H, T, Dh)  # [B, H, T, Dh], in name only
split = x.view(B, T, H, Dh).transpose(1, 2)  # [B, H, T, Dh]
print("shapes agree:", straight.shape == split.shape)
print("owners agree:", torch.equal(straight, split))
print("straight, head 0:\n", straight[0, 0].int())
print("split, head 0:\n", split[0, 0].int())

# %%
explore.compare(split_heads(x, H), split)  # yours beside the target; put straight in its place

# %% [markdown]
# A view moves no data. `straight` deals the numbers out as they lie in memory, so head 0 takes three pieces of token 0 before it meets token 1. The transpose brings heads forward.

# %% [markdown]
# **Which input would hide this bug?** One token, or one head.

# %%
for B, T, H in [(2, 1, 3), (2, 5, 1), (2, 5, 3)]:
    x = show.coordinates(B, T, 12)  # [B, T, D]
    straight = x.view(B, H, T, 12 // H)
    split = x.view(B, T, H, 12 // H).transpose(1, 2)  # [B, H, T, Dh]
    print(f"T={T}, H={H}: owners agree:", torch.equal(straight, split))

# %% [markdown]
# ## Build: `rotate_qk`
#
# RoPE turns features by an angle that depends on position. Scores compare positions, so Q and K are rotated in every head. V carries content and stays. Lesson 03 builds `rope`; here it is an argument.

# %% nbgrader={"grade": false, "grade_id": "rotate_qk", "locked": false, "schema_version": 3, "solution": true, "task": false}
def rotate_qk(q, k, v, rope):
    """Apply rope to queries and keys, and hand the values on untouched.

    q: tensor [B, H, T, Dh]
    k, v: tensors [B, Hkv, T, Dh]; Hkv may be smaller than H
    rope: a function of one tensor [B, heads, T, Dh]; it returns a new one of the same shape
    returns: (q', k', v), each with its own shape; v equal bit for bit; no input changed
    """
    ### BEGIN SOLUTION
    return rope(q), rope(k), v
    ### END SOLUTION


# %%
check.rotate_qk(rotate_qk)

# %% nbgrader={"grade": true, "grade_id": "test_rotate_qk_values", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: the values. Other rope functions and sizes are tried when your work is graded.
import torch


def test_rotate_qk_values():
    ones = torch.ones(2, 3, 5, 4)
    result = rotate_qk(ones, 2 * ones, 3 * ones, lambda z: z + 10)
    assert isinstance(result, (tuple, list)), "rotate_qk has not returned q, k and v yet"
    assert len(result) == 3, f"expected three results, got {len(result)}"
    assert [float(z.max()) for z in result] == [11, 12, 3], "q and k go through rope, v does not"
    ### BEGIN HIDDEN TESTS
    def turn(z):
        """Mix neighbouring features by an angle that grows with the position."""
        T, Dh = z.shape[-2:]
        angle = 0.3 * torch.arange(1, T + 1)[:, None] + 0.1 * torch.arange(Dh)  # [T, Dh]
        return z * angle.cos() + z.roll(1, dims=-1) * angle.sin()

    def shift(z):
        """Bend every feature and add its position: no rotation, not even linear."""
        return z**2 + torch.arange(z.shape[-2])[:, None]

    draw = torch.Generator().manual_seed(7)
    for B, T, H, Hkv, Dh in [(5, 7, 6, 3, 4), (3, 9, 8, 2, 6)]:
        q, k, v = (torch.randn(B, heads, T, Dh, generator=draw) for heads in (H, Hkv, Hkv))
        v[0, 0, 0, 0] = -0.0
        for rope in (turn, shift):
            q_new, k_new, v_new = rotate_qk(q.clone(), k.clone(), v.clone(), rope)
            for name, got, want in (("q", q_new, rope(q)), ("k", k_new, rope(k))):
                assert got.shape == want.shape, f"{name} has shape {tuple(got.shape)}"
                close = torch.allclose(got.detach().double(), want.double(), rtol=1e-3, atol=1e-4)
                assert close, f"{name} is not rope({name}) for {rope.__name__}"
            assert v_new.dtype == v.dtype and torch.equal(v_new, v), "v changed"
            assert torch.equal(torch.signbit(v_new), torch.signbit(v)), "v changed in its sign bits"
    ### END HIDDEN TESTS


test_rotate_qk_values()

# %% nbgrader={"grade": true, "grade_id": "test_rotate_qk_contract", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: the contract. Edge sizes and side effects are tried when your work is graded.
import torch


def test_rotate_qk_contract():
    ones = torch.ones(1, 1, 1, 4)
    result = rotate_qk(ones, ones, ones, torch.neg)
    assert isinstance(result, (tuple, list)), "rotate_qk has not returned q, k and v yet"
    assert len(result) == 3, f"expected three results, got {len(result)}"
    assert torch.equal(ones, torch.ones(1, 1, 1, 4)), "rotate_qk changed its input"
    ### BEGIN HIDDEN TESTS
    def wave(z):
        """Scale every position and feature by its own factor."""
        T, Dh = z.shape[-2:]
        return z * torch.cos(torch.arange(T)[:, None] + 0.5 * torch.arange(1, Dh + 1))

    draw = torch.Generator().manual_seed(8)
    for B, T, H, Hkv, Dh in [(1, 5, 4, 1, 6), (2, 1, 3, 3, 4), (2, 6, 1, 1, 2)]:
        for strided in (False, True):  # nothing may be left of an earlier call
            q, k, v = (torch.randn(B, heads, T, Dh, generator=draw) for heads in (H, Hkv, Hkv))
            if strided:
                q, k, v = (z.transpose(1, 2).contiguous().transpose(1, 2) for z in (q, k, v))
            before = [z.clone() for z in (q, k, v)]
            for attempt in ("first", "second") if B == 1 else ("only",):
                q_new, k_new, v_new = rotate_qk(q, k, v, wave)
                wanted = (wave(before[0]), wave(before[1]), before[2])
                for name, got, want in zip("qkv", (q_new, k_new, v_new), wanted):
                    assert got.shape == want.shape, f"{attempt} call: {name} has shape {tuple(got.shape)}"
                    got = got.detach().double()
                    assert torch.allclose(got, want.double(), rtol=1e-3, atol=1e-4), f"{name} is off"
                for name, z, old in zip("qkv", (q, k, v), before):
                    assert torch.equal(z, old), f"the input {name} changed"
    ### END HIDDEN TESTS


test_rotate_qk_contract()

# %% [markdown]
# ## Engineering bridge
#
# Llama-style code, MiniMind's too, stays token-major for a while: view to `[B, T, H, Dh]`, rotate q and k, then transpose to `[B, H, T, Dh]`. Invariants: T is never reshaped, and H*Dh is the width of W_Q's output.

# %% [markdown]
# That width equals D by custom, not by law. Qwen3-4B: D=2560, 32 heads of 128.

# %%
n_heads, head_dim, width = 32, 128, 2560
print("H * Dh =", n_heads * head_dim, "  D =", width, "  so W_O is", [n_heads * head_dim, width])

# %% [markdown]
# ## Bug clinic
#
# In 2022 a FuxiCTR maintainer found that its heads were cut by viewing `[B, T, D]` as `[B*H, T, Dh]` (issue 30). Every shape was right, and three models were affected.

# %% [markdown]
# Write the input and the comparison that expose such faults. You earn the share of faulty versions you catch, and nothing if you accuse a right one.

# %% nbgrader={"grade": false, "grade_id": "clinic_view", "locked": false, "schema_version": 3, "solution": true, "task": false}
def find_bug(candidate):
    """Tell whether candidate(x, num_heads) breaks the contract of split_heads.

    candidate: a function of x [B, T, D] and H; it may raise an error on any input
    returns: True if it is faulty, False if it is right
    """
    ### BEGIN SOLUTION
    def keeps_owners(B, T, D, H):
        x = torch.arange(B * T * D).float().view(B, T, D)  # every value once
        heads = candidate(x, H)
        owned = torch.stack(x.split(D // H, dim=-1), dim=1)  # [B, H, T, Dh]
        return heads.shape == owned.shape and torch.equal(heads, owned)

    try:
        if not keeps_owners(2, 5, 12, 3) or not keeps_owners(1, 1, 4, 2):
            return True
    except Exception:
        return True
    try:
        candidate(torch.zeros(2, 5, 10), 3)
    except Exception:
        return False
    return True
    ### END SOLUTION


# %%
check.clinic_view(find_bug)

# %% nbgrader={"grade": true, "grade_id": "test_clinic_view", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test: faulty and right versions that you have not seen are tried at grading.
import torch


def test_clinic_view():
    verdict = find_bug(lambda x, num_heads: x)
    assert verdict is not None, "find_bug has not returned True or False yet"
    assert verdict, "find_bug calls a function faultless that returns x as it came"
    ### BEGIN HIDDEN TESTS
    def split(x, H):
        B, T, D = x.shape
        return x.reshape(B, T, H, D // H).permute(0, 2, 1, 3)  # [B, H, T, Dh]

    right = [
        split,
        lambda x, num_heads: split(x, num_heads).contiguous(),
        lambda x, num_heads: torch.stack(x.chunk(num_heads, dim=-1), dim=1),
        lambda x, num_heads: x.unflatten(-1, (num_heads, -1)).movedim(2, 1),
    ]
    faulty = [
        lambda x, num_heads: x.reshape(x.shape[0], num_heads, x.shape[1], -1),
        lambda x, num_heads: x.reshape(x.shape[0], x.shape[1], num_heads, -1),
        lambda x, num_heads: x.unflatten(-1, (-1, num_heads)).permute(0, 3, 1, 2),
        lambda x, num_heads: split(x, num_heads).flip(1),
        lambda x, num_heads: split(x, num_heads)[:1].expand(x.shape[0], -1, -1, -1),
        lambda x, num_heads: split(x, num_heads).roll(1, dims=2),
        lambda x, num_heads: split(x, num_heads).squeeze(),
        lambda x, num_heads: split(x[..., : x.shape[-1] // num_heads * num_heads], num_heads),
    ]

    def accuses(candidate):
        """True only for a clear True, so that an unfinished find_bug catches nothing."""
        try:
            return bool(find_bug(candidate))
        except Exception:
            return False

    caught = sum(accuses(candidate) for candidate in faulty)
    slandered = sum(accuses(candidate) for candidate in right)
    return 0.0 if slandered else round(4 * caught / len(faulty), 2)
    ### END HIDDEN TESTS


test_clinic_view()

# %% [markdown]
# ## Retrieval check
#
# **1.** Do heads receive different token sequences?
#
# - `a` Yes: each head receives T / H of the tokens
# - `b` No: all heads receive the same positions, through different learned views
# - `c` No: all heads receive the same tokens and the same features
# - `d` Yes: the sentence is copied once a head, so the sequence grows to H * T

# %% nbgrader={"grade": false, "grade_id": "quiz_1", "locked": false, "schema_version": 3, "solution": true, "task": false}
quiz_1 = (
    ### BEGIN SOLUTION
    "b"
    ### END SOLUTION
)
check.answer("02_head_split", "quiz_1", quiz_1)

# %% nbgrader={"grade": true, "grade_id": "test_quiz_1", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of quiz_1. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert str(quiz_1).strip().lower() == "b", "quiz_1: same positions, different views"
### END HIDDEN TESTS

# %% [markdown]
# **2.** What do H heads give a token, at the cost of one?
#
# - `a` H times as many tokens to look at
# - `b` H predictions, averaged at the end
# - `c` H softmax rows, so H different mixtures of values
# - `d` H times as many projection weights

# %% nbgrader={"grade": false, "grade_id": "quiz_2", "locked": false, "schema_version": 3, "solution": true, "task": false}
quiz_2 = (
    ### BEGIN SOLUTION
    "c"
    ### END SOLUTION
)
check.answer("02_head_split", "quiz_2", quiz_2)

# %% nbgrader={"grade": true, "grade_id": "test_quiz_2", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of quiz_2. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert str(quiz_2).strip().lower() == "c", "quiz_2: one softmax row a head"
### END HIDDEN TESTS

# %% [markdown]
# **3.** Which shape returns to the residual after W_O?
#
# - `a` `[B, H, T, Dh]`
# - `b` `[B, T, Dh]`
# - `c` `[B, H*T, D]`
# - `d` `[B, T, D]`

# %% nbgrader={"grade": false, "grade_id": "quiz_3", "locked": false, "schema_version": 3, "solution": true, "task": false}
quiz_3 = (
    ### BEGIN SOLUTION
    "d"
    ### END SOLUTION
)
check.answer("02_head_split", "quiz_3", quiz_3)

# %% nbgrader={"grade": true, "grade_id": "test_quiz_3", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of quiz_3. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert str(quiz_3).strip().lower() == "d", "quiz_3: the residual's own shape"
### END HIDDEN TESTS

# %% [markdown]
# **4.** `n_embd=32, n_head=4`: how wide is one head?
#
# - `a` 4
# - `b` 8
# - `c` 32
# - `d` 128

# %% nbgrader={"grade": false, "grade_id": "quiz_4", "locked": false, "schema_version": 3, "solution": true, "task": false}
quiz_4 = (
    ### BEGIN SOLUTION
    "b"
    ### END SOLUTION
)
check.answer("02_head_split", "quiz_4", quiz_4)

# %% nbgrader={"grade": true, "grade_id": "test_quiz_4", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of quiz_4. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert str(quiz_4).strip().lower() == "b", "quiz_4: 32 features shared by 4 heads"
### END HIDDEN TESTS

# %% [markdown]
# ## Practice studio
#
# **Recall.** T=5, D=12, H=3. What does one head get, as `tokens, features`?

# %% nbgrader={"grade": false, "grade_id": "practice_2", "locked": false, "schema_version": 3, "solution": true, "task": false}
practice_2 = (
    ### BEGIN SOLUTION
    (5, 4)
    ### END SOLUTION
)
check.answer("02_head_split", "practice_2", practice_2)

# %% nbgrader={"grade": true, "grade_id": "test_practice_2", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of practice_2. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert tuple(practice_2) == (5, 4), "practice_2: all tokens, a third of the features"
### END HIDDEN TESTS

# %% [markdown]
# **Build.** B=2, T=7, D=24, H=6. What is the shape of one head's score matrix in one sample?

# %% nbgrader={"grade": false, "grade_id": "practice_3", "locked": false, "schema_version": 3, "solution": true, "task": false}
practice_3 = (
    ### BEGIN SOLUTION
    (7, 7)
    ### END SOLUTION
)
check.answer("02_head_split", "practice_3", practice_3)

# %% nbgrader={"grade": true, "grade_id": "test_practice_3", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of practice_3. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert tuple(practice_3) == (7, 7), "practice_3: every token scores every token"
### END HIDDEN TESTS

# %% [markdown]
# **Verify.** `show.coordinates(2, 5, 12)` is split into 3 heads. Which number stands at `out[1, 2, 3, 0]`? Paper first.

# %% nbgrader={"grade": false, "grade_id": "practice_4", "locked": false, "schema_version": 3, "solution": true, "task": false}
practice_4 = (
    ### BEGIN SOLUTION
    1308
    ### END SOLUTION
)
check.answer("02_head_split", "practice_4", practice_4)

# %% nbgrader={"grade": true, "grade_id": "test_practice_4", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false} tags=["raises-exception"]
# Graded test of practice_4. It runs when your work is graded.
### BEGIN HIDDEN TESTS
assert int(practice_4) == 1308, "practice_4: sample 1, token 3, feature 2 * 4 + 0"
### END HIDDEN TESTS

# %% [markdown] nbgrader={"grade": false, "grade_id": "explain_1", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": true}
# ## Correct the statement
#
# > "With two heads, head 1 attends to the first half of the sentence and head 2 to the second. Eight heads read four times as much text."
#
# Make every part true, in three to five sentences. Say why more heads is not more sequence length, name the divisibility rule, and say which error for D=10, H=3 is kinder, an early or a late one.
#
# ### BEGIN MARK SCHEME
#
# **Rubric, 4 points, one each:**
#
# 1. Each head receives all T tokens (or positions); what is divided is the feature axis, the projection's output.
# 2. T stays T however many heads there are: each head makes its own T × T matrix; more heads means more mixtures, not more text.
# 3. Divisibility: H must divide the width being split, W_Q's output width (D where H*Dh = D). "D % H == 0" earns the point.
# 4. The early error is kinder, with a reason: it names D and H at the place of the mistake.
#
# No point for a fixed human role of a head ("head 1 does grammar"); take none off for style.
#
# **Full (4):** "Both heads read the whole sentence; each gets half of the projected features of every token. The score matrix of a head is T × T whatever H is, so eight heads give eight mixtures of the same text. H must divide the projection's width. For 10 and 3 an early check is kinder because it says so by name, where reshape would complain about sizes deep inside."
#
# **Full (4):** "No head sees a half. All T positions go to each head, with Dh of the features. Eight heads do not lengthen anything: T is not touched by a split. D % H must be 0, and I'd rather have it checked at the top, since the message can then say which numbers clash."
#
# **Middle (2):** "Heads don't split the sentence, they split the features, and D has to be divisible by H."
#
# **Middle (2):** "Each head sees all tokens. The sequence does not get longer with more heads, they just look in different ways."
#
# **Low (0):** "Head 1 looks at the subject and head 2 at the verb, and with eight heads it can look at more words."
#
# **Low (0):** "The statement is right if the sentence has an even number of tokens."
#
# ### END MARK SCHEME

# %% [markdown]
# *Write your answer here: replace this line.*

# %% [markdown]
# ## Key takeaways
#
# - A split cuts features. Every head keeps all T tokens and makes its own T × T matrix.
# - A right shape proves little; coordinates show the owners.
# - H must divide the width being split. Say so early.
# - Q and K are rotated after the split, V never.

# %%
check.progress("02_head_split")

# %% [markdown]
# ## Sources
#
# - Vaswani et al., *Attention Is All You Need*, 2017, section 3.2.2: several heads, each on its own projection.
# - Su et al., *RoFormer*, 2021, section 3.2: rotary positions act on queries and keys.
# - PyTorch documentation, `torch.Tensor.view` and `torch.nn.functional.scaled_dot_product_attention`.
# - reczoo/FuxiCTR, issue 30, 2022: the fault of the clinic.
# - The question about the direct view: harvardnlp/annotated-transformer, issue 17, 2018; bentrevett/pytorch-seq2seq, issue 148, 2020; jadore801120/attention-is-all-you-need-pytorch, issue 177, 2021; hyunwoongko/transformer, issue 15, 2023.
# - Qwen3-4B, published model configuration, 2025: hidden size 2560, 32 heads of 128.

# %% [markdown]
# ## What comes next
#
# Lesson 03 builds `rope`. [Lesson 05](../05_concat_and_wo/05_concat_and_wo.ipynb) joins the heads again, and asks you for `split_heads` from memory.

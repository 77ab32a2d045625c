"""Whether a cell's code stands alone: the names it takes from the notebook around it."""

from __future__ import annotations

import ast
import builtins

from manyheads.build.names import bound_by, captured, reads, walrus

# They reach names that no analysis of the text can see.
_REACHING_OUT = {"eval", "exec", "globals", "locals"}
BUILTINS = frozenset(dir(builtins)) - _REACHING_OUT - {"_"}
_LEAVES = (ast.Raise, ast.Return, ast.Break, ast.Continue)


def foreign_names(code: str) -> dict[str, int]:
    r"""Names code reads without surely having set them before, and the line of each first use.

    A name set in one branch only, in a loop's body, or after its use counts as foreign: a value of
    the notebook could take its place. `from x import *` is reported as `*`. Raises SyntaxError.

    >>> foreign_names("import torch\nx = torch.ones(T)\ndef f(a):\n    return a + x + H\nf(1)")
    {'T': 2, 'H': 5}
    """
    walk = _Walk()
    walk.block(ast.parse(code).body)
    for name in list(walk.waiting):
        walk.use_function(name)
    return {name: line for name, line in walk.foreign.items() if name not in BUILTINS}


class _Walk:
    """A walk through statements in their order, keeping the names that are surely set."""

    def __init__(self) -> None:
        self.bound: set[str] = set()
        self.foreign: dict[str, int] = {}
        self.waiting: dict[str, set[str]] = {}
        self.line = 1

    def block(self, body: list[ast.stmt]) -> bool:
        """Walk the statements; whether the end of them is reached."""
        for statement in body:
            self.line = statement.lineno
            visit = getattr(self, f"visit_{type(statement).__name__.lower()}", self.visit_plain)
            visit(statement)
            if isinstance(statement, _LEAVES):
                return False
        return True

    def use(self, *nodes: ast.AST | None) -> None:
        """Note every name the nodes read; what a used function reads counts from here on."""
        for node in nodes:
            if node is not None:
                self.line = getattr(node, "lineno", self.line)
                within = walrus(node)
                for name in sorted(reads(node) - within):
                    self.use_name(name)
                self.bound |= within

    def use_name(self, name: str) -> None:
        if name not in self.bound:
            self.foreign.setdefault(name, self.line)
        self.use_function(name)

    def use_function(self, name: str) -> None:
        for inner in sorted(self.waiting.pop(name, ())):
            self.use_name(inner)

    def branches(self, *bodies: list[ast.stmt]) -> None:
        """Walk alternatives: what each of those that reach its end sets is set afterwards."""
        before, after = self.bound, []
        for body in bodies:
            self.bound = set(before)
            if self.block(body):
                after.append(self.bound)
        self.bound = set.intersection(*after) if after else before

    def visit_plain(self, node: ast.stmt) -> None:
        self.use(node if not isinstance(node, ast.Global) else None)

    def visit_augassign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self.use_name(node.target.id)
        self.use(node.value)
        self.store(node.target)

    def visit_assign(self, node: ast.Assign) -> None:
        self.use(node.value)
        self.store(*node.targets)

    def visit_annassign(self, node: ast.AnnAssign) -> None:
        self.use(node.annotation, node.value)
        if node.value is not None:
            self.store(node.target)

    def store(self, *targets: ast.expr) -> None:
        """Bind targets; what a subscript or attribute in them reads is used first."""
        for target in targets:
            for sub in ast.walk(target):
                if isinstance(sub, ast.Subscript):
                    self.use(sub)  # as a whole: a slice is no expression of its own
                elif isinstance(sub, ast.Attribute):
                    self.use(sub.value)
            self.bound |= bound_by(target)

    def visit_import(self, node: ast.Import) -> None:
        self.bound |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}

    def visit_importfrom(self, node: ast.ImportFrom) -> None:
        names = {alias.asname or alias.name for alias in node.names}
        if "*" in names:
            self.foreign.setdefault("*", node.lineno)
        self.bound |= names

    def visit_delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.use_name(target.id)
                self.bound.discard(target.id)
            else:
                self.store(target)

    def visit_functiondef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [argument for argument in (arguments.vararg, arguments.kwarg) if argument]
        self.use(*node.decorator_list, *arguments.defaults, *arguments.kw_defaults, node.returns)
        self.use(*(argument.annotation for argument in every))
        self.bound.add(node.name)
        self.waiting[node.name] = reads(node) - {node.name}

    visit_asyncfunctiondef = visit_functiondef

    def visit_classdef(self, node: ast.ClassDef) -> None:
        self.use(*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords))
        outside, waiting = set(self.bound), self.waiting
        self.waiting = {}
        self.block(node.body)
        methods = set().union(*self.waiting.values()) if self.waiting else set()
        self.bound, self.waiting = outside | {node.name}, waiting
        self.waiting[node.name] = methods - {node.name}

    def visit_if(self, node: ast.If) -> None:
        self.use(node.test)
        self.branches(node.body, node.orelse)

    def visit_while(self, node: ast.While) -> None:
        self.use(node.test)
        self.branches(node.body, [])
        self.block(node.orelse)

    def visit_for(self, node: ast.For | ast.AsyncFor) -> None:
        self.use(node.iter)
        before = set(self.bound)
        self.store(node.target)
        self.block(node.body)
        self.bound = before
        self.block(node.orelse)

    visit_asyncfor = visit_for

    def visit_with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            self.use(item.context_expr)
            if item.optional_vars is not None:
                self.store(item.optional_vars)
        self.block(node.body)

    visit_asyncwith = visit_with

    def visit_try(self, node: ast.Try) -> None:
        before = set(self.bound)
        after = [self.bound] if self.block([*node.body, *node.orelse]) else []
        for handler in node.handlers:
            self.bound = set(before)
            self.use(handler.type)
            self.bound |= {handler.name} if handler.name else set()
            if self.block(handler.body):
                after.append(self.bound - {handler.name or ""})
        self.bound = set.intersection(*after) if after else before
        self.block(node.finalbody)

    visit_trystar = visit_try

    def visit_match(self, node: ast.Match) -> None:
        self.use(node.subject)
        before = set(self.bound)
        for case in node.cases:
            self.bound = before | captured(case.pattern)
            self.use(case.guard)
            self.block(case.body)
        self.bound = before

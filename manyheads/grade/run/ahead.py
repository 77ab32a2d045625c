"""Whether what a test needs is still the same when the notebook has come to its end.

If so, the test can meet the student's functions in the process itself, after its last output. If
not, the process has to be copied at the test's place, which costs more than most tests.
"""

from __future__ import annotations

import ast
import symtable
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from manyheads.grade.run.plain import plain

# They change what functions do, or reach names that no analysis of the text can see.
_FAR_REACHING = {"globals", "locals", "exec", "eval", "get_ipython", "setattr", "delattr", "vars"}
_FAR_REACHING |= {"set_default_dtype", "set_default_device", "set_grad_enabled", "seterr"}
_FAR_REACHING |= {"__dict__", "__globals__", "__code__", "modules", "patch", "Thread", "atexit"}
_DEFS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# Methods that change what they belong to; torch's end with an underscore.
_CHANGING = {"append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "update"}
_CHANGING |= {"setdefault", "popitem", "add", "discard", "appendleft", "popleft", "fill", "put"}


@dataclass(frozen=True)
class Effects:
    """What a cell's text tells: names that it sets or writes into, names that it mentions.

    `inner` are the names of the notebook that its functions and classes read when they run, `data`
    those that it sets otherwise than by def, class or import. `inside` are those that its functions
    may change when they run. `parts` gives for names that it sets those that they are made of: an
    alias, a decorator, a default. `imports` are names that it only imports, each with what it
    stands for then. `far` tells of effects on anything.
    """

    writes: frozenset[str] = frozenset()
    mentions: frozenset[str] = frozenset()
    inner: frozenset[str] = frozenset()
    data: frozenset[str] = frozenset()
    inside: frozenset[str] = frozenset()
    parts: Mapping[str, frozenset[str]] = field(default_factory=dict)
    imports: frozenset[tuple[str, str]] = frozenset()
    far: bool = False

    @property
    def reads(self) -> frozenset[str]:
        """Names that the cell reads, now or when its functions run."""
        return self.mentions | self.inner


@lru_cache(maxsize=1024)
def effects(text: str) -> Effects:
    r"""The effects of a cell.

    >>> effects("def f(y):\n    return y + H\nx[0] = f(1)").inner == {"H"}
    True
    >>> effects("%timeit f(1)").far, effects("!ls").far
    (True, False)
    """
    code = plain(text)
    if code is None:
        return Effects(far=True)
    tree = ast.parse(code)
    try:
        table = symtable.symtable(code, "cell", "exec")
    except (SyntaxError, RecursionError):  # a `global` in the wrong place; nested too deep
        return Effects(far=True)
    words, written, stored = _words(tree)
    imports = list(_imports(tree))
    any_name = any(whole.endswith(".*") for _, whole in imports)
    defined = {node.name for node in tree.body if isinstance(node, _DEFS)}
    bound = {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}
    imported = {s.get_name() for s in table.get_symbols() if s.is_imported()}
    inner, declared = _inside(table)
    return Effects(
        writes=frozenset(bound | written | declared),
        mentions=frozenset(s.get_name() for s in table.get_symbols() if s.is_referenced()),
        inner=inner,
        data=frozenset(bound - imported - defined),
        inside=frozenset(declared | _changed_inside(tree) & inner),
        parts=_by_name(_parts(tree)),
        imports=frozenset(one for one in imports if one[0] not in written | stored | declared),
        far=any_name or bool(words & _FAR_REACHING),
    )


def _words(tree: ast.Module) -> tuple[set[str], set[str], set[str]]:
    """Names and attributes read; names written into; names set as such, by def too."""
    words, written, stored = set(), set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            words.add(node.id)
            stored |= set() if isinstance(node.ctx, ast.Load) else {node.id}
        elif isinstance(node, ast.Attribute | ast.Subscript):
            words |= {node.attr} if isinstance(node, ast.Attribute) else set()
            if not isinstance(node.ctx, ast.Load):
                written.add(_root(node))
        elif isinstance(node, _DEFS):
            stored.add(node.name)
    return words, written, stored


def _parts(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Names that statements outside of functions set, each with each name that it is made of."""
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        made_of: list[ast.AST | None] = []
        if isinstance(node, _DEFS):
            names, made_of = {node.name}, [*node.decorator_list]
            if isinstance(node, ast.ClassDef):
                made_of += [*node.bases, *node.keywords]
            else:
                made_of += [*node.args.defaults, *node.args.kw_defaults]
        else:
            waiting += [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.stmt)]
            inner = [one for one in ast.walk(node) if isinstance(one, ast.Name)]
            names = {one.id for one in inner if isinstance(one.ctx, ast.Store)}
            made_of += [one for one in inner if isinstance(one.ctx, ast.Load)] if names else []
        for one in (found for part in made_of if part for found in ast.walk(part)):
            if isinstance(one, ast.Name):
                yield from ((name, one.id) for name in names)


def _by_name(pairs: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for name, part in pairs:
        found.setdefault(name, set()).add(part)
    return {name: frozenset(parts) for name, parts in found.items()}


def _changed_inside(tree: ast.Module) -> set[str]:
    """Names that functions write into, or whose methods they call to change them."""
    changed = set()
    functions = (node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS))
    for node in (inner for function in functions for inner in ast.walk(function)):
        if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            changed.add(_root(node))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            changing = node.func.attr in _CHANGING or node.func.attr.endswith("_")
            changed |= {_root(node.func)} if changing else set()
    return changed


def _imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Names that imports set, and what each stands for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                yield (alias.asname, alias.name) if alias.asname else (top, top)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                whole = f"{'.' * node.level}{node.module or ''}.{alias.name}"
                yield alias.asname or alias.name, whole


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _inside(table: symtable.SymbolTable) -> tuple[frozenset[str], set[str]]:
    """Names of the notebook that functions and classes read, and those that they may set."""
    read, declared, tables = set(), set(), list(table.get_children())
    while tables:
        one = tables.pop()
        tables.extend(one.get_children())
        for symbol in one.get_symbols():
            if symbol.is_global():
                read.add(symbol.get_name())
                if symbol.is_declared_global():
                    declared.add(symbol.get_name())
    return frozenset(read), declared


class Outlook:
    r"""The cells that a notebook's run will meet, in order.

    >>> outlook = Outlook(["def f(y):\n    return y * H", "H = 3", "x = 1", "print(f(x))"])
    >>> outlook.stays({"f"}, 1), outlook.stays({"f"}, 2)
    (False, True)
    """

    def __init__(self, cells: Sequence[str]) -> None:
        self._texts = cells

    @cached_property
    def _cells(self) -> list[Effects]:
        return [effects(text) for text in self._texts]

    @cached_property
    def _far(self) -> bool:
        return any(one.far for one in self._cells)

    @cached_property
    def _imported_alike(self) -> set[str]:
        """Names that all cells which set them set to the same, by an import."""
        meanings: dict[str, set[str]] = {}
        for one in self._cells:
            imported = dict(one.imports)
            once = len(imported) == len(one.imports)
            for name in one.writes:
                meanings.setdefault(name, set()).add(imported.get(name, "") if once else "")
        return {name for name, all_ in meanings.items() if len(all_) == 1 and "" not in all_}

    def lacks(self, statement: str, since: int, place: int) -> bool:
        """Whether an import may change what its names stand for at a cell's place.

        since: the place at which it was made already, or 0
        """
        imported = effects(statement).imports
        names = {name for name, _ in imported}
        cells = self._cells[since:place]
        writers = [one for one in cells if one.writes & names]
        if any(one.far for one in cells) or any(not imported <= one.imports for one in writers):
            return True
        return not since and not writers

    def stays(self, names: Collection[str], place: int) -> bool:
        """Whether cells from number `place` on leave alone what `names` stand for.

        What the functions behind the names read counts as well, and what is read by those.
        """
        if self._far:
            return False
        before, after = self._cells[:place], self._cells[place:]
        behind = closure(names, before) - self._imported_alike
        data = {name for one in before for name in one.data & behind} - set(names)
        if any(one.writes & behind or one.mentions & data for one in after):
            return False
        changing = changers(self._cells, behind)
        return not any(calls(one, changing, self._cells) for one in after)


def changers(cells: Sequence[Effects], names: frozenset[str]) -> list[Effects]:
    """The cells that define functions which may change any of the names."""
    return [cell for cell in cells if cell.inside & names]


def calls(one: Effects, defining: Sequence[Effects], cells: Sequence[Effects]) -> bool:
    """Whether a cell may call a function that one of the `defining` cells has defined."""
    if not defining:
        return False
    called = closure(one.reads, cells)
    return any((cell.writes - cell.inside) & called for cell in defining)


def closure(names: Collection[str], cells: Sequence[Effects]) -> frozenset[str]:
    """The names, what they are made of, and all that the functions behind them read."""
    known, behind = frozenset[str](), frozenset(names)
    while behind - known:
        known = behind
        found = [one for one in cells if one.writes & known]
        made_of = [one.parts[name] for one in found for name in one.parts.keys() & known]
        behind = known.union(*made_of, *(one.inner for one in found))
    return behind

"""Stand-ins for what can't travel: a student's objects at the judge, a test's functions there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from .side import Wire

ABILITIES = ("__call__", "__len__", "__getitem__", "__contains__", "__iter__", "__next__")
READABLE = ("__name__", "__qualname__", "__doc__", "__annotations__", "__defaults__")
LONGEST = 10_000_000  # list(proxy) makes room for as many as the length says


def abilities(value: Any) -> int:
    """Which of the things a test may do with an object it can do, as bits."""
    kinds = type(value).__mro__
    bits = int(callable(value))
    for bit, name in enumerate(ABILITIES[1:], 1):
        found = next((vars(kind)[name] for kind in kinds if name in vars(kind)), None)
        bits |= (found is not None) << bit
    return bits


def title(value: Any) -> str:
    """The name of a function or class, or of an object's class."""
    name = getattr(value, "__name__", None)
    return str.__str__(name) if isinstance(name, str) else type(value).__name__


class Remote:
    """A student's object, for the judge: it can be called and read, and nothing else.

    What a comparison or a truth value would say is the student's to decide, so a test that asks
    for one gets NotJudgeable.
    """

    __slots__ = ("__weakref__", "_wire_dropped", "_wire_link", "_wire_name")
    __array_ufunc__ = None  # numpy leaves operators to this class
    _wire_link: tuple[Any, int]

    def __init__(
        self, wire: Wire, handle: int, _abilities: int, name: str, dropped: list[int]
    ) -> None:
        object.__setattr__(self, "_wire_link", (wire, handle))
        object.__setattr__(self, "_wire_name", name)
        object.__setattr__(self, "_wire_dropped", dropped)

    def __del__(self) -> None:
        # Nothing of this module is used: it may be empty by now, when Python ends.
        try:  # noqa: SIM105
            self._wire_dropped.append(self._wire_link[1])
        except AttributeError:  # it was never made
            pass

    def __getattr__(self, name: str) -> Any:
        if name == "__name__":
            return self._wire_name
        if name.startswith("_wire_"):  # not set yet
            raise AttributeError(name)
        if name.startswith("__") and name.endswith("__") and name not in READABLE:
            raise AttributeError(f"{name} of a student's {self._wire_name} can't be read")
        return _ask(self, "get", name)

    def __str__(self) -> str:
        return _text(self, "str")

    def __repr__(self) -> str:
        return _text(self, "repr")

    def __setattr__(self, name: str, value: Any) -> None:
        raise _refusal(self, f"set its attribute {name}")

    def __delattr__(self, name: str) -> None:
        raise _refusal(self, f"delete its attribute {name}")

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise _refusal(self, "copy it")

    __hash__ = object.__hash__


def _ask(proxy: Remote, operation: str, *values: Any) -> Any:
    wire, handle = proxy._wire_link
    return wire.request(operation, (handle, *values))


def _text(proxy: Remote, operation: str) -> str:
    answer = _ask(proxy, operation)
    if type(answer) is not str:
        raise _refusal(proxy, "print it")
    return answer


def _refusal(proxy: Remote, tried: str) -> TypeError:
    wire, _ = proxy._wire_link
    refused: TypeError = wire.refuse(
        f"the test tried to {tried}, but a student's {proxy._wire_name} can only be called and "
        "read from here. Compare plain values that it returns, or let the cell opt out of the judge"
    )
    return refused


def _forbid(name: str, words: str) -> None:
    def method(self: Remote, *_: Any) -> NoReturn:
        raise _refusal(self, words)

    method.__name__ = name
    setattr(Remote, name, method)


_FORBIDDEN = {
    "compare it": "eq ne lt le gt ge",
    "ask whether it is true": "bool",
    "calculate with it": "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and or "
    "xor radd rsub rmul rmatmul rtruediv rfloordiv rmod rdivmod rpow rlshift rrshift rand ror rxor "
    "neg pos abs invert round trunc floor ceil",
    "make a number of it": "int float complex index",
    "make bytes of it": "bytes",
    "set or delete its items": "setitem delitem",
    "use it in a with statement": "enter exit",
    "await it": "await aiter anext",
}
for _words, _methods in _FORBIDDEN.items():
    for _method in _methods.split():
        _forbid(f"__{_method}__", _words)


def _call(self: Remote, /, *args: Any, **kwargs: Any) -> Any:
    wire, handle = self._wire_link
    return wire.request("call", (handle, args, kwargs))


def _len(self: Remote) -> int:
    count = _ask(self, "len")
    if type(count) is not int or not 0 <= count <= LONGEST:
        raise _refusal(self, f"take its length, which is {count!r:.40}")
    return count


def _item(self: Remote, key: Any) -> Any:
    return _ask(self, "item", key)


def _has(self: Remote, member: Any) -> bool:
    return _ask(self, "has", member) is True


def _iter(self: Remote) -> Any:
    return _ask(self, "iter")


def _next(self: Remote) -> Any:
    answer = _ask(self, "next")
    if type(answer) is not tuple or len(answer) != 1:
        raise StopIteration
    return answer[0]


_METHODS = (_call, _len, _item, _has, _iter, _next)
_KINDS: dict[int, type[Remote]] = {}


def remote(wire: Wire, handle: int, able: int, name: str, dropped: list[int]) -> Remote:
    """The judge's stand-in for a student's object, with the methods that the object has."""
    able %= 1 << len(ABILITIES)
    if able not in _KINDS:
        own = {key: _METHODS[bit] for bit, key in enumerate(ABILITIES) if able >> bit & 1}
        doc = {"__doc__": property(lambda self: _ask(self, "get", "__doc__"))}
        _KINDS[able] = type("Remote", (Remote,), {"__slots__": (), **doc, **own})
    return _KINDS[able](wire, handle, able, name, dropped)


class Callback:
    """A test's function, for the student: it can be called."""

    def __init__(
        self, wire: Wire, handle: int, _abilities: int, name: str, _dropped: list[int]
    ) -> None:
        self._wire_link = (wire, handle)
        self.__name__ = self.__qualname__ = name

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Call the function, in the judge's process."""
        wire, handle = self._wire_link
        return wire.request("call", (handle, args, kwargs))

    def __repr__(self) -> str:
        return f"<function {self.__name__}>"

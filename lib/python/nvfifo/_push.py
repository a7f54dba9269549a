# SPDX-License-Identifier: MIT
"""The push builder: words of a pushbuffer, by numbers or by the names of classes and methods."""
import functools
import re
from typing import Callable, Iterable, Optional, Union

from ._lib import lib
from ._text import assemble, disassemble, word_list

Data = Union[int, float, str]

_METHOD_END = 0x2000
_COUNT_MAX = 0x7ff


def class_name(oclass: int) -> Optional[str]:
    """The name of an object class: "M2MF" of 0x5039. None if the family has no such class."""
    name = lib.nvfifo_class_name(oclass)
    return name.decode() if name else None


def classes() -> "dict[int, str]":
    """All object classes of the family with their names."""
    result, oclass = {}, lib.nvfifo_class_next(0)
    while oclass:
        result[oclass] = class_name(oclass) or ""
        oclass = lib.nvfifo_class_next(oclass)
    return result


def method_name(oclass: int, method: int) -> Optional[str]:
    """The name of a method: "M2MF.LINE_COUNT" of 0x320 of class 0x5039. None without a name."""
    name = lib.nvfifo_method_name(oclass, method)
    return name.decode() if name else None


@functools.lru_cache(maxsize=None)
def methods(oclass: int) -> "dict[str, list[int]]":
    """The methods of a class by their Python names, each with the numbers of its elements.

    A name is the field's in lower case, without the number of the element:
    RT[3].ADDRESS_HIGH is the fourth of ``rt_address_high``.
    """
    result: "dict[str, list[int]]" = {}
    for method in range(0, _METHOD_END, 4):
        name = method_name(oclass, method)
        if name and "." in name:
            plain = re.sub(r"\[\w+\]", "", name.split(".", 1)[1])
            result.setdefault(re.sub(r"\W+", "_", plain).strip("_").lower(), []).append(method)
    return result


class Methods:
    """The methods of an object that is bound to a subchannel: ``m2mf.line_count(4)``.

    A call takes the data words of this method and those after it. ``index`` selects an element:
    ``eng3d.rt_address_high(0, 0x20000, index=3)``. Data may be numbers, floats, or, as strings, what
    the assembler takes: ``eng2d.operation("SRCCOPY")``.
    """

    def __init__(self, push: "Push", subchannel: int, oclass: int):
        self._push = push
        self._subchannel = subchannel
        self._oclass = oclass

    def __dir__(self) -> Iterable[str]:
        return sorted(methods(self._oclass))

    def __getattr__(self, name: str) -> "Callable[..., Push]":
        numbers = methods(self._oclass).get(name, [])
        if not numbers:
            raise AttributeError(f"class {self._oclass:#x} ({class_name(self._oclass)}) has no method {name!r}")

        def emit(*data: Data, index: int = 0) -> "Push":
            if not 0 <= index < len(numbers):
                raise IndexError(f"{name}: index {index} is not 0 to {len(numbers) - 1}")
            return self._push.named(self._subchannel, self._oclass, numbers[index], *data)

        emit.__name__ = name
        emit.__doc__ = f"{method_name(self._oclass, numbers[0])}, method {numbers[0]:#x}"
        return emit


class Push:
    """Words of a pushbuffer in the format of this family. Each call appends, and returns the builder.

    >>> p = Push()
    >>> m2mf = p.bind(0, 0x5039, handle=0xbeef0039)
    >>> _ = m2mf.line_count(4).ref_cnt(1)
    >>> p.words
    [262144, 3203334201, 262944, 4, 262224, 1]
    """

    def __init__(self, words: Iterable[int] = ()):
        self.words = word_list(words)
        self._bound: "dict[str, Methods]" = {}
        self._handles: "dict[int, int]" = {}

    def __len__(self) -> int:
        return len(self.words)

    def __str__(self) -> str:
        return "\n".join(disassemble(self.words, classes=self._handles))

    def __getattr__(self, name: str) -> Methods:
        """The methods of a bound object by its class's name in lower case; ``_2d`` and ``_3d`` for 2D and 3D."""
        bound: Optional[Methods] = self.__dict__.get("_bound", {}).get(name)
        if bound is None:
            raise AttributeError(f"no object {name!r} is bound to a subchannel of this pushbuffer")
        return bound

    def bind(self, subchannel: int, oclass: int, handle: int) -> Methods:
        """Bind the object of a handle to a subchannel, by method OBJECT."""
        name = class_name(oclass)
        if not name:
            raise ValueError(f"oclass: the family has no class {oclass:#x}")
        self.method(subchannel, 0, handle)
        bound = Methods(self, subchannel, oclass)
        key = name.lower()
        self._bound[f"_{key}" if key[0].isdigit() else key] = bound
        self._handles[handle] = oclass
        return bound

    def method(self, subchannel: int, method: int, *data: int) -> "Push":
        """Data for increasing methods: the first for ``method``, the next for ``method`` + 4, ..."""
        return self._command(0, subchannel, method, data)

    def method_0inc(self, subchannel: int, method: int, *data: int) -> "Push":
        """All data for one method."""
        return self._command(0x40000000, subchannel, method, data)

    def named(self, subchannel: int, oclass: int, method: int, *data: Data) -> "Push":
        """As :meth:`method`, and data may be floats, and names and fields as the assembler takes them."""
        self.method(subchannel, method, *(value if isinstance(value, int) else 0 for value in data))
        for position, value in enumerate(data):
            if isinstance(value, int):
                continue
            name = method_name(oclass, method + 4 * position) or f"{method + 4 * position:#x}"
            text = repr(value) if isinstance(value, float) else value
            self.words[position - len(data)] = assemble(f"mthd {subchannel} {name} : {text}")[1]
        return self

    def ref_cnt(self, value: int, subchannel: int = 0) -> "Push":
        """Set the channel's reference counter when the engine's work is done."""
        return self.method(subchannel, 0x50, value)

    def text(self, text: str, **symbols: int) -> "Push":
        """Append assembler text."""
        self.words += assemble(text, symbols=symbols)
        return self

    def _command(self, kind: int, subchannel: int, method: int, data: "tuple[int, ...]") -> "Push":
        if not 0 <= subchannel <= 7:
            raise ValueError(f"subchannel: {subchannel} is not 0 to 7")
        if method % 4 or not 0 <= method < _METHOD_END:
            raise ValueError(f"method: {method:#x} is not a multiple of 4 from 0 to {_METHOD_END - 4:#x}")
        if len(data) > _COUNT_MAX:
            raise ValueError(f"data: {len(data)} words are more than {_COUNT_MAX}")
        self.words += [kind | len(data) << 18 | subchannel << 13 | method] + word_list(data)
        return self

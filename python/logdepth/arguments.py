"""Arguments of the wrong type, as one sentence."""

from __future__ import annotations

import functools
import re
import types
from collections.abc import Mapping, Sequence
from typing import Any, Callable

_PREFIX = "incompatible function arguments. The following argument types are supported:"


def sentence(name: str, message: str, arguments: Sequence[Any], named: Mapping[str, Any]) -> str:
    """nanobind's message about a call of `name` in one sentence: what was expected, what was found.

    The object of a method is not among `arguments`.
    """
    signatures = re.findall(r"^\s+\d+\. \w*\((.*)\)(?: -> .*)?$", message, re.MULTILINE)
    expected = [_plain(re.sub(r"^self(, )?|, /$", "", signature)) for signature in signatures]
    found = [_shown(value) for value in arguments]
    found += [f"{key}={_shown(value)}" for key, value in named.items()]
    return f"{name}: expected ({') or ('.join(expected)}), found ({', '.join(found)})"


def explain(module: types.ModuleType) -> None:
    """Lets the functions, methods and properties of the extension module say what is wrong so."""
    for name, thing in list(vars(module).items()):
        if name.startswith("test"):
            continue  # pytest would collect a function of this name from `import *`
        if _is_function(thing):
            setattr(module, name, _explained(thing, name, False))
        elif isinstance(thing, type):
            for member, value in list(vars(thing).items()):
                if not member.startswith("__"):
                    _explain_member(thing, member, value)


def _explain_member(of: type, member: str, value: Any) -> None:
    name = f"{of.__name__}.{member}"
    kind = type(value).__name__
    if kind == "nb_func":
        setattr(of, member, staticmethod(_explained(value, name, False)))
    elif kind == "nb_method":
        setattr(of, member, _explained(value, name, True))
    elif isinstance(value, property) and value.fset is not None:
        setter = _explained(value.fset, name, True)
        setattr(of, member, property(value.fget, setter, None, value.__doc__))


def explained(name: str, call: Callable[..., Any], *arguments: Any) -> Any:
    """The same for one call, as of a constructor."""
    try:
        return call(*arguments)
    except TypeError as error:
        if _PREFIX not in str(error):
            raise
        raise TypeError(sentence(name, str(error), arguments, {})) from None


def _is_function(thing: Any) -> bool:
    return type(thing).__name__ in ("nb_func", "nb_method")


def _explained(function: Callable[..., Any], name: str, of_object: bool) -> Callable[..., Any]:
    @functools.wraps(function, ("__module__", "__name__", "__doc__"), ())
    def call(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except TypeError as error:
            if _PREFIX not in str(error):
                raise
            message = sentence(name, str(error), arguments[1:] if of_object else arguments, named)
        raise TypeError(message)

    del call.__wrapped__  # has no signature that inspect can read
    return call


def _shown(value: Any) -> str:
    """A short value as it is written, else its type."""
    if value is None or isinstance(value, (bool, int, float, str)):
        text = repr(value)
        return text if len(text) <= 40 else type(value).__name__
    return type(value).__name__ if not callable(value) else "a function"


def _plain(types_: str) -> str:
    """Names without the modules that they come from."""
    return re.sub(r"\b(?:logdepth\._bindings|collections\.abc|typing|nanobind|builtins)\.", "", types_)

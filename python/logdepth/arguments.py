"""Arguments of the wrong type, as one sentence."""

from __future__ import annotations

import functools
import inspect
import operator
import re
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any, Callable

from .errors import BadInput

_PREFIX = "incompatible function arguments. The following argument types are supported:"


def require(condition: bool, sentence: str) -> None:
    """BadInput with this sentence where the condition does not hold."""
    if not condition:
        raise BadInput(sentence)


def _sentence(
    name: str, expected: Sequence[str], arguments: Sequence[Any], named: Mapping[str, Any]
) -> str:
    """What a call of `name` expected, and what it found; the object of a method is not among `arguments`."""
    types_ = ") or (".join(map(_plain, expected))
    found = [_shown(value) for value in arguments]
    found += [f"{key}={_shown(value)}" for key, value in named.items()]
    return f"{name}: expected ({types_}), found ({', '.join(found)})"


def explain(module: types.ModuleType) -> None:
    """Lets the functions, methods and properties of the extension module say what is wrong so."""
    for name, thing in list(vars(module).items()):
        if type(thing).__name__ == "nb_func":
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


def check_calls(namespace: dict[str, Any], exported: Sequence[str] = ()) -> None:
    """Lets exported functions of a module, and members of its classes, say the same by their annotations."""
    for name, thing in list(namespace.items()):
        if isinstance(thing, types.FunctionType) and name in exported:
            namespace[name] = _checked(thing)
        elif isinstance(thing, type) and thing.__module__ == namespace["__name__"]:
            for member, value in list(vars(thing).items()):
                if isinstance(value, types.FunctionType) and not member.startswith("_"):
                    setattr(thing, member, _checked(value))


def _checked(function: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(function)
    taken = [one for key, one in signature.parameters.items() if key != "self"]
    of_object = len(taken) < len(signature.parameters)

    @functools.lru_cache(maxsize=None)
    def hints() -> dict[str, Any]:  # when it is called: classes may follow the function
        return typing.get_type_hints(function)

    def fit(given: Mapping[str, Any]) -> bool:
        listed = [one.name for one in taken if one.kind is not one.VAR_POSITIONAL]
        return all(_fits(given[key], hints()[key], key) for key in listed if key in given)

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        try:
            fits = fit(signature.bind(*arguments, **named).arguments)
        except TypeError:
            fits = False
        if fits:
            return function(*arguments, **named)
        name = function.__name__
        expected = ", ".join(str(one.replace(annotation=hints()[one.name])) for one in taken)
        if of_object:
            name, arguments = f"{type(arguments[0]).__name__}.{name}", arguments[1:]
        raise TypeError(_sentence(name, [expected], arguments, named))

    return call


def _fits(value: Any, of: Any, name: str) -> bool:
    """Whether a value is of a type, as far as functions do not say so themselves of what they convert. BadInput for a
    str that is none of some choices.
    """
    kind, inner = typing.get_origin(of), typing.get_args(of)
    if kind is typing.Literal and isinstance(value, str):
        choices = ", ".join(map(repr, inner))
        require(value in inner, f"{name}: expected one of {choices}, found {value!r}")
        return True
    if kind is typing.Union:
        return any(_fits(value, one, name) for one in inner)
    if kind is Sequence:
        is_list = isinstance(value, Sequence) and not isinstance(value, str)
        return is_list and all(_fits(one, inner[0], name) for one in value)
    if of is int:
        return hasattr(value, "__index__") and operator.index(value) >= 0
    return of is Any or "_converts" in vars(of) or isinstance(value, of)


def _explained(function: Callable[..., Any], name: str, of_object: bool) -> Callable[..., Any]:
    @functools.wraps(function, ("__module__", "__name__", "__doc__"), ())
    def call(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except TypeError as error:
            if _PREFIX not in str(error):
                raise
            taken = re.findall(r"^\s+\d+\. \w*\((.*)\)(?: -> .*)?$", str(error), re.MULTILINE)
            taken = [re.sub(r"^self(, )?|, /$", "", signature) for signature in taken]
            message = _sentence(name, taken, arguments[of_object:], named)
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
    return re.sub(r"\b(?:logdepth\.\w+|collections\.abc|typing|nanobind|builtins)\.", "", types_)

# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The exceptions that programs catch, and how our wheels raise them.

A program that tries whether there is an nvJitLink catches what the official package raises: an error of
`cuda.pathfinder` where there is no library, one of `cuda.bindings._internal.utils` where a library is too old. What
our wheels raise while they stand in is both that and what they raise otherwise.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import ModuleType


class FunctionNotFoundError(RuntimeError):
    """The library that is loaded has no such function."""


class NotSupportedError(RuntimeError):
    """There is no such thing on this platform."""


for _error in (FunctionNotFoundError, NotSupportedError):
    _error.__module__ = "cuda.bindings._internal.utils"


@cache
def raised(package: ModuleType) -> tuple[type[Exception], type[Exception]]:
    """What a package raises where there is no library, and no function in it: what programs catch, too."""
    from cuda.pathfinder import DynamicLibNotFoundError

    no_library = getattr(package, "LibraryNotFoundError", None) or package.DriverNotFoundError
    both = (_both(no_library, DynamicLibNotFoundError), _both(package.FunctionNotFoundError, FunctionNotFoundError))
    for error in both:
        package._core.raise_as(error)
    return both


def _both(own: type[Exception], known: type[Exception]) -> type[Exception]:
    names = {"__doc__": own.__doc__, "__module__": own.__module__, "__reduce__": _reduce}
    return type(own.__name__, (own, known), names)


def _reduce(error: Exception) -> tuple[object, tuple[str, str, tuple[object, ...]], dict[str, object]]:
    """For pickles, which look classes up by name, and would find what a package raises alone."""
    return _again, (type(error).__module__, type(error).__name__, error.args), error.__dict__


def _again(package: str, name: str, arguments: tuple[object, ...]) -> Exception:
    kind = next(kind for kind in raised(import_module(package)) if kind.__name__ == name)
    return kind(*arguments)


class _OfClassOnly:
    """A docstring that the class has and its instances have not."""

    def __init__(self, text: str | None) -> None:
        self.text = text

    def __get__(self, instance: object, owner: type) -> str | None:
        return self.text if instance is None else None


def say_nothing_of_members(enumeration: type) -> None:
    """`cuda.core` explains an error by the docstring of its enumerator, and asks the driver where there is none.

    Ours have none of their own; without this they have that of their class, which explains no error.
    """
    if not isinstance(vars(enumeration).get("__doc__"), _OfClassOnly):
        enumeration.__doc__ = _OfClassOnly(enumeration.__doc__)  # type: ignore[assignment]

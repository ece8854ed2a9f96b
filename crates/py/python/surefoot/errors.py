"""What can go wrong, as exceptions of one family.

Every exception that this package raises on purpose is an :class:`Error`. Each is also the built-in exception that people expect at its place, so that
``except ValueError`` catches a model that cannot be read.
"""

from __future__ import annotations


class Error(Exception):
    """What all others are."""


class InputError(Error, ValueError):
    """Something that was given cannot be read or does not fit: a model, a policy, a property, a file."""


class ModelError(InputError):
    """A model is wrong; the message names the line of Python that says so, where the model was built in Python."""


class PolicyError(InputError):
    """A policy cannot be read, or does not fit its model."""


class UsageError(Error, TypeError):
    """An option that there is not, or that means nothing beside the others."""


class MissingExtra(Error, ImportError):
    """A package is needed that is not installed."""


class InternalError(Error):
    """A bug in Surefoot: there is no verdict."""

"""Variables and their domains, as they are declared in a model or in one of its automata.

Names are told apart over the whole model: an automaton's variable cannot hide a global one.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from .. import expressions
from ..errors import ModelError
from ..expressions import Array, At, Expr, Name, Value, lift
from ..interpret.evaluate import Scope, Valuation, always, compiled
from ..notation import number_to_jani
from ..place import Place, fault, here
from ..values import Json, Kind, Members

# The methods of :class:`Declarations` are named after types, so these need other names inside of it.
Flag: TypeAlias = bool
Lengths: TypeAlias = "tuple[int, ...]"
Shape: TypeAlias = "int | tuple[int, ...]"
Enumeration: TypeAlias = type[enum.Enum]


class Declared(NamedTuple):
    """A variable as it was declared."""

    reference: Name
    jani: Json
    lower: Fraction | None
    upper: Fraction | None
    place: Place

    @property
    def is_array(self) -> bool:
        """Whether it has cells."""
        return isinstance(self.jani["type"], dict) and self.jani["type"]["kind"] == "array"


def parts(expr: Expr) -> Iterator[Expr]:
    """An expression and everything in it."""
    waiting = [expr]
    while waiting:
        part = waiting.pop()
        yield part
        waiting.extend(part.operands)


def known(expr: Expr) -> Fraction | bool | None:
    """The value of an expression of constants; ``None`` where it depends on the state, or on a constant without a
    value.
    """
    values: dict[str, Any] = {}
    for part in parts(expr):
        if isinstance(part, At) or (isinstance(part, Name) and part.value is None):
            return None
        if isinstance(part, Name):
            values[part.name] = part.value
    scope = Scope({name: always(value) for name, value in values.items()}, {}, lambda *_: lambda _: False)
    try:
        value = compiled(expr.jani, scope)(Valuation(()))
    except ModelError as error:
        raise fault(f"'{expr}' has no value: {error}") from None
    return value if isinstance(value, bool) else Fraction(value)


def fits(value: Expr, kind: Kind) -> bool:
    """Whether a value can be given to a variable of a kind."""
    return value.kind == kind or (kind == "real" and value.kind == "int")


def check_name(name: object, what: str) -> str:
    """A name that models and questions can have."""
    if not isinstance(name, str):
        raise fault(f"the name of {what} is a string, not {name!r}")
    if not name or name != name.strip() or any(sign in name for sign in '"<>[]\n\r\t'):
        raise fault(
            f"{name!r} cannot be the name of {what}: it needs a letter, and no quotes, brackets or blanks around it"
        )
    return name


def suggestion(name: str, known: Sequence[str]) -> str:
    """What may have been meant."""
    near = get_close_matches(name, known, 1)
    return f"; did you mean '{near[0]}'?" if near else f"; there are {', '.join(known)}" if known else ""


class Declarations:
    """What can declare variables. ``automaton`` is the one whose own they are."""

    def __init__(self, root: Declarations | None, automaton: str | None) -> None:
        self._root = root if root is not None else self
        self._automaton = automaton
        self._variables: dict[str, Declared] = {}
        # Of the whole model, in its root only: where every name was declared, and the constants.
        self._places: dict[str, Place] = {}
        self._constants: dict[str, Json] = {}

    def int(
        self, name: str, lower: Value, upper: Value, *, initial: Value | None = None, transient: Flag = False
    ) -> Name:
        """An integer from ``lower`` to ``upper``, both included. Without ``initial`` it may start with any of them."""
        return self._scalar(name, "int", (lower, upper), initial, transient)

    def bool(self, name: str, *, initial: Value | None = None, transient: Flag = False) -> Name:
        """A truth value. Without ``initial`` it may start with either."""
        return self._scalar(name, "bool", (None, None), initial, transient)

    def real(
        self,
        name: str,
        lower: Value | None = None,
        upper: Value | None = None,
        *,
        initial: Value | None = None,
        transient: Flag = False,
    ) -> Name:
        """A real number, with or without bounds. Questions about reals are for ``ctl``, and for ``verify`` where
        finitely many states are reached.
        """
        return self._scalar(name, "real", (lower, upper), initial, transient)

    def enum(self, name: str, members: Sequence[str] | Enumeration, *, initial: Value | None = None) -> Name:
        """One of some names, or of the members of an :class:`enum.Enum`: an integer that counts them from 0.

        ``light == "red"`` and ``{light: "green"}`` speak of members. In the text of questions they are ``light.red``,
        or ``Light.RED`` for a class.
        """
        python = members if isinstance(members, type) else None
        if isinstance(members, str):
            raise fault(f"the members of '{name}' are a list of names, or a class of them, not the text {members!r}")
        names = [member.name if isinstance(member, enum.Enum) else member for member in members]
        owner = python.__name__ if python is not None else check_name(name, "a variable")
        if not names or len(set(names)) != len(names):
            raise fault(f"the members of '{name}' are {names}: there must be some, and no two of one name")
        for number, member in enumerate(names):
            self._constant(
                f"{owner}.{check_name(member, 'a member')}", "int", Fraction(number), again=python is not None
            )
        return self._scalar(name, "int", (0, len(names) - 1), initial, False, Members(owner, names, python))

    def int_array(self, name: str, shape: Shape, lower: Value, upper: Value, *, initial: Any) -> Array:
        """An array of integers: ``m.int_array("cells", 5, 0, 3, initial=0)``. ``initial`` is of all cells, or a list of
        one each.
        """
        return self._array(name, "int", shape, (lower, upper), initial)

    def bool_array(self, name: str, shape: Shape, *, initial: Any) -> Array:
        """An array of truth values; ``initial`` as in :meth:`int_array`."""
        return self._array(name, "bool", shape, (None, None), initial)

    def real_array(
        self, name: str, shape: Shape, lower: Value | None = None, upper: Value | None = None, *, initial: Any
    ) -> Array:
        """An array of real numbers; ``initial`` as in :meth:`int_array`."""
        return self._array(name, "real", shape, (lower, upper), initial)

    def _scalar(
        self,
        name: str,
        kind: Kind,
        bounds: tuple[Value | None, Value | None],
        initial: Value | None,
        transient: Flag,
        members: Members | None = None,
    ) -> Name:
        reference = Name(
            check_name(name, "a variable"), kind, members=members, automaton=self._automaton, owner=self._root
        )
        jani, lower, upper = self._type(name, kind, bounds)
        declared: dict[str, Json] = {"name": name, "type": jani}
        if members is not None:
            declared["x-members"] = list(members.names)
        if transient:
            declared["transient"] = True
            if initial is None:
                raise fault(
                    f"the transient variable '{name}' needs an initial value, which it has wherever nothing else is "
                    "said"
                )
        if initial is not None:
            declared["initial-value"] = self._initial(reference, initial, lower, upper)
        return self._add(Declared(reference, declared, lower, upper, here()))

    def _array(
        self, name: str, kind: Kind, shape: Shape, bounds: tuple[Value | None, Value | None], initial: Any
    ) -> Array:
        lengths = shape if isinstance(shape, tuple) else (shape,)
        if not lengths or not all(isinstance(length, int) and length > 0 for length in lengths):
            raise fault(f"the shape of '{name}' is a positive number of cells, or a tuple of such, not {shape!r}")
        reference = Name(check_name(name, "a variable"), kind, automaton=self._automaton, owner=self._root)
        jani, lower, upper = self._type(name, kind, bounds)
        values = self._cells(reference, lengths, initial, lower, upper)
        for _ in lengths:
            jani = {"kind": "array", "base": jani}
        self._add(Declared(reference, {"name": name, "type": jani, "initial-value": values}, lower, upper, here()))
        return Array(reference, lengths)

    def _cells(
        self, cell: Name, lengths: Lengths, initial: Any, lower: Fraction | None, upper: Fraction | None
    ) -> Json:
        if not lengths:
            return self._initial(cell, initial, lower, upper)
        length, *rest = lengths
        if isinstance(initial, Expr) or not hasattr(initial, "__len__"):
            initial = [initial] * length
        if len(initial) != length:
            raise fault(f"'{cell.name}' has {length} cells here, and {len(initial)} initial values")
        return {"op": "av", "elements": [self._cells(cell, tuple(rest), value, lower, upper) for value in initial]}

    def _type(
        self, name: str, kind: Kind, bounds: tuple[Value | None, Value | None]
    ) -> tuple[Json, Fraction | None, Fraction | None]:
        if kind == "bool" or bounds == (None, None):
            return kind, None, None
        jani: dict[str, Json] = {"kind": "bounded", "base": kind}
        values: list[Fraction | None] = []
        for bound, which in zip(bounds, ("lower", "upper"), strict=True):
            value = None
            if bound is not None:
                expr = self.visible(expressions.number(bound))
                if not fits(expr, kind):
                    raise fault(f"the {which} bound of the integer '{name}' is {expr}, which is no integer")
                value = self._constant_value(expr, f"the {which} bound of '{name}'")
                jani[f"{which}-bound"] = expr.jani
            values.append(value)
        lower, upper = values
        if lower is not None and upper is not None and lower > upper:
            raise fault(f"the bounds of '{name}' are the wrong way round: {lower} is above {upper}")
        return jani, lower, upper

    def _initial(self, reference: Name, initial: Any, lower: Fraction | None, upper: Fraction | None) -> Json:
        expr = self.visible(lift(initial, reference))
        if not fits(expr, reference.kind):
            raise fault(
                f"'{reference.name}' is of type {reference.kind}, its initial value '{expr}' is of type {expr.kind}"
            )
        self.check_bounds(expr, reference.name, lower, upper)
        self._constant_value(expr, f"the initial value of '{reference.name}'")
        return expr.jani

    def _constant_value(self, expr: Expr, what: str) -> Fraction | None:
        for part in parts(expr):
            if isinstance(part, At) or (isinstance(part, Name) and part.assignable):
                raise fault(
                    f"{what} must be constant, and '{expr}' depends on the state; start() takes conditions over "
                    "several variables"
                )
        value = known(expr)
        return None if isinstance(value, bool) else value

    def check_bounds(self, expr: Expr, name: str, lower: Fraction | None, upper: Fraction | None) -> None:
        """Refuses a constant that a variable cannot have."""
        value = known(expr) if expr.kind != "bool" else None
        if value is not None and ((lower is not None and value < lower) or (upper is not None and value > upper)):
            raise fault(
                f"{expr} is outside the domain of '{name}', "
                f"{'' if lower is None else lower}..{'' if upper is None else upper}"
            )

    def _add(self, declared: Declared) -> Name:
        self._claim(declared.reference.name, declared.place)
        self._variables[declared.reference.name] = declared
        return declared.reference

    def _claim(self, name: str, place: Place) -> None:
        # In the text of questions a local variable has its automaton in front: that is a name, too.
        for taken in (name,) if self._automaton is None else (name, f"{self._automaton}.{name}"):
            other = self._root._places.setdefault(taken, place)
            if other is not place:
                raise fault(f"the name '{taken}' is taken: it was declared at {other}")

    def _constant(self, name: str, kind: Kind, value: Fraction | Flag | None, again: Flag = False) -> Name:
        jani: dict[str, Json] = {"name": name, "type": kind}
        if value is not None:
            jani["value"] = value if isinstance(value, bool) else number_to_jani(value)
        # Two variables of one enumeration have the same members.
        if not (again and self._root._constants.get(name) == jani):
            self._claim(name, here())
            self._root._constants[name] = jani
        return Name(name, kind, owner=self._root, assignable=False, value=value)

    def visible(self, expr: Expr) -> Expr:
        """An expression, where everything that it names can be named here."""
        for part in parts(expr):
            if isinstance(part, (Name, At)) and part.owner is not self._root:
                raise fault(f"'{part}' belongs to another model")
            if isinstance(part, Name) and part.automaton not in (None, self._automaton):
                where = f"the automaton '{self._automaton}'" if self._automaton is not None else "the model"
                raise fault(
                    f"'{part}' is a variable of the automaton '{part.automaton}' alone, and unknown to {where}; "
                    "declare it in the model"
                )
        return expr

    def find(self, name: str) -> Declared:
        """A variable by its name."""
        found: Mapping[str, Declared] = {**self._root._variables, **self._variables}
        if name not in found:
            raise fault(f"there is no variable '{name}'{suggestion(name, list(found))}")
        return found[name]

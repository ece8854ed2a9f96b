"""Models written in Python.

>>> from surefoot.builder import ModelBuilder
>>> m = ModelBuilder("cliff")
>>> x, y = m.int("x", 0, 11), m.int("y", 0, 3)
>>> m.action("left").when(x > 0).do({x: x - 1})
>>> m.action("right").when(x < 11).do({x: x + 1})
>>> m.action("up").when(y < 3).outcomes((0.9, {y: y + 1}), (0.1, {}))
>>> m.start((x == 0) & (y == 0))
>>> m.build()
<Model cliff: actions left, right, up; x: int 0..11, y: int 0..3>

What is wrong raises :class:`surefoot.ModelError`, and the message begins with the file and the line of the program that
says so.
"""

from .automaton import AutomatonBuilder
from .edges import Between, EdgeBuilder, between
from .system import ModelBuilder

__all__ = ["AutomatonBuilder", "Between", "EdgeBuilder", "ModelBuilder", "between"]

"""A second, independent reading of JANI models: slow, in plain Python, and meant to be read.

:func:`surefoot.conform` asks it what a model allows; the tests compare the builder, the compiled environments and the
engines with it.

>>> from surefoot.interpret import Interpreter
>>> from surefoot.builder import ModelBuilder
>>> m = ModelBuilder("coin")
>>> heads = m.bool("heads", initial=False)
>>> m.action("toss").outcomes((0.5, {heads: True}), (0.5, {heads: False}))
>>> interpreter = Interpreter(m.build().document)
>>> [start] = interpreter.initial_states()
>>> [choice] = interpreter.choices(start)
>>> [(str(outcome.probability), interpreter.describe(outcome.successors[0])) for outcome in choice.outcomes]
[('1/2', {'heads': True}), ('1/2', {'heads': False})]
"""

from .evaluate import Value
from .steps import Choice, Interpreter, Operator, Outcome, State

__all__ = ["Choice", "Interpreter", "Operator", "Outcome", "State", "Value"]

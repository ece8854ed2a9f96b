"""Many questions, on many processes or machines.

A :class:`Task` is a question that can be sent elsewhere. :func:`batch` answers many of them and yields each :class:`Item` as it comes: one that fails, dies or
takes too long is an item like the others and stops none of them. With a folder, what is answered is kept there, and the same call
goes on where an earlier one ended.

* :mod:`.task`: tasks; :mod:`.journal`: what was answered; :mod:`.run`: :func:`batch`;
* :mod:`.processes`, :mod:`.ray`: who answers; :mod:`.cells`: one start set cut into cells, and their verdicts put together again.
"""

from __future__ import annotations

from .cells import Cells, combine
from .run import batch
from .task import Item, Task, grid

__all__ = ["Cells", "Item", "Task", "batch", "combine", "grid"]

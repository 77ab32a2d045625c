"""The connection between the judge and a student's process: values, calls, nothing else.

Both processes run this package. It needs the standard library alone; numpy and torch are used
where a process has them. Nothing is pickled, and whatever arrives is compared with what can be.
"""

from .errors import Closed, Malformed, NotJudgeable, TooLarge, TooLate, WireError
from .limits import Limits
from .outgoing import learn_libraries
from .peer import Peer
from .proxies import Remote
from .raised import came_over

__all__ = [
    "Closed",
    "Limits",
    "Malformed",
    "NotJudgeable",
    "Peer",
    "Remote",
    "TooLarge",
    "TooLate",
    "WireError",
    "came_over",
    "learn_libraries",
]

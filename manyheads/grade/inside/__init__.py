"""What runs inside the sandbox: a template process, its forks, and the shell that runs cells.

Nothing here may import another part of the package than `manyheads.grade.wire`: inside, the rest
is not there. See `manyheads.grade.sandbox` for the side that starts it.
"""

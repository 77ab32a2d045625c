"""What `manyheads.grade` is inside the sandbox: a name for its parts that are needed there."""

"""The gradebook: opened, written and read here, by one process at a time.

`database.py` opens it, `generate.py` makes of a source notebook what nbgrader records of it,
`register.py` records that, `score.py` says what each cell earns, `write.py` enters one submission
in one transaction, `record.py` remembers what it was graded from, `read.py` gives the grades back.
"""

"""How good are the tests and the checks? Put every known answer to them and count.

`kill_table` does that for the course's bank of wrong and right answers; `assessment` says it in a
terminal and as `docs/assessment.md`.
"""

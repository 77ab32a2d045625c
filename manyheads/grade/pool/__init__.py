"""Grading many submissions at once: jobs go to worker processes, results come back.

`job.py` is what is sent and what returns, `worker.py` runs in the workers, `crew.py` keeps the
workers and gives a job whose worker died a second try by itself.
"""

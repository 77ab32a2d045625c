"""When a submission was handed in, as its `timestamp.txt` says.

nbgrader's exchange writes that file, but it lies among the student's own, and nbgrader believes it.
A time that can't be read costs nothing but a flag, and one in the future is not believed. One
that lies in the past can't be told from a true one: who has a deadline, collects by the exchange.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from manyheads.errors import UnreadableError
from manyheads.grade.reading.folder import Listing, read_file

STAMP = "timestamp.txt"
MOST_BYTES = 1_000
SLACK = timedelta(days=1)  # clocks and time zones of other machines


def read_stamp(listing: Listing) -> tuple[datetime | None, list[str]]:
    """The time of submission in UTC without a timezone, or None, and what is odd about it."""
    entry = listing.find(STAMP)
    if entry is None:
        return None, []
    try:
        text = read_file(entry, MOST_BYTES).decode("utf-8-sig", "replace").strip("\0 \r\n\t")
    except UnreadableError as error:
        return None, [f"{STAMP} was not read: {error.cause}"]
    return parse_stamp(text)


def parse_stamp(text: str) -> tuple[datetime | None, list[str]]:
    """A time as nbgrader writes it, or None, and what is odd about it.

    >>> parse_stamp("2026-01-31 18:00:00.000000 UTC")
    (datetime.datetime(2026, 1, 31, 18, 0), [])
    >>> parse_stamp("yesterday")[1]
    ["timestamp.txt says 'yesterday', which is no date and time: not used"]
    """
    if not text:
        return None, [f"{STAMP} is empty: not used"]
    try:
        time = _utc(text)
        late = time > datetime.now(UTC).replace(tzinfo=None) + SLACK
    except Exception:  # dateutil raises many kinds for a text that is no time
        return None, [f"{STAMP} says {text[:40]!r}, which is no date and time: not used"]
    if late:
        return None, [f"{STAMP} says {text[:40]!r}, which lies in the future: not used"]
    return time, []


def _utc(text: str) -> datetime:
    """The time in a text in UTC, read as nbgrader reads it: a third word is the timezone."""
    from dateutil import parser, tz  # type: ignore[import-untyped]  # imported only if needed

    day, _, rest = text.partition(" ")
    hour, _, zone = rest.partition(" ")
    if zone and " " not in zone:
        known = int(zone) if zone.lstrip("+-").isdigit() else tz.gettz(zone)
        time: datetime = parser.parse(f"{day} {hour} TZ", tzinfos={"TZ": known})
    else:
        time = parser.parse(text)
    offset = time.utcoffset()
    return time if offset is None else (time - offset).replace(tzinfo=None)

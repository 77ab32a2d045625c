"""Every attack, graded in one class: nothing gained, read, reached, left, or done to others."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.hostile import UNATTACKED, load
from tests.hostile.classes import (
    BYSTANDER,
    LAST,
    Class,
    Graded,
    hand_in,
    lay,
    real,
    run,
    target,
)
from tests.hostile.folders import FOLDERS
from tests.hostile.lesson import HIDDEN
from tests.hostile.room import (
    PLANTED,
    SUCCESSES,
    graded_notebook,
    integrity,
    left_files,
    printed,
    room,
    seen_by_student,
    tampered,
)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

ATTACKS = load()
STUDENTS = sorted([*(attack.student for attack in ATTACKS), *FOLDERS])
# Every kind in the course's own lessons too, where another function is attacked.
SOME = [attack for attack in ATTACKS[::15] if not attack.slow]
FULL = {"test_double_shape": 1, "test_double_values": 3, "test_double_contract": 2}
FULL |= {"test_total": 2, "test_turn": 2, "test_table": 2, "test_find_bug": 4}
FULL |= {"test_quiz_1": 1, "test_message": 1, "explain_1": 0}
UNREADABLE = (
    "notebook-is-",
    "folder-is-a-link",
    "json-deep",
    "giant-number",
    "attachment-of-megabytes",
)


def graded(cls: Class, path: pytest.TempPathFactory, *, whole: bool) -> Iterator[Graded]:
    with room(path.mktemp(cls.lesson)) as made:
        lay(made, cls)
        names = hand_in(made, cls, ATTACKS if whole else SOME, folders=whole)
        yield run(made, cls, names)


@pytest.fixture(scope="module")
def attacked(held: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graded]:
    """All attacks on the lesson made for them."""
    yield from graded(target(), tmp_path_factory, whole=True)


@pytest.fixture(scope="module")
def undisturbed(held: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graded]:
    """The same class without any attack."""
    with room(tmp_path_factory.mktemp("undisturbed")) as made:
        lay(made, target())
        yield run(made, target(), [])


@pytest.fixture(
    scope="module", params=[("02_head_split", "split_heads"), ("06_gqa_merge", "repeat_kv")]
)
def lesson(
    request: pytest.FixtureRequest, held: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Graded]:
    """Some attacks of every kind on a lesson of the course."""
    yield from graded(real(*request.param), tmp_path_factory, whole=False)


def gains(one: Graded, student: str) -> dict[str, float]:
    """The cells in which an attack earned more than the wrong answers do without it."""
    plain = one.scores[UNATTACKED.student]
    earned = one.scores.get(student, {})
    return {name: points for name, points in earned.items() if points > plain.get(name, 0)}


def page_of(one: Graded, student: str) -> str:
    """A feedback page without what differs in every run: names, addresses of objects."""
    seen = seen_by_student(one.room.course, student, one.lesson)
    return re.sub(r"0x[0-9a-f]+", "0x", seen).replace(student, "")


def test_the_wrong_answers_earn_next_to_nothing(attacked: Graded) -> None:
    assert sum(attacked.scores[UNATTACKED.student].values()) == 1


@pytest.mark.parametrize("student", STUDENTS)
def test_an_attack_earns_no_more_than_its_answer(attacked: Graded, student: str) -> None:
    assert gains(attacked, student) == {}


@pytest.mark.parametrize("student", STUDENTS)
def test_an_attack_carries_nothing_to_its_page(attacked: Graded, student: str) -> None:
    seen = attacked.seen(student)
    assert [word for word in (*HIDDEN, *PLANTED, "CANARY-hidden", "root:x:0") if word in seen] == []
    lines = printed(attacked.room.course, student, attacked.lesson)
    assert [line for line in lines if line.startswith(SUCCESSES)] == []


@pytest.mark.parametrize("student", STUDENTS)
def test_whoever_attacks_is_graded_or_named_as_a_failure(attacked: Graded, student: str) -> None:
    if not any(part in student for part in UNREADABLE):
        assert set(attacked.scores[student]) == set(FULL)
    elif student not in attacked.scores:
        assert student in attacked.outcome.said


def test_bystanders_keep_every_point(attacked: Graded) -> None:
    assert {name: attacked.scores.get(name) for name in attacked.bystanders} == dict.fromkeys(
        attacked.bystanders, FULL
    )


def test_bystanders_pages_are_those_of_an_undisturbed_class(
    attacked: Graded, undisturbed: Graded
) -> None:
    wanted = page_of(undisturbed, LAST)
    assert "doubled" in wanted or "explain_1" in wanted
    assert page_of(undisturbed, BYSTANDER).replace("CANARY-other", "") == wanted.replace(
        "CANARY-other", ""
    )
    pages = {page_of(attacked, name) for name in (BYSTANDER, LAST)}
    assert pages == {wanted}


def test_no_attack_reached_a_server(attacked: Graded) -> None:
    assert attacked.room.reached == []


def test_no_attack_left_a_process(attacked: Graded) -> None:
    assert attacked.outcome.orphans == []


def test_no_attack_left_a_file(attacked: Graded) -> None:
    assert left_files(attacked.room) == []


def test_no_attack_changed_an_installed_module(attacked: Graded) -> None:
    assert tampered() == []


def test_the_gradebook_is_whole(attacked: Graded) -> None:
    assert integrity(attacked.room.course) == "ok"


def test_maximum_scores_are_the_assignments(attacked: Graded) -> None:
    import sqlite3

    with sqlite3.connect(attacked.room.course.gradebook) as database:
        rows = database.execute("select max_score from grade_cells").fetchall()
    database.close()
    assert sum(points for (points,) in rows) == sum(FULL.values())


def test_a_canary_is_found_where_it_may_be(attacked: Graded) -> None:
    """The look-out sees: the instructor's own copy of a test does hold what is hidden."""
    notebook = graded_notebook(attacked.room.course, UNATTACKED.student, attacked.lesson)
    assert notebook is not None
    assert "CANARY-hidden" in str(notebook.cells)


def test_nothing_is_gained_in_the_courses_lessons(lesson: Graded) -> None:
    assert {name: gains(lesson, name) for name in lesson.attackers if gains(lesson, name)} == {}


def test_nothing_is_read_in_the_courses_lessons(lesson: Graded) -> None:
    words = (*PLANTED, "root:x:0")
    seen = {name: lesson.seen(name) for name in lesson.attackers}
    assert {name: word for name in seen for word in words if word in seen[name]} == {}


def test_bystanders_in_the_courses_lessons_keep_every_point(lesson: Graded) -> None:
    everything = lesson.scores[BYSTANDER]
    assert sum(everything.values()) > 20
    assert [name for name in lesson.bystanders if lesson.scores[name] != everything] == []


def test_attacks_on_the_courses_lessons_leave_nothing(lesson: Graded) -> None:
    found = (lesson.room.reached, lesson.outcome.orphans, left_files(lesson.room))
    assert found == ([], [], [])

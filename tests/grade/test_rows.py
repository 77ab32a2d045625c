"""Every row of what happens to graders in the wild has a test that is really about it.

R1 to R26 are kinds of trouble that other graders were reported to have; the attacks have a corpus
of their own, `tests/hostile/attacks/`.
"""

from __future__ import annotations

import ast
from functools import cache

import pytest

from tests.grade.mini import REPOSITORY

TESTS = REPOSITORY / "tests"
ROWS = {
    "R1 a copied or split cell": [
        "grade/test_sanitize.py::test_of_a_copied_test_one_counts_and_it_is_the_instructors",
        "grade/test_sanitize.py::test_both_halves_of_a_split_answer_stay_in_order_and_the_test_follows",
        "grade/test_nbgrader_commands.py::test_one_dying_kernel_and_one_copied_cell_stop_nobody",
        "grade/test_broken_class.py::test_each_broken_one_is_reported_with_its_cause",
    ],
    "R2 a deleted test": [
        "grade/test_sanitize.py::test_a_deleted_cell_is_put_back_at_its_place_and_flagged",
        "grade/test_grade_class.py::test_what_was_put_right_is_flagged",
    ],
    "R3 flipped metadata": [
        "grade/test_sanitize.py::test_whatever_is_flipped_the_gradebooks_word_counts",
        "hostile/test_attacks.py::test_maximum_scores_are_the_assignments",
    ],
    "R4 a tag that keeps a test from running": [
        "grade/test_sanitize.py::test_no_tag_of_a_students_is_kept",
        "grade/test_grade_class.py::test_each_submission_earns_what_it_deserves",
    ],
    "R5 a test that never ran": [
        "grade/test_verdict.py::test_a_test_that_never_ran_earns_nothing_and_says_so",
        "grade/test_run.py::test_time_is_bounded_for_the_whole_submission",
    ],
    "R6 impossible partial credit": [
        "grade/test_verdict.py::test_an_impossible_score_earns_nothing_and_names_the_cause",
        "grade/test_run.py::test_partial_credit_is_a_possible_score_or_nothing",
    ],
    "R7 a process that exits or crashes": [
        "grade/sandbox/test_endings.py::test_process_that_ends_says_how",
        "grade/test_run.py::test_an_exam_that_ends_costs_the_rest_of_its_exercise",
        "grade/test_broken_class.py::test_a_broken_exercise_costs_itself_and_no_other",
    ],
    "R8 an endless loop": [
        "grade/sandbox/test_endings.py::test_cell_without_end_is_stopped_within_a_second",
        "grade/sandbox/test_endings.py::test_time_of_a_whole_submission_is_limited",
        "grade/judge/test_judge.py::test_an_endless_test_is_stopped",
    ],
    "R9 a memory bomb": [
        "grade/sandbox/test_endings.py::test_memory_of_one_process_is_limited",
        "grade/sandbox/test_endings.py::test_memory_of_many_processes_is_limited_together",
        "grade/sandbox/test_endings.py::test_next_process_is_not_affected",
    ],
    "R10 output in bulk": [
        "grade/sandbox/test_cells.py::test_output_in_bulk_is_cut",
        "grade/sandbox/test_cells.py::test_a_million_displays_end_in_seconds",
        "grade/test_broken_class.py::test_a_million_displays_make_no_giant_notebook",
    ],
    "R11 a right answer that warns": [
        "grade/test_run.py::test_a_warning_costs_nothing",
        "grade/test_verdict.py::test_a_warning_costs_nothing_and_stays_to_be_read",
    ],
    "R12 files that can't be read": [
        "grade/reading/test_json_text.py::test_what_is_no_notebook_is_refused_with_its_cause",
        "grade/reading/test_json_text.py::test_a_notebook_cut_anywhere_is_refused",
        "grade/reading/test_encodings.py::test_a_byte_order_mark_tells_the_encoding",
        "grade/reading/test_shape.py::test_a_format_yet_to_come_is_refused",
        "grade/reading/test_shape.py::test_old_formats_are_upgraded_with_a_flag",
    ],
    "R13 a renamed notebook": [
        "grade/reading/test_choose.py::test_a_single_match_is_taken_and_flagged",
        "grade/reading/test_choose.py::test_the_exact_name_wins_and_the_others_are_listed",
        "grade/reading/test_choose.py::test_of_two_candidates_none_is_picked",
    ],
    "R14 ids or metadata lost": [
        "grade/test_sanitize_rebuilt.py::test_a_stripped_notebook_has_all_its_cells_and_answers_again",
        "grade/test_sanitize.py::test_every_cell_gets_an_id_of_its_own",
    ],
    "R15 another kernel": [
        "grade/test_sanitize.py::test_the_kernel_is_the_courses_and_no_other_metadata_of_the_notebook_is_kept",
    ],
    "R16 cells that wait for somebody": [
        "grade/sandbox/test_cells.py::test_input_says_why",
        "grade/sandbox/test_cells.py::test_pip_install_fails_at_once",
        "grade/sandbox/test_cells.py::test_widgets_do_not_hang",
        "grade/sandbox/test_cells.py::test_shown_figure_is_drawn_once",
    ],
    "R17 a NotImplementedError left over": [
        "grade/test_run.py::test_a_left_over_not_implemented_error_is_named",
        "grade/test_run.py::test_the_release_as_it_is_was_not_attempted",
    ],
    "R18 a student's variable named as in a test": [
        "grade/judge/test_judge.py::test_a_learners_variable_of_a_name_the_test_uses_moves_no_verdict",
    ],
    "R19 graded twice, by one and by many": [
        "grade/test_resume.py::test_one_worker_gives_the_same_as_three",
        "grade/test_resume.py::test_everything_again_gives_the_same",
    ],
    "R20 regraded after a change": [
        "grade/test_grade_class.py::test_a_worse_answer_lowers_the_points",
        "grade/book/test_write.py::test_what_a_person_gave_is_kept",
        "grade/book/test_write.py::test_a_failure_half_way_leaves_nothing",
    ],
    "R21 a run that is killed": [
        "grade/test_killed_run.py::test_the_gradebook_is_that_of_an_undisturbed_run",
    ],
    "R22 unusual names and paths": [
        "grade/test_grade_class.py::test_unusual_student_names_are_graded",
        "grade/test_grade_class.py::test_a_path_that_nbgrader_takes_for_a_pattern_is_graded_in",
    ],
    "R23 a table that spreadsheets open": [
        "grade/test_grades.py::test_grades_come_back_as_they_were_written",
        "grade/test_grades.py::test_no_field_starts_a_formula",
    ],
    "R24 hidden text in feedback": [
        "grade/pages/test_page.py::test_no_byte_of_anything_hidden_is_on_a_page",
        "grade/test_grade_class.py::test_no_page_shows_anything_hidden",
        "grade/test_nbgrader_commands.py::test_feedback_pages_hide_the_tests",
    ],
    "R25 what a self-check promises": [
        "student/test_run_checks.py::test_notebook_without_checks_is_an_error",
        "student/test_run_checks.py::test_deleted_test_counts_as_failed",
        "test_cli.py::test_check_exits_with_1_until_all_passes",
    ],
    "R26 a corrected hidden test": [
        "grade/test_resume.py::test_a_corrected_test_is_judged_again_with_its_exercise_and_nothing_else",
        "grade/book/test_register.py::test_a_corrected_test_keeps_all_ids",
        "grade/test_run.py::test_only_wanted_tests_run_and_others_keep_their_outputs",
        "grade/test_grade_class.py::test_a_corrected_hidden_test_is_what_counts_next_time",
    ],
}


@cache
def names(file: str) -> frozenset[str]:
    """The tests that a file defines."""
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    return frozenset(step.name for step in ast.walk(tree) if isinstance(step, ast.FunctionDef))


def is_there(test: str) -> bool:
    file, _, name = test.partition("::")
    return (TESTS / file).is_file() and (not name or name in names(file))


def test_every_row_is_there() -> None:
    assert [row.split()[0] for row in ROWS] == [f"R{number}" for number in range(1, 27)]


@pytest.mark.parametrize("row", ROWS)
def test_the_rows_tests_exist(row: str) -> None:
    assert ROWS[row]
    assert [test for test in ROWS[row] if not is_there(test)] == []


def test_a_test_that_is_gone_is_noticed() -> None:
    assert not is_there("grade/test_verdict.py::test_of_no_such_name")
    assert not is_there("grade/test_of_no_such_file.py")

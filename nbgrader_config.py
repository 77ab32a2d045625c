"""How nbgrader runs this course, from a terminal as from Formgrader and the Validate button."""

import os
import sys
from pathlib import Path

c = get_config()  # noqa: F821  (the loader defines it)
root = Path(__file__).resolve().parent
(root / "exchange").mkdir(exist_ok=True)  # nbgrader wants it there before the first release
# A fresh gradebook starts `alembic` from PATH, also where no environment is activated.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])

c.CourseDirectory.course_id = "manyheads"  # names the course's folder in the exchange
c.CourseDirectory.root = str(root)  # the same folders wherever the command or server starts
c.Exchange.root = str(root / "exchange")  # release and collect on one machine, without root
c.Exchange.cache = str(root / "exchange" / "cache")  # and without files in the user's home
c.Exchange.assignment_dir = str(root / "work")  # where students' own copies live
c.GenerateAssignment.force = True  # release/ is committed, so it is always there already
c.ClearSolutions.code_stub = {"python": "..."}  # a stub that never stops Run All
c.ClearSolutions.text_stub = "*Write your answer here.*"  # a sentence, not a shout
c.Execute.timeout = 30  # seconds for one cell; lessons need one or two
doors = "manyheads.grade.doors"
c.Autograde.exporter_class = f"{doors}.SubmissionExporter"  # reads whatever is in the file
c.Autograde.sanitize_preprocessors = [
    "nbgrader.preprocessors.ClearOutput",  # nothing a student saved counts as a result
    "manyheads.grade.preprocessors.Sanitize",  # the gradebook's cells win over a student's metadata
    "nbgrader.preprocessors.OverwriteKernelspec",  # the course's kernel
]
c.Autograde.autograde_preprocessors = [
    "manyheads.grade.preprocessors.Execute",  # a dead kernel costs what it did not reach, no more
    "manyheads.grade.preprocessors.Verdict",  # no positive verdict, no points; a warning costs none
    "nbgrader.preprocessors.LimitOutput",  # keeps pages readable
    "nbgrader.preprocessors.SaveAutoGrades",  # reads the verdicts, so it comes after them
    "nbgrader.preprocessors.AssignLatePenalties",  # none unless a late-submission plugin is set
    f"{doors}.Inert",  # a student's HTML can't act in formgrader's page
]
c.GenerateFeedback.preprocessors = [f"{doors}.ReadGrades", f"{doors}.HideTests"]  # then hiding
c.GenerateFeedback.exporter_class = f"{doors}.FeedbackExporter"  # no page that shows hidden text

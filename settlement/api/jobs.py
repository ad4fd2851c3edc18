"""Resources that a job makes: how far each is, beside it in the same query."""

from typing import Any, Final

from django.db.models import OuterRef, QuerySet, Subquery

from accounts.api import shapes
from accounts.api.shapes import number, text
from jobs.models import Job

PROGRESS: Final = shapes.shape("Progress", done=number(), total=number(help_text="0 while nobody knows."))
# The fields of every such resource.
JOB: Final = {
    "state": text(help_text="queued, running, done or failed."),
    "error": text(allow_blank=True),
    "progress": PROGRESS(),
}
_COLUMNS: Final = ("status", "error", "progress_done", "progress_total")


def with_job(rows: QuerySet[Any]) -> QuerySet[Any]:
    """The rows, each with what its job says of it."""
    job = Job.objects.filter(subject_id=OuterRef("pk"))
    return rows.annotate(**{f"job_{column}": Subquery(job.values(column)[:1]) for column in _COLUMNS})


def job_body(row: Any) -> dict[str, Any]:
    """What ``JOB`` describes, of a row of ``with_job``."""
    return {
        "state": row.job_status,
        "error": row.job_error,
        "progress": {"done": row.job_progress_done, "total": row.job_progress_total},
    }

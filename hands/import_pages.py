"""What the pages of imports and discrepancies show."""

from typing import Any, Final

from django.db.models import QuerySet
from django.utils.http import urlencode

from accounts.models import Club
from hands.discrepancies import STATES, Filters, discrepancies_of, sessions_with_discrepancies
from hands.import_report import jobs_of, with_state
from hands.models import Import, ImportProblem
from jobs.models import Job

IMPORTS_SHOWN: Final = 50
PROBLEMS_A_PAGE: Final = 50
DISCREPANCIES_A_PAGE: Final = 50
DISCREPANCIES_BESIDE: Final = 10
WARNINGS_BESIDE: Final = 50


def imports_page(club: Club) -> dict[str, Any]:
    """The newest imports, each with its job."""
    found = list(with_state(Import.objects.filter(club=club))[:IMPORTS_SHOWN])
    jobs = jobs_of(found)
    return {
        "club": club,
        "section": "imports",
        "imports": [_shown(history, jobs.get(history.pk)) for history in found],
        "is_working": any(_is_working(history) for history in found),
        "has_discrepancies": discrepancies_of(club).exists(),
    }


def import_page(history: Import, after: str) -> dict[str, Any]:
    """One import: how it stands, its problems from the one after ``after``, and what was claimed otherwise."""
    job = jobs_of([history]).get(history.pk)
    problems = list(_problems(history, after)[: PROBLEMS_A_PAGE + 1])
    more = problems[PROBLEMS_A_PAGE - 1].pk if len(problems) > PROBLEMS_A_PAGE else None
    found = discrepancies_of(history.club, Filters(history_id=history.pk))
    return {
        "club": history.club,
        "section": "imports",
        "shown": _shown(history, job),
        "is_working": _is_working(history),
        "problems": problems[:PROBLEMS_A_PAGE],
        "next": more,
        "is_first_page": not after,
        "warnings": history.problems.filter(result=ImportProblem.Result.ACCEPTED).order_by("pk")[:WARNINGS_BESIDE],
        "faulty": history.conflicts + history.rejected,
        "unknown_fields": [
            {"pointer": pointer, "first": first, "times": times}
            for pointer, (first, times) in history.unknown_fields.items()
        ],
        "discrepancies": found[:DISCREPANCIES_BESIDE] if history.differing else [],
    }


def _problems(history: Import, after: str) -> QuerySet[ImportProblem]:
    """Problems are written in the order of the lines, so their ids are in it too."""
    rows = history.problems.exclude(result=ImportProblem.Result.ACCEPTED).order_by("pk")
    return rows.filter(pk__gt=int(after[:18])) if after.isdecimal() else rows


def _is_working(history: Import) -> bool:
    return history.current_state in {Import.State.QUEUED, Import.State.RUNNING}


def _shown(history: Import, job: Job | None) -> dict[str, Any]:
    """An import as lists show it. Why it failed is in it, or in its job where that was given up."""
    is_given_up = history.current_state == Import.State.FAILED and not history.is_over
    return {
        "history": history,
        "state": history.current_state,
        "job": job,
        "percent": 100 * job.progress_done // job.progress_total if job and job.progress_total else 0,
        "is_nothing_new": history.current_state == Import.State.SUCCEEDED and not history.accepted,
        "failure": job.error if job and is_given_up else history.failure,
        "counts": (history.accepted, history.duplicates, history.conflicts, history.rejected),
    }


def discrepancies_page(club: Club, filters: Filters, before: str) -> dict[str, Any]:
    """The club's discrepancies from the one before ``before``, narrowed to the filters."""
    rows = discrepancies_of(club, filters)
    if before.isdecimal():
        rows = rows.filter(pk__lt=int(before[:18]))
    found = list(rows[: DISCREPANCIES_A_PAGE + 1])
    more = found[DISCREPANCIES_A_PAGE - 1].pk if len(found) > DISCREPANCIES_A_PAGE else None
    chosen = {"session": filters.session_id, "import": filters.history_id, "state": filters.state}
    return {
        "club": club,
        "section": "imports",
        "discrepancies": found[:DISCREPANCIES_A_PAGE],
        "next": more,
        "filters": filters,
        "query": urlencode({name: value for name, value in chosen.items() if value}),
        "sessions": sessions_with_discrepancies(club),
        "states": STATES.items(),
        "history": Import.objects.filter(club=club, pk=filters.history_id).first() if filters.history_id else None,
    }

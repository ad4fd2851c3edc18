"""The workbook that a player takes home: Statement, Sessions, Hands, Opponents, About.

Every row is written as it is read, so that memory stays flat however long the statement is.
"""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from babel.numbers import get_currency_name
from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from accounts.money import format_money
from hands.queries import StoredHand
from hands.rulesets import rules_of
from hands.scoring.cards import cards_text
from hands.scoring.games import ROWS, Rules
from hands.templatetags.cards import format_points
from settlement import excel
from settlement.against import Against, Met, against_each
from settlement.entry_sheets import write_about
from settlement.excel import Book, Column, Sheet
from settlement.models import Statement
from settlement.statement_content import BLOCK, StatementContent, blocks
from settlement.statement_words import book_words, made_words, number_words, period_words, total_words
from settlement.statements import GROUPS, Line, Tally


def write_statement(content: StatementContent, lines: Iterable[Line], tally: Tally, path: Path) -> None:
    """Write the statement's workbook to ``path``: its ``lines``, which ``tally`` counts as they go by, and the rest."""
    statement = content.statement
    foot = f"{number_words(statement)} {book_words(statement.head_sequence, statement.head_hash)}"
    with excel.workbook(path) as book:
        _write_lines(book, content, lines, tally, foot)
        _write_sessions(book, content, foot)
        _write_hands(book, content, foot)
        _write_opponents(book, content, foot)
        write_about(book, _("About this statement"), foot, _facts(statement))


def _write_lines(book: Book, content: StatementContent, lines: Iterable[Line], tally: Tally, foot: str) -> None:
    statement = content.statement
    currency, money = statement.currency, excel.money_of(content.statement.currency)
    columns = [
        Column(_("Date"), 13),
        Column(_("Session"), 24),
        Column(_("Entry"), 22),
        Column(pgettext("the other side of a transfer", "With"), 20),
        Column(_("Reference"), 11, excel.RIGHT),
        Column(_("Hands"), 8, excel.RIGHT),
        Column(_("Points"), 9, excel.RIGHT),
        Column(_("Amount"), 15, excel.RIGHT),
        Column(_("Balance"), 15, excel.RIGHT),
    ]
    sheet = Sheet(book, _("Statement"), columns, frozen_rows=7, foot=foot)
    _write_header(sheet, content)
    sheet.head()

    def total_row(label: str, *, day: Any = None, points: int | None = None, **minor: int) -> list[Any]:
        return [
            sheet.cell(day, excel.BOLD, excel.DAY),
            sheet.cell(None),
            sheet.cell(label, excel.BOLD),
            *(sheet.cell(None) for _column in range(3)),
            sheet.cell(points, excel.BOLD, excel.POINTS),
            *(
                sheet.cell(excel.amount(minor[name], currency) if name in minor else None, excel.BOLD, money)
                for name in ("amount", "balance")
            ),
        ]

    sheet.append(total_row(_("Opening balance"), day=statement.first_day, balance=content.opening_minor))
    for line in lines:
        moved = line.movement
        lost = excel.RED if moved.group == "play" and moved.amount_minor < 0 else excel.PLAIN
        sheet.append(
            [
                sheet.cell(excel.day_of(moved.occurred_at, statement.time_zone), number_format=excel.DAY),
                sheet.cell(moved.table),
                sheet.cell(moved.description),
                sheet.cell(moved.other),
                sheet.cell(int(moved.reference)),
                sheet.cell(moved.hands),
                sheet.cell(moved.points, lost, excel.POINTS),
                sheet.cell(excel.amount(moved.amount_minor, currency), lost, money),
                sheet.cell(excel.amount(line.balance_minor, currency), number_format=money),
            ]
        )
    sheet.filter_to_here()
    for group in dict.fromkeys(GROUPS.values()):
        if group in tally.totals:
            points = tally.points if group == "play" else None
            sheet.append(total_row(total_words(group), points=points, amount=tally.totals[group]))
    sheet.close_table(total_row(_("Closing balance"), day=statement.last_day, balance=tally.closing_minor))


def _write_header(sheet: Sheet, content: StatementContent) -> None:
    statement = content.statement
    sheet.text_row(_("Statement of account"), excel.TITLE)
    sheet.text_row(
        _("%(player)s, at %(club)s") % {"player": statement.player.name, "club": statement.club.name}, excel.BOLD
    )
    terms = [
        _("%(period)s (%(zone)s)") % {"period": period_words(statement), "zone": statement.time_zone},
        get_currency_name(statement.currency, count=2, locale="en"),
    ]
    point_values = content.point_values()
    if len(point_values) == 1:
        terms.append(_("%(amount)s a point") % {"amount": format_money(point_values[0], statement.currency)})
    sheet.text_row(", ".join(terms), excel.QUIET)
    made = _("Made on %(when)s.") % {"when": made_words(statement)}
    sheet.text_row(
        f"{number_words(statement)} {made} {book_words(statement.head_sequence, statement.head_hash)}", excel.QUIET
    )
    sheet.text_row(_("Above zero the others owe you; below zero you owe the others."), excel.QUIET)
    sheet.text_row()


def _write_sessions(book: Book, content: StatementContent, foot: str) -> None:
    statement = content.statement
    currency, money = statement.currency, excel.money_of(statement.currency)
    columns = [
        Column(_("Date"), 13),
        Column(_("Session"), 24),
        Column(_("Entry"), 18),
        Column(_("Rule set"), 18),
        Column(_("Point value"), 13, excel.RIGHT),
        Column(_("Hands"), 8, excel.RIGHT),
        Column(_("Points"), 10, excel.RIGHT),
        Column(_("Cut by cap"), 13, excel.RIGHT),
        Column(_("Fees"), 13, excel.RIGHT),
        Column(_("Amount"), 15, excel.RIGHT),
        Column(_("Paid"), 15, excel.RIGHT),
    ]
    sheet = Sheet(book, _("Sessions"), columns, frozen_rows=1, foot=foot)
    sheet.head()

    def amount(minor: int, font: Any = excel.PLAIN, number_format: str = money) -> Any:
        return sheet.cell(excel.amount(minor, currency), font, number_format)

    points = 0
    sums = [0, 0, 0, 0]
    for row in content.sessions():
        session = row.settlement.session
        lost = excel.RED if row.amount_minor < 0 else excel.PLAIN
        money_of_row = [row.cut_minor, row.fees_minor, row.amount_minor, row.paid_minor]
        points += row.points
        sums = [before + minor for before, minor in zip(sums, money_of_row, strict=True)]
        sheet.append(
            [
                sheet.cell(excel.day_of(row.moment, statement.time_zone), number_format=excel.DAY),
                sheet.cell(session.table),
                sheet.cell(_("Reversed") if row.is_reversal else _("Session settled")),
                sheet.cell(session.rule_set.name),
                amount(session.point_value_minor, number_format=excel.money_of(currency, sign=False)),
                sheet.cell(row.hands),
                sheet.cell(row.points, excel.RED if row.points < 0 else excel.PLAIN, excel.POINTS),
                amount(row.cut_minor),
                amount(row.fees_minor),
                amount(row.amount_minor, lost),
                amount(row.paid_minor),
            ]
        )
    sheet.filter_to_here()
    amounts = [(excel.amount(minor, currency), money) for minor in sums]
    sheet.sum_row([(_("Adds up to"), None), *[(None, None)] * 5, (points, excel.POINTS), *amounts])


def _write_hands(book: Book, content: StatementContent, foot: str) -> None:
    statement = content.statement
    columns = [
        Column(_("Played"), 18),
        Column(_("Session"), 18),
        Column(_("Hand"), 7, excel.RIGHT),
        Column(_("Board 1"), 16, excel.CLEAR),
        Column(_("Board 2"), 16),
        Column(_("Top"), 6),
        Column(_("Middle"), 8),
        Column(_("Bottom"), 13),
        Column(_("Points"), 9, excel.RIGHT),
        Column(_("Homeruns won"), 14, excel.RIGHT),
        Column(_("Homeruns lost"), 14, excel.RIGHT),
        Column(_("Against each opponent"), 44, excel.CLEAR),
        Column(_("Their setups"), 60),
    ]
    # What five others held is far wider than a page.
    sheet = Sheet(book, _("Hands"), columns, frozen_rows=1, foot=foot, printed=len(columns) - 1)
    sheet.head()
    # The same few rule sets over and over.
    rules: dict[Any, Rules] = {}
    for block in blocks(content.hands(), BLOCK):
        met = []
        for settlement, hand in block:
            rule_set = settlement.session.rule_set
            if rule_set.pk not in rules:
                rules[rule_set.pk] = rules_of(rule_set)
            mine = next(place for place, seat in enumerate(hand.seats) if seat.player_id == statement.player_id)
            met.append(Met(hand, mine, rules[rule_set.pk]))
        for (settlement, _hand), one, against in zip(block, met, against_each(met), strict=True):
            _write_hand(sheet, statement, settlement.session.table, one, against)
    sheet.filter_to_here()


def _write_hand(sheet: Sheet, statement: Statement, table: str, met: Met, against: Against | None) -> None:
    hand = met.hand
    net_points, setup = hand.seats[met.mine].net_points, hand.seats[met.mine].setup
    boards = [cards_text(board) for board in hand.boards] + ["", ""]
    words = _("no cards")
    if against is not None:
        words = ", ".join(f"{hand.seats[other].name} {_points(points)}" for other, points in against.points)
    sheet.append(
        [
            sheet.cell(excel.minute_of(hand.played_at, statement.time_zone), number_format=excel.MINUTE),
            sheet.cell(table),
            sheet.cell(hand.number),
            sheet.cell(boards[0]),
            sheet.cell(boards[1]),
            *(sheet.cell(cards_text(getattr(setup, row))) for row in ROWS),
            sheet.cell(net_points, excel.RED if net_points < 0 else excel.PLAIN, excel.POINTS),
            sheet.cell(against and against.homeruns_won),
            sheet.cell(against and against.homeruns_lost),
            sheet.cell(words),
            sheet.cell(_setups_of_others(hand, met.mine)),
        ]
    )


@cache
def _points_in(language: str | None, points: int) -> str:
    return format_points(points)


def _points(points: int) -> str:
    """Points in words; there are few different ones, and many hands."""
    return _points_in(get_language(), points)


def _setups_of_others(hand: StoredHand, mine: int) -> str:
    if not hand.has_cards:
        return ""
    return "; ".join(
        f"{seat.name}: " + " / ".join(cards_text(getattr(seat.setup, row)) for row in ROWS)
        for place, seat in enumerate(hand.seats)
        if place != mine
    )


def _write_opponents(book: Book, content: StatementContent, foot: str) -> None:
    currency, money = content.statement.currency, excel.money_of(content.statement.currency)
    columns = [
        Column(_("Opponent"), 28),
        Column(_("Sessions"), 10, excel.RIGHT),
        Column(_("Hands"), 10, excel.RIGHT),
        Column(_("Points"), 10, excel.RIGHT),
        Column(_("Won or lost"), 16, excel.RIGHT),
        Column(_("Paid"), 16, excel.RIGHT),
        Column(_("Names merged"), 16, excel.RIGHT),
    ]
    sheet = Sheet(book, _("Opponents"), columns, frozen_rows=1, foot=foot)
    sheet.head()
    opponents = content.opponents()
    for one in opponents:
        lost = excel.RED if one.played_minor < 0 else excel.PLAIN
        sheet.append(
            [
                sheet.cell(one.name),
                sheet.cell(one.sessions),
                sheet.cell(one.hands),
                sheet.cell(one.points, excel.RED if one.points < 0 else excel.PLAIN, excel.POINTS),
                sheet.cell(excel.amount(one.played_minor, currency), lost, money),
                *(
                    sheet.cell(excel.amount(minor, currency), number_format=money)
                    for minor in (one.paid_minor, one.merged_minor)
                ),
            ]
        )
    sheet.filter_to_here()
    points = sum(one.points for one in opponents)
    sums = (sum(getattr(one, f"{name}_minor") for one in opponents) for name in ("played", "paid", "merged"))
    amounts = [(excel.amount(minor, currency), money) for minor in sums]
    sheet.sum_row([(_("Adds up to"), None), *[(None, None)] * 2, (points, excel.POINTS), *amounts])


def _facts(statement: Statement) -> list[tuple[str, str]]:
    return [
        (_("Number"), str(statement.number)),
        (_("Replaces"), str(statement.replaces.number) if statement.replaces else _("none")),
        (_("Club"), statement.club.name),
        (_("Player"), statement.player.name),
        (_("Period"), f"{period_words(statement)} ({statement.time_zone})"),
        (_("Made at"), f"{made_words(statement)} ({statement.time_zone})"),
        (_("Ledger head"), f"{statement.head_sequence}: {statement.head_hash}"),
        (
            _("Signs"),
            _("Above zero is to your credit. A closing balance like %(example)s means that the others owe you.")
            % {"example": format_money(400, statement.currency, sign=True)},
        ),
        (
            _("Statement"),
            _("Every entry of the book on your account that is dated in the period; a reference is an entry's number."),
        ),
        (
            _("Sessions"),
            _(
                "Points × point value, less what a cap took off and what the house took, is the amount. Paid is what"
                " was paid for the session by the end of the period; it is among the payments of the statement, not in"
                " the amount."
            ),
        ),
        (
            _("Hands"),
            _("The cards that were paid for, as they stood when the period ended. Ranks and suits: As Kd Td 9h."),
        ),
        (_("Opponents"), _("What stood between you and each of them in the period, the house and the table included.")),
        (
            _("Is it genuine?"),
            _("Homerun tells from the number and the digest of the file, or from the file itself: Statements, Verify."),
        ),
    ]

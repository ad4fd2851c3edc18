"""The workbook that a player takes home: Statement, Hands, About."""

from pathlib import Path

from babel.numbers import get_currency_name, get_currency_symbol
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from accounts.money import format_money
from hands.models import Session
from hands.queries import StoredHand
from hands.rulesets import rules_of
from hands.scoring import taiwanese
from hands.scoring.cards import cards_text
from hands.templatetags.cards import format_points
from settlement import excel
from settlement.excel import Column, Sheet
from settlement.models import BookFile, Statement
from settlement.queries import StatementContent
from settlement.statements import Line, closing_balance, with_balance


def write_statement(statement: Statement, content: StatementContent, path: Path) -> int:
    """Write the statement's workbook to ``path`` and return its closing balance in minor units."""
    lines = with_balance(content.opening_minor, content.movements)
    closing = closing_balance(content.opening_minor, lines)
    foot = _book_words(statement)
    with excel.workbook(path) as book:
        sheet = Sheet(book, _("Statement"), _line_columns(), frozen_rows=6, foot=foot)
        _write_lines(sheet, statement, content, lines, closing)
        _write_hands(Sheet(book, _("Hands"), _hand_columns(), frozen_rows=1, foot=foot), statement, content.hands)
        _write_about(Sheet(book, _("About"), [Column("", 24), Column("", 80)], frozen_rows=1, foot=foot), statement)
    return closing


def _line_columns() -> list[Column]:
    return [
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


def period_words(statement: Statement | BookFile) -> str:
    """The period in words, with the year once when it is one: "1 to 30 November 2026"."""
    first, last = statement.first_day, statement.last_day
    if (first.year, first.month) == (last.year, last.month):
        begin = str(first.day)
    else:
        begin = date_format(first, "j F" if first.year == last.year else "j F Y")
    if first == last:
        return date_format(last, "j F Y")
    return _("%(first)s to %(last)s") % {"first": begin, "last": date_format(last, "j F Y")}


def _write_lines(
    sheet: Sheet, statement: Statement, content: StatementContent, lines: list[Line], closing: int
) -> None:
    currency = statement.currency
    money = excel.money_format(currency, get_currency_symbol(currency, "en"))
    sheet.text_row(_("Statement of account"), excel.TITLE)
    sheet.text_row(
        _("%(player)s, at %(club)s") % {"player": statement.player.name, "club": statement.club.name}, excel.BOLD
    )
    terms = [
        _("%(period)s (%(zone)s)") % {"period": period_words(statement), "zone": statement.time_zone},
        get_currency_name(currency, count=2, locale="en"),
    ]
    point_values = {session.point_value_minor for session, _hand in content.hands}
    if len(point_values) == 1:
        terms.append(_("%(amount)s a point") % {"amount": format_money(point_values.pop(), currency)})
    sheet.text_row(", ".join(terms), excel.QUIET)
    sheet.text_row(_("Above zero the others owe you; below zero you owe the others."), excel.QUIET)
    sheet.text_row()
    sheet.head()

    def total_row(label: str, day: object, balance: int, points: int | None = None, *, closes: bool = False) -> None:
        cells = [
            sheet.cell(day, excel.BOLD, excel.DAY),
            sheet.cell(None),
            sheet.cell(label, excel.BOLD),
            *(sheet.cell(None) for _column in range(3)),
            sheet.cell(points, excel.BOLD, excel.POINTS),
            sheet.cell(None),
            sheet.cell(excel.amount(balance, currency), excel.BOLD, money),
        ]
        for cell in cells if closes else []:
            cell.border = excel.CLOSING
        sheet.append(cells, height=excel.HEAD_HEIGHT if closes else None)

    total_row(_("Opening balance"), statement.first_day, content.opening_minor)
    for line in lines:
        moved = line.movement
        is_play = moved.points is not None
        lost = excel.RED if is_play and moved.amount_minor < 0 else excel.PLAIN
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
    points = sum(line.movement.points or 0 for line in lines)
    total_row(_("Closing balance"), statement.last_day, closing, points, closes=True)
    sheet.text_row()
    leads = _("Session and hand numbers lead to the cards on sheet Hands.")
    sheet.text_row(f"{_book_words(statement)} {leads}", excel.QUIET)


def _book_words(statement: Statement) -> str:
    return _("Book up to entry %(entry)s, head %(head)s.") % {
        "entry": f"{statement.head_sequence:,}",
        "head": spaced_head(statement.head_hash),
    }


def spaced_head(head: str) -> str:
    """The beginning of a chain head as people compare it: ``7c1e 90ab 44d2``."""
    return " ".join(head[start : start + 4] for start in (0, 4, 8))


def _hand_columns() -> list[Column]:
    return [
        Column(_("Played"), 17),
        Column(_("Session"), 24),
        Column(_("Hand"), 7, excel.RIGHT),
        Column(_("Board 1"), 16, excel.CLEAR),
        Column(_("Board 2"), 16),
        Column(_("Top"), 6),
        Column(_("Middle"), 8),
        Column(_("Bottom"), 14),
        Column(_("Points"), 9, excel.RIGHT),
        Column(_("Homeruns won"), 14, excel.RIGHT),
        Column(_("Homeruns lost"), 14, excel.RIGHT),
        Column(_("Against each opponent"), 60, excel.CLEAR),
    ]


def _write_hands(sheet: Sheet, statement: Statement, hands: list[tuple[Session, StoredHand]]) -> None:
    sheet.head()
    for session, hand in hands:
        mine = next(place for place, seat in enumerate(hand.seats) if seat.player_id == statement.player_id)
        against, won, lost = _against_each(session, hand, mine)
        net_points = hand.seats[mine].net_points
        setup = hand.seats[mine].setup
        boards = [cards_text(board) for board in hand.boards] + ["", ""]
        sheet.append(
            [
                sheet.cell(excel.minute_of(hand.played_at, statement.time_zone), number_format="d mmm yyyy hh:mm"),
                sheet.cell(session.table),
                sheet.cell(hand.number),
                sheet.cell(boards[0]),
                sheet.cell(boards[1]),
                *(sheet.cell(cards_text(getattr(setup, row))) for row in taiwanese.ROWS),
                sheet.cell(net_points, excel.RED if net_points < 0 else excel.PLAIN, excel.POINTS),
                sheet.cell(won),
                sheet.cell(lost),
                sheet.cell(against),
            ]
        )
    sheet.filter_to_here()


def _against_each(session: Session, hand: StoredHand, mine: int) -> tuple[str, int | None, int | None]:
    """The points against each opponent in words, and how many homeruns were won and lost."""
    if not hand.has_cards:
        return _("no cards"), None, None
    score = taiwanese.score(hand.boards, [seat.setup for seat in hand.seats], rules_of(session.rule_set))
    against = []
    won = lost = 0
    for pair in score.pairs:
        if mine not in (pair.first, pair.second):
            continue
        sign = 1 if pair.first == mine else -1
        other = hand.seats[pair.second if sign == 1 else pair.first].name
        against.append(f"{other} {format_points(sign * pair.points)}")
        won += sign * pair.homerun > 0
        lost += sign * pair.homerun < 0
    return ", ".join(against), won, lost


def _write_about(sheet: Sheet, statement: Statement) -> None:
    assert statement.made_at is not None  # noqa: S101  (it is being made)
    facts = [
        (_("Statement"), str(statement.number)),
        (_("Club"), statement.club.name),
        (_("Player"), statement.player.name),
        (_("Period"), f"{period_words(statement)} ({statement.time_zone})"),
        (_("Made at"), excel.minute_of(statement.made_at, statement.time_zone).isoformat(" ", "minutes")),
        (_("Ledger head"), f"{statement.head_sequence}: {statement.head_hash}"),
        (
            _("How to read it"),
            _("Points come from the cards on sheet Hands; points × point value is the amount of a session."),
        ),
        (
            _("Signs"),
            _("Above zero is to your credit. A closing balance like %(example)s means that the others owe you.")
            % {"example": format_money(400, statement.currency, sign=True)},
        ),
    ]
    sheet.text_row(_("About this statement"), excel.BOLD)
    for word, value in facts:
        sheet.append([sheet.cell(word, excel.BOLD), sheet.cell(value)])

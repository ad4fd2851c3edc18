"""A session as a workbook for its host: scoreboard, hands, pairs, payments, entries. Its hands as CSV."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from babel.numbers import get_currency_name
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from accounts.money import format_money
from hands.house_money import house_money_of, house_sentences
from hands.queries import StoredHand, points_without_cards
from hands.rulesets import rule_set_words, rules_of
from hands.scoring.cards import cards_text
from hands.scoring.games import ROWS
from settlement import excel
from settlement.entry_sheets import EntrySheet, write_about
from settlement.excel import Column, Sheet
from settlement.session_content import SessionContent
from settlement.statement_words import book_words

# Values with their number formats, as `Sheet.sum_row` takes them.
Cells = list[tuple[Any, str | None]]


def write_session(content: SessionContent, path: Path) -> None:
    """Write the workbook."""
    session = content.session
    foot = book_words(content.head_sequence, content.head_hash)
    with excel.workbook(path) as book:
        columns = _scoreboard_columns(content)
        _write_scoreboard(Sheet(book, _("Scoreboard"), columns, frozen_rows=5, foot=foot), content)
        _write_hands(Sheet(book, _("Hands"), _hand_columns(content), frozen_rows=1, foot=foot), content)
        for title, is_money in ((_("Points"), False), (_("Money"), True)):
            columns = _matrix_columns(content, is_money=is_money)
            _write_matrix(Sheet(book, title, columns, frozen_rows=1, foot=foot), content, is_money=is_money)
        _write_payments(Sheet(book, _("Payments"), _payment_columns(), frozen_rows=1, foot=foot), content)
        entries = EntrySheet(book, session.currency, session.club.time_zone, foot)
        for entry in content.entries:
            entries.write(entry)
        entries.close()
        write_about(book, _("About this session"), foot, _facts(content))


def session_csv_rows(content: SessionContent) -> Iterator[Sequence[object]]:
    """A line for every seat of every hand, as on the sheet Hands."""
    yield [column.title for column in _hand_columns(content)]
    zone = content.session.club.time_zone
    for hand, cells in _hand_lines(content):
        number, *others = cells
        yield [number, excel.minute_of(hand.played_at, zone).isoformat(" "), *others]


def _scoreboard_columns(content: SessionContent) -> list[Column]:
    bound = _("Stakes") if house_money_of(content.session.rule_set).table_stakes else _("Cap")
    house = [Column(bound, 14, excel.RIGHT), Column(_("House"), 14, excel.RIGHT)] if content.has_house else []
    return [
        Column(_("Seat"), 7, excel.RIGHT),
        Column(_("Player"), 30, excel.CLEAR),
        Column(_("Hands"), 9, excel.RIGHT),
        Column(_("Points"), 11, excel.RIGHT),
        Column(_("Points × value"), 17, excel.RIGHT),
        *house,
        Column(_("Result"), 17, excel.RIGHT),
    ]


def _write_scoreboard(sheet: Sheet, content: SessionContent) -> None:
    session = content.session
    money = excel.money_of(session.currency)
    sheet.text_row(session.table, excel.TITLE)
    sheet.text_row(session.club.name, excel.BOLD)
    sheet.text_row(", ".join(_terms(content)), excel.QUIET)
    sheet.text_row()
    sheet.head()

    def amount(minor: int) -> Any:
        return excel.amount(minor, session.currency)

    for line in content.lines:
        house = (line.cut_minor, line.taken_minor) if content.has_house else ()
        red = excel.RED if line.points < 0 else excel.PLAIN
        sheet.append(
            [
                sheet.cell(line.number),
                sheet.cell(line.name),
                sheet.cell(line.hands),
                sheet.cell(line.points, red, excel.POINTS),
                sheet.cell(amount(line.full_minor), red, money),
                *(sheet.cell(amount(minor), number_format=money) for minor in house),
                sheet.cell(amount(line.net_minor), excel.RED if line.net_minor < 0 else excel.PLAIN, money),
            ]
        )
    sheet.filter_to_here()
    taken_minor = -sum(line.taken_minor for line in content.lines)
    if content.has_house:
        cells = [None, _("House"), None, None, None, None, None]
        sheet.append([*(sheet.cell(cell) for cell in cells), sheet.cell(amount(taken_minor), number_format=money)])
    totals: Cells = [
        (sum(line.points for line in content.lines), excel.POINTS),
        (amount(sum(line.full_minor for line in content.lines)), money),
    ]
    if content.has_house:
        totals += [
            (amount(sum(line.cut_minor for line in content.lines)), money),
            (amount(-taken_minor), money),
        ]
    totals.append((amount(sum(line.net_minor for line in content.lines) + taken_minor), money))
    sheet.sum_row([(None, None), (_("Adds up to"), None), (None, None), *totals])


def _terms(content: SessionContent) -> Iterator[str]:
    session = content.session
    yield date_format(excel.day_of(session.started_at, session.club.time_zone), "j F Y")
    yield _("%(rules)s rules") % {"rules": rule_set_words(session.rule_set.name)}
    yield _("%(amount)s a point") % {"amount": format_money(session.point_value_minor, session.currency)}
    yield get_currency_name(session.currency, count=2, locale="en")
    yield str(session.get_state_display())


def _board_count(content: SessionContent) -> int:
    """None in the Chinese family."""
    return rules_of(content.session.rule_set).boards


def _hand_columns(content: SessionContent) -> list[Column]:
    boards = [
        Column(_("Board %(number)d") % {"number": number}, 16, excel.CLEAR if number == 1 else excel.LEFT)
        for number in range(1, _board_count(content) + 1)
    ]
    return [
        Column(_("Hand"), 8, excel.RIGHT),
        Column(_("Played"), 19, excel.CLEAR),
        *boards,
        Column(_("Seat"), 7, excel.RIGHT),
        Column(_("Player"), 26, excel.CLEAR),
        Column(_("Top"), 6),
        Column(_("Middle"), 8),
        Column(_("Bottom"), 14),
        Column(_("Points"), 9, excel.RIGHT),
    ]


def _hand_lines(content: SessionContent) -> Iterator[tuple[StoredHand, list[Any]]]:
    """Each hand's seats, with everything of the line but when it was played, which a sheet and a CSV say otherwise."""
    count = _board_count(content)
    for hand in content.hands:
        boards = [cards_text(board) for board in hand.boards] or [_("no cards")] * count
        for seat in hand.seats:
            rows = (cards_text(getattr(seat.setup, row)) for row in ROWS)
            yield hand, [hand.number, *boards, seat.number, seat.name, *rows, seat.net_points]


def _write_hands(sheet: Sheet, content: SessionContent) -> None:
    sheet.head()
    zone = content.session.club.time_zone
    for hand, (number, *middle, points) in _hand_lines(content):
        sheet.append(
            [
                sheet.cell(number),
                sheet.cell(excel.minute_of(hand.played_at, zone), number_format=excel.MINUTE),
                *map(sheet.cell, middle),
                sheet.cell(points, excel.RED if points < 0 else excel.PLAIN, excel.POINTS),
            ]
        )
    sheet.filter_to_here()


def _matrix_columns(content: SessionContent, *, is_money: bool) -> list[Column]:
    width = 15 if is_money else 12
    more = [_("Hands without cards")] if points_without_cards(content.hands) else []
    more += [_("House")] if is_money and content.has_house else []
    return [
        Column(pgettext("one player's points or money against each other player", "Against"), 26),
        *(Column(line.name, max(width, min(26, len(line.name) + 3)), excel.RIGHT) for line in content.lines),
        *(Column(title, max(width, len(title) + 3), excel.RIGHT) for title in [*more, _("Total")]),
    ]


def _write_matrix(sheet: Sheet, content: SessionContent, *, is_money: bool) -> None:
    """A line for each player: what they won from each other one; it adds up to their points, or their result."""
    currency = content.session.currency
    cells = content.pair_minor if is_money else content.pair_points
    number_format = excel.money_of(currency) if is_money else excel.POINTS
    without = points_without_cards(content.hands)
    apart = content.outcome.shares if is_money else without
    sheet.head()

    def shown(value: int | None) -> Any:
        return excel.amount(value, currency) if is_money and value is not None else value

    sums: list[int] = []
    for line, player in zip(content.lines, content.players, strict=True):
        row = [cells.get((player, other)) for other in content.players]
        row += [apart.get(player, 0)] if without else []
        row += [line.taken_minor] if is_money and content.has_house else []
        row.append(sum(value or 0 for value in row))
        sums = [one + (value or 0) for one, value in zip(sums or [0] * len(row), row, strict=True)]
        sheet.append(
            [
                sheet.cell(line.name, excel.BOLD),
                *(
                    sheet.cell(shown(value), excel.RED if (value or 0) < 0 else excel.PLAIN, number_format)
                    for value in row
                ),
            ]
        )
    sheet.filter_to_here()
    # Between two players the one's gain is the other's loss: only what stands behind them has a sum of its own.
    between = len(content.lines)
    if sums:
        empty = [(None, None)] * between
        sheet.sum_row([(_("Adds up to"), None), *empty, *((shown(value), number_format) for value in sums[between:])])


def _payment_columns() -> list[Column]:
    return [
        Column(_("Pays"), 30),
        Column(pgettext("who gets a payment", "To"), 30),
        Column(_("Amount"), 16, excel.RIGHT),
        Column(_("State"), 28, excel.CLEAR),
    ]


def _write_payments(sheet: Sheet, content: SessionContent) -> None:
    currency = content.session.currency
    money = excel.money_of(currency, sign=False)
    sheet.head()
    for payer, payee, amount_minor, state in content.payments:
        amount = sheet.cell(excel.amount(amount_minor, currency), number_format=money)
        sheet.append([sheet.cell(payer), sheet.cell(payee), amount, sheet.cell(state)])
    sheet.filter_to_here()
    total_minor = sum(amount_minor for _payer, _payee, amount_minor, _state in content.payments)
    total = (excel.amount(total_minor, currency), money)
    sheet.sum_row([(_("Adds up to"), None), (None, None), total, (None, None)])


def _facts(content: SessionContent) -> Iterator[tuple[str, str]]:
    session = content.session
    yield _("Session"), session.table
    yield _("Club"), session.club.name
    yield _("Rules"), rule_set_words(session.rule_set.name)
    for sentence in house_sentences(house_money_of(session.rule_set)):
        yield _("House"), sentence
    yield _("Point value"), format_money(session.point_value_minor, session.currency)
    made_at = excel.minute_of(timezone.now(), session.club.time_zone)
    yield _("Made at"), f"{made_at.isoformat(' ', 'minutes')} ({session.club.time_zone})"
    yield _("Ledger head"), f"{content.head_sequence}: {content.head_hash}"
    if not content.is_settled:
        yield _("State"), _("Nothing of this session is in the book yet; it goes there when the session is settled.")
    yield (
        _("How to read it"),
        _("On sheets Points and Money a line says what its player won from each of the others; below zero is lost."),
    )

"""Plain data, such as JSON, read strictly: every fault is noted with its place, none is guessed away."""

from collections.abc import Container, Mapping, Sequence
from typing import Literal, TypeVar

from hands.scoring.problems import Problem, Refused

Choice = TypeVar("Choice", int, Literal["both", "winner"])


class RulesReader:
    """Reads the parameters of a rule set one by one and gathers what is wrong with them.

    A parameter that cannot be read gives its default, so that one pass finds every problem; ``raise_refused``
    then refuses the whole.
    """

    def __init__(self, parameters: Mapping[str, object], pointer: str) -> None:
        self._parameters = parameters
        self._pointer = pointer
        self.problems: list[Problem] = []

    def refuse(self, path: str, code: str, template: str, **words: object) -> None:
        self.problems.append(Problem(f"{self._pointer}/{path}", code, template, words))

    def raise_refused(self) -> None:
        if self.problems:
            raise Refused(self.problems)

    def refuse_unknown(self, known: Container[str]) -> None:
        for name in self._parameters:
            if name not in known:
                self.refuse(
                    _escaped(name),
                    "unknown_parameter",
                    "{name} is not a parameter of Taiwanese rules.",
                    name=name,
                )

    def number(self, name: str, default: int, least: int, most: int) -> int:
        return self._number(name, name, self._parameters.get(name, default), default, least, most)

    def row_points(self, default: tuple[int, int, int], most: int) -> tuple[int, int, int]:
        value = self._parameters.get("row_points", default)
        if not isinstance(value, list | tuple) or len(value) != 3:
            self.refuse(
                "row_points",
                "parameter_type",
                "row_points must be three whole numbers, for top, middle and bottom.",
            )
            return default
        top, middle, bottom = (
            self._number(f"row_points/{place}", "row_points", points, 0, 0, most) for place, points in enumerate(value)
        )
        return top, middle, bottom

    def one_of(self, name: str, default: Choice, choices: Sequence[Choice]) -> Choice:
        value = self._parameters.get(name, default)
        for choice in choices:
            # The type too: True == 1 and 2.0 == 2, but neither was meant as a number of jokers.
            if type(value) is type(choice) and value == choice:
                return choice
        self.refuse(
            name,
            "parameter_choice",
            "{name} must be {choices}.",
            name=name,
            choices=" or ".join(map(str, choices)),
        )
        return default

    def royalties(
        self, rows: Sequence[str], categories: Sequence[str], most: int
    ) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]] | None:
        value = self._parameters.get("royalties")
        if value is None:
            return None
        if not isinstance(value, Mapping):
            self.refuse(
                "royalties",
                "parameter_type",
                "royalties must be a table of points by row and category, or null for none.",
            )
            return None
        self._refuse_strange_keys("royalties", value, rows, "unknown_row", "a row")
        top, middle, bottom = (self._row_royalties(row, value.get(row, {}), categories, most) for row in rows)
        # A table without points pays nothing, like none: one meaning, one form.
        return (top, middle, bottom) if any(map(any, (top, middle, bottom))) else None

    def _row_royalties(self, row: str, table: object, categories: Sequence[str], most: int) -> tuple[int, ...]:
        path = f"royalties/{row}"
        if not isinstance(table, Mapping):
            self.refuse(path, "parameter_type", "Royalties of {row} must be a table of points by category.", row=row)
            return (0,) * len(categories)
        self._refuse_strange_keys(path, table, categories, "unknown_category", "a category")
        return tuple(
            self._number(f"{path}/{category}", "A royalty", table.get(category, 0), 0, 0, most)
            for category in categories
        )

    def _refuse_strange_keys(
        self, path: str, table: Mapping[object, object], known: Sequence[str], code: str, kind: str
    ) -> None:
        for key in table:
            if key not in known:
                self.refuse(
                    f"{path}/{_escaped(str(key))}",
                    code,
                    "{key} is not {kind} of Taiwanese royalties; there are: {known}.",
                    key=key,
                    kind=kind,
                    known=", ".join(known),
                )

    def _number(self, path: str, name: str, value: object, default: int, least: int, most: int) -> int:
        # A bool is an int to Python, but true is no number of boards.
        if isinstance(value, bool) or not isinstance(value, int):
            code = "parameter_type"
        elif not least <= value <= most:
            code = "parameter_range"
        else:
            return value
        self.refuse(
            path,
            code,
            "{name} must be a whole number from {least} to {most}.",
            name=name,
            least=least,
            most=most,
        )
        return default


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")

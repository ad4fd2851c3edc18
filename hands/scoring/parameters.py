"""Plain data, such as JSON, read strictly: every fault is noted with its place, none is guessed away."""

from collections.abc import Container, Mapping, Sequence
from typing import TypeVar

from hands.scoring.problems import Problem, Refused

Choice = TypeVar("Choice", bound=int | str)
# Points by category, weakest first, for top, middle and bottom.
PointsByRow = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
_IS_A = {"royal flush": "straight flush"}


class RulesReader:
    """Reads the parameters of a rule set one by one and gathers what is wrong with them.

    A parameter that cannot be read gives its default, so that one pass finds every problem; ``raise_refused``
    then refuses the whole. ``game`` is what sentences call it.
    """

    def __init__(self, parameters: Mapping[str, object], pointer: str, game: str) -> None:
        self._parameters = parameters
        self._pointer = pointer
        self._game = game
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
                    "{name} is not a parameter of {game} rules.",
                    name=name,
                    game=self._game,
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

    def flag(self, name: str, default: bool) -> bool:
        value = self._parameters.get(name, default)
        if isinstance(value, bool):
            return value
        self.refuse(name, "parameter_type", "{name} must be true or false.", name=name)
        return default

    def royalties(
        self,
        rows: Sequence[str],
        categories: Sequence[Sequence[str]],
        most: int,
        *,
        named: Mapping[str, PointsByRow | None] | None = None,
        default: PointsByRow | None = None,
    ) -> PointsByRow | None:
        """A table of points by row and category, ``categories`` being those of each row, or one known by its name.

        A royal flush of which the table says nothing is worth what a straight flush is, because it is one.
        """
        if "royalties" not in self._parameters:
            return default
        value = self._parameters["royalties"]
        if value is None:
            return None
        if named and isinstance(value, str) and value in named:
            return named[value]
        if not isinstance(value, Mapping):
            self.refuse(
                "royalties",
                "parameter_type",
                "royalties must be {names} or a table of points by row and category."
                if named
                else "royalties must be a table of points by row and category, or null for none.",
                names=", ".join(named or ()),
            )
            return default
        self._refuse_strange_keys("royalties", value, rows, "unknown_row", "a row")
        top, middle, bottom = (
            self._row_royalties(f"royalties/{row}", row, value.get(row, {}), of_row, most)
            for row, of_row in zip(rows, categories, strict=True)
        )
        # A table without points pays nothing, like none: one meaning, one form.
        return (top, middle, bottom) if any(map(any, (top, middle, bottom))) else None

    def _row_royalties(
        self, path: str, row: str, table: object, categories: Sequence[str], most: int
    ) -> tuple[int, ...]:
        if not isinstance(table, Mapping):
            self.refuse(path, "parameter_type", "Royalties of {row} must be a table of points by category.", row=row)
            return (0,) * len(categories)
        self._refuse_strange_keys(path, table, categories, "unknown_category", "a category")
        points: dict[str, int] = {}
        for category in categories:
            default = points.get(_IS_A.get(category, ""), 0)
            value = table.get(category, default)
            points[category] = self._number(f"{path}/{category}", "A royalty", value, 0, 0, most)
        return tuple(points.values())

    def naturals(
        self,
        names: Sequence[str],
        most: int,
        *,
        named: Mapping[str, tuple[int, ...] | None],
        default: tuple[int, ...] | None = None,
    ) -> tuple[int, ...] | None:
        """Points of each natural, in the order of ``names``, or a table known by its name; None for none."""
        value = self._parameters.get("naturals", default)
        if value is None or (isinstance(value, str) and value in named):
            return None if value is None else named[value]
        if not isinstance(value, Mapping):
            self.refuse(
                "naturals",
                "parameter_type",
                "naturals must be {names} or a table of points by natural.",
                names=", ".join(named),
            )
            return default
        for key in value:
            if key not in names:
                self.refuse(
                    f"naturals/{_escaped(str(key))}",
                    "unknown_natural",
                    "{key} is not a natural; there are: {known}.",
                    key=key,
                    known=", ".join(names),
                )
        points = tuple(self._number(f"naturals/{name}", "A natural", value.get(name, 0), 0, 0, most) for name in names)
        return points if any(points) else None

    def _refuse_strange_keys(
        self, path: str, table: Mapping[object, object], known: Sequence[str], code: str, kind: str
    ) -> None:
        for key in table:
            if key not in known:
                self.refuse(
                    f"{path}/{_escaped(str(key))}",
                    code,
                    "{key} is not {kind} of {game} royalties; there are: {known}.",
                    key=key,
                    game=self._game,
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

"""Rule sets of a club: the presets, and the house's own, each a row that is never edited."""

from collections.abc import Iterator, Mapping
from functools import cached_property

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts import audit
from accounts.faults import fault
from accounts.models import Club
from accounts.names import check_name, clean_name, fold_name
from accounts.services import lock_club
from hands.heads import rules_digest
from hands.house_money import HouseMoney, read_house_money
from hands.models import RuleSet
from hands.reading import say
from hands.scoring.games import GAMES, PRESETS, Rules
from hands.scoring.problems import Refused

PRESET_WORDS = {
    "phenom": gettext_lazy("Phenom"),
    "phenom-jokers": gettext_lazy("Phenom with jokers"),
    "doubled-homerun": gettext_lazy("Doubled homerun"),
    "one-board-scoop": gettext_lazy("One board with scoop"),
    "chinese": gettext_lazy("Chinese, 1-6"),
    "chinese-2-4": gettext_lazy("Chinese, 2-4"),
    "chinese-naturals": gettext_lazy("Chinese with naturals"),
    "open-face": gettext_lazy("Open-Face"),
    "open-face-jokers": gettext_lazy("Open-Face with jokers"),
    "pineapple": gettext_lazy("Pineapple"),
    "pineapple-strict": gettext_lazy("Pineapple, strict"),
    "pineapple-jokers": gettext_lazy("Pineapple with jokers"),
    "progressive": gettext_lazy("Progressive"),
}


def rule_set_for(*, club: Club, name: str, rules: Rules, money: HouseMoney | None = None) -> RuleSet:
    """The club's row for these rules under this name, made when it is not there (``money`` is the new one's)."""
    rule_set, _created = RuleSet.objects.get_or_create(
        club=club,
        name=name,
        digest=rules_digest(rules),
        defaults={"game": rules.game, "parameters": rules.parameters()}
        | ({"money": money.document()} if money else {}),
    )
    return rule_set


def known_rule_set(*, club: Club, name: str, rules: Rules) -> RuleSet | None:
    """The club's row for these rules under this name, if it is there."""
    return RuleSet.objects.filter(club=club, name=name, digest=rules_digest(rules)).first()


def rules_of(rule_set: RuleSet) -> Rules:
    """The parameters of a stored rule set as the scoring core wants them."""
    rules: Rules = GAMES[rule_set.game].read_rules(rule_set.parameters)
    return rules


class NamedRules(Mapping[str, Rules]):
    """The presets, and a club's own rule sets, which are only read when a name is none of a preset's."""

    def __init__(self, club: Club) -> None:
        self._club = club

    @cached_property
    def _all(self) -> dict[str, Rules]:
        return dict(PRESETS) | {rule_set.name: rules for rule_set, rules in own_rule_sets(self._club)}

    def __getitem__(self, name: str) -> Rules:
        return PRESETS[name] if name in PRESETS else self._all[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)


def rules_by_name(club: Club) -> NamedRules:
    """The rule sets that a name may mean in this club: the house's own (the newest of a name), and the presets."""
    return NamedRules(club)


def own_rule_sets(club: Club) -> list[tuple[RuleSet, Rules]]:
    """The house's own rule sets, the newest of each name, in the order in which the names were first given."""
    own = RuleSet.objects.filter(club=club).exclude(name__in=PRESETS).order_by("created_at")
    return [(rule_set, rules_of(rule_set)) for rule_set in {rule_set.name: rule_set for rule_set in own}.values()]


def rule_set_words(name: str) -> str:
    """A rule set's name for people."""
    return str(PRESET_WORDS.get(name, name))


@transaction.atomic
def create_rule_set(
    *,
    club: Club,
    name: str,
    parameters: dict[str, object],
    money: dict[str, object] | None = None,
    game: str = "taiwanese",
) -> RuleSet:
    """Keep a house's own rules under a name of its own, with what the house takes and caps (`house_money`).

    Raises ``ValidationError`` with a sentence for every contradiction, and when the name is taken.
    """
    check_name(name)
    # The club's row is the lock, so that two tabs cannot give one name twice.
    lock_club(club.pk)
    taken = {fold_name(known) for known in rules_by_name(club)} | {
        fold_name(str(word)) for word in PRESET_WORDS.values()
    }
    if fold_name(name) in taken:
        raise fault("/name", "name_taken", _("There are rules called “%(name)s” already.") % {"name": name})
    try:
        rules = GAMES[game].read_rules(parameters)
    except Refused as error:
        raise ValidationError([say(problem) for problem in error.problems]) from None
    terms = read_house_money(money or {})
    rule_set = rule_set_for(club=club, name=clean_name(name), rules=rules, money=terms)
    audit.note(club.pk, "rules.kept", rule_set.pk, name=rule_set.name)
    return rule_set

"""How a rule set is called on pages, and what it says in a line."""

from django import template

from hands.rule_pages import rules_short
from hands.rulesets import rule_set_words

register = template.Library()
register.filter("rule_set_words", rule_set_words)
register.filter("rules_short", rules_short)

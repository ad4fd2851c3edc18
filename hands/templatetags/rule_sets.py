"""How a rule set is called on pages."""

from django import template

from hands.rulesets import rule_set_words

register = template.Library()
register.filter("rule_set_words", rule_set_words)

"""The bar of a row's win rate."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def rate_bar(percent: float, even: float) -> SafeString:
    """Draw a bar of percent (0 to 100) with a mark at ``even``. The number stands beside it."""
    return format_html(
        '<svg class="rate-bar" width="100%" height="10" aria-hidden="true">'
        '<rect class="bed" y="2" width="100%" height="6" rx="3"/>'
        '<rect class="wins" y="2" width="{}%" height="6" rx="3"/>'
        '<rect class="mark" x="{}%" width="1.5" height="10"/></svg>',
        f"{percent:.1f}",
        f"{even:.1f}",
    )

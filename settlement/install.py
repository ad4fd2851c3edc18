"""What a phone asks for to keep Homerun among its apps."""

from typing import Final

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, JsonResponse
from django.templatetags.static import static
from django.utils.translation import gettext as _

# The ground of the light theme: the one that is shown before a page is there.
GROUND: Final = "#E6ECE6"
ICONS: Final = (("icon-192.png", 192, "any"), ("icon-512.png", 512, "any"), ("icon-maskable.png", 512, "maskable"))


@login_not_required
def manifest(request: HttpRequest) -> JsonResponse:
    """The web app manifest; a page, because the icons' addresses carry their digests."""
    content = {
        "id": "/",
        "name": "Homerun",
        "short_name": "Homerun",
        "description": _("Keeps score and the books of set-and-score poker."),
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": GROUND,
        "theme_color": GROUND,
        "icons": [
            {"src": static(f"homerun/{name}"), "sizes": f"{size}x{size}", "type": "image/png", "purpose": purpose}
            for name, size, purpose in ICONS
        ],
    }
    return JsonResponse(content, content_type="application/manifest+json")

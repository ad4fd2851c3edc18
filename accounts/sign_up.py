"""Signing up on the way to somewhere: whoever came with an invitation is led back to it."""

from typing import Any
from urllib.parse import urlencode

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.utils import get_next_redirect_url
from django.http import HttpRequest
from django.urls import reverse


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """allauth's ways, with the address that one came for kept in the mail: it may be opened in another browser."""

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:
        url: str = super().get_email_confirmation_url(request, emailconfirmation)
        ahead = get_next_redirect_url(request) if request else None
        return f"{url}?{urlencode({'next': ahead})}" if ahead else url

    def get_email_verification_redirect_url(self, email_address: Any) -> str:
        ahead = get_next_redirect_url(self.request)
        if ahead is None:
            url: str = super().get_email_verification_redirect_url(email_address)
            return url
        if self.request.user.is_authenticated:
            return str(ahead)
        return f"{reverse('account_login')}?{urlencode({'next': ahead})}"

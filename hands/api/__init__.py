"""Sessions, hands and imports through the API: the same services as the pages."""

"""Money through the API: balances, transfers, payments, settlements, statements, and what a session is asked to do."""

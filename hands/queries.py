"""Rows of the database as records of the scoring core, with a fixed number of queries."""

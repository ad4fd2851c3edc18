"""What every call of the API shares: key log-in, problems, reading JSON."""

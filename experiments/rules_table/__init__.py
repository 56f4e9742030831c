"""The rules table: error, size and reliability of the default rules on five tables."""

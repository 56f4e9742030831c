"""The rules table: error, size and calibration of the default rules on five tables."""

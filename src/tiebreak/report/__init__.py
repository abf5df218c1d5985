"""The report: everything the records support, in one HTML file that asks no host for anything."""

"""The sections of the report: each file declares its rows and makes them from an analysed session."""

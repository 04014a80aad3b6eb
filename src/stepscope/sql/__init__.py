"""SQL over everything that is loaded: declared tables as Arrow columns, read-only queries on DuckDB, and files of any table."""

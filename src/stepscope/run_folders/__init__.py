"""Run folders: a dated folder per training, named by what it varies, with all that is needed to know what ran."""

from stepscope.run_folders.run import Run, new_run

__all__ = ["Run", "new_run"]

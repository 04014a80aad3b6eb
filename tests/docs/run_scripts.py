"""Runs the Python scripts of a page of the documentation one after the other, as they stand; runs with the peers' Python."""

import re
import sys
from pathlib import Path

if __name__ == "__main__":
    page = Path(sys.argv[1]).read_text()
    exec("\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL)), {})

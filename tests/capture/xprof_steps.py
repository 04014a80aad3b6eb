"""The number of steps that XProf finds in an XSpace file; prints it as JSON."""
# pyright: reportMissingImports=false

import json
import sys

from xprof.convert import raw_to_tool_data

if __name__ == "__main__":
    data, _ = raw_to_tool_data.xspace_to_tool_data([sys.argv[1]], "overview_page", {"use_saved_result": False})
    print(json.dumps(len(json.loads(data)[1]["rows"])))

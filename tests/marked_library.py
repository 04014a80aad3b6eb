"""A library of C and one of C++ that mark operations with stepscope_op.h, compiled by the compiler of this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from stepscope.capture.profilers.marked_ops import get_include

OF_C = """
#include "stepscope_op.h"
static void spin(void) { for (volatile int i = 0; i < 100000; ++i) {} }
void outer(void) {
  stepscope_op op = stepscope_op_begin("c_outer");
  stepscope_op inner = stepscope_op_begin("c_inner");
  spin();
  stepscope_op_bytes(&inner, 3000);
  stepscope_op_bytes(&inner, 1096);
  stepscope_op_end(&inner);
  spin();
  stepscope_op_end(&op);
}
"""
OF_CPP = """
#include "stepscope_op.h"
extern "C" void of_block() {
  stepscope::Op op("cpp_op", 512);
  for (volatile int i = 0; i < 100000; i = i + 1) {}
}
"""


def compiled(folder: Path, language: str) -> Path:
    """The library; skips the test where there is no compiler."""
    compiler = shutil.which(os.environ.get("CC", "cc") if language == "c" else os.environ.get("CXX", "c++"))
    if compiler is None:
        pytest.skip(f"needs a compiler of {language}")
    source = folder / f"marked.{language}"
    source.write_text(OF_C if language == "c" else OF_CPP)
    library = folder / f"libmarked_{language}.so"
    strict = ["-std=c99" if language == "c" else "-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    command = [compiler, *strict, "-O2", "-shared", "-fPIC", f"-I{get_include()}", str(source), "-o", str(library)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return library

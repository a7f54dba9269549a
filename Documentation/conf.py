# SPDX-License-Identifier: MIT
"""Sphinx configuration. Use the Makefile beside this file, which sets KERNELSRC."""
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
kernel = os.environ.get("KERNELSRC", "")
if not os.path.isfile(os.path.join(kernel, "Documentation", "sphinx", "kerneldoc.py")):
    sys.exit(f"KERNELSRC={kernel!r}: no Linux source tree with Documentation/sphinx/kerneldoc.py")
kernel = os.path.abspath(kernel)
sys.path.insert(0, os.path.join(kernel, "Documentation", "sphinx"))

project = "nvfifo"
copyright = "the nvfifo authors"  # pylint: disable=redefined-builtin
extensions = ["kerneldoc"]
master_doc = "index"
exclude_patterns = ["_build"]
highlight_language = "none"
primary_domain = "c"
html_theme = "alabaster"

# For the kernel's extension. Newer kernels have the script as kernel-doc.py, with the old name as a link.
kerneldoc_bin = os.path.join(kernel, "scripts", "kernel-doc")
kerneldoc_srctree = os.path.dirname(here)
os.environ.setdefault("srctree", kerneldoc_srctree)

# SPDX-License-Identifier: MIT
"""Sphinx configuration. Use the Makefile beside this file, which sets KERNELSRC."""
import os
import re
import sys

from docutils import nodes
from sphinx.ext.graphviz import graphviz

here = os.path.dirname(os.path.abspath(__file__))
kernel = os.environ.get("KERNELSRC", "")
if not os.path.isfile(os.path.join(kernel, "Documentation", "sphinx", "kerneldoc.py")):
    sys.exit(f"KERNELSRC={kernel!r}: no Linux source tree with Documentation/sphinx/kerneldoc.py")
kernel = os.path.abspath(kernel)
sys.path.insert(0, os.path.join(kernel, "Documentation", "sphinx"))

# These pages are made from the tables that are compiled, and from the manual pages.
sys.path.insert(0, here)
import class_pages  # noqa: E402 pylint: disable=wrong-import-position
import compare_page  # noqa: E402 pylint: disable=wrong-import-position
import manual  # noqa: E402 pylint: disable=wrong-import-position
import register_table  # noqa: E402 pylint: disable=wrong-import-position

class_pages.write(here)
compare_page.write(here)
manual.write(here)
register_table.write(here)

with open(os.path.join(here, "..", "packaging", "dkms.conf"), encoding="utf-8") as conf:
    version = release = re.search(r'^PACKAGE_VERSION="(.*)"', conf.read(), re.M)[1]
project = "nvfifo"
html_title = f"nvfifo {release}"
html_static_path = ["theme"]
html_css_files = ["nvfifo.css"]
copyright = "the nvfifo authors"  # pylint: disable=redefined-builtin
extensions = ["kerneldoc", "sphinx.ext.graphviz"]
graphviz_output_format = "svg"
master_doc = "index"
exclude_patterns = ["_build"]
highlight_language = "none"
primary_domain = "c"
html_theme = "alabaster"
html_theme_options = {"page_width": "1200px", "body_max_width": "none"}

# For the kernel's extension. Newer kernels have the script as kernel-doc.py, with the old name as a link.
kerneldoc_bin = os.path.join(kernel, "scripts", "kernel-doc")
kerneldoc_srctree = os.path.dirname(here)
os.environ.setdefault("srctree", kerneldoc_srctree)


# Pages that the repository does not contain: a page names their HTML file.
GENERATED = ("classes/index.html", "man/index.html", "register-table.html")


def follow_files(app, doctree):
    """Pages without Sphinx's own words can be read where a repository is browsed. Here they get what HTML can do more."""
    for reference in doctree.findall(nodes.reference):
        target = reference.get("refuri", "")
        if "://" not in target:
            reference["refuri"] = re.sub(r"\.rst(?=#|$)", ".html", target)

    for literal in list(doctree.findall(nodes.literal)):
        name = literal.astext()
        if name.endswith(GENERATED):
            literal.replace_self(nodes.reference("", name, refuri=name))

    for block in list(doctree.findall(nodes.literal_block)):
        if block.get("language") == "dot":
            drawing = graphviz("", code=block.astext(), options={"docname": app.env.docname})
            block.replace_self(drawing)

    if app.env.docname == "glossary":
        for term in doctree.findall(nodes.term):
            term["ids"].append(nodes.make_id(term.astext()))


def setup(app):
    """Called by Sphinx"""
    app.connect("doctree-read", follow_files)

"""Sphinx configuration: Markdown through MyST, warnings are errors in CI (``sphinx-build -W``)."""

import assay

project = "Assay"
author = "The Assay authors"
project_copyright = "2026, The Assay authors"
version = release = assay.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
suppress_warnings = ["misc.highlighting_failure", "epub.unknown_project_files"]

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
napoleon_google_docstring = False

html_theme = "furo"
html_title = "Assay"
html_static_path = ["_static"]

"""Settings of the documentation site; ``make docs`` builds it.

The build needs no network, and neither do readers: no inventory is downloaded, and every
script, style and font comes with the pages.
"""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

import crisplogic
from crisplogic import rules

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "crisplogic"
author = "The crisplogic developers"
copyright = author
version = release = installed_version("crisplogic")

extensions = [
    "myst_parser",
    "notebooks",
    "numpydoc",
    "public_names",
    "repository_links",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_*", "gallery/*.ipynb", "gallery/*.py"]
templates_path = ["_templates"]
nitpicky = True

# Pages: Markdown, with links to headings.
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

# The reference: the names that packages export, from their docstrings.
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autosummary_ignore_module_all = False
autosummary_imported_members = True
autosummary_context = {
    "documented_elsewhere": sorted(set(rules.__all__) & set(crisplogic.__all__)),
    "bases_of_others": (  # their methods are documented by their own projects
        "BaseEstimator, ClassifierMixin, RegressorMixin, Module, Exception, str, tuple, object"
    ),
}
numpydoc_show_class_members = False
maximum_signature_line_length = 80
python_display_short_literal_types = True
toc_object_entries_show_parents = "hide"

# The gallery: every script in examples/ is executed.
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "capture_repr": (),
    "download_all_examples": False,
    "min_reported_time": 3600,  # seconds depend on the machine and are not worth a word
    "parallel": 2,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "crisplogic"
html_static_path = ["_static"]
html_css_files = ["crisplogic.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "crisplogic"},
    "header_links_before_dropdown": 6,
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_toc_level": 2,
    "navigation_with_keys": False,
}
html_sidebars = {"changelog": [], "getting_started": [], "command_line": [], "contributing": []}

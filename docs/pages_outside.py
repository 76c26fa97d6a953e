"""Pages of the site that stand outside docs/, where readers of the sources look for them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

OUTSIDE = ("CONTRIBUTING.md", "CHANGELOG.md", "benchmarks/RESULTS.md")


def on_files(files: Files, config: Any) -> Files:
    for name in OUTSIDE:
        text = (Path(config.config_file_path).parent / name).read_text()
        inside = re.sub(r"\]\((?:\.\./)?docs/", "](", text)
        files.append(File.generated(config, Path(name).name, content=inside))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    for name in OUTSIDE:
        markdown = re.sub(rf"\]\(\.\./((?:\.\./)?){name}", rf"](\1{Path(name).name}", markdown)
    return markdown

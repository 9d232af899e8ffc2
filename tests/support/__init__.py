"""What tests share: where data lie, and makers of tables, trees, images and repositories."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
DOCS = ROOT / "docs"

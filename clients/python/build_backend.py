"""Build backend (PEP 517) without dependencies, so that `pip install` needs no network. `python build_backend.py FOLDER` runs it."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parent
_PACKAGE = "campanile"
#: Archives are the same for the same sources.
_TIME = (2020, 1, 1, 0, 0, 0)


def _read_project() -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return project


def _stem(project: dict[str, Any]) -> str:
    return f"{project['name'].replace('-', '_')}-{project['version']}"


def _metadata(project: dict[str, Any]) -> bytes:
    """Core metadata 2.4 (PEP 639)."""
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"Keywords: {','.join(project['keywords'])}",
        *(f"Classifier: {one}" for one in project["classifiers"]),
        f"Requires-Python: {project['requires-python']}",
        f"License-Expression: {project['license']}",
        *(f"License-File: {one}" for one in project["license-files"]),
        "Description-Content-Type: text/markdown",
    ]
    return ("\n".join(lines) + "\n\n" + (_ROOT / project["readme"]).read_text("utf-8")).encode()


def _modules() -> list[Path]:
    return [path for path in sorted((_ROOT / _PACKAGE).iterdir()) if path.suffix == ".py" or path.name == "py.typed"]


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    project = _read_project()
    info = f"{_stem(project)}.dist-info"
    files = {f"{_PACKAGE}/{path.name}": path.read_bytes() for path in _modules()}
    files |= {f"{info}/licenses/{name}": (_ROOT / name).read_bytes() for name in project["license-files"]}
    files[f"{info}/METADATA"] = _metadata(project)
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: campanile\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = "".join(f"{name},sha256={_digest(content)},{len(content)}\n" for name, content in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    name = f"{_stem(project)}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, _TIME)
            entry.external_attr = 0o644 << 16
            wheel.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return name


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    project = _read_project()
    stem = _stem(project)
    paths = [_ROOT / name for name in ("pyproject.toml", "build_backend.py", project["readme"], *project["license-files"])]
    files = {str(path.relative_to(_ROOT)): path.read_bytes() for path in [*paths, *_modules()]}
    files["PKG-INFO"] = _metadata(project)
    name = f"{stem}.tar.gz"
    with (
        gzip.GzipFile(Path(sdist_directory) / name, "wb", mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as sdist,
    ):
        for path, content in files.items():
            entry = tarfile.TarInfo(f"{stem}/{path}")
            entry.size = len(content)
            sdist.addfile(entry, io.BytesIO(content))
    return name


if __name__ == "__main__":
    print(build_sdist(sys.argv[1]), build_wheel(sys.argv[1]), sep="\n")

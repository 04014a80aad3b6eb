"""What is on disk is in the lists: nobody can add a verb, a dashboard, a format or a source and forget to register it."""

from __future__ import annotations

import ast
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "stepscope"


def folders(part: str) -> set[str]:
    """The member folders of a part."""
    return {path.parent.name for path in (PACKAGE / part).glob("*/__init__.py")}


def defines_command(path: Path) -> bool:
    """Whether a module has a function named `command`."""
    return any(isinstance(node, ast.FunctionDef) and node.name == "command" for node in ast.parse(path.read_text()).body)


def test_dashboards_on_disk_are_listed() -> None:
    from stepscope.dashboards.all_dashboards import ALL_DASHBOARDS

    assert sorted(folders("dashboards")) == sorted(dashboard.id for dashboard in ALL_DASHBOARDS)


def test_formats_on_disk_are_listed() -> None:
    from stepscope.formats.all_formats import FORMATS

    assert sorted(folders("formats")) == sorted(known.id for known in FORMATS)


def test_sources_on_disk_are_listed() -> None:
    from stepscope.sources.all_sources import SOURCES

    defined = {
        path.stem
        for path in (PACKAGE / "sources").glob("*.py")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.Assign) and any(isinstance(name, ast.Name) and name.id == "SOURCE" for name in node.targets)
    }
    assert defined == set(SOURCES.values())


def test_verbs_on_disk_are_listed() -> None:
    from stepscope.cli.all_commands import ALL_COMMANDS

    folders_of_verbs = {path.parent.name for path in (PACKAGE / "cli").glob("*/__init__.py") if defines_command(path)}
    assert {path.stem for path in (PACKAGE / "cli").glob("*.py") if defines_command(path)} | folders_of_verbs == set(ALL_COMMANDS)


def test_verbs_of_profiles_on_disk_are_listed() -> None:
    from stepscope.cli.profile.all_profile_commands import ALL_PROFILE_COMMANDS

    verbs = {path.stem for path in (PACKAGE / "cli" / "profile").glob("*.py") if defines_command(path)} - {"__init__"}
    assert verbs == set(ALL_PROFILE_COMMANDS)


def test_parts_of_an_analysis_on_disk_are_listed() -> None:
    from stepscope.session.all_parts import ALL_PARTS, SEVERAL_PARTS

    defined = [
        node.value.args[0].value
        for path in (PACKAGE / "session" / "parts").glob("*.py")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name)
        if node.value.func.id in {"Part", "SeveralPart"} and isinstance(node.value.args[0], ast.Constant)
    ]
    assert sorted(map(str, defined)) == sorted(part.id for part in (*ALL_PARTS, *SEVERAL_PARTS))

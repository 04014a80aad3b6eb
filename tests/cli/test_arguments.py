"""Arguments: roots and their names, ports, prefixes, addresses and the names a server answers to."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepscope.cli.log_folders import notices, parse_roots
from stepscope.cli.serve import parse_port, parse_prefix
from stepscope.cli.tensorboard_flags import WITHOUT_MEANING
from stepscope.model.errors import BadInput
from stepscope.serving import Serving, address, server_settings

MEANINGFUL = {
    "logdir", "logdir_spec", "host", "bind_all", "port", "path_prefix", "window_title", "reload_interval", "inspect", "event_file",
    "tag", "version_tb",
}  # fmt: skip
TENSORBOARD_2_21 = MEANINGFUL | {
    "reuse_port", "load_fast", "extra_data_server_flags", "grpc_creds_type", "grpc_data_provider", "purge_orphaned_data", "db",
    "db_import", "max_reload_threads", "reload_task", "reload_multifile", "reload_multifile_inactive_secs", "generic_data",
    "samples_per_plugin", "detect_file_replacement", "master_tpu_unsecure_channel",
}  # fmt: skip


def test_every_flag_of_tensorboard_is_accepted() -> None:
    from stepscope.cli.serve import command

    accepted = {name.removeprefix("--") for option in command.params for name in option.opts if name.startswith("--")}
    assert accepted >= TENSORBOARD_2_21
    assert set(WITHOUT_MEANING) == TENSORBOARD_2_21 - MEANINGFUL


def test_one_folder_has_no_name(tmp_path: Path) -> None:
    (root,) = parse_roots([str(tmp_path)])
    assert (root.name, root.path) == ("", str(tmp_path))


def test_several_folders_are_named_by_their_last_part(tmp_path: Path) -> None:
    for name in ("x/runs", "y/runs", "z"):
        (tmp_path / name).mkdir(parents=True)
    roots = parse_roots([str(tmp_path / "x/runs"), str(tmp_path / "y/runs")], str(tmp_path / "z"))
    assert [root.name for root in roots] == ["runs", "runs-2", "z"]


def test_a_spec_names_them(tmp_path: Path) -> None:
    for name in ("x", "y", "z"):
        (tmp_path / name).mkdir()
    roots = parse_roots([], None, f"one:{tmp_path}/x, two:{tmp_path}/y,{tmp_path}/z,")
    assert [(root.name, Path(root.path).name) for root in roots] == [("one", "x"), ("two", "y"), ("z", "z")]


def test_home_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "runs").mkdir()
    assert parse_roots(["~/runs"])[0].path == str(tmp_path / "runs")


def test_files_are_no_folders(tmp_path: Path) -> None:
    file = tmp_path / "events.out.tfevents.1"
    file.touch()
    with pytest.raises(BadInput, match="is not a folder"):
        parse_roots([str(file)], may_come_later=True)
    with pytest.raises(BadInput, match="is not a folder"):
        parse_roots([str(file)])
    assert parse_roots([str(file)], files_too=True)[0].path == str(file)


@pytest.mark.parametrize("spec", [False, True])
def test_an_address_that_cannot_be_read_is_not_awaited_as_a_folder(spec: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput) as refused:
        parse_roots([] if spec else ["gs://bucket/logs"], None, "gs://bucket/logs" if spec else None, may_come_later=True)
    assert refused.value.code == "unknown_scheme"


@pytest.mark.parametrize(("text", "port"), [("default", None), ("0", 0), ("6006", 6006), ("65535", 65535)])
def test_ports(text: str, port: int | None) -> None:
    assert parse_port(text) == port


@pytest.mark.parametrize("text", ["65536", "-1", "x", "", "1.5"])
def test_what_is_no_port(text: str) -> None:
    with pytest.raises(BadInput):
        parse_port(text)


@pytest.mark.parametrize(("text", "prefix"), [("", ""), ("/", ""), ("/a", "/a"), ("/a/b-c/", "/a/b-c"), ("/~me", "/~me")])
def test_prefixes(text: str, prefix: str) -> None:
    assert parse_prefix(text) == prefix


@pytest.mark.parametrize("text", ["a", "//a", "/a b", "/a/../b", "/{x}", '/"', "/a//b"])
def test_what_is_no_prefix(text: str) -> None:
    with pytest.raises(BadInput):
        parse_prefix(text)


def test_addresses() -> None:
    assert address(Serving(), 6006) == "http://localhost:6006/"
    assert address(Serving(host="::1", path_prefix="/p"), 1) == "http://[::1]:1/p/"


def test_names_the_server_answers_to() -> None:
    local = server_settings(Serving())
    assert (local.hosts, local.any_address) == ({"localhost", "127.0.0.1", "[::1]"}, False)
    assert "lab.example" in server_settings(Serving(allow_hosts=("Lab.Example",))).hosts
    assert "[::1]" in server_settings(Serving(host="::1")).hosts
    assert server_settings(Serving(host="")).any_address


def test_a_folder_may_come_later_where_that_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="does not exist"):
        parse_roots([str(tmp_path / "later")])
    roots = parse_roots([str(tmp_path / "later")], may_come_later=True)
    (notice,) = notices(roots)
    assert notice.startswith(f"{tmp_path}/later does not exist")


def test_a_root_inside_another_is_told_of(tmp_path: Path) -> None:
    for name in ("runs/a", "runs-b"):
        (tmp_path / name).mkdir(parents=True)
    roots = parse_roots([str(tmp_path / name) for name in ("runs", "runs-b", "runs/a")])
    (notice,) = notices(roots)
    assert notice.startswith(f"{tmp_path}/runs/a is inside {tmp_path}/runs;")

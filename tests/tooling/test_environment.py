"""What becomes of the environment: the state folder, the secret key, origins, hosts, proxies and cookies."""

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from dashboard import environment
from tests import running


def read_settings(data: Path, *names: str, **given: str) -> list[str]:
    """These settings, one a line, as the program reads them from an environment."""
    code = f"from dashboard import settings; [print(getattr(settings, name)) for name in {names!r}]"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=running.ROOT, env=running.build_environment(data, **given), capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.splitlines()


def test_the_hosts_follow_from_the_origins_where_they_are_not_set(tmp_path: Path) -> None:
    origins = "https://bench.example,http://[2001:db8::5]:8000,https://*.team.example"
    (hosts,) = read_settings(tmp_path, "ALLOWED_HOSTS", TRUSTED_ORIGINS=origins, ALLOWED_HOSTS="", HOST="10.0.0.7")
    known = ["localhost", "127.0.0.1", "[::1]", "10.0.0.7", "bench.example", "[2001:db8::5]", ".team.example"]
    assert hosts == str(known)
    (hosts,) = read_settings(tmp_path, "ALLOWED_HOSTS", TRUSTED_ORIGINS=origins, ALLOWED_HOSTS="one.example, two")
    assert hosts == str(["one.example", "two"])


def test_an_empty_database_url_is_no_setting(tmp_path: Path) -> None:
    (databases,) = read_settings(tmp_path, "DATABASES", DATABASE_URL="")
    assert str(tmp_path / "benchtrend.sqlite3") in databases


def test_two_servers_on_one_host_have_cookies_of_their_own(tmp_path: Path) -> None:
    names = ("SESSION_COOKIE_NAME", "CSRF_COOKIE_NAME")
    one, other = (read_settings(tmp_path / folder, *names) for folder in ("one", "other"))
    assert not set(one) & set(other)
    assert read_settings(tmp_path / "one", *names, PORT="8001") == one, "another port is the same sign-in"


@pytest.mark.parametrize(("https", "proxies"), [("0", []), ("1", ["127.0.0.0/8", "::1/128"])])
def test_a_proxy_on_this_machine_is_known_where_one_ends_tls(tmp_path: Path, https: str, proxies: list[str]) -> None:
    (found,) = read_settings(tmp_path, "TRUSTED_PROXIES", HTTPS=https)
    assert [name for name in proxies if name in found] == proxies
    assert bool(proxies) == (found != "[]")


def test_a_setting_that_is_wrong_is_one_line(tmp_path: Path) -> None:
    for given in ({"PORT": "eighty"}, {"TRUSTED_ORIGINS": "bench.example"}):
        done = subprocess.run(
            [sys.executable, "manage.py", "serve"],
            cwd=running.ROOT, env=running.build_environment(tmp_path, **given), capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 1
        (line,) = done.stderr.splitlines()
        assert next(iter(given)) in line


def test_origins_are_as_browsers_send_them() -> None:
    given = ["https://Bench.example/", " http://bench.example:8000", "https://bench.example:443", "", "https://*.x.org"]
    assert environment.read_origins(given) == [
        "https://bench.example", "http://bench.example:8000", "https://bench.example", "https://*.x.org",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text", ["bench.example", "ftp://x", "https://", "https://x/page", "https://[", "https://x:port", "https://me@x"]
)
def test_what_is_no_origin_is_refused_by_name(text: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="TRUSTED_ORIGINS") as refused:
        environment.read_origins([text])
    assert text in str(refused.value)


def test_what_is_no_network_is_refused_by_name() -> None:
    with pytest.raises(ImproperlyConfigured, match="TRUSTED_PROXIES: 'proxy' does not appear"):
        environment.read_networks(["10.0.0.0/8", "proxy"])


def test_a_folder_that_cannot_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ImproperlyConfigured, match=f"BENCHTREND_DATA: {tmp_path}/file cannot be a folder: File exists"):
        environment.open_state_folder(tmp_path / "file")


def test_a_new_folder_is_for_its_owner_alone(tmp_path: Path) -> None:
    folder = environment.open_state_folder(tmp_path / "new")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_all_who_start_at_once_have_one_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(environment.keep_secret_key, [tmp_path / "secret_key"] * 40))
    assert keys == {(tmp_path / "secret_key").read_text()}
    assert [path.name for path in tmp_path.iterdir()] == ["secret_key"], "no draft stays"
    assert stat.S_IMODE((tmp_path / "secret_key").stat().st_mode) == 0o600


def test_whoever_comes_second_leaves_the_first_key(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("first")
    environment._write_new(tmp_path / "key", "second")
    assert (tmp_path / "key").read_text() == "first"


@pytest.mark.parametrize("held", [b"", b"cut off", b"\x00" * 60, b"\xff" * 60], ids=["empty", "cut", "nul", "binary"])
def test_a_key_that_is_not_whole_is_told_and_left(tmp_path: Path, held: bytes) -> None:
    path = tmp_path / "secret_key"
    path.write_bytes(held)
    with pytest.raises(ImproperlyConfigured, match=f"{path} holds no whole secret key"):
        environment.keep_secret_key(path)
    assert path.read_bytes() == held


def test_a_key_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "secret_key").mkdir()
    with pytest.raises(ImproperlyConfigured, match="cannot be used: Is a directory"):
        environment.keep_secret_key(tmp_path / "secret_key")
    assert os.listdir(tmp_path) == ["secret_key"]

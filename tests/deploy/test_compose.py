"""The Compose file, by its own structure, and by Compose itself where that is installed: it needs no engine for it."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from sqlalchemy import make_url

from tests.deploy.dockerfile import steps

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "deploy" / "compose.yaml"
TEXT = FILE.read_text("utf-8")
COMPOSE = yaml.safe_load(TEXT)
SERVICES = COMPOSE["services"]


def test_every_name_in_it_is_declared_and_every_path_is_there():
    for service in SERVICES.values():
        assert set(service.get("secrets", ())) <= COMPOSE["secrets"].keys()
        assert set(service.get("depends_on", ())) <= SERVICES.keys()
        for volume in service["volumes"]:
            source = re.sub(r"\$\{.*\}", "./", volume).partition(":")[0]
            assert source.startswith((".", "/")) or source in COMPOSE["volumes"], volume
    build = SERVICES["grader"]["build"]
    assert (FILE.parent / build["context"]).resolve() == ROOT and (ROOT / build["dockerfile"]).is_file()


def test_the_grader_waits_for_a_database_that_answers_and_runs_under_the_named_profile():
    assert SERVICES["grader"]["depends_on"]["gradebook"]["condition"] == "service_healthy"
    assert "--host=127.0.0.1" in SERVICES["gradebook"]["healthcheck"]["test"]
    options = dict(option.split("=", 1) for option in SERVICES["grader"]["security_opt"])
    assert options == {
        "seccomp": "../.devcontainer/seccomp.json", "apparmor": "unconfined", "systempaths": "unconfined"
    }  # fmt: skip
    assert (FILE.parent / options["seccomp"]).is_file()
    volumes = [rest for word, rest in steps(ROOT / "deploy" / "Dockerfile") if word == "VOLUME"]
    assert [f":{volume}" in SERVICES["grader"]["volumes"][0] for volume in volumes] == [True]


def test_passwords_come_from_files_that_are_never_committed_and_never_in_an_image():
    for name, secret in COMPOSE["secrets"].items():
        folder = (FILE.parent / secret["file"]).resolve().parent.relative_to(ROOT).as_posix()
        assert f"/{folder}/" in (ROOT / ".gitignore").read_text("utf-8").splitlines(), name
        assert folder in (ROOT / "deploy" / "Dockerfile.dockerignore").read_text("utf-8").splitlines(), name
    assert "PASSWORD" not in {n for s in SERVICES.values() for n in s.get("environment", {}) if not n.endswith("_FILE")}
    assert all(f"/run/secrets/{name}" in TEXT for name in COMPOSE["secrets"])


def test_the_address_that_file_and_page_give_is_this_database():
    """As `restore --database` and `c.CourseDirectory.db_url` take it; without the password, which PGPASSWORD has."""
    page = (ROOT / "book" / "instructors" / "growing.md").read_text("utf-8")
    addresses = {address for text in (TEXT, page) for address in re.findall(r"postgresql\+psycopg://[\w@/.:]+\w", text)}
    (address,) = addresses
    url, environment = make_url(address), SERVICES["gradebook"]["environment"]
    assert (url.username, url.host, url.database) == (
        environment["POSTGRES_USER"], "gradebook", environment["POSTGRES_DB"]
    )  # fmt: skip
    assert url.password is None and address in TEXT and address in page
    assert 'PGPASSWORD="$$(cat /run/secrets/gradebook)"' in SERVICES["grader"]["entrypoint"][2]


def test_a_password_that_cannot_be_read_stops_the_command(tmp_path):
    (shell, option, script, *_), secret = SERVICES["grader"]["entrypoint"], tmp_path / "secret"
    script = script.replace("$$", "$").replace("/run/secrets/gradebook", str(secret)).replace("exec autograde", "exec")
    words = [shell, option, script, "autograde", "printenv", "PGPASSWORD"]
    assert subprocess.run(words, capture_output=True).returncode
    secret.write_text("secret\n")
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "secret\n"


@pytest.mark.skipif(
    not shutil.which("docker") or subprocess.run(["docker", "compose", "version"], capture_output=True).returncode != 0,
    reason="needs Docker's Compose",
)
def test_compose_itself_takes_it(tmp_path):
    words = ["docker", "compose", "-f", str(FILE), "--profile", "command", "config", "--quiet"]
    done = subprocess.run(words, env={"PATH": "/usr/bin:/bin", "CLASS": str(tmp_path)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

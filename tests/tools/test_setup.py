"""The set-up says in one line what is missing, does nothing twice, and takes nothing half-made for whole."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from course.handed_out import CPU_BUILDS
from tools import setup

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A set-up in an empty folder, its commands written down instead of run; making the environment leaves a python."""
    venv = tmp_path / ".venv"
    for name, value in {
        "ROOT": tmp_path,
        "VENV": venv,
        "PYTHON": venv / "bin" / "python",
        "RECORD": venv / "set-up.json",
        "MARKER": venv / "unfinished",
        "LOCK": tmp_path / "requirements.txt",
    }.items():
        monkeypatch.setattr(setup, name, value)
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    (tmp_path / "requirements.txt").write_text("torch==2.13.0\n")
    commands = []

    def run(command, failure, **environment):
        commands.append(" ".join(map(str, command)))
        if "-m venv" in commands[-1]:
            setup.PYTHON.parent.mkdir(parents=True)
            setup.PYTHON.touch()

    monkeypatch.setattr(setup, "run", run)
    monkeypatch.setattr(setup, "offers", lambda version, *options: True)
    monkeypatch.setattr(setup, "left_over", list)
    monkeypatch.setattr(setup, "without_warnings", dict)
    monkeypatch.setattr(setup.sys, "platform", "linux")
    monkeypatch.setattr(setup, "sees_gpu", lambda: False)
    return commands


def test_a_second_run_does_nothing(place):
    setup.make_environment("course", newest=False)
    assert any("--constraint" in command and ".[book,grade,lab]" in command for command in place)
    place.clear()
    setup.make_environment("course", newest=False)
    setup.make_environment("learner", newest=False)
    assert place == []


def test_a_new_lock_installs_again_without_starting_over(place):
    setup.make_environment("course", newest=False)
    place.clear()
    setup.LOCK.write_text("torch==2.14.0\n")
    setup.make_environment("course", newest=False)
    assert place and not any("-m venv" in command for command in place)


def test_the_tests_tools_stay_when_the_course_is_made_again(place):
    setup.make_environment("test", newest=False)
    setup.LOCK.write_text("torch==2.14.0\n")
    setup.make_environment("course", newest=False)
    assert "test" in json.loads(setup.RECORD.read_text())["extras"]


@pytest.mark.parametrize("dies_at", ["-m venv", "setuptools", "--editable"])
def test_an_interrupted_set_up_is_made_again_from_the_start(place, monkeypatch, dies_at):
    whole = setup.run

    def dies(command, failure, **environment):
        whole(command, failure)
        if dies_at in place[-1]:
            raise KeyboardInterrupt

    monkeypatch.setattr(setup, "run", dies)
    with pytest.raises(KeyboardInterrupt):
        setup.make_environment("course", newest=False)
    assert not setup.RECORD.exists()
    monkeypatch.setattr(setup, "run", whole)
    place.clear()
    setup.make_environment("course", newest=False)
    assert "-m venv" in place[0] and "--editable" in place[-1]
    assert setup.RECORD.exists() and not setup.MARKER.exists()


def test_an_environment_of_another_checkout_is_left_alone(place, tmp_path, capsys):
    other = tmp_path / "another one"
    other.mkdir()
    packages = setup.VENV / "lib" / "python3.11" / "site-packages" / "attention_from_scratch-0.1.0.dist-info"
    packages.mkdir(parents=True)
    (packages / "direct_url.json").write_text(json.dumps({"url": other.as_uri(), "dir_info": {"editable": True}}))
    setup.make_environment("learner", newest=False)  # that folder is gone, or was moved here
    (other / "pyproject.toml").touch()
    place.clear()
    with pytest.raises(SystemExit):
        setup.make_environment("learner", newest=False)
    assert place == [] and f"environment of another checkout, {other}" in capsys.readouterr().err


def test_newest_leaves_the_lock_aside(place):
    setup.make_environment("test", newest=True)
    assert "--upgrade" in place[-1] and "--constraint" not in place[-1]


def of_torch(commands):
    """What pip was told of torch by itself."""
    return [command for command in commands if "torch==" in command]


def test_without_a_gpu_torch_is_the_build_for_the_cpu(place, capsys):
    setup.make_environment("learner", newest=False)
    (command,) = of_torch(place)
    assert command.endswith("--no-deps torch==2.13.0+cpu") and place.index(command) < len(place) - 1
    assert "torch 2.13.0 for the CPU, from where pip is set to look" in capsys.readouterr().out


def test_the_build_for_the_cpu_is_looked_for_at_hand_first(place, monkeypatch, capsys):
    monkeypatch.setattr(setup, "offers", lambda version, *options: bool(options))
    setup.make_environment("learner", newest=False)
    assert of_torch(place)[0].endswith(f"--index-url {setup.CPU_BUILDS} torch==2.13.0+cpu")
    assert "about 0.2 GB" in capsys.readouterr().out


def test_with_a_gpu_or_when_asked_torch_is_the_build_for_gpus(place, monkeypatch, capsys):
    setup.make_environment("learner", newest=False, cuda=True)
    assert of_torch(place)[0].endswith("torch==2.13.0,!=2.13.0+cpu") and setup.CPU_BUILDS not in " ".join(place)
    assert "about 2.7 GB" in capsys.readouterr().out
    monkeypatch.setattr(setup, "sees_gpu", lambda: True)
    assert setup.chosen_build(None, None) == "cuda"
    assert setup.chosen_build(False, None) == "cpu"


def test_from_one_build_to_the_other_and_back(place, monkeypatch):
    setup.make_environment("learner", newest=False)
    place.clear()
    setup.make_environment("learner", newest=False, cuda=True)
    assert len(of_torch(place)) == 1 and not any("-m venv" in command for command in place)
    place.clear()
    setup.make_environment("learner", newest=False)  # what was chosen stays
    assert place == []
    monkeypatch.setattr(setup, "left_over", lambda: ["nvidia-cublas", "triton"])
    setup.make_environment("learner", newest=False, cuda=False)
    assert "+cpu" in of_torch(place)[0] and place[-1].endswith("uninstall --quiet --yes nvidia-cublas triton")


def test_make_gpu_changes_over_to_the_build_for_gpus_by_itself_where_one_is_seen(place, monkeypatch):
    setup.make_environment("gpu", newest=False)
    assert "+cpu" in of_torch(place)[0]  # for a dry run
    monkeypatch.setattr(setup, "sees_gpu", lambda: True)
    place.clear()
    setup.make_environment("course", newest=False)
    assert not any("!=2.13.0+cpu" in command for command in place)
    setup.make_environment("gpu", newest=False)
    assert of_torch(place)[-1].endswith("torch==2.13.0,!=2.13.0+cpu")
    place.clear()
    setup.make_environment("gpu", newest=False, cuda=False)
    assert "+cpu" in of_torch(place)[0]


def test_torch_that_is_there_is_not_asked_for_again(place, monkeypatch):
    setup.make_environment("learner", newest=False)
    (setup.VENV / "lib" / "python3.11" / "site-packages" / "torch-2.13.0+cpu.dist-info").mkdir(parents=True)
    monkeypatch.setattr(setup, "offers", lambda version, *options: False)  # a machine without a network
    setup.make_environment("course", newest=False)
    setup.make_environment("test", newest=False)
    assert len(of_torch(place)) == 1


def test_a_build_for_gpus_that_is_there_is_not_asked_for_again(place):
    setup.make_environment("learner", newest=False, cuda=True)
    (setup.VENV / "lib" / "python3.11" / "site-packages" / "torch-2.13.0.dist-info").mkdir(parents=True)
    setup.make_environment("test", newest=False)
    assert len(of_torch(place)) == 1 and any("benchmark" in command for command in place)


def test_where_there_is_no_build_for_the_cpu_an_environment_stays_as_it_is(place, monkeypatch, capsys):
    setup.make_environment("learner", newest=False, cuda=True)
    before = setup.RECORD.read_text()
    monkeypatch.setattr(setup, "offers", lambda version, *options: False)
    place.clear()
    with pytest.raises(SystemExit):
        setup.make_environment("learner", newest=False, cuda=False)
    assert place == [] and setup.RECORD.read_text() == before and not setup.MARKER.exists()
    (said,) = capsys.readouterr().err.splitlines()
    assert setup.CPU_BUILDS in said and "PIP_FIND_LINKS" in said and "CUDA=1" in said


def test_elsewhere_than_linux_torch_is_pypis(place, monkeypatch, capsys):
    monkeypatch.setattr(setup.sys, "platform", "darwin")
    setup.make_environment("learner", newest=False)
    assert not of_torch(place)
    with pytest.raises(SystemExit):
        setup.make_environment("learner", newest=False, cuda=True)
    assert "CUDA=1 is for Linux" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("system", "machine", "version", "said"),
    [
        ("darwin", "x86_64", (3, 12, 1), "Macs with Intel processors"),
        ("darwin", "arm64", (3, 12, 1), "needs macOS 14"),
        ("linux", "x86_64", (3, 10, 9), "needs 3.11 to 3.14"),
        ("linux", "x86_64", (3, 15, 0), "make PYTHON=python3.14 course"),
    ],
)
def test_a_machine_without_builds_is_told_so(place, monkeypatch, capsys, system, machine, version, said):
    monkeypatch.setattr(setup.sys, "platform", system)
    monkeypatch.setattr(setup.sys, "version_info", version)
    monkeypatch.setattr(setup.platform, "machine", lambda: machine)
    monkeypatch.setattr(setup.platform, "mac_ver", lambda: ("13.6", ("", "", ""), machine))
    with pytest.raises(SystemExit):
        setup.refuse_machine(newest=False)
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line and place == []


def test_make_hands_the_build_on():
    def commands(*words):
        asked = ["make", "--no-print-directory", "-n", *words]
        return subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout

    for target, kind in (("course", "course"), ("lab", "learner"), ("test", "test"), ("gpu", "gpu")):
        assert f"setup.py {kind} --cuda" in commands(target, "CUDA=1")
        assert f"setup.py {kind} --no-cuda" in commands(target, "CUDA=0")
        assert "cuda" not in commands(target, "CUDA=/usr/local/cuda")  # a name that other programs use too


def test_pip_is_asked_what_it_finds_and_warns_of_nothing(tmp_path, monkeypatch):
    """With a pip that is none, in a path with spaces and umlauts; `pip cache dir` fails where there can be no cache."""
    python = tmp_path / "Kurs für Übende" / "python"
    python.parent.mkdir()
    python.write_text(
        '#!/bin/sh\ncase "$*" in *index*) echo "Available versions: 2.13.0+cpu, 2.13.0";; *cache*) exit 1;; '
        '*list*) printf "cuda-toolkit==13\\nnumpy==2\\nnvidia-nccl-cu13==2\\ntriton==3\\ntriton-like==1\\n";; esac\n'
    )
    python.chmod(0o755)
    monkeypatch.setattr(setup, "PYTHON", python)
    assert setup.offers("2.13.0+cpu") and not setup.offers("2.13.0+cp") and not setup.offers("2.1")
    assert setup.left_over() == ["cuda-toolkit", "nvidia-nccl-cu13", "triton"]
    assert setup.without_warnings() == {"PIP_USE_PEP517": "1", "PIP_NO_CACHE_DIR": "1"}


def test_a_command_that_says_nothing_for_long_is_seen_to_be_at_work(tmp_path, monkeypatch, capsys):
    (tmp_path / "unpacked").mkdir()
    (tmp_path / "unpacked" / "half").write_bytes(bytes(200_000_000))
    monkeypatch.setattr(setup, "VENV", tmp_path)
    monkeypatch.setattr(setup, "PATIENCE", 0.2)
    setup.run([sys.executable, "-c", "import time; time.sleep(0.7)"], "it failed")
    first, *more = capsys.readouterr().out.splitlines()
    assert more and first == "[set-up] still at work after 0 s: 0.2 GB are in .venv"
    setup.run([sys.executable, "-c", "pass"], "it failed")
    assert capsys.readouterr().out == ""
    with pytest.raises(SystemExit):
        setup.run([sys.executable, "-c", "raise SystemExit(2)"], "it failed")


@pytest.fixture
def open_folder():
    """A folder that everybody may enter: pytest's own are closed to all but who runs it."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.skipif(sys.platform != "linux", reason="umask and an ordinary user")
def test_an_ordinary_user_sets_up_in_any_path(open_folder):
    """As nobody, where the tests run as root: umask 077, a home that cannot be written, spaces and umlauts. Everything
    is done but what pip would fetch: a stand-in for pip comes in by PYTHONPATH, and writes down what it was told."""
    place, home, pip = open_folder / "Kurs für Übende", open_folder / "heim", open_folder / "pips" / "pip"
    for folder in (place / "tools", home, pip):
        folder.mkdir(parents=True)
    for name in ("tools/setup.py", "pyproject.toml", "requirements.txt"):
        shutil.copy(ROOT / name, place / name)
    (pip / "__init__.py").touch()
    (pip / "__main__.py").write_text(
        "import os, sys\n"
        "if 'cache' in sys.argv: sys.exit(not os.access(os.environ['HOME'], os.W_OK))\n"
        "print(*sys.argv[1:], '2.13.0+cpu' * ('index' in sys.argv), os.environ.get('PIP_NO_CACHE_DIR'))\n"
    )
    home.chmod(0o555)
    user = {}
    if os.geteuid() == 0:
        user = {"user": 65534, "group": 65534, "extra_groups": []}
        for path in (place, *place.rglob("*")):
            os.chown(path, 65534, 65534)

    def as_user(*words):
        environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(pip.parent)}
        command = ["sh", "-c", 'umask 077; exec "$@"', "sh", *words]
        return subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, **user)

    fits = "import sys, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 15))"
    for python in ("/usr/bin/python3", sys._base_executable):
        if as_user(python, "-c", fits).returncode == 0:
            break
    else:
        pytest.skip("nobody may run a Python here that is new enough and has ensurepip")
    done = as_user(python, "tools/setup.py", "learner", "--no-cuda")
    assert done.returncode == 0 and not done.stderr, done.stdout + done.stderr
    assert "--no-deps torch==2.13.0+cpu  1\n" in done.stdout and ".[book,grade,lab]  1\n" in done.stdout
    again = as_user(python, "tools/setup.py", "learner")
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")


def test_nobody_without_rights_is_told_the_one_command(place, monkeypatch, capsys):
    monkeypatch.setattr(setup.sys, "platform", "linux")
    monkeypatch.setattr(setup.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(setup.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(setup.shutil, "which", lambda name: "/usr/bin/apt-get" if name == "apt-get" else None)
    with pytest.raises(SystemExit):
        setup.install_packages("course")
    said = capsys.readouterr().err
    assert f"sudo apt-get install -y python3.{setup.sys.version_info.minor}-venv bubblewrap" in said
    assert place == []


def test_root_installs_what_is_missing(place, monkeypatch):
    there = {"apt-get"}
    monkeypatch.setattr(setup, "has_library", lambda name: "libatomic1" in there)
    monkeypatch.setattr(setup.sys, "platform", "linux")
    monkeypatch.setattr(setup.os, "geteuid", lambda: 0)
    monkeypatch.setattr(setup.shutil, "which", lambda name: name if name in there else None)
    monkeypatch.setattr(
        setup.subprocess, "run", lambda *a, **k: there.update({"bwrap", "chromium", "pg_ctlcluster", "libatomic1"})
    )  # apt-get update
    setup.install_packages("test")
    assert place[-1].endswith("install -y --no-install-recommends bubblewrap chromium postgresql libatomic1")
    place.clear()
    setup.install_packages("test")
    assert place == []


def main(monkeypatch, *arguments):
    monkeypatch.setattr(setup.sys, "argv", ["setup.py", *arguments])
    monkeypatch.setattr(setup, "refuse_machine", lambda newest: None)
    setup.main()


def test_a_gpus_compiler_is_installed_where_it_may(place, monkeypatch):
    """Triton, which torch.compile uses on a GPU, compiles against this Python's own header."""
    monkeypatch.setattr(setup.shutil, "which", lambda name: None if name == "g++" else f"/usr/bin/{name}")
    monkeypatch.setattr(setup.sysconfig, "get_path", lambda name: "/nowhere")
    monkeypatch.setattr(setup.os, "geteuid", lambda: 0)
    monkeypatch.setattr(setup.subprocess, "run", lambda *a, **k: None)  # apt-get update
    main(monkeypatch, "gpu")
    assert not any("apt-get" in command for command in place)  # no GPU is seen: a dry run compiles nothing
    monkeypatch.setattr(setup, "sees_gpu", lambda: True)
    main(monkeypatch, "gpu")
    (command,) = [command for command in place if "apt-get" in command]
    assert command.endswith(f"install -y --no-install-recommends g++ python3.{sys.version_info.minor}-dev")
    place.clear()
    main(monkeypatch, "learner")
    assert not any("apt-get" in command for command in place)


def test_without_a_gpus_compiler_the_rest_is_set_up(place, monkeypatch, capsys):
    monkeypatch.setattr(setup, "sees_gpu", lambda: True)
    monkeypatch.setattr(setup.shutil, "which", lambda name: "/usr/bin/g++" if name == "g++" else None)
    monkeypatch.setattr(setup.sysconfig, "get_path", lambda name: "/nowhere")
    main(monkeypatch, "gpu")
    said = capsys.readouterr().out
    assert f"missing: python3.{sys.version_info.minor}-dev" in said and "What torch.compile compiles will fail" in said
    assert setup.RECORD.exists()


def test_elsewhere_than_linux_no_sandbox_is_asked_for(place, monkeypatch):
    monkeypatch.setattr(setup.sys, "platform", "darwin")
    monkeypatch.setattr(setup.shutil, "which", lambda name: None)
    setup.install_packages("test")
    assert place == []


def test_an_old_python_is_told_what_to_install(tmp_path):
    """Every python on the PATH is too old: one line, and nothing is made."""
    for name in ("python3", "python3.14", "python3.13", "python3.12", "python3.11", "python"):
        (tmp_path / name).write_text('#!/bin/sh\n[ "$1" = --version ] && echo "Python 3.8.18" && exit 0\nexit 1\n')
        (tmp_path / name).chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    environment.pop("PYTHON", None)
    done = subprocess.run(
        ["make", "--no-print-directory", "-s", "course"], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode != 0
    (line,) = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert "needs Python 3.11 or newer" in line and "Python 3.8.18" in line and "apt-get install python3" in line


def test_notebooks_and_archives_name_the_same_index():
    assert setup.CPU_BUILDS == CPU_BUILDS

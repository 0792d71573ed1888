"""The values for a hub: each key is one of the charts', and the three files agree with each other.

The tables are the parts of the charts' own schemas that the files use, read once from Zero to JupyterHub's
`values.schema.yaml` and from ngshare's `values.yaml`: a key that stands in neither is an error there, and is one here.
"""

import ast
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from autograde.layout import VERSION
from tests.deploy.dockerfile import steps

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
HUB = yaml.safe_load((DEPLOY / "hub.yaml").read_text("utf-8"))
NGSHARE = yaml.safe_load((DEPLOY / "ngshare.yaml").read_text("utf-8"))

NUMBER, SIZE, ANYTHING = (int, float), (int, float, str), object
# Key -> the types of its value, or the keys below it. What is ANYTHING goes on to JupyterHub or Kubernetes as it is.
HUB_CHART = {
    "hub": {"config": ANYTHING, "services": ANYTHING, "networkPolicy": {"ingress": list}},
    "singleuser": {
        "image": {"name": str, "tag": str},
        "defaultUrl": str,
        "cpu": {"guarantee": NUMBER, "limit": NUMBER},
        "memory": {"guarantee": SIZE, "limit": SIZE},
        "storage": {"capacity": str, "homeMountPath": str},
        "networkPolicy": {"egress": list},
        "extraFiles": {"nbgrader": {"mountPath": str, "stringData": str}},  # the name is anybody's
    },
    "proxy": {"https": {"enabled": bool, "hosts": list, "letsencrypt": {"contactEmail": str}}},
    "cull": {"enabled": bool, "timeout": int},
}
NGSHARE_CHART = {"ngshare": {"admins": list, "hub_api_token": str}, "pvc": {"storage": str}}
# Settings of jupyterhub 5.5 and jupyterhub-ltiauthenticator 1.6, whose classes were asked for them.
SETTINGS = {
    "JupyterHub": {"authenticator_class", "admin_users"},
    "LTI13Authenticator": {
        "issuer", "authorize_url", "jwks_endpoint", "client_id", "username_key", "uri_scheme", "allow_all"
    },
}  # fmt: skip


def unknown(values: Any, known: Any, where: str = "") -> list[str]:
    """The keys of values that the table does not have, and those of another type."""
    if not isinstance(known, dict):
        return [] if isinstance(values, known) else [f"{where} is a {type(values).__name__}"]
    if not isinstance(values, dict):
        return [f"{where} is no mapping"]
    found = [f"{where}.{key}" for key in values if key not in known]
    return found + [
        line for key in values if key in known for line in unknown(values[key], known[key], f"{where}.{key}")
    ]


def test_every_key_is_one_of_the_charts():
    assert unknown(HUB, HUB_CHART) == [] and unknown(NGSHARE, NGSHARE_CHART) == []
    assert {name: set(settings) for name, settings in HUB["hub"]["config"].items()} == SETTINGS
    assert unknown({"hub": {"netwrokPolicy": {}}, "cull": {"timeout": "1h"}}, HUB_CHART) == [
        ".hub.netwrokPolicy", ".cull.timeout is a str"
    ]  # fmt: skip


@pytest.mark.parametrize(
    "policy", [HUB["hub"]["networkPolicy"]["ingress"], HUB["singleuser"]["networkPolicy"]["egress"]]
)
def test_only_ngshare_is_let_through(policy):
    (rule,) = policy
    (peer,) = rule.get("from") or rule["to"]
    assert peer == {"podSelector": {"matchLabels": {"app.kubernetes.io/name": "ngshare"}}} and len(rule["ports"]) == 1


def test_hub_server_and_exchange_name_one_address_and_one_token():
    (service,) = HUB["hub"]["services"].values()
    assert service["api_token"] == NGSHARE["ngshare"]["hub_api_token"] == "NGSHARE-TOKEN", (
        "filled in by who installs it"
    )
    settings = HUB["singleuser"]["extraFiles"]["nbgrader"]["stringData"]
    ast.parse(settings)
    assert f'"{service["url"]}/services/ngshare"' in settings


def test_a_students_work_lies_on_the_volume():
    """The chart mounts it at /home/jovyan unless told where the image works; all else goes with the server."""
    (home,) = [rest for word, rest in steps(DEPLOY / "hub.Dockerfile") if word == "WORKDIR"]
    assert HUB["singleuser"]["storage"]["homeMountPath"] == home == "/home/grader"


def test_a_students_server_is_the_grading_image_with_the_hubs_programs():
    assert HUB["singleuser"]["image"]["tag"] == VERSION
    text = (DEPLOY / "hub.Dockerfile").read_text("utf-8")
    assert f"{HUB['singleuser']['image']['name']}:{VERSION} " in text
    taken = steps(DEPLOY / "hub.Dockerfile")
    assert taken[0] == ("FROM", "attention-from-scratch")
    assert [rest for word, rest in taken if word == "USER"] == ["root", "grader"]
    assert re.search(r"--no-deps ngshare_exchange==", " ".join(rest for _, rest in taken))

"""Spark that is not in this process: a cluster with two workers, and a server of Spark Connect.

A process has one Spark, so each of these tests starts another process: the whole conformance suite
in a pytest of its own, and releases as `twoworlds` makes them, which find Spark by the settings
that Spark itself reads.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from tests.conftest import leave_out
from tests.servers import EXECUTORS, MACHINE, SPARK, spark_cluster, spark_connect

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SUITES = ("tests/release", "tests/test_servers.py")
POLICY = """
ledger: ledger.db
datasets:
  people:
    source: {spark: people.parquet}
    neighbours: add-remove
    unit: {person: person, rows: 2}
    budget: epsilon=200
    columns: {person: {kind: integer}, income: {kind: integer, bounds: [0, 10]}}
"""
RELEASES = """
import json
from pathlib import Path
from pyspark.sql import SparkSession
from twoworlds.errors import InvalidInput
from twoworlds.release.curator import Curator
from twoworlds.release.policy import read_policy

def asked(curator, number):
    query = f"SELECT COUNT(*) FROM people WHERE income >= {number}"
    [[value]] = curator.release(query, "epsilon=50").values
    return value

def end(session):
    if "connect" in type(session).__module__:
        session.client.release_session()  # as its server does after an hour
    else:
        session.sparkContext._jsc.sc().stop()  # as the cluster does when it gives up

policy = read_policy(Path("policy.yml"))
with Curator.open(policy) as curator:
    found = [asked(curator, 3)]
    end(SparkSession.active())
    found.append(asked(curator, 4))
    session = SparkSession.active()
    frame = session.read.parquet(Path("people.parquet").absolute().as_uri())
    of_a_frame = Curator(policy, curator.ledger, sources={"people": frame})
    found.append(asked(of_a_frame, 5))
    end(session)
    try:
        asked(of_a_frame, 6)
    except InvalidInput as error:
        refused = str(error)
    spent = curator.budget()["datasets"][0]["spent"]["epsilon"]["exact"]
print(json.dumps([found, refused, spent, type(session).__module__]))
"""


@pytest.fixture(scope="module", params=["spark-cluster", "spark-connect"])
def deployment(request, java_for_spark):
    """The address of a cluster or of a server of Spark Connect; the other is not running then."""
    if request.param == "spark-cluster":
        with spark_cluster(java_for_spark) as (address, works):
            yield address
            assert all([*work.glob("app-*/*/stderr")] for work in works)  # both have worked
    else:
        if importlib.util.find_spec("grpc") is None:
            leave_out("Spark Connect", because="the Python package grpcio is not installed")
        with spark_connect(java_for_spark) as address:
            yield address


def run(java, folder, *command, **settings):
    """Run Python, in the folder, with no settings of Spark but these."""
    foreign = ("SPARK_", "PYSPARK_", "PYTEST_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    places = {"JAVA_HOME": str(java), "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env={**kept, **places, **settings},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-5_000:]
    return done.stdout


def test_all_tests_of_spark_pass(java_for_spark, deployment):
    options = ("-m", "spark", "-q", "-p", "no:cacheprovider", "-n", "0")
    required = {SPARK: deployment, "TWOWORLDS_REQUIRE_SERVERS": "1"}  # none is left out
    said = run(java_for_spark, ROOT, "-m", "pytest", *options, *SUITES, **required)
    assert " passed" in said


def test_releases_go_on_in_a_new_session_when_spark_has_ended_theirs(
    java_for_spark, deployment, tmp_path
):
    """And a frame that ended with its session is refused without a charge.

    Noise of scale 1/25 passes 5 in one of e^125 cases.
    """
    columns = {"person": [*range(1000)] * 2, "income": [*range(10)] * 200}
    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "people.parquet")
    (tmp_path / "policy.yml").write_text(POLICY)
    if deployment.startswith("sc://"):
        settings = {"SPARK_REMOTE": deployment}
    else:
        named = {"spark.master": deployment, **MACHINE, **EXECUTORS}
        lines = (f"{name} {value}\n" for name, value in named.items())
        (tmp_path / "spark-defaults.conf").write_text("".join(lines))
        settings = {"SPARK_CONF_DIR": str(tmp_path)}
    said = run(java_for_spark, tmp_path, "-c", RELEASES, **settings)
    found, refused, spent, kind = json.loads(said)
    assert ("connect" in kind) == ("SPARK_REMOTE" in settings)
    assert all(abs(x - y) <= 5 for x, y in zip(found, (1400, 1200, 1000), strict=True))
    assert "make the frame again" in refused
    assert spent == "150"

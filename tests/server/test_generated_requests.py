"""Generated requests get only answers that the OpenAPI document declares.

Requests are generated when this file is imported, which takes seconds, so `make check` leaves the file out.
"""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings

from log_folder import LogFolder, decay
from stepscope.dashboards.context import Project
from stepscope.ingest.loader import Root
from stepscope.server.app import Application
from stepscope.session.reads import Reads
from stepscope.store.user_state import UserState

pytestmark = pytest.mark.slow
_BASE = tempfile.TemporaryDirectory()


def _described() -> Any:
    """The served document of a server on a small folder, for schemathesis; made when the tests are collected."""
    base = Path(_BASE.name)
    folder = LogFolder(base)
    folder.write("a", {"loss": decay(500), "acc": [0.5, math.nan]})
    folder.write("a/loss_train", {"loss": [1.0]})
    folder.load()
    project = Project(Reads(folder.library), folder.loader, UserState(base / "data"), (Root("", str(base)),))
    # Over a stated limit the answer is 413, which schemathesis does not count as a refusal by itself.
    refusals = {"negative_data_rejection": {"expected-statuses": [400, 403, 404, 405, 413, 422]}}
    # Rules between fields (a range from low to high, an odd window) are not in the document.
    acceptances = {"positive_data_acceptance": {"expected-statuses": ["2xx", 400, 404, 413]}}
    config = schemathesis.Config.from_dict({"checks": refusals | acceptances})
    served = Application(project).asgi
    return schemathesis.openapi.from_asgi("/api/v1/openapi.json", served, config=config, headers={"host": "localhost"})


schema = _described()


@schema.parametrize()
@settings(
    max_examples=12,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
def test_generated_requests_get_declared_answers(case: Any) -> None:
    case.call_and_validate(headers={"host": "localhost"})

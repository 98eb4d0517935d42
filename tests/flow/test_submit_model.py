"""The model of approved prices, played for a while; `make model` plays it for 20,000 steps and more."""

from hypothesis import HealthCheck, settings

from tests.submit_model import SubmitModel

TestSubmitModel = SubmitModel.TestCase
TestSubmitModel.settings = settings(
    max_examples=20,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)

"""The service answers what the rules predict, and refuses the rest with a clear error."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from fastapi.testclient import TestClient

from crisplogic.errors import UnseenValuesWarning
from crisplogic.rules import ClassificationRules, Goal, RegressionRules, RuleSet
from crisplogic.serve import Limits
from crisplogic.serve.answers import ROWS_AT_A_TIME
from crisplogic.serve.app import DRAINED, create_app
from tests.serve.models import CHECKLIST, MODELS, as_table, some_rows

# The library warns of values that training never saw; the service tells of them.
pytestmark = pytest.mark.filterwarnings(
    f"ignore::{UnseenValuesWarning.__module__}.{UnseenValuesWarning.__name__}"
)

ROWS = some_rows(30)
ROW = {"age": 41, 'bmi "kg/m²"': 33.0, "smoker": True, "port": "S", "deck": 1}


@pytest.fixture(scope="module", params=MODELS)
def rules(request: pytest.FixtureRequest) -> RuleSet:
    return MODELS[request.param]


@pytest.fixture(scope="module")
def client(rules: RuleSet) -> TestClient:
    return TestClient(create_app(rules))


@pytest.fixture(scope="module")
def checklist() -> TestClient:
    return TestClient(create_app(CHECKLIST))


def ask(client: TestClient, path: str, value: Any) -> dict[str, Any]:
    answered = client.post(path, json=value)
    assert answered.status_code == 200, answered.text
    found: dict[str, Any] = answered.json()
    return found


# --- answers ----------------------------------------------------------------------------------


def test_one_row_is_predicted_as_the_rules_predict_it(
    client: TestClient, rules: RuleSet
) -> None:
    predicted = rules.predict(as_table(ROWS)).tolist()
    assert [ask(client, "/predict", row)["prediction"] for row in ROWS] == predicted


def test_a_row_gets_the_same_answer_whether_its_values_are_known_or_not(
    rules: RuleSet,
) -> None:
    """The second time, the codes of its values are remembered."""
    client, fresh = (TestClient(create_app(rules)) for _ in range(2))
    rows = [*ROWS[:12], *({**ROW, "age": age} for age in (-1e308, -57, 163, 164, 0, 1e16))]
    for row in (*rows, *rows):
        answer = ask(client, "/predict", row)
        batch = ask(fresh, "/predict/batch", {"rows": [row]})
        assert answer["prediction"] == batch["predictions"][0]
        assert answer.get("probabilities") == batch.get("probabilities", [None])[0]
        assert answer.get("unseen") == batch.get("unseen")
    refusals: list[dict[str, Any]] = [
        {"age": 10**400},
        {"age": True},
        {"smoker": [1]},
        {"port": {}},
    ]
    for wrong in refusals:
        refused = client.post("/predict", json={**ROW, **wrong})
        assert_refused(refused, 422, f"column '{next(iter(wrong))}' must be")


def test_a_batch_is_predicted_as_the_rules_predict_it(
    client: TestClient, rules: RuleSet
) -> None:
    rows = some_rows(2 * ROWS_AT_A_TIME + 3, seed=1)
    answer = ask(client, "/predict/batch", {"rows": rows})
    assert answer["predictions"] == rules.predict(as_table(rows)).tolist()
    if isinstance(rules, ClassificationRules):
        assert answer["probabilities"] == rules.predict_proba(as_table(rows)).tolist()
        assert answer["classes"] == list(rules.labels)
    else:
        assert answer["number"] == "fare"
        assert "probabilities" not in answer
    assert answer["unseen"] == rules.unseen_values(as_table(rows)).to_dict()


def test_an_empty_batch_has_an_empty_answer(client: TestClient) -> None:
    assert ask(client, "/predict/batch", {"rows": []})["predictions"] == []
    assert ask(client, "/explain/batch", {"rows": []})["explanations"] == []


def test_rows_are_explained_as_the_rules_explain_them(
    client: TestClient, rules: RuleSet
) -> None:
    assert isinstance(rules, ClassificationRules | RegressionRules)
    wanted = [json.loads(json.dumps(rules.explain(row).to_dict())) for row in as_table(ROWS)]
    found = ask(client, "/explain/batch", {"rows": ROWS})["explanations"]
    assert found == wanted
    assert ask(client, "/explain", ROWS[0]) == wanted[0]


def test_values_never_seen_are_told(checklist: TestClient) -> None:
    answer = ask(checklist, "/predict", {**ROW, "port": "Southampton", "age": 999})
    assert answer["unseen"]["port"]["examples"] == ["Southampton"]
    assert answer["unseen"]["age"]["range"] == [17.0, 90.0]
    assert "unseen" not in ask(checklist, "/predict", ROW)


def test_columns_that_no_rule_mentions_may_hold_anything(checklist: TestClient) -> None:
    plain = ask(checklist, "/predict", ROW)
    for value in (None, "text", [1], {"a": 1}):
        assert ask(checklist, "/predict", {**ROW, "not mentioned": value}) == plain


@pytest.mark.parametrize("value", ["yes", "TRUE", 1, 1.0, True])
def test_truth_values_have_the_spellings_of_the_library(
    checklist: TestClient, value: Any
) -> None:
    assert ask(checklist, "/predict", {**ROW, "smoker": value}) == ask(
        checklist, "/predict", {**ROW, "smoker": True}
    )


# --- errors -----------------------------------------------------------------------------------

BODIES: dict[str, tuple[bytes, int, str]] = {
    "empty": (b"", 400, "not JSON"),
    "no JSON": (b"age=41", 400, "not JSON"),
    "cut": (b'{"age": 41', 400, "not JSON"),
    "no UTF-8": (b'{"age": "\xff"}', 400, "not JSON"),
    "NaN": (b'{"age": NaN}', 400, "NaN is no number; write null"),
    "infinite": (b'{"age": -Infinity}', 400, "-Infinity is no number"),
    "deep": (b"[" * 100_000, 400, "not JSON"),
    "many digits": (b'{"age": ' + b"9" * 5000 + b"}", 400, "not JSON"),
    "list": (b"[41]", 422, "a row must be an object, got a list"),
    "null": (b"null", 422, "a row must be an object, got null"),
    "text": (b'"row"', 422, "a row must be an object, got the text 'row'"),
}
CELLS: dict[str, tuple[dict[str, Any], str]] = {
    "text": ({"age": "41"}, "column 'age' must be a number or null, got the text '41'"),
    "truth": ({"age": True}, "column 'age' must be a number or null, got true"),
    "list": ({"age": [41]}, "column 'age' must be a number or null, got a list"),
    "large": ({"age": 10**400}, "column 'age' must be a number that a double holds"),
    "object": ({"smoker": {}}, "column 'smoker' must be true, false or null, got an object"),
    "number": ({"port": 7}, "column 'port' must be a text or null, got 7"),
    "two numbers": ({"deck": "1"}, "column 'deck' must be a number or null, got the text '1'"),
    "unknown": ({"Age": 3}, "the model has no column(s) 'Age'; did you mean 'age'?"),
    "long": ({"x" * 10_000: 3}, "the model has no column(s) 'xxx"),
}


def assert_refused(answered: Any, status: int, said: str) -> None:
    assert answered.status_code == status, answered.text
    assert list(answered.json()) == ["error"]
    assert said in answered.json()["error"]
    assert len(answered.text) < 1000
    assert "Traceback" not in answered.text


@pytest.mark.parametrize("path", ["/predict", "/explain"])
@pytest.mark.parametrize("kind", BODIES)
def test_a_body_that_is_no_row_is_refused(checklist: TestClient, path: str, kind: str) -> None:
    body, status, said = BODIES[kind]
    assert_refused(checklist.post(path, content=body), status, said)


@pytest.mark.parametrize("kind", CELLS)
def test_a_row_that_does_not_fit_is_refused(checklist: TestClient, kind: str) -> None:
    change, said = CELLS[kind]
    for path in ("/predict", "/explain"):
        assert_refused(checklist.post(path, json={**ROW, **change}), 422, said)
        rows = {"rows": [*[ROW] * 300, {**ROW, **change}]}
        answered = checklist.post(f"{path}/batch", json=rows)
        assert_refused(answered, 422, f"rows[300]: {said}")


def test_a_column_that_is_not_given_is_named(checklist: TestClient) -> None:
    row = {name: value for name, value in ROW.items() if name != "port"}
    assert_refused(checklist.post("/predict", json=row), 422, "a value for 'port'; null is")


@pytest.mark.parametrize("value", [[ROW], {"rows": ROW}, {"rows": [], "more": 1}, {}, 3])
def test_a_batch_is_an_object_with_rows(checklist: TestClient, value: Any) -> None:
    answered = checklist.post("/predict/batch", json=value)
    assert_refused(answered, 422, 'the body must be {"rows": [...]}')


def test_too_many_rows_are_refused() -> None:
    client = TestClient(create_app(CHECKLIST, Limits(rows=3)))
    assert ask(client, "/predict/batch", {"rows": [ROW] * 3})["predictions"]
    answered = client.post("/predict/batch", json={"rows": [ROW] * 4})
    assert_refused(answered, 413, "at most 3 rows are allowed, got 4")


@pytest.mark.parametrize("times", [1, DRAINED + 1])
def test_a_body_that_is_too_large_is_refused_whether_or_not_it_says_so(times: int) -> None:
    client = TestClient(create_app(CHECKLIST, Limits(body=1000)))
    large = b" " * (times * 1000 + 1)

    def parts() -> Iterator[bytes]:
        yield from (large[at : at + 100] for at in range(0, len(large), 100))

    for content in (large, parts()):
        answered = client.post("/predict", content=content)
        assert_refused(answered, 413, "at most 1000 bytes")
    padded = json.dumps(ROW).encode().ljust(1000)
    assert client.post("/predict", content=padded).status_code == 200


def test_a_batch_that_takes_too_long_is_refused() -> None:
    client = TestClient(create_app(CHECKLIST, Limits(seconds=1e-9)))
    for path in ("/predict/batch", "/explain/batch"):
        answered = client.post(path, json={"rows": [ROW]})
        # The limit is as long for the body to arrive, which it may do at once.
        assert answered.status_code in (408, 503)
        assert "1e-09 s" in answered.json()["error"]


def test_a_body_that_does_not_arrive_is_refused() -> None:
    app = create_app(CHECKLIST, Limits(seconds=0.01))
    sent: list[Any] = []

    async def receive() -> Any:
        await asyncio.sleep(600)

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/predict",
        "headers": [],
        "query_string": b"",
        "root_path": "",
    }

    async def answer() -> None:
        await app(scope, receive, send)

    asyncio.run(answer())
    assert sent[0]["status"] == 408
    assert json.loads(sent[1]["body"]) == {"error": "the body did not arrive within 0.01 s"}


def test_other_paths_and_methods_are_refused(checklist: TestClient) -> None:
    assert_refused(checklist.get("/none"), 404, "Not Found")
    assert_refused(checklist.get("/predict"), 405, "Method Not Allowed")


def test_an_error_of_ours_tells_no_more_than_that(monkeypatch: pytest.MonkeyPatch) -> None:
    client = TestClient(create_app(CHECKLIST), raise_server_exceptions=False)
    monkeypatch.setattr("crisplogic.serve.app.parse_body", lambda body: body / 0)
    assert_refused(client.post("/predict", json=ROW), 500, "the service failed")


# --- what it tells of itself ------------------------------------------------------------------


def test_the_schema_is_that_of_the_columns(client: TestClient, rules: RuleSet) -> None:
    document = client.get("/openapi.json").json()
    content = document["paths"]["/predict"]["post"]["requestBody"]["content"]
    schema, example = (content["application/json"][key] for key in ("schema", "example"))
    assert set(schema["properties"]) == set(rules.features)
    assert schema["required"] == rules.mentioned_columns
    jsonschema.Draft202012Validator.check_schema(schema)
    for row in (example, *ROWS[:10]):
        jsonschema.validate(row, schema)
        assert client.post("/predict", json=row).status_code == 200
    for change in ({"age": "41"}, {"new": 1}, {"smoker": "?"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**ROW, **change}, schema)


def test_the_schema_has_ranges_and_categories(checklist: TestClient) -> None:
    columns = checklist.get("/model").json()["row"]["properties"]
    assert columns["age"]["x-training-range"] == [17.0, 90.0]
    assert "17 to 90 in training" in columns["age"]["description"]
    assert columns["port"]["anyOf"][0]["enum"] == ["S", "C", "Q"]
    assert columns["deck"]["anyOf"][0]["enum"] == [1.0, 2.0]
    assert columns["smoker"]["type"] == ["boolean", "null"]


def test_answers_are_as_the_schema_says(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    for path in ("/predict", "/predict/batch", "/explain", "/explain/batch"):
        body = {"rows": ROWS[:3]} if path.endswith("batch") else ROWS[0]
        answers = paths[path]["post"]["responses"]
        schema = answers["200"]["content"]["application/json"]["schema"]
        jsonschema.validate(ask(client, path, body), schema)
        assert {"400", "408", "413", "422", "503"} <= set(answers)


def test_the_page_escapes_names_and_loads_nothing(client: TestClient) -> None:
    text = client.get("/", headers={"host": '"><script>'}).text
    assert "bmi &quot;kg/m²&quot;" in text
    assert "<script" not in text
    assert "src=" not in text
    assert "17 to 90 in training" in text or "range" not in text


def test_health_and_metrics(rules: RuleSet) -> None:
    client = TestClient(create_app(rules))
    assert client.get("/health").json() == {"status": "ok"}
    ask(client, "/predict/batch", {"rows": ROWS})
    client.post("/predict", content=b"?")
    client.get("/made/up")
    answered = client.get("/metrics")
    assert answered.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = answered.text.splitlines()
    assert 'crisplogic_requests_total{path="/predict/batch",status="200"} 1' in lines
    assert 'crisplogic_requests_total{path="/predict",status="400"} 1' in lines
    assert 'crisplogic_requests_total{path="other",status="404"} 1' in lines
    assert "crisplogic_requests_in_flight 1" in lines
    assert "crisplogic_request_seconds_count 4" in lines
    assert 'crisplogic_request_seconds_bucket{le="+Inf"} 4' in lines
    predicted = [line for line in lines if line.startswith("crisplogic_predictions_total{")]
    assert sum(int(line.split()[-1]) for line in predicted) == len(ROWS)
    unseen = sum(row["port"] in ("unknown", "") for row in ROWS)
    assert f'crisplogic_unseen_values_total{{column="port"}} {unseen}' in lines
    assert r'column="bmi \"kg/m²\""' in answered.text


def test_the_smallest_change_can_be_asked_for_in_the_query(
    client: TestClient, rules: RuleSet
) -> None:
    goal = Goal(by=1.5) if rules.predicts == "number" else None
    query = "?change=all" + ("" if goal is None else "&by=1.5")
    for row, known in zip(ROWS[:10], as_table(ROWS[:10]), strict=True):
        wanted = rules.explain(known, changeable="all", goal=goal).to_dict()
        assert ask(client, f"/explain{query}", row) == json.loads(json.dumps(wanted))


@pytest.mark.parametrize(
    "query",
    ["to=ill", "change=age&to=x", "change=x", "change=age&by=1", "change=age&by=x", "x=1"],
)
def test_a_query_that_makes_no_sense_is_refused(checklist: TestClient, query: str) -> None:
    answer = checklist.post(f"/explain?{query}", json=ROW)
    assert answer.status_code == 422
    assert answer.json()["error"]

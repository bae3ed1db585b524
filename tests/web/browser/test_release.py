"""The view Release: the plan, the payment, the answers, the budget and the ledger."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.web.browser.window import Window, mistake
from twoworlds.release.certificate import check_certificate

PAY = "Pay and answer"
STORED = "Show the stored answer"
ANSWERS = "Answers, with the intervals of their noise"


@pytest.fixture
def desk(new_window, service) -> Window:
    return new_window(service.token)


def asked(service, path, **body):
    with service.client(service.token) as client:
        answer = client.post(f"/api/v1/{path}", json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()


def ask_for(desk: Window, sql: str, epsilon: str) -> None:
    desk.open("release", dataset="people", sql=sql, epsilon=epsilon)
    expect(desk.field("Query (SQL)")).to_have_value(sql)


def left(desk: Window, label: str = "Budget of people, everybody together") -> float:
    meter = desk.page.get_by_role("meter", name=label, exact=True)
    return float(meter.get_attribute("aria-valuenow") or "nan")


def read(cell: str) -> list[float]:
    """Read ``123 (110 to 136)``, which may be followed by ``, lost in noise``."""
    return [float(part.replace(",", "")) for part in re.findall(r"-?\d[\d.,]*(?:e-?\d+)?", cell)]


def test_the_token_leaves_the_address_and_stays_in_the_tab(desk: Window, service):
    assert "token" not in desk.page.url
    desk.open("release")
    expect(desk.page.get_by_text("You are ann (curator).")).to_be_visible()
    kept = desk.page.evaluate("() => [Object.values(sessionStorage), Object.values(localStorage)]")
    assert service.token in kept[0]
    assert service.token not in kept[1]
    assert not desk.context.cookies()
    assert not any(service.token in url for url in desk.asked)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT region, COUNT(*) FROM people GROUP BY region",
        "SELECT COUNT(*), SUM(income) FROM people WHERE age >= 65",
        "SELECT condition, AVG(age) FROM people GROUP BY condition",
    ],
)
def test_the_plan_says_cost_and_error(desk: Window, service, sql):
    for epsilon in ("0.5", "0.25"):
        ask_for(desk, sql, epsilon)
        plan = asked(service, "plan", queries=[sql], epsilon=epsilon, dataset="people")
        expect(desk.fact("Costs")).to_have_text(f"epsilon {epsilon}")
        for one in plan["errors"][0]:
            text = desk.fact(f"Error of {one['name']}").inner_text()
            if one["half_width"]:
                width = float(re.search(r"±([\d.,]+)", text)[1].replace(",", ""))
                assert width == pytest.approx(one["half_width"]["value"], rel=1e-3)
            assert not one["half_width"] or one["certainty"] in text
        desk.says(plan["meaning"][0])
    assert left(desk) == pytest.approx(6, abs=2)  # nothing is paid for looking


def test_answers_are_those_of_the_ledger_and_the_budget_falls(desk: Window, service):
    sql = "SELECT region, COUNT(*) FROM people WHERE age >= 31 GROUP BY region"
    ask_for(desk, sql, "0.03")
    before, mine = left(desk), left(desk, "Your part (ann)")
    desk.button(PAY).click()
    expect(desk.page.get_by_role("heading", name="Answers", exact=True)).to_be_visible()
    expect(desk.page.get_by_text("Paid epsilon 0.03.")).to_be_visible()
    desk.until(lambda: left(desk) == pytest.approx(before - 0.03))
    desk.until(lambda: left(desk, "Your part (ann)") == pytest.approx(mine - 0.03))
    again = asked(service, "release", queries=[sql], epsilon="0.03", dataset="people")
    assert again["paid"]["epsilon"]["exact"] == "0"
    _, *rows = desk.rows(ANSWERS)
    [answer] = again["answers"]
    assert len(rows) == len(answer["rows"]) == 7
    for shown, kept in zip(rows, answer["rows"], strict=True):
        assert shown[0] == kept["group"]["region"]
        [value] = kept["values"].values()
        wanted = [value["value"]["value"], *(end["value"] for end in value["interval"])]
        assert read(shown[1]) == pytest.approx(wanted, rel=1e-3)
    for words in again["meaning"]:
        expect(desk.page.get_by_role("listitem").filter(has_text=words).first).to_be_visible()
    certificate = json.loads(desk.copied("Copy certificate"))
    assert certificate == again["certificate"]
    assert check_certificate(certificate).holds


def test_excluded_groups_are_left_out_and_what_is_lost_in_noise_is_marked(desk: Window, service):
    sql = (
        "SELECT age, COUNT(*), AVG(income) FROM people WHERE age < 40 AND region = 'islands' "
        "GROUP BY age"
    )
    ask_for(desk, sql, "0.001")
    desk.button(PAY).click()
    desk.button("Pay epsilon 0.001 all the same").click()
    expect(desk.page.get_by_text("Paid epsilon 0.001.")).to_be_visible()
    [answer] = asked(service, "release", queries=[sql], epsilon="0.001")["answers"]
    _, *rows = desk.rows(ANSWERS)
    assert [row[0] for row in rows] == ["0 to <18", "18 to <40"]
    words = [[one["utility"] for one in row["values"].values()] for row in answer["rows"]]
    marked = [["lost in noise" in cell for cell in row[1:]] for row in rows]
    assert marked == [[word == "lost in noise" for word in row] for row in words]
    answers = re.compile("^[^±].*lost in noise")  # the plan, above them, shows errors: ±
    drawn = desk.page.locator("svg text").filter(has_text=answers)
    expect(drawn).to_have_count(sum(map(sum, marked)))
    for note in answer["notes"]:
        expect(desk.page.get_by_role("listitem").filter(has_text=note).first).to_be_visible()


def test_the_same_question_again_costs_nothing(desk: Window):
    ask_for(desk, "SELECT COUNT(*) FROM people WHERE age >= 32", "0.01")
    desk.button(PAY).click()
    expect(desk.page.get_by_text("Paid epsilon 0.01.")).to_be_visible()
    first = desk.rows(ANSWERS)
    expect(desk.button(STORED)).to_be_enabled()
    before = left(desk)
    desk.button(STORED).click()
    expect(desk.page.get_by_text("you pay nothing more")).to_be_visible()
    assert desk.rows(ANSWERS) == first
    assert left(desk) == before


def test_the_builder_writes_the_query(desk: Window):
    desk.open("release")
    sql = desk.field("Query (SQL)")
    expect(sql).to_have_value("SELECT region, COUNT(*) FROM people GROUP BY region")
    desk.field("mean of age").check()
    desk.field("condition").check()
    desk.field("region").uncheck()
    expect(sql).to_have_value("SELECT condition, COUNT(*), AVG(age) FROM people GROUP BY condition")
    desk.button("Add a condition").click()
    desk.field("Column").select_option("age")
    desk.field("is").select_option("<")
    desk.write("Value", "40")
    expect(sql).to_have_value(
        "SELECT condition, COUNT(*), AVG(age) FROM people WHERE age < 40 GROUP BY condition"
    )
    expect(desk.fact("Costs")).to_have_text("epsilon 0.25")
    desk.field("Dataset").select_option("visits")
    expect(sql).to_have_value(re.compile("FROM visits"))
    expect(desk.button(PAY)).to_be_enabled()


OWN = "SELECT COUNT(*) AS n FROM people WHERE age >= 36 OR age < 5"


@pytest.mark.parametrize("by_link", [True, False])
def test_a_query_written_by_hand_is_not_overwritten(desk: Window, by_link):
    sql, boxes = desk.field("Query (SQL)"), desk.field("mean of age")
    desk.open("release", **({"sql": OWN} if by_link else {}))
    if not by_link:
        desk.write("Query (SQL)", OWN)
    expect(desk.page.get_by_text("You wrote the query by hand.")).to_be_visible()
    expect(boxes).to_be_disabled()
    expect(sql).to_have_value(OWN)
    desk.button("Go back to the builder").click()
    expect(sql).to_have_value("SELECT region, COUNT(*) FROM people GROUP BY region")
    boxes.check()
    expect(sql).to_have_value("SELECT region, COUNT(*), AVG(age) FROM people GROUP BY region")
    desk.button("Use my own text again").click()
    expect(sql).to_have_value(OWN)
    expect(boxes).to_be_disabled()


def test_the_boxes_follow_a_query_that_they_could_have_written(desk: Window):
    desk.open("release", sql="SELECT COUNT(*), AVG(age) FROM people WHERE age < 40")
    expect(desk.field("mean of age")).to_be_checked()
    expect(desk.field("Value")).to_have_value("40")
    expect(desk.button("Go back to the builder")).to_be_hidden()
    desk.field("mean of age").uncheck()
    expect(desk.field("Query (SQL)")).to_have_value("SELECT COUNT(*) FROM people WHERE age < 40")


def test_the_boxes_show_a_value_that_the_policy_does_not_declare(desk: Window):
    desk.open("release", sql="SELECT COUNT(*) FROM people WHERE region = 'nroth'")
    expect(desk.field("Value")).to_have_value("nroth")
    desk.field("mean of age").check()
    expect(desk.field("Query (SQL)")).to_have_value(re.compile("AVG.age. FROM .*'nroth'"))


def test_what_to_spend_ends_at_what_is_left(desk: Window):
    desk.open("release")
    rest = min(left(desk), left(desk, "Your part (ann)"))
    field = desk.field("What to spend (epsilon)")
    desk.slide("What to spend (epsilon)", field.get_attribute("max"))
    most = float((field.get_attribute("aria-valuetext") or "").removeprefix("epsilon "))
    assert most == pytest.approx(min(rest, 4), abs=0.001)
    assert most <= rest


def test_moving_what_to_spend_changes_the_sentence(desk: Window, service):
    sql = "SELECT COUNT(*) FROM people"
    ask_for(desk, sql, "0.25")
    for epsilon in ("0.1", "1", "2.5"):
        desk.spend(epsilon)
        plan = asked(service, "plan", queries=[sql], epsilon=epsilon, dataset="people")
        desk.says(plan["meaning"][0])


def test_every_answer_has_a_picture_with_its_interval(desk: Window):
    sql = "SELECT condition, COUNT(*), AVG(age) FROM people WHERE age >= 33 GROUP BY condition"
    ask_for(desk, sql, "0.2")
    desk.button(PAY).click()
    expect(desk.table(ANSWERS)).to_be_visible()
    heads, *rows = desk.rows(ANSWERS)
    assert len(heads) == 3
    pictures = desk.page.get_by_role("img", name=re.compile("Answers with intervals"))
    expect(pictures).to_have_count(2)
    for row in rows:
        for cell in row[1:]:
            value, low, high = read(cell)
            assert low <= value <= high


def test_forgetting_the_token_forgets_everything(desk: Window):
    desk.open("release")
    expect(desk.field("Dataset")).to_be_visible()
    desk.button("Forget the token").click()
    expect(desk.field("Token")).to_be_visible()
    expect(desk.field("Dataset")).to_have_count(0)
    expect(desk.page.get_by_text("ann")).to_have_count(0)
    assert desk.page.evaluate("() => sessionStorage.length") == 0


def test_warnings_stand_beside_the_button_and_are_confirmed_in_words(desk: Window, service):
    sql = "SELECT COUNT(*) FROM people WHERE region = 'Nroth'"
    ask_for(desk, sql, "0.002")
    plan = asked(service, "plan", queries=[sql], epsilon="0.002", dataset="people")
    shown = desk.page.get_by_role("list", name="Warnings").get_by_role("listitem")
    expect(shown).to_have_text([one["words"] for one in plan["warnings"]])
    before = left(desk)
    desk.button(PAY).click()
    desk.button("Do not pay").click()
    expect(desk.button("Pay epsilon 0.002 all the same")).to_be_hidden()
    assert left(desk) == before
    assert desk.page.get_by_role("heading", name="Answers", exact=True).count() == 0
    desk.button(PAY).click()
    desk.button("Pay epsilon 0.002 all the same").click()
    expect(desk.page.get_by_text("Paid epsilon 0.002.")).to_be_visible()
    expect(shown).to_have_count(0)  # it is stored now


def test_error_bars_are_drawn_before_anything_is_paid(desk: Window, service):
    sql = "SELECT region, COUNT(*), AVG(age) FROM people WHERE age >= 37 GROUP BY region"
    ask_for(desk, sql, "0.2")
    bars = desk.page.get_by_role("img", name=re.compile("^Error bars of"))
    expect(bars).to_have_count(2)
    [plan] = asked(service, "plan", queries=[sql], epsilon="0.2", dataset="people")["errors"]
    half = plan[0]["half_width"]["value"]
    drawn = bars.first.locator("svg text").filter(has_text=f"±{half:g}")
    expect(drawn).to_have_count(7)


def test_answers_are_downloaded_as_csv_and_as_a_report(desk: Window):
    ask_for(desk, "SELECT region, COUNT(*) FROM people WHERE age >= 38 GROUP BY region", "0.02")
    desk.button(PAY).click()
    expect(desk.table(ANSWERS)).to_be_visible()
    with desk.page.expect_download() as saved:
        desk.page.get_by_role("link", name="Download CSV").click()
    text = saved.value.path().read_text()
    heads, *rows = [line.split(",") for line in text.splitlines()]
    assert heads == ["region", "count", "count_error", "count_low", "count_high", "count_utility"]
    assert [row[0] for row in rows] == [row[0] for row in desk.rows(ANSWERS)[1:]]
    with desk.page.expect_download() as saved:
        desk.button("Download report").click()
    assert saved.value.suggested_filename.startswith("report-")
    assert "<html" in saved.value.path().read_text()


def test_rho_pays_for_gaussian_noise(desk: Window, service):
    sql = "SELECT ward, COUNT(*) FROM visits GROUP BY ward"
    desk.open("release", dataset="visits", sql=sql, rho="0.02")
    right = asked(service, "plan", queries=[sql], cost="rho=0.02")
    expect(desk.fact("Costs")).to_have_text("rho 0.02")
    desk.says(right["meaning"][0])
    expect(desk.page.get_by_role("region", name="Command line")).to_contain_text("--rho 0.02")
    desk.button(PAY).click()
    desk.button("Pay rho 0.02 all the same").click()  # rhos leave little of a budget in epsilon
    expect(desk.page.get_by_text("Paid rho 0.02.")).to_be_visible()
    assert "rho" in desk.page.url


def test_a_budget_that_knows_no_rho_says_so_where_one_pays(desk: Window):
    ask_for(desk, "SELECT COUNT(*) FROM people WHERE age >= 88", "0.01")
    desk.field("Pay with").select_option("rho")
    assert "knows no rho" in mistake(desk.field("What to spend (rho)"))
    expect(desk.button(PAY)).to_be_disabled()
    desk.field("Pay with").select_option("epsilon")
    expect(desk.button(PAY)).to_be_enabled()


def test_discovered_groups_are_paid_with_epsilon_and_delta(desk: Window):
    sql = "SELECT condition, COUNT(*) FROM people GROUP BY DISCOVER(condition)"
    ask_for(desk, sql, "0.5")
    assert "need a delta" in mistake(desk.field("What to spend (epsilon)"))
    desk.field("Pay with").select_option("delta")
    expect(desk.fact("Costs")).to_have_text("epsilon 0.5, delta 1e-7")
    desk.write("Query (SQL)", "SELECT COUNT(*) FROM people WHERE age >= 87")
    assert "would be wasted" in mistake(desk.field("Delta"))


def test_a_query_that_is_still_being_typed_is_priced_before_it_is_paid(desk: Window):
    ask_for(desk, "SELECT COUNT(*) FROM people WHERE age >= 44", "0.002")
    before = left(desk)
    desk.asked.clear()
    desk.field("Query (SQL)").fill("SELECT COUNT(*) FROM people WHERE region = 'nroth'")
    desk.page.evaluate(  # a click that does not wait for anything
        "said => [...document.querySelectorAll('button')].find(b => b.innerText === said).click()",
        PAY,
    )
    expect(desk.page.get_by_role("list", name="Warnings")).to_contain_text("nroth")
    expect(desk.button("Pay epsilon 0.002 all the same")).to_be_visible()
    assert not any(url.endswith("/release") for url in desk.asked)
    assert left(desk) == before
    desk.field("Query (SQL)").fill("SELECT COUNT(*) FROM people WHERE age >= 45")
    expect(desk.button("Pay epsilon 0.002 all the same")).to_be_hidden()


def test_typing_plans_after_a_pause(desk: Window):
    ask_for(desk, "SELECT COUNT(*) FROM people WHERE age >= 46", "0.002")
    desk.field("Query (SQL)").fill("SELECT COUNT(*) FROM people WHERE region = 'nroth'")
    expect(desk.page.get_by_role("list", name="Warnings")).to_contain_text("nroth")
    expect(desk.field("Query (SQL)")).to_be_focused()


def test_what_to_spend_is_priced_before_it_is_paid(desk: Window):
    ask_for(desk, "SELECT COUNT(*) FROM people WHERE age >= 47", "0.01")
    desk.asked.clear()
    desk.page.evaluate(
        """words => {
            const bar = document.querySelector('.spending input[type=range]');
            bar.value = '5'; // 0.01, 0.012, 0.015, 0.02, 0.025, 0.03
            bar.dispatchEvent(new Event('input', { bubbles: true }));
            [...document.querySelectorAll('button')].find(b => b.innerText === words).click();
        }""",
        PAY,
    )
    expect(desk.page.get_by_text("This is its price now. Pay it?")).to_be_visible()
    assert not any(url.endswith("/release") for url in desk.asked)
    desk.button("Pay epsilon 0.03").click()
    expect(desk.page.get_by_text("Paid epsilon 0.03.")).to_be_visible()


def test_a_service_that_was_away_can_be_paid_when_it_is_back(desk: Window):
    ask_for(desk, "SELECT COUNT(*) FROM people WHERE age >= 48", "0.002")
    before = left(desk)
    desk.context.set_offline(True)
    desk.button(PAY).click()
    expect(desk.page.get_by_role("alert").filter(has_text="twoworlds serve")).to_be_visible()
    desk.context.set_offline(False)
    desk.button(PAY).click()
    desk.button("Pay epsilon 0.002").click()
    expect(desk.page.get_by_text("Paid epsilon 0.002.")).to_be_visible()
    desk.until(lambda: left(desk) < before)

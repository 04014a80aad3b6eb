"""A saved report in Chromium: the overview from one file, which fetches nothing and runs no name, light, dark and on paper."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from analyses.tpu_files import tpu_profile
from browser.page_checks import INKED, WIDER_THAN_THE_PAGE, cut_texts, faults
from browser.profile_page import ProfilePage, plain
from browser.sample_profiles import FIRST_STEP, KERNEL, mark_epochs, write_trace
from browser.sample_requests import write_requests
from browser.schemes import Scheme
from log_folder import LogFolder
from report_files import embedded, write_report
from stepscope.dashboards.profile.html_report import BUNDLE

HOSTILE = "</script><img src=https://example.invalid/x onerror=\"document.title='run'\"><script>document.title='run'</script>"
SLOW = FIRST_STEP + 3
MOST_BUNDLE_BYTES = 250_000
PAPER_WIDTH = 703
ALL_KINDS = ("one rank", "ranks", "requests", "tpu", "epochs")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A report of each kind of profile."""
    folder = tmp_path_factory.mktemp("profiles")
    write_trace(folder / "one rank", slow={SLOW: 6.0})
    for rank in range(3):
        write_trace(folder / "ranks", f"host_{rank}", slow=dict.fromkeys(range(5, 11), 2.0) if rank == 1 else None)
    write_requests(folder / "requests")
    tpu = folder / "tpu" / "plugins" / "profile" / "2026_11_15_19_27_11"
    tpu.mkdir(parents=True)
    tpu_profile(tpu)
    mark_epochs(write_trace(folder / "epochs"))
    hostile = write_trace(folder / "hostile")
    trace = json.loads(hostile.read_text())
    for event in trace["traceEvents"]:
        if event["name"] in (KERNEL, "aten::mm"):
            event["name"] += HOSTILE
    hostile.write_text(json.dumps(trace))
    return {kind: write_report(folder / kind, folder / f"{kind}.html") for kind in (*ALL_KINDS, "hostile")}


@pytest.fixture
def opened(browser: Browser, files: dict[str, Path]) -> Iterator[Callable[..., Page]]:
    """Opens a report without any network; the page must not complain, and asks for nothing but the file."""
    contexts = []
    complaints: list[str] = []
    asked: list[str] = []

    def start(kind: str, scheme: Scheme = "light", width: int = 1280) -> Page:
        context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900}, offline=True)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text) if message.type in {"error", "warning"} else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: asked.append(request.url) if not request.url.startswith("data:font/") else None)
        page.goto(files[kind].as_uri())
        expect(page.locator(".sentence")).to_be_visible()
        return page

    yield start
    for context in contexts:
        context.close()
    assert complaints == []
    assert all(url in {file.as_uri() for file in files.values()} for url in asked), asked


def test_the_save_menu_writes_what_the_page_shows(page: Page, serve: Callable[..., str], logs: LogFolder, tmp_path: Path) -> None:
    write_trace(logs.path / "train", slow={SLOW: 6.0})
    profile = ProfilePage(page)
    profile.open(serve(logs.path))
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save", exact=True).click()
        page.get_by_role("menuitem", name="HTML").click()
    assert saved.value.suggested_filename.startswith("train")
    assert saved.value.suggested_filename.endswith(".html")
    saved.value.save_as(tmp_path / "report.html")
    shown = (profile.sentence(), profile.legend(), profile.where())
    page.goto((tmp_path / "report.html").as_uri())
    expect(page.locator(".sentence")).to_be_visible()
    assert (profile.sentence(), profile.legend(), profile.where()) == shown


def test_the_bundle_is_small(record_property: Callable[[str, object], None]) -> None:
    record_property("bundle_bytes", BUNDLE.stat().st_size)
    assert 0 < BUNDLE.stat().st_size < MOST_BUNDLE_BYTES


def test_the_policy_allows_the_files_own_script_and_style_alone(files: dict[str, Path]) -> None:
    page = files["one rank"].read_text()
    policy = page.split('http-equiv="Content-Security-Policy" content="')[1].split('"')[0]
    rules = {rule.split()[0]: rule.split()[1:] for rule in policy.split("; ")}
    assert rules["default-src"] == rules["connect-src"] == rules["base-uri"] == rules["form-action"] == ["'none'"]
    for kind in ("script-src", "style-src"):
        (only,) = rules[kind]
        assert only.startswith("'sha256-")
    assert rules["font-src"] == ["data:"]


def test_hostile_names_are_text(opened: Callable[..., Page]) -> None:
    page = opened("hostile")
    expect(page.get_by_role("region", name="Most exposed operations")).to_contain_text("</script><img")
    assert page.title() != "run"
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2


def test_a_script_that_is_not_its_own_does_not_run(page: Page, files: dict[str, Path]) -> None:
    page.goto(files["one rank"].as_uri())
    blocked = page.evaluate("""() => new Promise((done) => {
      document.addEventListener('securitypolicyviolation', (event) => done(event.effectiveDirective));
      const script = document.createElement('script');
      script.textContent = "document.title = 'run'";
      document.body.append(script);
    })""")
    assert blocked.startswith("script-src")
    assert page.title() != "run"


@pytest.mark.parametrize(
    ("kind", "sections"),
    [
        ("one rank", ["Steps", "Throughput"]),
        ("ranks", ["Ranks", "Steps"]),
        ("requests", ["Requests"]),
        ("tpu", ["TPU time"]),
        ("epochs", ["Epochs", "Throughput"]),
    ],
)
def test_what_a_profile_has_is_a_section(opened: Callable[..., Page], kind: str, sections: list[str]) -> None:
    page = opened(kind)
    for name in ("Time breakdown", "Recommendations", "Most exposed operations", *sections):
        expect(page.get_by_role("region", name=name, exact=True)).to_be_visible()
    for name in {"Ranks", "Requests", "TPU time", "Epochs"} - set(sections):
        expect(page.get_by_role("region", name=name, exact=True)).to_have_count(0)


def test_numbers_are_those_of_its_answers(opened: Callable[..., Page], files: dict[str, Path]) -> None:
    page = opened("requests")
    p99 = embedded(files["requests"].read_text())["inference"]["percentiles_ms"]["p99"]["latency"]
    row = page.get_by_role("region", name="Latency").get_by_role("row").filter(has_text="p99")
    assert plain(row.get_by_role("cell").nth(1).inner_text()) == f"{p99:.3g} ms"


def test_a_step_is_chosen_in_the_file(opened: Callable[..., Page], files: dict[str, Path]) -> None:
    profile = ProfilePage(opened("one rank"))
    steps = {step["step"]: step for step in embedded(files["one rank"].read_text())["steps"]["steps"]}
    profile.steps().focus()
    for _ in range(SLOW - FIRST_STEP + 1):
        profile.page.keyboard.press("ArrowRight")
    expect(profile.page.get_by_role("heading", name=f"Step {SLOW},")).to_be_visible()
    waited = steps[SLOW]["parts"]["input"]
    assert profile.legend()["Input wait"].startswith(f"{waited:.3g} ms")
    profile.page.keyboard.press("Escape")
    expect(profile.page.get_by_role("heading", name=f"Step {SLOW},")).to_have_count(0)


def test_a_rank_is_chosen_in_the_file_and_all_again(opened: Callable[..., Page]) -> None:
    profile = ProfilePage(opened("ranks"))
    together = profile.legend()
    profile.page.get_by_role("slider", name="Ranks").focus()
    profile.page.keyboard.press("ArrowDown")
    expect(profile.page.get_by_role("heading", name="Steps of host_0")).to_be_visible()
    assert profile.legend() != together
    profile.page.locator("header.about").get_by_role("button").click()
    profile.page.get_by_role("dialog").get_by_role("button").first.click()
    expect(profile.page.get_by_role("heading", name="Steps of host_1")).to_be_visible()
    assert profile.legend() == together


def test_evidence_leads_to_its_step_without_a_server(opened: Callable[..., Page]) -> None:
    page = opened("one rank")
    page.get_by_role("region", name="Recommendations").locator("button.line").first.click()
    page.get_by_role("button", name="Show step").click()
    expect(page.get_by_role("heading", name="Step ", exact=False).first).to_be_visible()


def test_what_needs_a_server_is_not_there(opened: Callable[..., Page]) -> None:
    page = opened("ranks")
    for name in ("Save", "All operations", "All kernels", "Span categories"):
        expect(page.get_by_role("button", name=name)).to_have_count(0)
    expect(page.locator("a")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", ALL_KINDS)
def test_it_is_whole_in_both_themes(opened: Callable[..., Page], kind: str, scheme: Scheme) -> None:
    page = opened(kind, scheme)
    assert page.locator("html").evaluate("(root) => matchMedia('(prefers-color-scheme: dark)').matches") == (scheme == "dark")
    assert faults(page) == []
    assert page.evaluate(WIDER_THAN_THE_PAGE) == []
    for canvas in page.locator("canvas").all():
        assert canvas.evaluate(INKED) > 0


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_paper_is_light_and_cuts_nothing(opened: Callable[..., Page], kind: str) -> None:
    page = opened(kind, "dark", PAPER_WIDTH)
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator("html").evaluate("(root) => getComputedStyle(root).colorScheme") == "light"
    assert cut_texts(page, "main") == []
    assert page.evaluate(WIDER_THAN_THE_PAGE) == []
    assert page.pdf(format="A4")[:4] == page.pdf(format="Letter")[:4] == b"%PDF"


def test_without_javascript_it_says_so(browser: Browser, files: dict[str, Path]) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(files["one rank"].as_uri())
    expect(page.locator("noscript")).to_be_visible()
    context.close()

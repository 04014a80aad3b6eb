"""Words for the parts of the Profile tab, so that tests say what a user does and reads."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

TIME = (
    *("Operations", "Coverage", "Costs", "Kernels", "Roofline", "Modules", "HLO", "Input", "Host", "Transfers", "Critical path"),
    *("Throughput", "Requests", "Counters"),
)
"""Views that are listed when the group Time is chosen."""
GROUPS = ("Compute", "Communication", "Copy", "Input wait", "Host", "Untraced")


def plain(text: str) -> str:
    """Text with usual spaces instead of thin ones."""
    return text.replace("\u202f", " ")


class ProfilePage:
    """The Profile tab under test."""

    def __init__(self, page: Page) -> None:
        self.page = page
        page.set_default_timeout(60_000)

    def open(self, address: str, view: str = "#profile") -> None:
        """Goes to the tab and waits until a profile is shown."""
        self.page.goto("about:blank")
        self.page.goto(address + view)
        expect(self.page.locator(".sentence, [role=grid][aria-label^='Table of']").first).to_be_visible()

    def settled(self) -> None:
        """Waits until the overview shows the numbers of the range that is chosen."""
        expect(self.page.locator(".answer")).to_have_attribute("aria-busy", "false")

    def sentence(self) -> str:
        """What the overview says first."""
        return plain(self.page.locator(".sentence").inner_text()).replace("\n", " ")

    def legend(self) -> dict[str, str]:
        """Time and share of each group."""
        labels = [plain(one.get_attribute("aria-label") or "") for one in self.page.locator(".legend button").all()]
        return {group: label.removeprefix(group).strip() for group, label in zip(GROUPS, labels, strict=True)}

    def group(self, name: str) -> Locator:
        """The legend's button of a group."""
        return self.page.locator(".legend").get_by_role("button", name=name)

    def parts(self, name: str) -> Locator:
        """The panel with a group's parts and definition."""
        return self.page.get_by_role("region", name=f"{name}: parts and definition")

    def steps(self) -> Locator:
        """The strip of steps."""
        return self.page.get_by_role("slider", name="Steps", exact=True)

    def where(self) -> list[list[str]]:
        """The rows of the most exposed operations."""
        rows = self.page.get_by_role("region", name="Most exposed operations").locator("tbody tr").all()
        return [[plain(cell).replace("\n", "") for cell in row.get_by_role("cell").all_inner_texts()[:5]] for row in rows]

    def change(self, title: str) -> Locator:
        """The card of one change."""
        cards = self.page.get_by_role("region", name="Recommendations").get_by_role("article")
        return cards.filter(has=self.page.get_by_role("heading", name=title))

    def instances(self) -> Locator:
        """The list of spans beside a view."""
        return self.page.get_by_role("complementary", name="Instances")

    def spans(self) -> list[list[str]]:
        """The lines of that list."""
        expect(self.instances().get_by_role("table")).to_be_visible()
        lines = self.instances().locator("tbody tr").all()
        return [[plain(cell).replace("\n", "") for cell in line.get_by_role("cell").all_inner_texts()] for line in lines]

    def show(self, part: str) -> None:
        """Goes to a part by its name, which is in the row of its group or in the menu at its end."""
        row = self.page.get_by_role("navigation", name="Views of the profile")
        if part in TIME:
            row.get_by_role("button", name="Time", exact=True).click()
            row = self.page.get_by_role("navigation", name="Views of time")
        button = row.get_by_role("button", name=part, exact=True)
        expect(row.get_by_role("button").first).to_be_visible()
        if button.count() > 0:
            button.click()
        else:
            row.get_by_role("button", name="More views").click()
            self.page.get_by_role("menuitemcheckbox", name=re.compile(rf"^{re.escape(part)}\b")).click()  # a hint may follow

    def table(self, what: str) -> list[list[str]]:
        """The lines of a table that are on screen."""
        grid = self.page.get_by_role("grid", name=f"Table of {what}")
        expect(grid).to_be_visible()
        lines = grid.get_by_role("row").all()[1:]
        return [[plain(cell).replace("\n", "") for cell in line.get_by_role("gridcell").all_inner_texts()] for line in lines]

    def sort(self, what: str, column: str) -> None:
        """Clicks a heading of a table."""
        self.page.get_by_role("grid", name=f"Table of {what}").get_by_role("columnheader").get_by_role("button", name=column).click()

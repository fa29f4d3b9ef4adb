"""Opens pages of runs in Chromium, on a phone and on a screen, light and dark, with and
without scripts and on paper, and says what is wrong with them.

usage: browser.py PAGE... [--shots DIR]

CHROMIUM names the browser; without it Playwright's own is taken. With --shots the directory
gets a picture of each page in each way, and a PDF.
"""

import argparse
import os
import pathlib
import re
import sys

from playwright.sync_api import sync_playwright

WIDTHS = {"phone": 390, "screen": 1280}
NARROWER = "document.documentElement.scrollWidth - innerWidth"
FOLDED = "() => [...document.querySelectorAll('[id^=finding-]')].filter((e) => e.closest('details:not([open])')).map((e) => e.id)"
SHOWN = "(id) => { const r = document.getElementById(id).getBoundingClientRect(); return r.height > 0 && r.top >= -1 && r.top < innerHeight; }"
KEYS = "(n) => [...document.querySelectorAll('#rules tbody tr')].map((row) => row.cells[n].dataset.key)"
HALF_DRAWN = "() => [...document.querySelectorAll('.plot')].filter((e) => e.getClientRects().length && !e.querySelector('canvas')).length"
CUT = "() => [...document.querySelectorAll('.plot canvas')].filter((e) => e.offsetWidth > e.closest('figure').offsetWidth + 1).length"


def sort(page):
    """The table of rules is sorted by each of its heads, both ways."""
    page.evaluate("document.querySelector('#rules details').open = true")
    for n, head in enumerate(page.query_selector_all("#rules thead th")):
        ways = []
        for _ in range(2):
            head.query_selector("button").click()
            ways.append(head.get_attribute("aria-sort"))
            keys = page.evaluate(KEYS, n)
            if all(re.fullmatch(r"\d+", key) for key in keys):
                keys = [int(key) for key in keys]
            if keys != sorted(keys, reverse=ways[-1] == "descending"):
                yield f"column {n} of the rules is not sorted {ways[-1]}"
        if sorted(ways) != ["ascending", "descending"]:
            yield f"column {n} of the rules is sorted {ways}"
        if page.locator("#rules [aria-sort]").count() != 1:
            yield "several columns of the rules say that they are sorted"


def reach(page, url):
    """A link to a finding that is folded away opens what is around it."""
    for finding in page.evaluate(FOLDED)[:20]:
        page.goto("about:blank")
        page.goto(f"{url}#{finding}")
        page.wait_for_timeout(50)
        if not page.evaluate(SHOWN, finding):
            yield f"the link to {finding} shows something else"
    page.goto("about:blank")
    page.goto(f"{url}#finding-000000000000")
    if "finding" not in (page.locator("#elsewhere").text_content() or "").lower():
        yield "a link to a finding that is not there says nothing"


def copy(page):
    """An id is short, and a click selects the whole of it."""
    for id in page.locator(".id:visible").all()[:1]:
        id.click()
        selected = page.evaluate("getSelection().toString().trim()")
        if selected != id.get_attribute("title"):
            yield f"of an id {selected!r} is selected, not {id.get_attribute('title')!r}"


def faults(browser, path, shots):
    url = path.resolve().as_uri()
    for device, width in WIDTHS.items():
        for scheme in "light", "dark":
            for scripts in True, False:
                context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=scripts)
                page = context.new_page()
                said, asked = [], []
                page.on("console", lambda m: said.append(m.text))
                page.on("pageerror", lambda e: said.append(str(e)))
                page.on("request", lambda r: asked.append(r.url))
                page.goto(url)
                way = f"{device}-{scheme}{'' if scripts else '-no-scripts'}"
                if shots:
                    page.screenshot(path=shots / f"{path.parent.name}-{way}.png", full_page=True)
                found = list(copy(page)) if scripts else []
                if scripts:
                    if (wide := page.evaluate(NARROWER)) > 0:
                        found.append(f"the page is {wide} px wider than the window")
                    if page.evaluate(HALF_DRAWN):
                        found.append("a chart is not drawn")
                    found += [*sort(page), *reach(page, url)]
                found += said + [f"asks for {u}" for u in asked if u.split("#")[0] != url and u != "about:blank"]
                yield from (f"{way}: {text}" for text in found)
                context.close()
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    page.goto(url)
    if shots:
        page.pdf(path=shots / f"{path.parent.name}.pdf", format="A4")
    page.set_viewport_size({"width": 680, "height": 900})
    page.emulate_media(media="print", color_scheme="dark")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    for text, count in {"chart is cut": CUT, "chart is not drawn": HALF_DRAWN, "fold is closed": "() => [...document.querySelectorAll('details:not([open])')].filter((e) => !e.closest('figure')).length"}.items():
        if n := page.evaluate(count):
            yield f"paper: {n} times a {text}"
    if "…" in "".join(page.evaluate("() => [...document.querySelectorAll('.id i')].map((e) => getComputedStyle(e, '::before').content)")):
        yield "paper: an id is shortened"
    context.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pages", nargs="+", type=pathlib.Path)
    parser.add_argument("--shots", type=pathlib.Path)
    asked = parser.parse_args()
    if asked.shots:
        asked.shots.mkdir(parents=True, exist_ok=True)
    wrong = 0
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=os.environ.get("CHROMIUM") or None, args=["--no-sandbox"])
        for path in asked.pages:
            for text in faults(browser, path, asked.shots):
                print(f"{path}: {text}")
                wrong += 1
        browser.close()
    sys.exit(1 if wrong else 0)


main()

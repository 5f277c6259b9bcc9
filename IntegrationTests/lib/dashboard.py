"""A browser with the dashboard of a server, for the test-server tests: visits pages as a user does, and checks them."""

import json
import os
import urllib.request
from pathlib import Path

import accessibility
import servers

PICTURES = os.environ.get("KEYWAY_SCREENSHOTS")
AXE = accessibility.axe_source()


def request(server, *words, code=0):
    return servers.run("keyway", "device", "request-key", "--server", server.url, "--credentials", "dev", *words, code=code)


def admin(server, method, path, body=None):
    token = Path("data/admin-token").read_text().strip()
    data = None if body is None else json.dumps(body).encode()
    asked = urllib.request.Request(f"{server.url}/admin{path}", data, method=method, headers={
        "Authorization": f"Bearer {token}", "Content-Type": "application/json"})
    with urllib.request.urlopen(asked, timeout=60) as answer:
        text = answer.read()
    return json.loads(text) if text else None


class Visit:
    """A browser with the dashboard, signed in or not."""

    def __init__(self, browser, server):
        self.browser, self.server = browser, server

    def open(self):
        self.browser.get(f"{self.server.url}/")
        self.browser.wait("return document.querySelector('#sign-in input, main h1')", "the sign-in page, or a page")

    def sign_in(self, token):
        self.browser.clear("#sign-in input")
        self.browser.type("#sign-in input", token)
        self.browser.press("Enter")

    def page(self, path, text=None):
        """Opens a page, and waits for a text on it."""
        self.browser.run("location.hash = arguments[0]", f"#/{path}")
        self.browser.wait("return location.hash === arguments[0] && document.querySelector('#main h1') "
                          "&& document.activeElement === document.querySelector('#main h1')",
                          f"{path}, with the focus on its heading", f"#/{path}")
        if text:
            self.text(text)
        self.ready()

    def text(self, text):
        self.browser.wait("return document.body.innerText.includes(arguments[0])", f"the words {text!r}", text)

    def button(self, text):
        """Presses the button with a name."""
        self.browser.wait("const button = [...document.querySelectorAll('button')].filter((one) => one.checkVisibility())"
                          ".findLast((one) => (one.getAttribute('aria-label') ?? one.textContent).trim() === arguments[0] && !one.disabled);"
                          "button?.click(); return !!button", f"the button {text!r}", text)

    def field(self, label, value):
        """Enters a value in the field with a label."""
        self.browser.wait("const label = [...document.querySelectorAll('label')].find((one) => one.textContent.trim() === arguments[0]);"
                          "const field = label?.control; if (!field) return false; field.value = arguments[1];"
                          "field.dispatchEvent(new Event('input', {bubbles: true})); return true", f"the field {label!r}", label, value)

    def value(self, label):
        """Returns the value of the field with a label."""
        return self.browser.wait("const label = [...document.querySelectorAll('label')].find((one) => one.textContent.trim() === arguments[0]);"
                                 "return label?.control && [label.control.value]", f"the field {label!r}", label)[0]

    def check(self, label):
        """Clicks the checkbox with a label."""
        self.browser.wait("const label = [...document.querySelectorAll('label')].find((one) => one.textContent.trim() === arguments[0]);"
                          "label?.control.click(); return !!label", f"the checkbox {label!r}", label)

    def error(self, place):
        """Returns the error at a field of the policy form."""
        return self.browser.run("return document.querySelector(`[data-place=\"${CSS.escape(arguments[0])}\"] .error`).innerText.trim()", place)

    def menu(self, title):
        """Opens a page by its link in the menu."""
        self.browser.wait("const link = [...document.querySelectorAll('#nav a')].find((one) => one.textContent === arguments[0]); link?.click();"
                          "return !!link", f"the menu's link {title!r}", title)
        self.text(title)

    def follow(self, text):
        """Opens the first link with a text on the page."""
        self.browser.wait("const link = [...document.querySelectorAll('#main a')].find((one) => one.textContent.trim() === arguments[0]); link?.click();"
                          "return !!link", f"the link {text!r}", text)

    def choose(self, text):
        """Chooses one of a row of buttons."""
        self.browser.wait("const label = [...document.querySelectorAll('.segments label')].find((one) => one.textContent === arguments[0]);"
                          "label?.click(); return !!label", f"the choice {text!r}", text)

    def search(self, text):
        """Searches in the header by keyboard, and opens the first name that is found."""
        self.browser.run("document.activeElement?.blur()")
        self.browser.press("/")
        self.browser.wait("return document.activeElement.id === 'search-text'", "the focus in the search")
        self.browser.type("#search-text", text)
        self.browser.wait("return document.querySelector('#search-found [role=option][aria-selected=true]')", f"names that begin with {text!r}")
        self.browser.press("Enter")

    def filter(self, **values):
        """Enters values in the fields of the filter, by their labels with _ for a space, and applies them. A choice is made by its text,
        or by its value."""
        for label, value in values.items():
            self.browser.wait("const label = [...document.querySelectorAll('.filters label')].find((one) => one.textContent === arguments[0]);"
                              "if (!label) return false; const details = label.closest('details'); if (details) details.open = true;"
                              "const choice = [...label.control.options ?? []].find((one) => one.textContent === arguments[1]);"
                              "const value = choice?.value ?? arguments[1]; label.control.value = value; return label.control.value === value",
                              f"the filter {label!r}", label.replace("_", " "), value)
        self.button("Apply")
        self.ready()

    def ready(self):
        """Waits until nothing on the page loads."""
        self.browser.wait("return !document.querySelector('[aria-busy=true]')", "the content of the page")

    def rows(self):
        """Returns the texts of the rows of the first list."""
        return self.browser.run("return [...document.querySelectorAll('main tbody')].slice(0, 1).flatMap((body) => [...body.rows].map((row) => row.innerText))")

    def picture(self, name):
        if PICTURES:
            Path(PICTURES).mkdir(parents=True, exist_ok=True)
            self.browser.save_screenshot(Path(PICTURES, f"{self.browser.name}-{name}.png"))

    def hold(self, where, look, keyboard=0):
        """Checks the page with the accessibility rules; `keyboard` is the number of elements that Tab must reach, 0 skips that."""
        found = accessibility.complaints(self.browser)
        if AXE:
            found += accessibility.axe_complaints(self.browser, AXE)
        if keyboard:
            found += accessibility.focus_complaints(self.browser, least=keyboard)
        if found:
            servers.fail(f"{self.browser.name}, {look}, {where}: " + "\n  ".join(found[:12]))

    def hold_console(self, where):
        # Chromium's console also contains the API's refusals, which this test provokes; requests for files must not be refused.
        found = [text for text in self.browser.complaints()
                 if not ("Failed to load resource" in text and text.startswith(f"{self.server.url}/admin/"))]
        if found:
            servers.fail(f"{self.browser.name}, {where}: unexpected console messages {found[:5]}")
        for url in self.browser.run("return performance.getEntriesByType('resource').map((one) => one.name)"):
            if not url.startswith(self.server.url):
                servers.fail(f"{self.browser.name}, {where}: unexpected request for {url}")
        if hasattr(self.browser, "requested"):
            for url in self.browser.requested():
                if not url.startswith((self.server.url, "data:", "chrome:", "about:")):
                    servers.fail(f"{self.browser.name}, {where}: unexpected request for {url}")

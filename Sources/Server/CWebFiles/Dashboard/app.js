// The shell: the session, the current page, and navigation.

import { request, onSignedOut, remove, session } from "./api.js";
import { fill, h, message, toast } from "./dom.js";
import * as live from "./live.js";
import { signIn } from "./sign-in.js";
import overview from "./overview.js";
import leases from "./leases.js";
import offline from "./offline.js";
import accounts from "./accounts.js";
import content from "./content.js";
import policies from "./policies.js";
import audit from "./audit.js";
import inspector from "./inspector.js";
import health from "./health.js";

/**
 * The pages, in the order of the menu. Each shows its content for `#/path/rest`; the signal is aborted when the user leaves it.
 * @type {Array<{path: string, title: string, show: function({rest: string[], query: URLSearchParams, signal: AbortSignal, main: HTMLElement}): Promise<void>|void}>}
 */
const pages = [overview, leases, offline, accounts, content, policies, audit, inspector, health];

const shell = document.getElementById("shell");
const main = document.getElementById("main");
const nav = document.getElementById("nav");
const menu = document.getElementById("menu");
const signInPage = document.getElementById("sign-in");
let leaving = new AbortController();

function openMenu(isOpen) {
  nav.classList.toggle("open", isOpen);
  menu.setAttribute("aria-expanded", String(isOpen));
}

/** Shows the page of the current address. */
async function route() {
  if (!session.current) return;
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, ...rest] = path.split("/").map(decode);
  const page = pages.find((candidate) => candidate.path === name);
  if (!page) return location.replace("#/overview");
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  openMenu(false);
  for (const link of nav.querySelectorAll("a")) {
    if (link.dataset.path === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${page.title} · Keyway`;
  fill(main);
  try {
    const shown = page.show({ rest: rest.filter(Boolean), query: new URLSearchParams(query), signal, main });
    focusHeading();
    await shown;
  } catch (error) {
    if (error.name === "AbortError" || signal.aborted || !session.current) return;
    main.append(message(error.message, "bad"));
  }
}

function decode(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}

/** Moves the focus to the heading, so that a screen reader announces the page. */
function focusHeading() {
  window.scrollTo(0, 0);
  (main.querySelector("h1") ?? main).focus({ preventScroll: true });
}

/** The local storage key that records that a user has signed in, because scripts cannot read the session cookie. */
const remembered = "keyway-signed-in";

function enter(who) {
  session.current = who;
  localStorage.setItem(remembered, "1");
  signInPage.replaceChildren();
  shell.hidden = false;
  document.getElementById("who").textContent = `${who.name} · ${who.role}`;
  fill(nav, h("ul", null, pages.map((page) => h("li", null, h("a", { href: `#/${page.path}`, "data-path": page.path }, page.title)))));
  live.start();
  route();
}

function leave(words) {
  session.current = null;
  localStorage.removeItem(remembered);
  leaving.abort();
  live.stop();
  shell.hidden = true;
  fill(main);
  document.title = "Sign in · Keyway";
  signInPage.replaceChildren(signIn(enter, words));
  signInPage.querySelector("input")?.focus();
}

menu.addEventListener("click", () => openMenu(menu.getAttribute("aria-expanded") !== "true"));
nav.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  openMenu(false);
  menu.focus();
});
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  focusHeading();
});
document.getElementById("sign-out").addEventListener("click", async () => {
  try { await remove("/session"); } catch (error) { if (error.status !== 401) return toast(error.message); }
  leave("You have signed out.");
});
window.addEventListener("hashchange", route);
onSignedOut(() => leave("Your session has ended. Sign in again to continue."));

if (localStorage.getItem(remembered)) {
  try {
    enter(await request("/session"));
  } catch (error) {
    leave(error.status === 401 ? null : error.message);
  }
} else {
  leave();
}

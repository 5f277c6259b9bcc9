// The shell: the session, the current page, and navigation.

import { request, onSignedOut, remove, session } from "./api.js";
import { current } from "./address.js";
import { fill, h, timeZone, toast } from "./dom.js";
import * as live from "./live.js";
import { failure } from "./load.js";
import { addSearch } from "./search.js";
import { signIn } from "./sign-in.js";
import overview from "./overview.js";
import leases from "./leases.js";
import offline from "./offline.js";
import accounts from "./accounts.js";
import assets from "./assets.js";
import titles from "./titles.js";
import keys from "./keys.js";
import newTitle from "./new-title.js";
import channels from "./channels.js";
import encoders from "./encoders.js";
import devices from "./devices.js";
import rentals from "./rentals.js";
import policies from "./policies.js";
import audit from "./audit.js";
import certificates from "./certificates.js";
import tokens from "./tokens.js";
import limits from "./limits.js";
import configuration from "./configuration.js";
import inspector from "./inspector.js";
import health from "./health.js";

/**
 * The pages, in the order of the menu and by its groups. Each shows its content for `#/path/rest?query`; the signal is
 * aborted when the user leaves it. Pages with `isHidden` are not in the menu; those with `permission` only for roles
 * that have it.
 * @type {Array<[string, Array<{path: string, title: string, permission?: string, isHidden?: boolean, show:
 *   function({rest: string[], query: URLSearchParams, signal: AbortSignal, main: HTMLElement}): Promise<void>|void}>]>}
 */
const groups = [
  ["Activity", [overview, audit, leases]],
  ["Accounts", [accounts, devices, rentals, offline]],
  ["Content", [titles, keys, assets, newTitle, channels, encoders, policies]],
  ["Server", [health, limits, configuration, certificates, tokens, inspector]],
];
const pages = groups.flatMap(([, group]) => group);

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
  const { path: [name, ...rest], query } = current();
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
  document.title = `${rest.length ? `${rest.join("/")} · ` : ""}${page.title} · Keyway`;
  fill(main);
  try {
    const shown = page.show({ rest, query, signal, main });
    focusHeading();
    await shown;
  } catch (error) {
    if (error.name === "AbortError" || signal.aborted || !session.current) return;
    // An error in the code of the page is not the server's, and must be in the console.
    if (error.status === undefined) console.error(error);
    main.append(failure(error, route));
  }
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
  const isShown = (page) => !page.isHidden && (!page.permission || who.permissions.includes(page.permission));
  fill(nav, h("div.pages", null,
      groups.map(([title, group]) =>
        h("div.group", null, h("p", { id: `nav-${title}` }, title),
          h("ul", { "aria-labelledby": `nav-${title}` }, group.filter(isShown).map((page) =>
    h("li", null, h("a", { href: `#/${page.path}`, "data-path": page.path }, page.title))))))));
  addSearch(document.getElementById("finder"));
  document.getElementById("foot").textContent = `Times: ${timeZone()}`;
  live.start();
  route();
}

function leave(words) {
  session.current = null;
  localStorage.removeItem(remembered);
  leaving.abort();
  live.stop();
  shell.hidden = true;
  fill(document.getElementById("finder"));
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

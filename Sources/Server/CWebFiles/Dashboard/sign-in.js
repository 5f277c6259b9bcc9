// The sign-in page.

import { request } from "./api.js";
import { command, field, fill, h, message } from "./dom.js";

/** Creates the sign-in page. */
export function signIn(enter, words) {
  const token = h("input",
    { type: "password", name: "token", autocomplete: "current-password", required: true, spellcheck: "false" });
  const button = h("button.primary", { type: "submit" }, "Sign in");
  const answer = h("div", { "aria-live": "polite" }, words && message(words));
  const form = h("form", {
    async onsubmit(event) {
      event.preventDefault();
      button.disabled = true;
      fill(answer);
      token.removeAttribute("aria-invalid");
      try {
        enter(await request("/session", { method: "POST", body: { token: token.value.trim() } }));
      } catch (error) {
        token.setAttribute("aria-invalid", "true");
        fill(answer, message(error.status === 401 ? "The token is not valid." : error.message, "bad"));
        token.select();
      } finally {
        button.disabled = false;
      }
    },
  }, answer, h("div.fields.one", null, field("Token for administration", token)), h("div.actions", null, button));
  const mark = document.querySelector(".brand").cloneNode(true);
  mark.removeAttribute("href");
  return h("main.sign-in", null, h("div.card", null, mark, h("h1", null, "Sign in"),
    h("p.note", null, "The first token is in the file admin-token in the server's data folder. Create more tokens, "
      + "each with a role, with ",
      command("keyway-server tokens add --data FOLDER --name NAME --role ROLE"), "."), form));
}

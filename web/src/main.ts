/** The page: views, each at an address of its own, and light or dark. */

import { ask, elsewhere, takeToken } from "./api";
import { h, replace } from "./dom";
import type { Place, View } from "./view";
import { attacker } from "./views/attacker";
import { attacks } from "./views/attacks";
import { guarantees } from "./views/guarantees";
import { home } from "./views/home";
import { mechanism } from "./views/mechanism";
import { noNoise } from "./views/no_noise";
import { release } from "./views/release";
import { review } from "./views/review";

/** The navigation: the doors first, then what is there to learn from. */
const DOORS: readonly View[] = [
  home,
  release,
  review,
];
const LEARN: readonly View[] = [mechanism, attacker, guarantees, noNoise, attacks];
const VIEWS = [...DOORS, ...LEARN];
const main = document.querySelector("main") as HTMLElement;
const tabs = document.getElementById("tabs") as HTMLElement;
let shown = "";
let mounted = 0;

/** Where a view keeps its state, as long as it is the one that is shown and nobody has gone on. */
function place(name: string, params: URLSearchParams): Place {
  mounted += 1;
  const mine = mounted;
  return {
    params,
    save(state) {
      if (mine !== mounted || location.hash !== shown) return;
      const kept = new URLSearchParams();
      for (const [key, value] of Object.entries(state))
        if (value !== null && value !== undefined && value !== "") kept.set(key, String(value));
      const query = kept.toString();
      history.replaceState(null, "", `#/${name}${query ? `?${query}` : ""}`);
      shown = location.hash;
    },
  };
}

function route(first: boolean): void {
  if (location.hash === "#content" || (!first && location.hash === shown)) return;
  elsewhere();
  const [, name = "", query = ""] = /^#\/([\w-]*)\??(.*)$/.exec(location.hash) ?? [];
  const view = VIEWS.find((candidate) => candidate.name === name) ?? home;
  shown = location.hash;
  document.title = `${view.tab} · twoworlds`;
  for (const link of tabs.querySelectorAll("a"))
    if (link.dataset["view"] === view.name) {
      link.setAttribute("aria-current", "page");
      tabs.scrollTo({ left: link.offsetLeft - (tabs.clientWidth - link.offsetWidth) / 2 });
    } else link.removeAttribute("aria-current");
  const root = h("div", { class: "view", "data-view": view.name });
  replace(main, h("h1", {}, view.title), h("p", { class: "intro" }, view.intro), root);
  view.mount(root, place(view.name, new URLSearchParams(query)));
  if (!first) {
    main.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
}

// --- light and dark -------------------------------------------------------------------------------

const THEME = "twoworlds-theme";
const toggle = document.getElementById("theme") as HTMLButtonElement;
const dark = matchMedia("(prefers-color-scheme: dark)");

function theme(): string {
  return localStorage.getItem(THEME) ?? (dark.matches ? "dark" : "light");
}

function dress(): void {
  document.documentElement.dataset["theme"] = theme();
  toggle.textContent = theme() === "dark" ? "Light" : "Dark";
  toggle.setAttribute("aria-label", `Switch to ${theme() === "dark" ? "light" : "dark"} colours`);
}

toggle.addEventListener("click", () => {
  localStorage.setItem(THEME, theme() === "dark" ? "light" : "dark");
  dress();
});
dark.addEventListener("change", dress);

// --- begin ----------------------------------------------------------------------------------------

dress();
takeToken();
const tab = (view: View): HTMLElement =>
  h("li", {}, h("a", { href: `#/${view.name}`, "data-view": view.name }, view.tab));
replace(tabs, ...DOORS.map(tab), h("li", { class: "learn" }, "Learn"), ...LEARN.map(tab));
document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", () => {
  if (takeToken()) shown = "";
  route(false);
});
route(true);
void ask<{ version: string }>("GET", "health")
  .then(({ version }) => {
    const about = document.getElementById("about");
    if (about)
      about.textContent = `twoworlds ${version}. Nothing on this page leaves this machine.`;
  })
  .catch(() => undefined);

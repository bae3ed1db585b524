/** What all pictures share: colours, margins, and a frame without inline styles. */

import { plot, type PlotOptions } from "@observablehq/plot";

/** Blue and orange are the two worlds and nothing else; all other curves are of the colour of text. */
export const INK = "var(--ink)";
export const WITH = "var(--with)";
export const WITHOUT = "var(--without)";
export const QUIET = "var(--quiet)";

/** Plot puts a style element into its picture, which the content security policy forbids; the same
 * rules are in style.css. */
export function picture(options: PlotOptions): ReturnType<typeof plot> {
  const made = plot({ style: { background: "transparent" }, ...options });
  for (const style of made.querySelectorAll("style")) style.remove();
  made.classList.add("plot");
  made.setAttribute("aria-hidden", "true");
  return made;
}

export const COMMON = { marginLeft: 52, marginBottom: 42, marginTop: 22, marginRight: 18 } as const;

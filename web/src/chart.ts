/** A picture that is drawn when it has a width, and drawn again when its width changes. The drawing
 * library is loaded with the first picture. */

import { h } from "./dom";

export type Pictures = typeof import("./pictures");

export function chart(
  label: string,
  draw: (pictures: Pictures, width: number) => Element,
): HTMLElement {
  const root = h("div", { class: "chart", role: "img", "aria-label": label });
  let drawn = 0;
  const observer = new ResizeObserver(() => {
    const width = Math.floor(root.clientWidth);
    if (width === 0 || width === drawn) return;
    drawn = width;
    void import("./pictures").then((pictures) => {
      if (width === drawn) root.replaceChildren(draw(pictures, width));
    });
  });
  observer.observe(root);
  return root;
}

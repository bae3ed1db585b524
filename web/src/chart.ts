/** A picture that is drawn when it has a width, and drawn again when its width or what it shows
 * changes. The drawing library is loaded with the first picture. */

import { h } from "./dom";

export type Pictures = typeof import("./pictures");
type Draw = (pictures: Pictures, width: number) => Element;

let loaded: Pictures | null = null;

export interface Chart {
  readonly root: HTMLElement;
  show(draw: Draw): void;
}

/** A picture whose numbers may change while it stays in its place. */
export function liveChart(label: string): Chart {
  const root = h("div", { class: "chart", role: "img", "aria-label": label });
  let draw: Draw | null = null;
  let width = 0;
  const paint = (): void => {
    if (width === 0 || !draw) return;
    if (loaded) root.replaceChildren(draw(loaded, width));
    else
      void import("./pictures").then((pictures) => {
        loaded = pictures;
        paint();
      });
  };
  new ResizeObserver(() => {
    const wide = Math.floor(root.clientWidth);
    if (wide === width) return;
    width = wide;
    paint();
  }).observe(root);
  return {
    root,
    show(next) {
      draw = next;
      paint();
    },
  };
}

export function chart(label: string, draw: Draw): HTMLElement {
  const made = liveChart(label);
  made.show(draw);
  return made.root;
}

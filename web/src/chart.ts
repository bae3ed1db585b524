/** A picture that is drawn when it has a width, and drawn again when its width or what it shows
 * changes. The drawing library is loaded with the first picture. */

import { h } from "./dom";

export type Pictures = typeof import("./pictures");
type Draw = (pictures: Pictures, width: number) => Element;

let loaded: Pictures | null = null;
const made: { root: HTMLElement; resize(wide: number): void }[] = [];

/** Draw what was just put into the page before anybody sees its place empty. */
export function drawNew(): void {
  const these = made.splice(0);
  const widths = these.map(({ root }) => root.clientWidth); // before any is drawn: one layout for all
  these.forEach((one, i) => one.resize(widths[i] ?? 0));
}

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
  const resize = (wide: number): void => {
    if (wide === width) return;
    width = wide;
    paint();
  };
  made.push({ root, resize });
  new ResizeObserver(() => resize(root.clientWidth)).observe(root);
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

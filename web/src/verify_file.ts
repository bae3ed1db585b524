/** A place to drop a certificate, or a report that holds one, and to read the verdict. The file stays
 * in this browser. The checker is verify.js, the very file that reports carry; it is loaded when the
 * first certificate comes. */

import { h } from "./dom";
import type { check, sentence } from "./verify";

declare global {
  var twoworlds: { check: typeof check; sentence: typeof sentence } | undefined;
}

const IN_REPORT = /^<!doctype html>[^]*?data-certificate href="data:[^,"]*,([^"]*)"/;

/** The bytes of the certificate in a report; those of any other file as they are. */
export function certificateIn(bytes: Uint8Array): Uint8Array {
  const found = IN_REPORT.exec(new TextDecoder().decode(bytes));
  return found ? Uint8Array.from(atob(found[1] ?? ""), (c) => c.charCodeAt(0)) : bytes;
}

let loading: Promise<void> | null = null;

function load(): Promise<void> {
  loading ??= new Promise((done) => {
    const over = (): void => done();
    document.head.append(h("script", { src: "./verify.js", onload: over, onerror: over }));
  });
  return loading;
}

export function certificateChecker(): HTMLElement {
  const said = h("p", { class: "said", role: "status" });
  const read = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    const bytes = certificateIn(new Uint8Array(await file.arrayBuffer()));
    await load();
    const found = await twoworlds?.check(bytes);
    const told = found && twoworlds?.sentence(found);
    said.textContent = `${file.name}. ${told ?? "The checker did not load: reload this page."}`;
    said.dataset["verdict"] = found?.verdict ?? "unjudged";
  };
  const input = h("input", {
    type: "file",
    accept: ".json,.html",
    onchange: () => void read(input.files?.[0]),
  });
  return h(
    "details",
    {
      class: "certificate-file",
      ondragover: (event) => event.preventDefault(),
      ondrop: (event) => {
        event.preventDefault();
        void read((event as DragEvent).dataTransfer?.files[0]);
      },
    },
    h("summary", {}, "Check a certificate"),
    h(
      "p",
      { class: "hint" },
      "Choose a certificate (.json) or a report (.html), or drop it here. This browser checks it by " +
        "exact arithmetic. The file does not leave your machine.",
    ),
    h("label", {}, "Certificate or report ", input),
    said,
  );
}

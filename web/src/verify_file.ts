/** A place to drop a certificate, or a report that holds one, and to read the verdict. The file stays
 * in this browser. The checker is verify.js, the very file that reports carry; it is loaded when the
 * first certificate comes. */

import { type Child, copyButton, downloadLink, h } from "./dom";
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

const SIGNS: Record<string, string> = { "#x27": "'", quot: '"', lt: "<", gt: ">", amp: "&" };

/** What to say of a page that holds no certificate; null of any other file. */
function withoutCertificate(bytes: Uint8Array): string | null {
  const text = new TextDecoder().decode(bytes);
  if (!/^\s*<(!doctype|html)/i.test(text)) return null;
  if (!/<meta name="generator" content="twoworlds/.test(text))
    return "This page is no report of twoworlds.";
  const written = /<pre>(twoworlds (?:measure|check) [^<]*)<\/pre>/.exec(text)?.[1];
  const command = written?.replace(/&(#x27|quot|lt|gt|amp);/g, (_, name: string) => SIGNS[name] ?? "");
  return command
    ? `This report holds no certificate; compute it again with: ${command}`
    : "This report holds no certificate.";
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
    const missing = withoutCertificate(bytes);
    if (missing !== null) {
      said.textContent = `${file.name}. ${missing}`;
      said.dataset["verdict"] = "unjudged";
      return;
    }
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

const FILE = "certificate.json";

/** A certificate to save, to copy and to read; `words` say what it proves, around the command. */
export function certificate(text: string, words: (file: string) => Child[]): HTMLElement {
  return h(
    "div",
    {},
    h("p", { class: "caption" }, ...words(FILE)),
    h(
      "div",
      { class: "actions" },
      downloadLink("Download certificate", FILE, () => text),
      copyButton("Copy certificate", () => text),
    ),
    h(
      "details",
      { class: "certificate" },
      h("summary", {}, "Read it here"),
      h("pre", { tabindex: "0", role: "region", "aria-label": "Certificate" }, text),
    ),
  );
}

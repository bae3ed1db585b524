/** A place to drop a certificate, or a report that holds one, and to read the verdict. The file stays
 * in this browser. */

import { h } from "./dom";
import { check, sentence } from "./verify";

const IN_REPORT = /^<!doctype html>[^]*?data-certificate href="data:[^,"]*,([^"]*)"/;

/** The bytes of the certificate in a report; those of any other file as they are. */
export function certificateIn(bytes: Uint8Array): Uint8Array {
  const found = IN_REPORT.exec(new TextDecoder().decode(bytes));
  return found ? Uint8Array.from(atob(found[1] ?? ""), (c) => c.charCodeAt(0)) : bytes;
}

export function certificateChecker(): HTMLElement {
  const said = h("p", { class: "said", role: "status" });
  const read = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    const found = await check(certificateIn(new Uint8Array(await file.arrayBuffer())));
    said.textContent = `${file.name}. ${sentence(found)}`;
    said.dataset["verdict"] = found.verdict;
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

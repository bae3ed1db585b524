/** The checker as it stands in a report: when the page is opened, it says whether the certificate in
 * the page holds. Python puts the built file, verify.js, into the page as it is. */

import { check, KINDS, sentence } from "./verify";

export { check, KINDS, sentence };

async function show(): Promise<void> {
  const file = document.querySelector<HTMLAnchorElement>("a[data-certificate]");
  const place = document.getElementById("checked");
  if (!file || !place) return;
  const bytes = Uint8Array.from(atob(file.href.replace(/^[^,]*,/, "")), (c) => c.charCodeAt(0));
  const found = await check(bytes);
  const shown = document.getElementById("shown")?.textContent;
  const other = shown != null && shown !== new TextDecoder().decode(bytes);
  const said = document.createElement("b");
  const mark = " The certificate that this page shows is NOT the one that its link saves.";
  said.textContent = `${other ? mark : ""} ${sentence(found)}`;
  place.append(said);
  place.dataset["verdict"] = other ? "fails" : found.verdict;
}

if (typeof document !== "undefined") void show();

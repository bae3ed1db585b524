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
  const said = document.createElement("b");
  said.textContent = ` ${sentence(found)}`;
  place.append(said);
  place.dataset["verdict"] = found.verdict;
}

if (typeof document !== "undefined") void show();

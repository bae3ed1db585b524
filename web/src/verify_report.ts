/** The checker as it stands in a report: when the page is opened, it says whether the certificate in
 * the page holds. Python puts the built file, verify.js, into the page as it is. */

import { check, KINDS, sentence, sha256 } from "./verify";

export { check, KINDS, sentence };

async function show(): Promise<void> {
  const file = document.querySelector<HTMLAnchorElement>("a[data-certificate]");
  const place = document.getElementById("checked");
  if (!file || !place) return;
  const bytes = Uint8Array.from(atob(file.href.replace(/^[^,]*,/, "")), (c) => c.charCodeAt(0));
  const found = await check(bytes);
  const shown = document.getElementById("shown")?.textContent;
  const signed = document.getElementById("signed")?.textContent;
  const others = [
    shown != null && shown !== new TextDecoder().decode(bytes)
      ? "The certificate that this page shows is NOT the one that its link saves."
      : "",
    signed != null && signed !== (await sha256(bytes))
      ? "The certificate in this page is NOT the one that is signed: its SHA-256 is another."
      : "",
  ].filter(Boolean);
  const fails = others.length > 0 || found.verdict === "fails" || found.verdict === "refused";
  if (fails) withdraw(place);
  const said = document.createElement("b");
  said.textContent = ` ${[...others, sentence(found)].join(" ")}`;
  place.append(said);
  place.dataset["verdict"] = fails ? "fails" : found.verdict;
}

/** Take back what the page says of a certificate that does not hold, or is another one. */
function withdraw(place: HTMLElement): void {
  place.textContent = "Nothing that this page says should be relied on.";
  const box = place.closest(".verdict");
  const headline = box?.querySelector(".headline");
  const word = headline?.querySelector(".word");
  if (!box || !headline || !word) return;
  box.className = "verdict broken";
  word.className = "word broken";
  word.textContent = "Not proved";
  headline.replaceChildren(word, " The certificate in this page does not prove what follows.");
}

if (typeof document !== "undefined") void show();

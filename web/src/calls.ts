/** Mechanisms are written as calls, `randomized-response(bits=2, keep=3/4)`: read one into a name
 * and its arguments, and write it again with one argument changed. */

export interface Call {
  readonly name: string;
  readonly parts: readonly { readonly name: string | null; readonly value: string }[];
}

/** Return null where the text is not one whole call with balanced brackets. */
export function readCall(text: string): Call | null {
  const found = /^\s*([A-Za-z][\w-]*)\s*(?:\(([\s\S]*)\))?\s*$/.exec(text);
  if (!found) return null;
  const pieces = split(found[2] ?? "");
  if (pieces === null) return null;
  const parts = pieces.map((piece) => {
    const pair = /^\s*([A-Za-z_]\w*)\s*=(?!=)([\s\S]*)$/.exec(piece);
    return pair
      ? { name: pair[1] ?? null, value: (pair[2] ?? "").trim() }
      : { name: null, value: piece.trim() };
  });
  return { name: found[1] ?? "", parts };
}

function split(text: string): string[] | null {
  const pieces: string[] = [];
  let depth = 0;
  let piece = "";
  for (const letter of text) {
    if ("([{".includes(letter)) depth += 1;
    if (")]}".includes(letter)) depth -= 1;
    if (depth < 0) return null;
    if (letter === "," && depth === 0) {
      pieces.push(piece);
      piece = "";
    } else piece += letter;
  }
  if (depth !== 0) return null;
  return piece.trim() === "" && pieces.length === 0 ? [] : [...pieces, piece];
}

export function writeCall(call: Call): string {
  const parts = call.parts.map(({ name, value }) => (name === null ? value : `${name}=${value}`));
  return `${call.name}(${parts.join(", ")})`;
}

export function withArgument(call: Call, name: string, value: string): Call {
  return {
    ...call,
    parts: call.parts.map((part) => (part.name === name ? { name, value } : part)),
  };
}

/** Quote a text for a shell. */
export function quoted(text: string): string {
  return /^[\w./=:,+-]+$/.test(text) ? text : `"${text.replace(/([\\"$`])/g, "\\$1")}"`;
}

/** Quote a text for Python. */
export function python(text: string): string {
  return JSON.stringify(text);
}

/** Push positions apart until neighbours have room; each stays as near to its own as it can. */
export function apart(wanted: readonly number[], room: number): number[] {
  const order = wanted.map((_, i) => i).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  const placed = [...wanted];
  for (let turn = 0; turn < 20; turn += 1) {
    let moved = false;
    for (let i = 1; i < order.length; i += 1) {
      const [a, b] = [order[i - 1] as number, order[i] as number];
      const lack = room - ((placed[b] ?? 0) - (placed[a] ?? 0));
      if (lack <= 1e-9) continue;
      placed[a] = (placed[a] ?? 0) - lack / 2;
      placed[b] = (placed[b] ?? 0) + lack / 2;
      moved = true;
    }
    if (!moved) break;
  }
  return placed;
}

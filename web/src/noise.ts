/** Geometric noise on a count, as the release engine draws it: P(Z = z) is proportional to
 * e^(-epsilon |z|), and one person moves the count by 1.
 *
 * The same numbers are computed by the Python package: tests/vectors/noise.json. */

/** How often a guess at even odds is right, at most: (1 + gap at ratio 1) / 2 = r / (1 + r). */
export function chanceOfGuess(epsilon: number): number {
  return 1 / (1 + Math.exp(-epsilon));
}

/** The probability that the noise is z. */
export function noiseMass(epsilon: number, z: number): number {
  const a = Math.exp(-epsilon);
  return ((1 - a) / (1 + a)) * a ** Math.abs(z);
}

/** The least w with P(|Z| <= w) >= 95%: P(|Z| > w) = 2 a^(w + 1) / (1 + a). */
export function halfWidth(epsilon: number, certainty = 0.95): number {
  const a = Math.exp(-epsilon);
  const w = Math.log(((1 - certainty) * (1 + a)) / 2) / -epsilon - 1;
  return Math.max(0, Math.ceil(w - 1e-9));
}

/** Exact rational numbers, as the service sends them: "3/4", "0.75", "1e-6", "2". */

export class Fraction {
  readonly top: bigint;
  readonly bottom: bigint;

  constructor(top: bigint, bottom: bigint = 1n) {
    if (bottom === 0n) throw new RangeError("a fraction has no zero below its line");
    const sign = bottom < 0n ? -1n : 1n;
    const shared = divisor(top < 0n ? -top : top, bottom * sign) || 1n;
    this.top = (top * sign) / shared;
    this.bottom = (bottom * sign) / shared;
  }

  static readonly zero = new Fraction(0n);
  static readonly one = new Fraction(1n);

  /** Read a number as people write it; null where it is none (such as "ln 3"). */
  static read(text: string): Fraction | null {
    const found = /^\s*([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?(?:\s*\/\s*(\d+))?\s*$/i.exec(
      text,
    );
    if (!found) return null;
    const [, sign, whole = "", part = "", power = "0", below = "1"] = found;
    if (whole + part === "" || BigInt(below) === 0n) return null;
    const shift = Number(power) - part.length;
    const digits = BigInt(whole + part) * (sign === "-" ? -1n : 1n);
    const tens = 10n ** BigInt(Math.abs(shift));
    return shift >= 0
      ? new Fraction(digits * tens, BigInt(below))
      : new Fraction(digits, BigInt(below) * tens);
  }

  plus(other: Fraction): Fraction {
    return new Fraction(
      this.top * other.bottom + other.top * this.bottom,
      this.bottom * other.bottom,
    );
  }

  minus(other: Fraction): Fraction {
    return this.plus(new Fraction(-other.top, other.bottom));
  }

  times(other: Fraction): Fraction {
    return new Fraction(this.top * other.top, this.bottom * other.bottom);
  }

  over(other: Fraction): Fraction {
    return new Fraction(this.top * other.bottom, this.bottom * other.top);
  }

  get isZero(): boolean {
    return this.top === 0n;
  }

  equals(other: Fraction): boolean {
    return this.top === other.top && this.bottom === other.bottom;
  }

  /** The nearest double, also where the parts are too long for doubles. */
  get value(): number {
    const extra = Math.max(this.top.toString(2).length, this.bottom.toString(2).length) - 1000;
    if (extra <= 0) return Number(this.top) / Number(this.bottom);
    const bits = BigInt(extra);
    return Number(this.top >> bits) / Number(this.bottom >> bits);
  }

  toString(): string {
    return this.bottom === 1n ? `${this.top}` : `${this.top}/${this.bottom}`;
  }
}

function divisor(a: bigint, b: bigint): bigint {
  while (b > 0n) [a, b] = [b, a % b];
  return a;
}

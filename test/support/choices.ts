/** Numbers that say what to choose, one after the other, and again from the first. */
export class Choices {
  private used = 0;
  private names = 0;

  constructor(private readonly choices: readonly number[]) {}

  pick<T>(values: readonly T[]): T {
    return values[this.choose(values.length)] as T;
  }

  /** @returns a number from 0 up to this. */
  choose(count: number): number {
    const choice = this.choices[this.used % this.choices.length] ?? 0;
    this.used += 1;
    return choice % count;
  }

  /** A name that no other one is. */
  name(prefix: string): string {
    this.names += 1;
    return `${prefix}${this.names}`;
  }
}

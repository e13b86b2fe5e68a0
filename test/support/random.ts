/** Random numbers that a seed repeats (xorshift32). */
export class Random {
  constructor(private state: number) {}

  below(bound: number): number {
    this.state ^= this.state << 13;
    this.state ^= this.state >>> 17;
    this.state ^= this.state << 5;
    return (this.state >>> 0) % bound;
  }

  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }
}

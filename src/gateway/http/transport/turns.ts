/** Runs work in the order in which it comes, so much of it in each turn of the event loop. */
export class Turns {
  private readonly waiting: (() => void)[] = [];
  private left: number;
  private isScheduled = false;

  /** @param perTurn how often work is run in one turn. */
  constructor(private readonly perTurn: number) {
    this.left = perTurn;
  }

  /** Runs the work: at once, where this turn has run little and nothing waits. */
  run(work: () => void): void {
    this.schedule();
    if (this.left === 0 || this.waiting.length > 0) {
      this.waiting.push(work);
      return;
    }
    this.left -= 1;
    work();
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.begin();
    });
  }

  private begin(): void {
    this.isScheduled = false;
    const works = this.waiting.splice(0, this.perTurn);
    this.left = this.perTurn - works.length;
    if (this.waiting.length > 0) this.schedule();
    for (const work of works) work();
  }
}

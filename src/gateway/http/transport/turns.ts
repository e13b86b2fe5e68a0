/** Runs work in order of arrival, a limited amount in each turn of the event loop. */
export class Turns {
  private readonly waiting: (() => void)[] = [];
  private left: number;
  private isScheduled = false;

  /** @param perTurn maximum number of runs in one turn */
  constructor(private readonly perTurn: number) {
    this.left = perTurn;
  }

  /** Runs the work: at once, if nothing waits and this turn has capacity left. */
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

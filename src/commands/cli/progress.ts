import { SingleBar } from 'cli-progress';

/** Shorter tasks show no bar. */
const SHOWN_AFTER_MS = 2000;

export interface ProgressState {
  /** Current activity, such as `checking orders.by-day`. */
  readonly phase: string;
  readonly done: number;
  readonly total: number;
  /** Text after the bar, such as `12 MB`. */
  readonly detail?: string;
}

/** A progress bar on standard error for tasks of more than two seconds; only on a terminal. */
export class Progress {
  private readonly bar: SingleBar;
  private readonly timer: NodeJS.Timeout | undefined;
  private state: ProgressState;
  private shown = false;
  private readonly stream = process.stderr;

  constructor(state: ProgressState) {
    const { stream } = this;
    this.state = state;
    this.bar = new SingleBar({
      format: '{phase} [{bar}] {percentage}% {detail}',
      hideCursor: false, // A command that is killed could not show the cursor again.
      clearOnComplete: true,
      gracefulExit: false, // The command handles SIGINT.
      stream,
      noTTYOutput: false,
    });
    if (stream.isTTY) {
      this.timer = setTimeout(() => {
        this.show();
      }, SHOWN_AFTER_MS).unref();
    }
  }

  update(state: Partial<ProgressState>): void {
    this.state = { ...this.state, ...state };
    if (!this.shown) return;
    this.bar.setTotal(this.state.total);
    this.bar.update(this.state.done, this.payload());
  }

  /** Prints a permanent line above the bar. */
  printLine(line: string): void {
    if (this.shown) this.stream.write('\r\u001b[K');
    this.stream.write(`${line}\n`);
  }

  /** Removes the bar. May be called more than once. */
  end(): void {
    clearTimeout(this.timer);
    if (this.shown) this.bar.stop();
    this.shown = false;
  }

  private show(): void {
    this.shown = true;
    this.bar.start(this.state.total, this.state.done, this.payload());
  }

  private payload(): object {
    return { phase: this.state.phase, detail: this.state.detail ?? '' };
  }
}

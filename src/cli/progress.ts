import { SingleBar } from 'cli-progress';

/** What takes less is over before a bar would help. */
const SHOWN_AFTER_MS = 2000;

export interface ProgressState {
  /** What goes on, such as `checking logs.all`. */
  readonly phase: string;
  readonly done: number;
  readonly total: number;
  /** Behind the bar, such as `12 MB`. */
  readonly detail?: string;
}

/** A bar on standard error for what takes more than two seconds, on a terminal only. */
export class Progress {
  private readonly bar: SingleBar;
  private readonly timer: NodeJS.Timeout | undefined;
  private state: ProgressState;
  private shown = false;

  constructor(
    state: ProgressState,
    private readonly stream: NodeJS.WriteStream = process.stderr,
  ) {
    this.state = state;
    this.bar = new SingleBar({
      format: '{phase} [{bar}] {percentage}% {detail}',
      hideCursor: false, // A command that is ended in between could not bring it back.
      clearOnComplete: true,
      gracefulExit: false, // SIGINT is the command's own business.
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

  /** A line for good, above the bar. */
  say(line: string): void {
    if (this.shown) this.stream.write('\r\u001b[K');
    this.stream.write(`${line}\n`);
  }

  /** Takes the bar away; doing so twice does no harm. */
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

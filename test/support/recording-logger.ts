import type { Fields, Logger, RequestLevel } from '../../src/gateway/observability/logger.js';

/** A line that was logged. */
export interface LogLine {
  readonly level: 'error' | 'warn' | 'info' | 'debug';
  readonly message: string;
  readonly fields: Fields;
}

/** A logger that stores its lines, and lets a test wait for one. */
export class RecordingLogger implements Logger {
  readonly lines: LogLine[] = [];
  private readonly waiting: (() => void)[] = [];

  readonly error = this.recorder('error');
  readonly warn = this.recorder('warn');
  readonly info = this.recorder('info');
  readonly debug = this.recorder('debug');
  readonly request = (level: RequestLevel, fields: Fields): void => {
    this[level]('request', fields);
  };

  /** Resolves to the first line with this message, once it is logged. */
  async line(message: string): Promise<LogLine> {
    for (;;) {
      const line = this.lines.find((candidate) => candidate.message === message);
      if (line) return line;
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  private recorder(level: LogLine['level']): (message: string, fields?: Fields) => void {
    return (message, fields = {}) => {
      this.lines.push({ level, message, fields });
      for (const resume of this.waiting.splice(0)) resume();
    };
  }
}

import { pollUntil } from './poll-until.js';
import { QUERYGATE } from './run-cli.js';
import { startProcess, type RunningProcess } from './start-process.js';

const KEY = 'a key for querygate dev';

/** What `/api/dev` tells the console. */
export interface DevelopmentState {
  readonly revision: string;
  readonly problems: readonly { readonly file?: string; readonly path?: string; readonly problem: string }[];
  readonly notices: readonly string[];
  readonly endpoints: readonly {
    readonly name: string;
    readonly version: string;
    /** How many the check and the tests found. */
    readonly faults: number;
  }[];
}

/** `querygate dev` of the build as a process of its own. */
export class DevProcess {
  private url: string | undefined;

  private constructor(readonly process: RunningProcess) {}

  static start(
    project: string,
    { environment = {} }: { readonly environment?: Readonly<Record<string, string>> },
    ...args: readonly string[]
  ): DevProcess {
    const variables = { PROJECT_DIR: project, PORT: '0', API_KEY: KEY, LOG_LEVEL: 'warn', ...environment };
    return new DevProcess(startProcess([QUERYGATE, 'dev', ...args], variables));
  }

  until(pattern: RegExp): Promise<RegExpExecArray> {
    return this.process.untilWritten(pattern);
  }

  async get(target: string, key = KEY): Promise<{ readonly status: number; readonly body: unknown }> {
    this.url ??= (await this.until(/is ready on (http:\/\/127\.0\.0\.1:\d+)/))[1] ?? '';
    const response = await fetch(this.url + target, { headers: { 'X-API-KEY': key } });
    return { status: response.status, body: await response.json() };
  }

  async state(): Promise<DevelopmentState> {
    return (await this.get('/api/dev')).body as DevelopmentState;
  }

  /** Resolves to the first state that is as a test expects. */
  untilState(what: string, isAsExpected: (state: DevelopmentState) => boolean): Promise<DevelopmentState> {
    return pollUntil(what, async () => {
      const state = await this.state();
      return isAsExpected(state) ? state : undefined;
    });
  }

  /** The first value of the first row of an endpoint's response; the status where there is no row. */
  async value(name: string): Promise<unknown> {
    const { status, body } = await this.get(`/api/endpoints/query/${name}`);
    const [row] = (body as { readonly result?: readonly object[] }).result ?? [];
    return row ? Object.values(row)[0] : status;
  }

  async untilValue(name: string, expected: unknown): Promise<void> {
    await pollUntil(`${name} returns ${String(expected)}`, async () =>
      (await this.value(name)) === expected ? true : undefined,
    );
  }

  /** Stops it as Ctrl-C does. @returns its exit code */
  stop(): Promise<number | null> {
    this.process.child.kill('SIGINT');
    return this.process.ended;
  }
}

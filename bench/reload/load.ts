import { Agent, get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

import { countOne } from '../measuring/print.js';
import { CONNECTIONS } from '../measuring/throughput.js';
import { FILES, nameOf, type ChangingProject } from './changing-project.js';

export interface Sent {
  readonly status: number;
  readonly isHit: boolean;
  readonly version: number;
  readonly milliseconds: number;
}

/** Milliseconds between two requests of a caller, so that the load leaves the machine time to reload. */
const PAUSE_MS = 100;

/** Callers of every endpoint of a project, who compare the version of each response with those that files had. */
export class Load {
  readonly hits: number[] = [];
  /** What was wrong, and how often. */
  readonly failures = new Map<string, number>();
  responses = 0;
  private readonly agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  private running = true;
  private readonly callers: readonly Promise<void>[];

  /** @param served the version of an endpoint that was served before the last change of its file. */
  constructor(
    private readonly url: string,
    private readonly key: string,
    private readonly project: ChangingProject,
    private readonly served: (file: number) => number,
  ) {
    this.callers = Array.from({ length: CONNECTIONS }, (_, index) => this.run(index));
  }

  async stop(): Promise<void> {
    this.running = false;
    await Promise.all(this.callers);
    this.agent.destroy();
  }

  /** Calls an endpoint once. */
  async call(file: number): Promise<Sent> {
    const started = performance.now();
    const request = get(`${this.url}/api/endpoints/query/${nameOf(file)}?project=aurora`, {
      agent: this.agent,
      headers: { 'X-API-KEY': this.key },
    });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const body = await text(response);
    const milliseconds = performance.now() - started;
    const status = response.statusCode ?? 0;
    const version = Number(/"version":\s*"?(\d+)/.exec(body)?.[1]);
    return { status, isHit: response.headers['x-cache'] === 'HIT', version, milliseconds };
  }

  private async run(first: number): Promise<void> {
    for (let file = first; this.running; file = (file + 1) % FILES) {
      await this.check(file);
      await delay(PAUSE_MS);
    }
  }

  private async check(file: number): Promise<void> {
    const least = this.served(file);
    try {
      const { status, isHit, version, milliseconds } = await this.call(file);
      this.responses += 1;
      if (status !== 200) countOne(this.failures, status);
      else if (!(version >= least && version <= this.project.versionOf(file))) {
        countOne(this.failures, 'wrong version');
      }
      if (isHit) this.hits.push(milliseconds);
    } catch (error) {
      countOne(this.failures, (error as Error).message);
    }
  }
}

import type { Answered } from '../../src/execution/call.js';
import { FakeRunQuery } from './fake-run-query.js';
import { pollUntil } from './poll-until.js';
import { openTestExecution, type TestExecution } from './test-execution.js';
import { TestPrimary, type TestLink } from './test-workers.js';

export interface TestWorker extends TestExecution, TestLink {}

export type WorkerOptions = Parameters<typeof openTestExecution>[0] & { readonly answerMs?: number };

/** Workers of one primary, with one ClickHouse. */
export class WorkersAsOne {
  readonly runQuery = new FakeRunQuery();
  primary = new TestPrimary();
  workers: TestWorker[] = [];

  async open(count: number, { answerMs, ...options }: WorkerOptions = {}): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      const joined = this.primary.join(answerMs);
      const execution = await openTestExecution({
        runQuery: this.runQuery,
        primary: joined.link,
        ...options,
      });
      this.workers.push({ ...execution, ...joined });
    }
  }

  worker(index: number): TestWorker {
    const found = this.workers[index];
    if (!found) throw new Error(`there is no worker ${index}`);
    return found;
  }

  untilAsked(times: number): Promise<true> {
    const { requests } = this.runQuery;
    return pollUntil(`ClickHouse is asked ${times} times`, () => requests.length >= times || undefined);
  }

  /** Messages that are on their way have come, there and back. */
  async settle(): Promise<void> {
    for (const { link } of this.workers) await link.ask('limits.read', 'nothing');
  }

  /** Lets every worker ask, the first one first. */
  async askEverywhere(): Promise<Promise<Answered>[]> {
    const asked = [this.worker(0).ask('Rome')];
    await this.untilAsked(1);
    asked.push(...this.workers.slice(1).map(({ ask }) => ask('Rome')));
    for (const promise of asked) promise.catch(() => undefined);
    await this.settle();
    await this.settle();
    return asked;
  }

  /** @throws where a message could not be handled. */
  async close(): Promise<void> {
    for (const { close } of this.workers) await close();
    expect(this.primary.faults).toEqual([]);
  }
}

export const textOf = ({ answer }: Answered): string => answer.bodies.identity.toString();

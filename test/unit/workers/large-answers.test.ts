import { FakeRunQuery } from '../../support/fake-run-query.js';
import { holdQueries } from '../../support/held-query.js';
import { answerKept } from '../../support/kept-in-primary.js';
import { pollUntil } from '../../support/poll-until.js';
import { openTestExecution, type TestExecution } from '../../support/test-execution.js';
import { TestPrimary, type TestLink } from '../../support/test-workers.js';
import { keyOf } from '../../../src/execution/call.js';
import { sampleEndpoint } from '../../support/sample-endpoint.js';

const LARGE = [{ city: 'R'.repeat(1025) }];
const SMALL = [{ city: 'Rome' }];
const KEY = keyOf({ endpoint: sampleEndpoint(), values: new Map([['city', 'Rome']]), scope: '' });

let runQuery: FakeRunQuery;
let primary: TestPrimary;
let workers: (TestExecution & TestLink)[];

beforeEach(async () => {
  runQuery = new FakeRunQuery();
  primary = new TestPrimary();
  workers = [];
  for (let n = 0; n < 3; n += 1) {
    const joined = primary.join();
    const environment = { CACHE_MAX_SHARED_KB: '1' };
    const execution = await openTestExecution({ runQuery, primary: joined.link, environment });
    workers.push({ ...execution, ...joined });
  }
});
afterEach(async () => {
  for (const { close } of workers) await close();
  expect(primary.faults).toEqual([]);
});

const settle = async (): Promise<void> => {
  for (const { link } of workers) await link.ask('limits.read', 'nothing');
};

const untilAsked = (times: number): Promise<true> =>
  pollUntil(`ClickHouse is asked ${times} times`, () => runQuery.requests.length >= times || undefined);

describe('an answer larger than CACHE_MAX_SHARED_KB', () => {
  it('is kept by the worker that asked, and not by the primary', async () => {
    const [worker] = workers;
    runQuery.answer(LARGE);
    await worker?.ask('Rome');
    await settle();
    expect(await answerKept(primary.hub, KEY)).toBeUndefined();
    expect((await worker?.ask('Rome'))?.status).toBe('HIT');
  });

  it('is asked for by one worker after another, of those that missed it together', async () => {
    const held = holdQueries(runQuery);
    const asked = workers.map(({ ask }) => ask('Rome'));
    for (let times = 1; times <= workers.length; times += 1) {
      await untilAsked(times);
      await settle();
      await settle();
      expect(runQuery.requests).toHaveLength(times);
      held.answer(LARGE);
    }
    const answers = await Promise.all(asked);
    expect(answers.map(({ status }) => status)).toEqual(['MISS', 'MISS', 'MISS']);
  });
});

it('An answer that is no larger is kept by the primary, and asked for once', async () => {
  runQuery.answer(SMALL);
  await Promise.all(workers.map(({ ask }) => ask('Rome')));
  expect((await answerKept(primary.hub, KEY))?.rowCount).toBe(1);
  expect(runQuery.requests).toHaveLength(1);
});

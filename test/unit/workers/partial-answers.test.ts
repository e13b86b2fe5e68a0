import { FakeRunQuery, resultOf } from '../../support/fake-run-query.js';
import { openTestExecution, type TestExecution } from '../../support/test-execution.js';
import { TestPrimary } from '../../support/test-workers.js';

it('asks again for each caller where the answer is partial, which no worker keeps', async () => {
  const runQuery = new FakeRunQuery();
  runQuery.answerWith(() => Promise.resolve({ ...resultOf([{ city: 'half' }]), partial: true }));
  const primary = new TestPrimary();
  const workers: TestExecution[] = [];
  for (let n = 0; n < 2; n += 1) {
    workers.push(await openTestExecution({ runQuery, primary: primary.join().link }));
  }
  try {
    for (const worker of [...workers, ...workers]) {
      expect(await worker.ask('Rome')).toMatchObject({ status: 'MISS', answer: { partial: true } });
    }
    expect(workers.map(({ cache }) => cache.memory.use().size)).toEqual([0, 0]);
    expect(runQuery.requests).toHaveLength(4);
    expect(primary.faults).toEqual([]);
  } finally {
    for (const { close } of workers) await close();
  }
});

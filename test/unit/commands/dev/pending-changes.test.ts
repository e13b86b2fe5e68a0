import { PendingChanges } from '../../../../src/commands/dev/pending-changes.js';

type Files = Parameters<PendingChanges['add']>[0];
const SCHEMA: Files = new Map([['schema', ['/p/clickhouse-schema/0001_a.sql']]]);
const ENDPOINTS: Files = new Map([['endpoints', ['/p/endpoints/a.sql']]]);

describe('PendingChanges', () => {
  it('keeps changes until something reacts to them, then passes each on', () => {
    const changes = new PendingChanges();
    const seen: Files[] = [];
    changes.add(ENDPOINTS);
    changes.passTo((files) => seen.push(files));
    changes.add(SCHEMA);
    expect(seen).toEqual([ENDPOINTS, SCHEMA]);
  });

  it('waits for a change of a part, and does not wait for one that was before', async () => {
    const changes = new PendingChanges();
    let isDone = false;
    const waiting = changes.untilChanged('schema').then(() => (isDone = true));
    changes.add(ENDPOINTS);
    await Promise.resolve();
    expect(isDone).toBe(false);
    changes.add(SCHEMA);
    await waiting;
    await changes.untilChanged('schema');
  });

  it('forgets what was read since', () => {
    const changes = new PendingChanges();
    const seen: Files[] = [];
    changes.add(SCHEMA);
    changes.forget();
    changes.passTo((files) => seen.push(files));
    expect(seen).toEqual([]);
  });
});

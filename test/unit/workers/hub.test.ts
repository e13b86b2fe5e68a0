import { EMPTY_SNAPSHOT, mergeSnapshots, type WorkerSnapshot } from '../../../src/workers/worker-snapshot.js';
import { purgeInPrimary } from '../../../src/workers/store-in-primary.js';
import { TestPrimary, type TestLink } from '../../support/test-workers.js';

let primary: TestPrimary;
let gone: TestLink;
let other: TestLink;

beforeEach(() => {
  primary = new TestPrimary();
  gone = primary.join(20);
  other = primary.join(1000);
});
afterEach(() => {
  expect(primary.faults).toEqual([]);
});

const withHits = (hits: number): WorkerSnapshot => ({
  ...EMPTY_SNAPSHOT,
  hits: new Map([['a', { HIT: hits, MISS: 0, STALE: 0, BYPASS: 0, farHits: 0 }]]),
});

describe('a message of a worker that is read after its end', () => {
  it('begins no question that others would wait for', async () => {
    const ticket = { key: { endpointId: 'a', hash: 'Rome' }, token: 'late' };
    const late = gone.link.ask('flights.enter', ticket);
    gone.member.leave();
    expect(await late).toBeUndefined();
    const role = await other.link.ask('flights.enter', { ...ticket, token: 'next' });
    expect(role).toEqual({ role: 'ask' });
  });

  it('does not count it twice', async () => {
    await gone.link.ask('view.note', withHits(3));
    gone.link.tell('view.note', withHits(5));
    gone.member.leave();
    const seen = await other.link.askFor('view.gather', null, 1000);
    expect(mergeSnapshots(seen).hits.get('a')?.HIT).toBe(3);
  });
});

it('A worker that has gone is asked nothing: that fails at once', async () => {
  const waiting = gone.member.peer.call('view.snapshot', null, 60_000);
  gone.member.leave();
  await expect(waiting).rejects.toThrow('the other process has gone');
  await expect(gone.member.peer.call('view.snapshot', null, 60_000)).rejects.toThrow(
    'the other process has gone',
  );
});

describe('a purge', () => {
  beforeEach(async () => {
    for (const { link } of [gone, other]) await link.ask('limits.read', 'nothing');
  });

  it('is not complete where another worker does not confirm it, and is as soon as that one does', async () => {
    gone.silence();
    await expect(purgeInPrimary(other.link, {})).rejects.toMatchObject({
      code: 'PURGE_INCOMPLETE',
      status: 503,
      message: expect.stringContaining('others have not confirmed that they did (1)') as string,
      details: { retryAfterSeconds: 2 },
    });
    gone.resume();
    await purgeInPrimary(other.link, {});
  });

  it('is complete where one that has not confirmed it has gone', async () => {
    gone.silence();
    const purged = purgeInPrimary(other.link, {});
    await other.link.ask('limits.read', 'nothing');
    gone.member.leave();
    await purged;
  });

  it('waits for no worker that has yet to say its first word', async () => {
    primary.join().silence();
    await purgeInPrimary(other.link, {});
  });
});

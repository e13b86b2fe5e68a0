import { hashApiKey } from '../../../src/gateway/auth/api-key.js';
import { ExportingGateway, MOST_ROWS } from '../../support/exporting-gateway.js';
import { SettableClock } from '../../support/settable-clock.js';
import { openForEach } from '../../support/opened.js';

const HOUR_MS = 3_600_000;

describe('an export that runs', () => {
  const time = new SettableClock();
  const gateway = openForEach(() => ExportingGateway.open({}, time.clock));

  it.each<[string, number, () => unknown, string]>([
    [
      'is removed',
      401,
      () => gateway.changeExporter({ sha256: [hashApiKey('qg_another')] }),
      'API_KEY_INVALID',
    ],
    [
      'has expired',
      401,
      () => {
        time.advance(2 * HOUR_MS);
      },
      'API_KEY_INVALID',
    ],
    ['may no longer export', 403, () => gateway.changeExporter({ mayExport: false }), 'FORBIDDEN'],
    ['has other pins', 403, () => gateway.changeExporter({ fixed: { n: '1' } }), 'FORBIDDEN'],
  ])('is broken off when its key %s', async (_what, status, change, code) => {
    const expires = new Date(time.now + HOUR_MS).toISOString();
    await gateway.changeExporter({ expires });
    await gateway.gateway.reload();
    const headers = { 'X-Request-Id': 'to-be-broken-off' };
    const received = await gateway.receive(`rows?n=${MOST_ROWS}&format=csv&export=1`, {
      headers,
      beforeBody: async () => {
        await change();
        expect(await gateway.logged('to-be-broken-off')).toMatchObject({ status, code });
      },
    });
    expect([received.status, received.isComplete]).toEqual([200, false]);
  });
});

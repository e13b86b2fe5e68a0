import { firstRespondingServer } from '../../../../src/gateway/clickhouse/first-responding-server.js';
import { withFakeClickHouse } from '../../../support/fake-clickhouse.js';

const at = (url: string) => ({ url, username: 'default', password: '', database: 'logs' });
/** An address without a server. */
const DEAD = at('http://127.0.0.1:1');

describe('firstRespondingServer', () => {
  it('skips servers that are unreachable or return an error', async () => {
    await withFakeClickHouse(
      (_request, response) => response.writeHead(503).end(),
      async (failing) => {
        await withFakeClickHouse(
          (_request, response) => response.end('Ok.\n'),
          async ({ url }) => {
            expect(await firstRespondingServer([DEAD, at(failing.url), at(url), DEAD])).toEqual(at(url));
          },
        );
      },
    );
  });

  it('throws when no server responds', async () => {
    await expect(firstRespondingServer([DEAD, DEAD])).rejects.toThrow(
      'None of the 2 servers in CLICKHOUSE_URL responds',
    );
  });

  it('does not ping a single server', async () => {
    expect(await firstRespondingServer([DEAD])).toBe(DEAD);
  });
});

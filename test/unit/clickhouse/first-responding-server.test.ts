import { firstRespondingServer } from '../../../src/clickhouse/first-responding-server.js';
import { withFakeClickHouse } from '../../support/fake-clickhouse.js';

const at = (url: string) => ({ url, username: 'default', password: '', database: 'logs' });
/** Nobody listens there. */
const DEAD = at('http://127.0.0.1:1');

describe('firstThatAnswers', () => {
  it('passes over servers that are not there, or not well', async () => {
    await withFakeClickHouse(
      (_request, response) => response.writeHead(503).end(),
      async (unwell) => {
        await withFakeClickHouse(
          (_request, response) => response.end('Ok.\n'),
          async ({ url }) => {
            expect(await firstRespondingServer([DEAD, at(unwell.url), at(url), DEAD])).toEqual(at(url));
          },
        );
      },
    );
  });

  it('says so where none answers', async () => {
    await expect(firstRespondingServer([DEAD, DEAD])).rejects.toThrow(
      'None of the 2 servers in CLICKHOUSE_URL answers',
    );
  });

  it('does not ask the only one: what is done there says why it fails', async () => {
    expect(await firstRespondingServer([DEAD])).toBe(DEAD);
  });
});

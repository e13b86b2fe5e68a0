import type { Tracing } from '../../src/gateway/observability/tracing.js';
import { pollUntil } from '../support/poll-until.js';
import { RawClient } from '../support/raw-gateway.js';
import { GET, getOf, withRawHits } from '../support/with-raw-hits.js';

describe('a raw hit', () => {
  it('has the quota, the id and the trace of its own request', async () => {
    const traces: unknown[] = [];
    const record: Tracing['record'] = ({ traceparent }) => traces.push(traceparent);
    const tracing = {
      record,
      begin: () => ({
        within: (work: () => void) => {
          work();
        },
        end: () => undefined,
      }),
    };
    await withRawHits(
      async (gateway) => {
        const client = new RawClient(gateway);
        const received: unknown[] = [];
        for (let sent = 1; sent <= 5; sent += 1) {
          const lines = `X-Request-Id: id-${sent}\r\nTraceParent: trace-${sent}\r\n`;
          const { status, headers } = await client.ask(getOf('qg_limited', lines));
          received.push([status, headers['x-request-id'], /r=\d/.exec(headers['ratelimit'] ?? '')?.[0]]);
        }
        expect(received).toEqual([
          ...[3, 2, 1, 0].map((left, index) => [200, `id-${index + 1}`, `r=${left}`]),
          [429, 'id-5', 'r=0'],
        ]);
        expect([gateway.raw, traces.slice(-3)]).toEqual([3, ['trace-2', 'trace-3', 'trace-4']]);
        gateway.report();
        const logged = gateway.logger.lines.slice(-4).map(({ fields }) => fields['requestId']);
        expect(logged).toEqual(['id-2', 'id-3', 'id-4', 'id-5']);
      },
      { parts: { tracing: tracing as unknown as Tracing } },
    );
  });

  it('does not happen for a key that expired or may be used from some addresses only', async () => {
    await withRawHits(async (gateway) => {
      const expiring = new RawClient(gateway);
      for (let sent = 0; sent < 3; sent += 1) await expiring.ask(getOf('qg_expiring'));
      expect(gateway.raw).toBe(2);
      gateway.clock.advance(10);
      expect((await expiring.ask(getOf('qg_expiring'))).status).toBe(401);
      // Two clients behind one proxy.
      const proxy = new RawClient(gateway);
      const statuses: number[] = [];
      for (const address of ['192.0.2.7', '192.0.2.8', '198.51.100.1', '192.0.2.7'])
        statuses.push((await proxy.ask(getOf('qg_addressed', `X-Forwarded-For: ${address}\r\n`))).status);
      expect(statuses).toEqual([200, 200, 403, 200]);
      expect(gateway.raw).toBe(2);
    });
  });

  it('has the head and the bytes that Node’s server sends, whatever the raw hits before it had', async () => {
    await withRawHits(async (gateway) => {
      const client = new RawClient(gateway);
      await client.ask(GET);
      const [br, gzip] = ['Accept-Encoding: gzip, br\r\n', 'Accept-Encoding: gzip\r\n'];
      const [unchanged, origin] = ['If-None-Match: *\r\n', 'Origin: https://app.example\r\n'];
      const encodings: unknown[] = [];
      const other = 'Origin: https://other.example\r\n';
      for (const lines of ['', br, gzip, unchanged, origin, other, br + unchanged, gzip + origin, '']) {
        const get = getOf('qg_plain', `X-Request-Id: same\r\n${lines}`);
        const raw = await pollUntil('a raw hit', async () => {
          const before = gateway.raw;
          const response = await client.ask(get);
          return gateway.raw > before ? response : undefined;
        });
        const node = await new RawClient(gateway).ask(get);
        const own = { date: '', 'server-timing': '' };
        expect({ ...raw, headers: { ...raw.headers, ...own } }).toEqual({
          ...node,
          headers: { ...node.headers, ...own },
        });
        encodings.push(raw.headers['content-encoding']);
      }
      const none = undefined;
      expect(encodings).toEqual([none, 'br', 'gzip', none, none, none, none, 'gzip', none]);
    });
  });
});

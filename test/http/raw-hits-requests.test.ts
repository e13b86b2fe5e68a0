import type { Principal } from '../../src/gateway/auth/principal.js';
import type { CompletedRequest } from '../../src/gateway/http/transport/access-log.js';
import { hasBacklog } from '../../src/gateway/http/transport/backlog.js';
import { responding } from '../../src/gateway/http/transport/connections.js';
import { Limiter } from '../../src/gateway/limits/limiter.js';
import { Metrics } from '../../src/gateway/observability/metrics.js';
import type { Tracing } from '../../src/gateway/observability/tracing.js';
import { CountingStore } from '../support/counting-store.js';
import { pollUntil } from '../support/poll-until.js';
import { RawClient } from '../support/raw-gateway.js';
import { testCredentials } from '../support/test-credentials.js';
import { GET, getOf, SENT_BEFORE, withRawHits } from '../support/with-raw-hits.js';

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

  it('does not happen for a key that was revoked, nor is anything remembered of its requests', async () => {
    const keys = testCredentials({ qg_plain: { name: 'plain', mayBypassCache: false } });
    let isRevoked = false;
    const find = (key: string): Principal | undefined => (isRevoked ? undefined : keys.find(key));
    await withRawHits(
      async (gateway) => {
        const [client, own] = [new RawClient(gateway), getOf('qg_plain', 'X-Own: 1\r\n')];
        for (let sent = 0; sent < 2; sent += 1) await client.ask(GET);
        isRevoked = true;
        expect([(await client.ask(GET)).status, gateway.raw]).toEqual([401, 1]);
        const peer = new RawClient(gateway);
        for (let sent = 0; sent < 2; sent += 1) expect((await peer.ask(own)).status).toBe(401);
        isRevoked = false;
        expect([(await client.ask(own)).status, gateway.raw]).toEqual([200, 1]);
        expect([(await client.ask(own)).status, gateway.raw]).toEqual([200, 2]);
      },
      { parts: { credentials: { ...keys, find } } },
    );
  });

  it('uses a lease of a quota in the shared store, or is left to Node’s server to ask for one', async () => {
    let now = 1_000_000;
    const clock = (): number => now;
    const store = new CountingStore(clock);
    const qg_plain = {
      name: 'plain',
      mayBypassCache: false,
      limits: { requests: { quota: 1000, window: 60 } },
    };
    await withRawHits(
      async (gateway) => {
        const client = new RawClient(gateway);
        const statuses: number[] = [];
        for (; statuses.length < 1002; now += 1) statuses.push((await client.ask(GET)).status);
        expect(statuses.filter((status) => status === 200)).toHaveLength(1000 - SENT_BEFORE);
        expect(statuses.at(-1)).toBe(429);
        expect(gateway.raw).toBeGreaterThan(500);
        expect(store.windows.get('key:plain:requests:60')?.count).toBe(1000);
      },
      { principals: { qg_plain }, parts: { limiter: new Limiter(clock, store) } },
    );
  });

  it('is in the request log and the metrics, as each request is that is not one', async () => {
    const noted: CompletedRequest[] = [];
    const metrics = new Metrics();
    await withRawHits(
      async (gateway) => {
        const client = new RawClient(gateway);
        for (let sent = 0; sent < 4; sent += 1) await client.ask(GET);
        const other = new RawClient(gateway);
        expect((await other.ask(GET)).status).toBe(200);
        gateway.report();
        const [byNode, ...raw] = noted.slice(SENT_BEFORE, -1);
        const { context: { principal, endpoint, outcome, called } = {}, status } = byNode ?? {};
        expect(raw).toHaveLength(gateway.raw);
        for (const each of raw)
          expect(each).toMatchObject({ context: { principal, endpoint, outcome, called }, status });
        expect(new Set(noted.map(({ context }) => context.requestId)).size).toBe(noted.length);
        // An id has as many bytes as another, but the times of `Server-Timing` do not.
        for (const { bytesSent = 0 } of raw)
          expect(Math.abs(bytesSent - (byNode?.bytesSent ?? 0))).toBeLessThan(5);
        expect(await metrics.registry.metrics()).toMatch(
          /requests_total\{endpoint="cached",status="200",cache="HIT"\} 6\n/,
        );
      },
      { parts: { metrics, requestLog: { note: (completed) => noted.push(completed) } } },
    );
  });

  it.each([
    ...['Range: bytes=0-5', 'Cache-Control: no-cache', 'Prefer: wait=9', 'If-Match: "x"', 'Accept: text/csv'],
    ...['Content-Length: 0', 'Transfer-Encoding: chunked', 'Expect: x', 'TE: trailers', 'Trailer: X'],
    ...['Connection: keep-alive, x', 'Keep-Alive: timeout=9', 'Upgrade: h2c', 'HTTP2-Settings: x'],
    ...['Proxy-Connection: keep-alive', 'X-Request-Id: a\r\nx-request-id: b', 'X-Request-Id: a  b'],
    ...['X-A:a', 'X-A:  a', 'X-A: a ', 'X-A: a\tb', 'X-A: \xe9', 'X-A: '],
  ])('is none with %j, however often it is sent, and the next one is in order', async (lines) => {
    await withRawHits(async (gateway) => {
      const client = new RawClient(gateway);
      const { body } = await client.ask(GET);
      const chunks = lines.startsWith('Transfer') ? '0\r\n\r\n' : '';
      for (let sent = 0; sent < 3; sent += 1) await client.ask(getOf('qg_plain', `${lines}\r\n`) + chunks);
      expect(gateway.raw).toBe(0);
      for (let sent = 0; sent < 2; sent += 1) expect((await client.ask(GET)).body).toBe(body);
      expect(gateway.raw).toBeGreaterThan(0);
    });
  });

  it.each([
    ['HEAD', GET.replace('GET', 'HEAD')],
    ['HTTP/1.0', GET.replace('1.1', '1.0').replace('\r\n', '\r\nConnection: keep-alive\r\n')],
    ['another target', GET.replace('Rome', 'Oslo')],
    ['an absolute target', GET.replace('/api', 'http://gateway/api')],
    ['two in a chunk', GET + GET],
    ['a chunk that goes on', GET + GET.slice(0, 9), GET.slice(9)],
    ['a head in two chunks', GET.slice(0, 9), GET.slice(9)],
    ['an empty line before it', '\r\n' + GET],
    [
      'a body that is one',
      GET.replace('GET', 'POST').replace('\r\n\r\n', `\r\nContent-Length: ${GET.length}\r\n\r\n`),
      GET,
    ],
  ])('is none for %s', async (_what, ...chunks) => {
    await withRawHits(async (gateway) => {
      const client = new RawClient(gateway);
      for (let sent = 0; sent < 2; sent += 1) await client.ask(GET);
      const socket = await client.accepted;
      let { bytesRead } = socket;
      for (const chunk of chunks) {
        client.socket.write(chunk);
        bytesRead += chunk.length;
        await pollUntil('the chunk is read', () => socket.bytesRead === bytesRead || undefined);
      }
      const isIdle = (): boolean => !responding(socket) && !hasBacklog(socket);
      await pollUntil('the requests are responded to', () => isIdle() || undefined);
      expect(gateway.raw).toBe(1);
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

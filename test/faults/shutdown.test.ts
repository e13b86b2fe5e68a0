import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createNetServer, type AddressInfo } from 'node:net';
import { pathToFileURL, fileURLToPath } from 'node:url';

import { respondWith, isRequestQuery, withFakeClickHouse } from '../support/fake-clickhouse.js';
import { pollUntil } from '../support/poll-until.js';
import type { RunningProcess } from '../support/start-process.js';
import { urlOf, withGateway } from '../support/with-gateway.js';

const CALL = '/api/endpoints/query/usage.api-counts?project=a&interval=daily';
const HEADERS = { 'X-API-KEY': 'k' };

const PRELOAD = pathToFileURL(fileURLToPath(new URL('../support/raise-on-signal.mjs', import.meta.url))).href;

const fetchRows = (url: string): Promise<Response> => fetch(url + CALL, { headers: HEADERS });

/** A URL on which nothing listens. */
async function deadAddress(): Promise<string> {
  const server = createNetServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}

/** Runs a body with the URL of a server that accepts requests and never responds. */
async function withHangingServer(use: (url: string, requests: () => number) => Promise<void>): Promise<void> {
  let requests = 0;
  const server = createServer(() => void (requests += 1)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, () => requests);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

describe('SIGTERM', () => {
  const withTraces = async (
    collector: string,
    use: (gateway: RunningProcess) => Promise<void>,
  ): Promise<void> => {
    await withFakeClickHouse(respondWith('{"result":[]}', 0), async ({ url: CLICKHOUSE_URL }) => {
      const environment = { CLICKHOUSE_URL, API_KEY: 'k', OTEL_EXPORTER_OTLP_ENDPOINT: collector };
      await withGateway(environment, async (gateway) => {
        const url = await urlOf(gateway);
        expect((await fetchRows(url)).status).toBe(200);
        await use(gateway);
      });
    });
  };
  const expectInOrder = async (gateway: RunningProcess): Promise<void> => {
    gateway.child.kill('SIGTERM');
    expect(await gateway.ended).toBe(0);
    expect(gateway.stdout()).toMatch(
      /within 2000 ms".*"a part of the gateway did not close","part":"tracing"/,
    );
    expect(gateway.stdout()).toMatch(/"message":"stopped"/);
  };

  it.concurrent('exits with 0 if the trace collector refuses connections', async () => {
    await withTraces(await deadAddress(), expectInOrder);
  });

  it.concurrent('exits with 0 if the trace collector never responds', async () => {
    await withHangingServer(async (collector, requests) => {
      await withTraces(collector, async (gateway) => {
        await expectInOrder(gateway);
        expect(requests()).toBeGreaterThan(0);
      });
    });
  });
});

describe.each([
  ['an exception that nothing catches', 'SIGUSR2', 'uncaughtException', 'thrown by a test'],
  ['a rejection that nothing handles', 'SIGWINCH', 'unhandledRejection', 'rejected by a test'],
] as const)('%s', (_what, signal, event, message) => {
  const withFaulty = async (
    clickhouse: RequestListener,
    use: (gateway: RunningProcess, url: string) => Promise<void>,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<void> => {
    await withFakeClickHouse(clickhouse, async ({ url: CLICKHOUSE_URL }) => {
      const preloaded = { CLICKHOUSE_URL, API_KEY: 'k', NODE_OPTIONS: `--import=${PRELOAD}` };
      await withGateway({ ...preloaded, ...environment }, async (gateway) => {
        await use(gateway, await urlOf(gateway));
      });
    });
  };

  it.concurrent(
    'is logged, accepts no more requests, completes the one in flight, and exits with 1',
    async () => {
      let release: (() => void) | undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      let isRunning = false;
      const slow: RequestListener = (request, response) => {
        isRunning ||= isRequestQuery(request);
        void (isRequestQuery(request) ? released : Promise.resolve()).then(() => {
          respondWith('{"result":[]}', 0)(request, response);
        });
      };
      await withFaulty(slow, async (gateway, url) => {
        const running = fetchRows(url);
        await pollUntil('the query has been sent', () => isRunning || undefined);
        gateway.child.kill(signal);
        const [line] = await gateway.untilWritten(/.*uncaught error: the process stops.*/);
        expect(JSON.parse(line)).toMatchObject({ level: 'error', event, error: message });
        await pollUntil('new connections are refused', () =>
          fetch(`${url}/health/live`).then(
            () => undefined,
            () => true,
          ),
        );
        release?.();
        const response = await running;
        expect([response.status, await response.text()]).toEqual([200, '{"result":[]}']);
        expect(await gateway.ended).toBe(1);
      });
    },
  );

  it.concurrent('exits with 1 within seconds if a request in flight does not end', async () => {
    let isRunning = false;
    const never: RequestListener = (request, response) => {
      if (isRequestQuery(request)) isRunning = true;
      else respondWith('', 0)(request, response);
    };
    await withFaulty(never, async (gateway, url) => {
      const cut = expect(fetchRows(url)).rejects.toThrow('fetch failed');
      await pollUntil('the query has been sent', () => isRunning || undefined);
      gateway.child.kill(signal);
      // Far less than SHUTDOWN_TIMEOUT_SECONDS, which applies to an orderly shutdown.
      expect(await gateway.ended).toBe(1);
      await cut;
    });
  });

  it.concurrent('exits with 1 if SIGTERM came before', async () => {
    let isRunning = false;
    const never: RequestListener = (request, response) => {
      if (isRequestQuery(request)) isRunning = true;
      else respondWith('', 0)(request, response);
    };
    await withFaulty(
      never,
      async (gateway, url) => {
        const cut = expect(fetchRows(url)).rejects.toThrow('fetch failed');
        await pollUntil('the query has been sent', () => isRunning || undefined);
        gateway.child.kill('SIGTERM');
        await gateway.untilWritten(/"message":"stopping"/);
        gateway.child.kill(signal);
        expect(await gateway.ended).toBe(1);
        await cut;
      },
      { SHUTDOWN_TIMEOUT_SECONDS: '2' },
    );
  });
});

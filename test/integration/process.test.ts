import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { readdir, writeFile } from 'node:fs/promises';

import { respondWith, withFakeClickHouse, isRequestQuery } from '../support/fake-clickhouse.js';
import { pollUntil } from '../support/poll-until.js';
import { GATEWAY, startProcess } from '../support/start-process.js';
import { withTemporaryFolder } from '../support/temporary-folder.js';
import { urlOf, withGateway } from '../support/with-gateway.js';
import { readConfig } from '../../src/gateway/config/config.js';
import { memoryNeeds } from '../../src/gateway/server/memory-needs.js';

const CALL = '/api/endpoints/query/usage.api-counts?project=a&interval=daily';

describe('the gateway', () => {
  it.concurrent('retains its data, and rejects a data folder that another gateway uses', async () => {
    await withTemporaryFolder(async (dataDir) => {
      const environment = { DATA_DIR: dataDir, DEMO_DATA: 'off', API_KEY: 'k' };
      await withGateway(environment, async (first) => {
        const url = await urlOf(first);
        await withGateway(environment, async (second) => {
          expect(await second.ended).toBe(1);
          expect(second.stderr()).toContain('querygate can’t start: The data folder');
          expect(second.stderr()).toContain(`in use by the gateway with process id ${first.child.pid ?? ''}`);
          expect(second.stderr()).toContain('set DATA_DIR to another folder');
        });
        expect((await fetch(url + CALL, { headers: { 'X-API-KEY': 'k' } })).status).toBe(200);
        first.child.kill('SIGINT');
        expect(await first.ended).toBe(0);
      });
      await withGateway(environment, async (third) => {
        expect(await urlOf(third)).not.toBe('');
      });
    });
  });

  it.concurrent('completes a running request on SIGTERM, accepts no more, and exits with 0', async () => {
    let release: (() => void) | undefined;
    const slow = new Promise<void>((resolve) => (release = resolve));
    let isRequested = false;
    await withFakeClickHouse(
      (request, response) => {
        isRequested ||= isRequestQuery(request);
        void slow.then(() => {
          respondWith('{"result":[]}', 0)(request, response);
        });
      },
      async (clickhouse) => {
        await withGateway({ CLICKHOUSE_URL: clickhouse.url, API_KEY: 'k' }, async (gateway) => {
          const url = await urlOf(gateway);
          const reply = fetch(url + CALL, { headers: { 'X-API-KEY': 'k' } });
          await pollUntil('the query has been sent', () => isRequested || undefined);
          gateway.child.kill('SIGTERM');
          await gateway.untilWritten(/"message":"stopping"/);
          await expect(fetch(`${url}/health/live`)).rejects.toThrow('fetch failed');
          release?.();
          const response = await reply;
          expect([response.status, await response.text()]).toEqual([200, '{"result":[]}']);
          expect(await gateway.ended).toBe(0);
        });
      },
    );
  });

  it.concurrent('stops waiting for a request after SHUTDOWN_TIMEOUT_SECONDS', async () => {
    let isRequested = false;
    await withFakeClickHouse(
      (request) => {
        isRequested ||= isRequestQuery(request);
      },
      async (clickhouse) => {
        const environment = { CLICKHOUSE_URL: clickhouse.url, API_KEY: 'k', SHUTDOWN_TIMEOUT_SECONDS: '0.2' };
        await withGateway(environment, async (gateway) => {
          const url = await urlOf(gateway);
          const response = fetch(url + CALL, { headers: { 'X-API-KEY': 'k' } });
          const cut = expect(response).rejects.toThrow('fetch failed');
          await pollUntil('the query has been sent', () => isRequested || undefined);
          gateway.child.kill('SIGTERM');
          expect(await gateway.ended).toBe(0);
          await cut;
        });
      },
    );
  });

  it.concurrent(
    'starts if ClickHouse does not respond, warns of it, and reports it in responses',
    async () => {
      const CLICKHOUSE_URL = 'http://user:secret@127.0.0.1:1,http://127.0.0.1:2';
      await withGateway({ CLICKHOUSE_URL }, async (gateway) => {
        const url = await urlOf(gateway);
        await gateway.untilWritten(/ClickHouse does not respond: .*CLICKHOUSE_URL/);
        const [, key = ''] = await gateway.untilWritten(/'X-API-KEY: (\S+)'/);
        const warnings = gateway.stdout().match(/.*does not respond to a ping.*/g) ?? [];
        expect(warnings.map((line) => JSON.parse(line) as unknown)).toMatchObject([
          { level: 'warn', server: '127.0.0.1:1' },
          { level: 'warn', server: '127.0.0.1:2' },
        ]);
        expect((await fetch(`${url}/health/live`)).status).toBe(200);
        expect((await fetch(`${url}/health/ready`)).status).toBe(503);
        const response = await fetch(url + CALL, { headers: { 'X-API-KEY': key } });
        expect([response.status, response.headers.has('retry-after')]).toEqual([503, true]);
        expect(gateway.stdout()).not.toContain('secret');
      });
    },
  );

  it.concurrent(
    'logs the memory that it will need, and one line of JSON per request, without key or values, and serves /docs as the build copied it',
    async () => {
      await withFakeClickHouse(respondWith('{"result":[]}', 0), async (clickhouse) => {
        await withGateway({ CLICKHOUSE_URL: clickhouse.url, API_KEY: 'secret-key' }, async (gateway) => {
          const url = await urlOf(gateway);
          const call = `${url}/api/endpoints/query/usage.api-counts?project=secret-value&interval=daily`;
          await fetch(call, { headers: { 'X-API-KEY': 'secret-key', 'X-Request-Id': 'request-1' } });
          const [ready] = await gateway.untilWritten(/.*"message":"ready".*/);
          const { memoryMb, maxMemoryMb } = memoryNeeds(readConfig({}));
          expect(JSON.parse(ready)).toMatchObject({ url, memoryMb, maxMemoryMb });
          const [line] = await gateway.untilWritten(/.*"requestId":"request-1".*/);
          expect(JSON.parse(line)).toMatchObject({
            message: 'request',
            status: 200,
            key: 'API_KEY',
            rows: 0,
          });
          expect(gateway.stdout()).not.toMatch(/secret-key|secret-value/);
          const files = ['', '/swagger-ui.css', '/swagger-ui-bundle.js', '/favicon.png', '/api-docs.js'];
          const responses = await Promise.all(files.map((file) => fetch(`${url}/docs${file}`)));
          expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
        });
      });
      const copied = await readdir(new URL('../../dist/swagger-ui', import.meta.url));
      expect(copied).toEqual(
        expect.arrayContaining(['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt']),
      );
    },
  );
});

describe('a start that fails', () => {
  const failureOf = async (environment: Readonly<Record<string, string>>): Promise<string> => {
    const gateway = startProcess(GATEWAY, environment);
    expect(await gateway.ended).toBe(1);
    expect(gateway.stderr()).not.toMatch(/\n\s+at /);
    return gateway.stderr();
  };

  it.concurrent('lists all invalid environment variables, and exits with 1', async () => {
    const text = await failureOf({
      PORT: 'eighty',
      CLICKHOUSE_URL: 'tcp://127.0.0.1:9000',
      QUERY_TIMEOUT_SECONDS: '-1',
      LOG_LEVEL: 'loud',
    });
    expect(text).toContain('querygate can’t start');
    for (const name of ['PORT', 'CLICKHOUSE_URL', 'QUERY_TIMEOUT_SECONDS', 'LOG_LEVEL']) {
      expect(text).toContain(`  ${name} `);
    }
  });

  it.concurrent('names an endpoint of the settings that does not exist', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'settings.json');
      await writeFile(file, '{"nothing.here":{"maxRows":1}}');
      const text = await failureOf({
        CLICKHOUSE_URL: 'http://127.0.0.1:1',
        ENDPOINT_SETTINGS_FILE: file,
      });
      expect(text).toContain(`${file}: there is no endpoint "nothing.here"; the endpoints are `);
    });
  });

  it.concurrent('names a port that is in use', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as AddressInfo;
    const text = await failureOf({ CLICKHOUSE_URL: 'http://127.0.0.1:1', API_KEY: 'k', PORT: String(port) });
    expect(text).toContain(`address already in use 127.0.0.1:${port}`);
    blocker.close();
  });
});

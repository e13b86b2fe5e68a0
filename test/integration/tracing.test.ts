import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { respondWith, withFakeClickHouse } from '../support/fake-clickhouse.js';
import { installWithout } from '../support/install-without.js';
import { pollUntil } from '../support/poll-until.js';
import { GATEWAY, startProcess } from '../support/start-process.js';
import { withTemporaryFolder } from '../support/temporary-folder.js';
import { spansIn, withCollector } from '../support/trace-collector.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const KEY = 'qg_only-for-tests';
const CALL = '/api/endpoints/query/functions.invocation-stats?project=secret-project&interval=1day';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

describe('traces', () => {
  it('join a caller’s trace, contain a span for the request and one for its query, and continue in ClickHouse', async () => {
    const requested: IncomingHttpHeaders[] = [];
    await withFakeClickHouse(
      (request, response) => {
        requested.push(request.headers);
        respondWith('{"result":[]}', 0)(request, response);
      },
      async ({ url }) => {
        await withCollector(async (collector, { texts }) => {
          const gateway = startProcess(GATEWAY, {
            PORT: '0',
            API_KEY: KEY,
            CLICKHOUSE_URL: url,
            OTEL_EXPORTER_OTLP_ENDPOINT: collector,
          });
          const [, own = ''] = await gateway.untilWritten(/"message":"ready".*"url":"(http:[^"]+)"/);
          const response = await fetch(own + CALL, {
            headers: { 'X-API-KEY': KEY, traceparent: `00-${TRACE}-${PARENT}-01` },
          });
          await response.arrayBuffer();
          expect(response.status).toBe(200);
          gateway.child.kill('SIGTERM');
          expect(await gateway.ended).toBe(0);
          const spans = await pollUntil('two spans', () => {
            const found = spansIn(texts);
            return found.length >= 2 ? found : undefined;
          });
          const request = spans.find(({ name }) => name === 'GET functions.invocation-stats');
          const query = spans.find(({ name }) => name === 'ClickHouse query');
          expect(request).toMatchObject({ traceId: TRACE, parentSpanId: PARENT });
          expect(query).toMatchObject({ traceId: TRACE, parentSpanId: request?.spanId });
          const sent = requested.map(({ traceparent }) => traceparent).find((header) => header !== undefined);
          expect(sent).toBe(`00-${TRACE}-${query?.spanId ?? ''}-01`);
          expect(texts.join()).not.toMatch(/secret-project|qg_only/);
        });
      },
    );
  }, 120_000);
});

describe('an installation without the packages of OpenTelemetry', () => {
  it('serves if tracing is not configured; otherwise fails to start, with the command that installs them', async () => {
    await withTemporaryFolder(async (folder) => {
      const main = [await installWithout('@opentelemetry', folder), 'serve'];
      await withFakeClickHouse(respondWith('{"result":[]}', 0), async ({ url: CLICKHOUSE_URL }) => {
        const environment = { PORT: '0', API_KEY: KEY, CLICKHOUSE_URL };
        const serving = startProcess(main, environment);
        await serving.untilWritten(/"message":"ready"/);
        serving.child.kill('SIGTERM');
        expect(await serving.ended).toBe(0);

        const rejected = startProcess(main, {
          ...environment,
          OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
        });
        expect(await rejected.ended).toBe(1);
        const { peerDependencies } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8')) as {
          peerDependencies: Record<string, string>;
        };
        const packages = Object.entries(peerDependencies).map((entry) => entry.join('@'));
        expect(rejected.stderr()).toBe(
          'querygate can’t start: OTEL_EXPORTER_OTLP_ENDPOINT is set, but the OpenTelemetry packages are not installed. ' +
            `Run: npm install --no-save --save-prod --omit=dev ${packages.join(' ')}\n`,
        );
      });
    });
  }, 120_000);
});

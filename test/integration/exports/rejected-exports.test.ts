import { Links } from '../../../src/gateway/auth/links.js';
import { asPrincipal } from '../../../src/gateway/auth/key-file.js';
import { pollUntil } from '../../support/poll-until.js';
import { exchange } from '../../support/raw-exchange.js';
import { ExportingGateway, KEYS } from '../../support/exporting-gateway.js';
import type { Received } from '../../support/listening-gateway.js';
import { openForAll } from '../../support/opened.js';

const gateway = openForAll(() => ExportingGateway.open());

const problemIn = ({ status, body }: Received): string => {
  const { code, detail } = JSON.parse(body.toString()) as { readonly code: string; readonly detail: string };
  return `${status} ${code}: ${detail}`;
};

describe('an export is rejected', () => {
  it.each([
    [
      'of an endpoint without exports',
      'none?n=1&export=1',
      {},
      '403 EXPORT_NOT_ALLOWED: This endpoint has no exports',
    ],
    [
      'of an endpoint with a limit of its own',
      'limited?n=1&export=1',
      {},
      '403 EXPORT_NOT_ALLOWED: This endpoint has a limit of its own, 5 rows',
    ],
    [
      'with a key that may not export',
      'few?n=1&export=1',
      { key: KEYS.reader },
      '403 EXPORT_NOT_ALLOWED: This key may not export',
    ],
    [
      'with SQL of the caller’s own',
      `few?n=1&export=1&sql=${encodeURIComponent('SELECT 1 FROM result')}`,
      {},
      '400 INVALID_PARAMETERS: Invalid parameters: export is not possible with sql',
    ],
    [
      'with another value than 1',
      'few?n=1&export=all',
      {},
      '400 INVALID_PARAMETERS: Invalid parameters: export must be 1, 0, true or false',
    ],
    [
      'that is sent in a body',
      'few',
      { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"n": 1, "export": 1}' },
      '400 INVALID_PARAMETERS: Invalid parameters: export belongs in the query string',
    ],
    [
      'as prometheus, whose names would be checked too late',
      'metrics?n=1&export=1&format=prometheus',
      {},
      '406 NOT_ACCEPTABLE: prometheus has no exports. Omit export.',
    ],
    [
      'as Parquet, whose cost is not known, where the cost is limited',
      'few?n=1&export=1&format=parquet',
      { key: KEYS.limited },
      '406 NOT_ACCEPTABLE: An export as parquet does not report its cost',
    ],
  ])('%s', async (_what, call, options, expected) => {
    expect(problemIn(await gateway.receive(call, options))).toContain(expected);
  });

  it('with HTTP/1.0, where a transfer that is broken off looks complete', async () => {
    const { port } = new URL(gateway.gateway.url);
    for (const method of ['GET', 'HEAD']) {
      const [response] = await exchange(
        Number(port),
        `${method} /api/endpoints/query/few?n=1&export=1 HTTP/1.0\r\nHost: a\r\nX-API-KEY: ${KEYS.exporter}\r\n\r\n`,
      );
      expect(response?.status).toBe(505);
      if (method === 'GET') expect(response?.body).toContain('proxy_http_version 1.1');
    }
  });

  it('once the limit of what its key reads is used up, which exports use too', async () => {
    const statuses: number[] = [];
    for (let call = 0; call < 2; call += 1) {
      statuses.push((await gateway.receive('rows?n=5000&export=1', { key: KEYS.limited })).status);
    }
    expect(statuses).toEqual([200, 429]);
  });

  it.each([
    ['that fails', 'rows?n=399999&failing=390000&format=csv&export=1', undefined],
    [
      'that the client leaves',
      'rows?n=399999&format=csv&export=1',
      (stop: () => void): void => {
        stop();
      },
    ],
  ])(
    'once the limit is used up by an export %s, which counts the rows that were sent',
    async (_how, call, beforeBody) => {
      const own = await ExportingGateway.open();
      try {
        const { status, isComplete } = await own.receive(call, {
          key: KEYS.limited,
          ...(beforeBody && { beforeBody }),
        });
        expect([status, isComplete]).toEqual([200, false]);
        // What asks for an export would be charged itself.
        await pollUntil('it is charged', async () => {
          const keys = await (await fetch(`${String(own.gateway.adminUrl)}/keys`)).text();
          return Number(/"counted":"rowsRead".*?"used":(\d+)/.exec(keys)?.[1]) > 1000 || undefined;
        });
        expect((await own.receive('few?n=1&export=1', { key: KEYS.limited })).status).toBe(429);
      } finally {
        await own.close();
      }
    },
  );

  it('neither where the caller does not ask for one, nor with export=0', async () => {
    for (const call of ['few?n=1', 'few?n=1&export=0', 'few?n=1&export=']) {
      const { status, headers } = await gateway.receive(call, { key: KEYS.reader });
      expect([status, headers['x-ignored-parameters']]).toEqual([200, undefined]);
    }
  });
});

describe('a signed link', () => {
  const links = new Links('a secret for links in tests, long enough');
  const sign = (
    keyName: 'exporter' | 'reader',
    endpointName: string,
    parameters: Record<string, string>,
  ): string => {
    const endpoint = gateway.gateway.endpoints.find(endpointName);
    if (!endpoint) throw new Error(`no endpoint ${endpointName}`);
    const key = asPrincipal({
      name: keyName,
      sha256: [],
      ...(keyName === 'exporter' && { mayExport: true }),
    });
    const nowMs = Date.now();
    return links.sign({
      endpoint,
      parameters: new Map(Object.entries(parameters)),
      key,
      nowMs,
      expiresAtMs: nowMs + 60_000,
    });
  };
  const open = async (target: string): Promise<readonly [number, string | null]> => {
    const response = await fetch(gateway.gateway.url + target);
    await response.text();
    return [response.status, response.headers.get('cache-status')];
  };

  it('exports only if it was signed for that', async () => {
    const link = sign('exporter', 'few', { n: '3' });
    expect((await open(link))[0]).toBe(200);
    expect((await open(`${link}&export=1`))[0]).toBe(401);
    const exporting = sign('exporter', 'few', { n: '3', export: '1' });
    expect(await open(exporting)).toEqual([200, 'querygate; fwd=bypass; detail=export']);
    expect((await open(exporting.replace('export=1&', '')))[0]).toBe(401);
  });

  it('that its key signs itself exports too', async () => {
    const asked = { endpoint: 'few', parameters: { n: '3', export: '1' }, expiresIn: 60 };
    const response = await fetch(`${gateway.gateway.url}/api/links`, {
      method: 'POST',
      headers: { 'X-API-KEY': KEYS.exporter, 'Content-Type': 'application/json' },
      body: JSON.stringify(asked),
    });
    const { link } = (await response.json()) as { link: string };
    expect(await open(link)).toEqual([200, 'querygate; fwd=bypass; detail=export']);
  });

  it('is not signed for an export that its key or its endpoint does not allow', () => {
    expect(() => sign('reader', 'few', { n: '3', export: '1' })).toThrow('The key reader may not export.');
    expect(() => sign('exporter', 'none', { n: '3', export: '1' })).toThrow('none has no exports.');
  });
});

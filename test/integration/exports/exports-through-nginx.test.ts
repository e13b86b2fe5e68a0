import { ExportingGateway, KEYS } from '../../support/exporting-gateway.js';
import * as listening from '../../support/listening-gateway.js';
import { textOf } from '../../support/documentation.js';
import { describeWithNginx, withNginx } from '../../support/nginx.js';
import { exchange } from '../../support/raw-exchange.js';
import { openForAll } from '../../support/opened.js';

const locationsOf = (gateway: string): string => `
    location /buffered/ { proxy_pass ${gateway}/; proxy_http_version 1.1; proxy_buffering on; }
    location /unbuffered/ { proxy_pass ${gateway}/; proxy_http_version 1.1; proxy_buffering off; }
    location /in-memory/ { proxy_pass ${gateway}/; proxy_http_version 1.1; proxy_max_temp_file_size 0; }
    location /old/ { proxy_pass ${gateway}/; proxy_http_version 1.0; }`;

const receive = (url: string, options: listening.ReceiveOptions = {}): Promise<listening.Received> =>
  listening.receive(url, { key: KEYS.exporter, ...options });

describeWithNginx('an export through nginx', () => {
  const gateway = openForAll(() => ExportingGateway.open());

  it.each(['buffered', 'unbuffered', 'in-memory'])(
    'that is %s, is whole or visibly broken, compressed or not',
    async (location) => {
      await withNginx(locationsOf(gateway.gateway.url), async (url) => {
        const query = `${url}/${location}/api/endpoints/query`;
        for (const encoding of ['identity', 'gzip']) {
          const headers = { 'Accept-Encoding': encoding };
          const call = 'rows?n=100000&format=csv&export=1';
          const direct = await gateway.receive(call, { headers });
          const whole = await receive(`${query}/${call}`, { headers });
          expect([whole.status, whole.isComplete]).toEqual([200, true]);
          expect(whole.body.equals(direct.body)).toBe(true);
          const broken = await receive(`${query}/rows?n=399999&failing=390000&format=csv&export=1`, {
            headers,
          });
          expect([broken.status, broken.isComplete]).toEqual([200, false]);
        }
      });
    },
  );

  it('that speaks HTTP/1.0 to the gateway, is rejected with what to set', async () => {
    await withNginx(locationsOf(gateway.gateway.url), async (url) => {
      const { status, body } = await receive(`${url}/old/api/endpoints/query/rows?n=3&export=1`);
      expect([status, body.toString()]).toEqual([505, expect.stringContaining('proxy_http_version 1.1')]);
    });
  });

  describe.each([
    ['deploy/nginx.conf', 'http://gateways'],
    ['src/commands/cli/templates/deploy-systemd/deploy/nginx.conf', 'http://querygate'],
  ])('with the server of %s', (file, upstream) => {
    const serverOf = async (): Promise<string> => {
      const [, body = ''] = /\bserver \{\n([^]*)\n\s*\}/.exec(await textOf(file)) ?? [];
      const inside = upstream === 'http://querygate' ? body : body.replace(/\n\s*\}\s*$/, '');
      return inside
        .replaceAll(/^\s*(?:listen|server_name|ssl_\w+) .*$/gm, '')
        .replaceAll(upstream, gateway.gateway.url);
    };

    it('is whole by GET and POST, also where its name is not the first parameter', async () => {
      await withNginx(await serverOf(), async (url) => {
        const query = `${url}/api/endpoints/query`;
        const direct = await gateway.receive('rows?n=20000&format=csv&export=1');
        const got = await receive(`${query}/rows?n=20000&format=csv&export=1`);
        const posted = await receive(`${query}/rows?export=1&format=csv`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: '{"n": 20000}',
        });
        for (const { status, isComplete, body } of [got, posted]) {
          expect([status, isComplete, body.equals(direct.body)]).toEqual([200, true, true]);
        }
        expect((await receive(`${query}/rows?n=3`)).status).toBe(200);
      });
    });

    it('is rejected for a client of HTTP/1.0, other calls are not', async () => {
      await withNginx(await serverOf(), async (url) => {
        const statuses: unknown[] = [];
        for (const call of ['few?n=1&export=1', 'few?n=1']) {
          const head = `GET /api/endpoints/query/${call} HTTP/1.0\r\nHost: a\r\nX-API-KEY: ${KEYS.exporter}\r\n\r\n`;
          const [response] = await exchange(Number(new URL(url).port), head);
          statuses.push(response?.status);
        }
        expect(statuses).toEqual([505, 200]);
      });
    });
  });
});

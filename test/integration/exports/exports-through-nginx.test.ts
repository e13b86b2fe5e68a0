import { ExportingGateway, receive } from '../../support/exporting-gateway.js';
import { describeWithNginx, withNginx } from '../../support/nginx.js';

const locationsOf = (gateway: string): string => `
    location /buffered/ { proxy_pass ${gateway}/; proxy_http_version 1.1; proxy_buffering on; }
    location /unbuffered/ { proxy_pass ${gateway}/; proxy_http_version 1.1; proxy_buffering off; }
    location /in-memory/ { proxy_pass ${gateway}/; proxy_http_version 1.1; proxy_max_temp_file_size 0; }
    location /old/ { proxy_pass ${gateway}/; proxy_http_version 1.0; }`;

describeWithNginx('an export through nginx', () => {
  let gateway: ExportingGateway;
  beforeAll(async () => {
    gateway = await ExportingGateway.open();
  });
  afterAll(() => gateway.close());

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
});

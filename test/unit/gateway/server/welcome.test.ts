import { EndpointRegistry } from '../../../../src/endpoint/registry.js';
import { consoleLine, welcome } from '../../../../src/gateway/server/welcome.js';
import { sampleEndpoint } from '../../../support/sample-endpoint.js';

const gatewayWith = (count: number): Parameters<typeof welcome>[0] => ({
  url: 'http://127.0.0.1:8080',
  adminUrl: undefined,
  sqlUrl: undefined,
  endpoints: new EndpointRegistry(
    Array.from({ length: count }, (_, index) =>
      sampleEndpoint({
        id: `11111111-2222-4333-8444-0000000000${String(index).padStart(2, '0')}`,
        name: `sample.${index}`,
        example: index === 0 ? {} : { city: "L'Aquila & Co" },
      }),
    ),
  ),
  generatedKey: 'qg_key',
  hasClickHouse: true,
});

describe('welcome', () => {
  it('prints a command for each endpoint that a shell runs as it is', () => {
    expect(welcome(gatewayWith(2)).match(/^ {2}curl.*$/gm)).toEqual([
      "  curl -s -H 'X-API-KEY: qg_key' 'http://127.0.0.1:8080/api/endpoints/query/sample.0'",
      "  curl -s -H 'X-API-KEY: qg_key' 'http://127.0.0.1:8080/api/endpoints/query/sample.1?city=L%27Aquila+%26+Co'",
    ]);
  });

  it('prints ten commands of many endpoints, and how many more there are', () => {
    const text = welcome(gatewayWith(12));
    expect(text.match(/^ {2}curl/gm)).toHaveLength(10);
    expect(text).toContain('… and 2 more endpoints: see http://127.0.0.1:8080');
  });

  it('says where tables for BI tools are, and that no endpoint is one', () => {
    const tables = 'Tables for BI tools are on http://127.0.0.1:8124';
    expect(welcome(gatewayWith(1))).not.toContain('BI tools');
    const text = welcome({ ...gatewayWith(1), sqlUrl: 'http://127.0.0.1:8124' });
    expect(text).toContain(tables);
    expect(text).toContain('No endpoint has tables: true yet.');
  });
});

describe('consoleLine', () => {
  it('has the key that the gateway made, and none of its configuration', () => {
    const gateway = gatewayWith(1);
    expect(consoleLine(gateway)).toBe(
      'Open http://127.0.0.1:8080/#key=qg_key to run the endpoints in a browser.\n',
    );
    expect(consoleLine({ ...gateway, generatedKey: undefined })).toMatch(
      /^Open http:\/\/127\.0\.0\.1:8080\/ to/,
    );
  });
});

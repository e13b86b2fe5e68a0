import { fuzz } from '../support/fuzz.js';
import { withSettings } from '../../src/endpoint/endpoint.js';
import { invalidParameters } from '../../src/gateway/query/validate-parameters.js';
import { keyNamed, withAccess, type KeyRights } from '../support/access-gateway.js';
import { LINK_SECRET } from '../support/test-credentials.js';
import { referenceEndpoints } from '../support/reference-project.js';

const KEYS: KeyRights = {
  free: { mayBypassCache: true, mayUseQueryString: true },
  tenant: { fixed: { project: 'aurora' }, addresses: ['127.0.0.1'] },
};
const environment = {
  LINK_SECRET,
  JWT_SECRET: 'a secret for tokens in tests, long enough',
  JWT_ISSUER: 'https://app.example',
  TRUST_PROXY: 'loopback',
};

it('no parameters or headers cause an unexpected error', async () => {
  const loaded = (await referenceEndpoints()).all();
  const endpoints = loaded.map((endpoint) => withSettings(endpoint, { sandboxing: 'enabled' }));
  const checkSql = (_endpoint: unknown, sql: string) =>
    sql.length % 2 === 0
      ? Promise.resolve({ text: 'SELECT 1', reads: [] })
      : Promise.reject(invalidParameters([{ param: 'sql', problem: 'is odd' }]));
  await withAccess({ keys: KEYS, environment, endpoints, checkSql }, async (gateway) => {
    const keys = Object.keys(KEYS).map(keyNamed);
    const { violations, statuses } = await fuzz(gateway.url(), { keys, endpoints, seconds: 0 });
    expect(violations).toEqual([]);
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '400', '401', '403']));
    const errors = gateway.logger.lines.filter(({ level }) => level === 'error');
    const codes = new Set(errors.map(({ fields }) => fields['code']));
    expect([...codes]).toEqual([]);
  });
});

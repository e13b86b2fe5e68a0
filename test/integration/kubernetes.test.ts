import path from 'node:path';
import { stringify } from 'yaml';

import { hashApiKey } from '../../src/gateway/auth/api-key.js';
import { withEmptyDatabase, type EmptyDatabase } from '../support/empty-database.js';
import { Manifests } from '../support/kubernetes-manifests.js';
import { MountedConfigMap } from '../support/mounted-config-map.js';
import { pollUntil } from '../support/poll-until.js';
import { runCli } from '../support/run-cli.js';
import type { RunningProcess } from '../support/start-process.js';
import { makeTemporaryFolder } from '../support/temporary-folder.js';
import { urlOf, withGateway } from '../support/with-gateway.js';

const FILE = 'views.by-path.sql';
const CALL = '/api/endpoints/query/views.by-path?site=shop.example.com';

const manifests = await Manifests.read();
const dataOf = (name: string): Readonly<Record<string, string>> =>
  manifests.named('ConfigMap', name).data ?? {};

const FILES = manifests.filesOf('gateway', 'endpoints');

let mounts: { readonly path: string; readonly remove: () => Promise<void> };
let endpoints: MountedConfigMap;
let keys: MountedConfigMap;

beforeAll(async () => {
  mounts = await makeTemporaryFolder();
  const at = (folder: string): string => path.join(mounts.path, folder);
  endpoints = await MountedConfigMap.mount(at('endpoints'), FILES);
  await MountedConfigMap.mount(at('settings'), manifests.filesOf('gateway', 'settings'));
  await MountedConfigMap.mount(at('clickhouse-schema'), manifests.filesOf('migrate', 'schema'));
  const { stringData = {} } = manifests.named('Secret', 'querygate-keys');
  keys = await MountedConfigMap.mount(at('keys'), stringData);
});

afterAll(() => mounts.remove());

/** The variables of the pods, with this run's ClickHouse. */
const environmentOf = ({ connection }: EmptyDatabase): Readonly<Record<string, string>> => ({
  ...dataOf('querygate'),
  PROJECT_DIR: mounts.path,
  ENDPOINT_SETTINGS_FILE: path.join(mounts.path, 'settings/endpoint-settings.json'),
  CLICKHOUSE_URL: connection.url,
  CLICKHOUSE_DATABASE: connection.database,
  CLICKHOUSE_USER: connection.username,
  CLICKHOUSE_PASSWORD: connection.password,
  CLICKHOUSE_LOG_USER: connection.username,
  CLICKHOUSE_LOG_PASSWORD: connection.password,
  API_KEYS_FILE: path.join(keys.folder, 'keys.yaml'),
  ADMIN_HOST: '127.0.0.1',
  ADMIN_PORT: '0',
  API_KEY: 'operator',
});

const get = (url: string, key: string): Promise<Response> => fetch(url, { headers: { 'X-API-KEY': key } });

it('serves a project of init --deploy kubernetes as kubelet mounts it, and takes over changed endpoints and keys', async () => {
  await withEmptyDatabase(async (database) => {
    const environment = environmentOf(database);
    expect((await runCli(['migrate'], environment)).code).toBe(0);
    await database.client.insert({
      table: `${database.connection.database}.page_views`,
      values: [{ timestamp: new Date().toISOString().slice(0, 19), site: 'shop.example.com', path: '/cart' }],
      format: 'JSONEachRow',
    });
    await withGateway(environment, async (gateway) => {
      const url = await urlOf(gateway);
      const [container] = manifests.pods().get('gateway')?.spec?.containers ?? [];
      for (const probe of [container?.startupProbe, container?.readinessProbe, container?.livenessProbe]) {
        expect((await fetch(url + (probe?.httpGet?.path ?? '/none'))).status).toBe(200);
      }
      const response = await get(url + CALL, 'operator');
      expect(await response.json()).toMatchObject({ result: [{ path: '/cart', views: 1 }] });
      // Of a file in a folder, whose name no key of a ConfigMap has.
      expect((await get(url + CALL.replace('?', '@2?'), 'operator')).status).toBe(200);

      await changeKeys(url);
      await changeEndpoints(url, gateway);
    });
  });
});

async function changeKeys(url: string): Promise<void> {
  expect((await get(url + CALL, 'tenant')).status).toBe(401);
  const key = { name: 'tenant', sha256: [hashApiKey('tenant')], fixed: { site: 'shop.example.com' } };
  await keys.change({ 'keys.yaml': stringify({ keys: [key] }) });
  await pollUntil('the new key is valid', async () => (await get(url + CALL, 'tenant')).ok || undefined);
}

async function changeEndpoints(url: string, gateway: RunningProcess): Promise<void> {
  const [, adminUrl = ''] = await gateway.untilWritten(/"admin API ready".*"url":"(http:[^"]+)"/);
  const reload = (): Promise<Response> => fetch(`${adminUrl}/endpoints/reload`, { method: 'POST' });
  const { [FILE]: text = '' } = FILES;
  await endpoints.change({ ...FILES, [FILE]: text.replace('count() AS views', '2 * count() AS views') });
  expect((await reload()).status).toBe(200);
  const changed = await get(url + CALL, 'operator');
  expect(await changed.json()).toMatchObject({ result: [{ path: '/cart', views: 2 }] });
  await endpoints.change({ ...FILES, [FILE]: text.replace('SELECT', 'SELECT [[') });
  expect((await reload()).status).toBe(422);
  expect((await get(url + CALL, 'operator')).status).toBe(200);
}

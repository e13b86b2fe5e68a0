import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { EnvFromSource, SecretKeySelector, Volume } from 'kubernetes-types/core/v1.js';

import { readConfig } from '../../../src/gateway/config/config.js';
import { VARIABLES } from '../../../src/gateway/config/variables.js';
import { readSqlEndpoint } from '../../support/read-sql-endpoint.js';
import { memoryNeeds } from '../../../src/gateway/server/memory-needs.js';
import { textOf } from '../../support/documentation.js';
import { Manifests } from '../../support/kubernetes-manifests.js';
import { problemsBySchema } from '../../support/kubernetes-schema.js';
import { withTemporaryFolder } from '../../support/temporary-folder.js';

const manifests = await Manifests.read();
const pods = [...manifests.pods()];
const gateway = manifests.pods().get('gateway')?.spec;
const container = gateway?.containers[0];
const { data: variables = {} } = manifests.named('ConfigMap', 'querygate');
const dockerfile = await textOf('Dockerfile');
const { version } = JSON.parse(await textOf('package.json')) as { readonly version: string };

describe('the schema of Kubernetes', () => {
  it('accepts every object of deploy/kubernetes', () => {
    expect(manifests.all.map(({ file }) => file)).toContain('gateway.yaml');
    expect(problemsBySchema(manifests.all)).toEqual([]);
  });

  it.each([
    ['an unknown field', { spec: { replica: 2 } }, /^"replica": 2 .*'"replica"' does not exist in type/],
    [
      'a text instead of a number',
      { spec: { replicas: '2' } },
      /^"replicas": "2".*not assignable to type 'number'/,
    ],
    ['another version', { apiVersion: 'apps/v1beta1' }, /^"apiVersion": "apps\/v1beta1".*not assignable/],
    [
      'an unknown field far down',
      podWith({ livenessProb: {} }),
      /^"livenessProb": .*not exist in type 'Container'/,
    ],
  ])('rejects %s', (_, change, problem) => {
    const content = { ...manifests.named('Deployment', 'querygate'), ...change };
    const problems = problemsBySchema([{ apiVersion: 'apps/v1', kind: 'Deployment', content }]);
    expect(problems).toContainEqual(expect.stringMatching(problem));
  });

  it('rejects a kind that there is not', () => {
    const content = { apiVersion: 'apps/v1', kind: 'Deploiment' };
    expect(problemsBySchema([{ ...content, content }])).toHaveLength(1);
  });
});

describe('the pods', () => {
  it.each(pods)('%s: sets variables that the gateway has, and refers to what is there', (_, { spec }) => {
    const known = Object.keys((VARIABLES.describe() as { readonly keys: object }).keys);
    for (const { env = [], envFrom = [], volumeMounts = [] } of spec?.containers ?? []) {
      const names = [...envFrom.flatMap(keysFrom), ...env.map(({ name }) => name)];
      expect(known).toEqual(expect.arrayContaining(names));
      for (const { valueFrom } of env) expect(isThere(valueFrom?.secretKeyRef)).toBe(true);
      const volumes = spec?.volumes ?? [];
      expect(volumeMounts.map(({ name }) => name).sort()).toEqual(volumes.map(({ name }) => name).sort());
      for (const volume of volumes) expect(filesIn(volume)).not.toEqual([]);
    }
  });

  it.each(pods)('%s: has the rights that the profile “restricted” of Kubernetes permits', (_, { spec }) => {
    expect(spec?.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(spec?.containers[0]?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it.each(pods)(
    '%s: runs the image of this version, and mounts the project where it expects it',
    (_, { spec }) => {
      expect(spec?.containers[0]?.image).toBe(`registry.example.com/querygate:${version}`);
      const [, project = ''] = /PROJECT_DIR=(\S+)/.exec(dockerfile) ?? [];
      const paths = spec?.containers[0]?.volumeMounts?.map(({ mountPath }) => mountPath);
      expect(paths).toEqual(
        expect.arrayContaining([`${project}/endpoints`, `${project}/clickhouse-schema`, '/tmp']),
      );
    },
  );

  it('keeps the administrator’s password out of the gateways', () => {
    const references = JSON.stringify(gateway);
    expect(references).not.toContain('querygate-migrate');
    expect(manifests.named('ConfigMap', 'querygate').data?.['CLICKHOUSE_USER']).toBe('querygate');
  });
});

describe('the gateway', () => {
  it('listens on the ports that the manifests name, and only the public one is in the Service', () => {
    const [, port = ''] = /^ +PORT=(\d+)$/m.exec(dockerfile) ?? [];
    expect(container?.ports).toEqual([
      { name: 'http', containerPort: Number(port) },
      { name: 'admin', containerPort: Number(variables['ADMIN_PORT']) },
    ]);
    const [service, ...others] = manifests.ofKind('Service');
    expect([service?.spec?.ports, others]).toEqual([[{ name: 'http', port: 80, targetPort: 'http' }], []]);
  });

  it('serves tables once the lines about them are uncommented', async () => {
    const edited = await Manifests.read(undefined, (text) =>
      text.replaceAll(/# (?=SQL_PORT|- \{ name: sql|- ports: \[\{ port: sql)/g, ''),
    );
    const port = Number(edited.named('ConfigMap', 'querygate').data?.['SQL_PORT']);
    expect(port).toBeGreaterThan(0);
    expect(edited.pods().get('gateway')?.spec?.containers[0]?.ports?.at(-1)).toEqual({
      ...{ name: 'sql', containerPort: port },
    });
    expect(edited.named('Service', 'querygate').spec?.ports?.at(-1)).toEqual({
      ...{ name: 'sql', port, targetPort: 'sql' },
    });
    expect(edited.named('NetworkPolicy', 'querygate').spec?.ingress).toContainEqual({
      ports: [{ port: 'sql' }],
    });
    expect(dockerfile).toContain('SQL_HOST=0.0.0.0');
  });

  it('is what the Service, the budget and the policy select', () => {
    const labels = manifests.pods().get('gateway')?.metadata?.labels;
    expect([
      manifests.named('Deployment', 'querygate').spec?.selector.matchLabels,
      manifests.named('Service', 'querygate').spec?.selector,
      manifests.named('PodDisruptionBudget', 'querygate').spec?.selector?.matchLabels,
      manifests.named('NetworkPolicy', 'querygate').spec?.podSelector.matchLabels,
      gateway?.topologySpreadConstraints?.[0]?.labelSelector?.matchLabels,
    ]).toEqual([labels, labels, labels, labels, labels]);
  });

  it('has time to finish its requests after SIGTERM', () => {
    const [, seconds = 'none'] = container?.lifecycle?.preStop?.exec?.command ?? [];
    const least = Number(seconds) + Number(variables['SHUTDOWN_TIMEOUT_SECONDS']) + 10;
    expect(gateway?.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(least);
  });

  it('has more memory than its cache and its queries need', () => {
    const [, gibibytes = ''] = /^(\d+)Gi$/.exec(container?.resources?.limits?.['memory'] ?? '') ?? [];
    const sizes = ['CACHE_MEMORY_MB', 'MAX_CONCURRENT_QUERIES', 'QUERY_MAX_RESULT_BYTES'];
    const { maxMemoryMb } = memoryNeeds(
      readConfig(Object.fromEntries(sizes.map((name) => [name, variables[name]]))),
    );
    expect(Number(gibibytes) * 1024).toBeGreaterThan(maxMemoryMb);
  });
});

describe('the example project', () => {
  it('has a valid endpoint in each file, of the file’s name', () => {
    const files = Object.entries(manifests.filesOf('gateway', 'endpoints'));
    expect(files.map(([, text]) => `${readSqlEndpoint(text).name}.sql`)).toEqual(
      files.map(([file]) => path.basename(file)),
    );
  });

  it('has every file under a key that Kubernetes accepts, at its path in the pods', async () => {
    await withTemporaryFolder(async (folder) => {
      const files = {
        ...{ 'one@2.sql': '1', 'one.sql': '2', 'né e\'s "q".sql': '3', '_shared.ts': '4' },
        ...{ 'shop/one@2.sql': '5', 'shop/_40_.sql': '6', '.one.sql.swp': '', 'node_modules/a.js': '' },
      };
      for (const [file, text] of Object.entries(files)) {
        await mkdir(path.dirname(path.join(folder, 'endpoints', file)), { recursive: true });
        await writeFile(path.join(folder, 'endpoints', file), text);
      }
      await mkdir(path.join(folder, 'clickhouse-schema'));
      await writeFile(path.join(folder, 'clickhouse-schema/0001_a b.sql'), 'SELECT 1');
      const written = await Manifests.read(folder);
      expect(problemsBySchema(written.all)).toEqual([]);
      for (const pod of ['gateway', 'migrate']) {
        expect(written.filesOf(pod, 'endpoints')).toEqual(
          Object.fromEntries(Object.entries(files).filter(([, text]) => text !== '')),
        );
        expect(written.filesOf(pod, 'schema')).toEqual({ '0001_a b.sql': 'SELECT 1' });
      }
      for (const name of ['querygate-endpoints', 'querygate-schema']) {
        // As ValidateConfigMap of Kubernetes.
        for (const key of written.keysOf('ConfigMap', name))
          expect(key).toMatch(/^(?!\.\.)[-._a-zA-Z0-9]{1,253}$/);
      }
    });
  });
});

/** The variables that a container takes from a whole ConfigMap or Secret. */
function keysFrom({ configMapRef, secretRef }: EnvFromSource): readonly string[] {
  return configMapRef
    ? manifests.keysOf('ConfigMap', configMapRef.name)
    : manifests.keysOf('Secret', secretRef?.name);
}

/** Whether a variable is a literal, or its Secret has the key. */
function isThere(reference: SecretKeySelector | undefined): boolean {
  return reference === undefined || manifests.keysOf('Secret', reference.name).includes(reference.key);
}

/** The files of a volume; those of a new folder are not known. */
function filesIn({ configMap, secret, emptyDir }: Volume): readonly string[] {
  if (emptyDir) return ['…'];
  return configMap
    ? manifests.keysOf('ConfigMap', configMap.name)
    : manifests.keysOf('Secret', secret?.secretName);
}

/** A Deployment’s spec with a change in the container. */
function podWith(change: object): object {
  const { spec } = manifests.named('Deployment', 'querygate');
  const containers = [{ ...container, ...change }];
  return { spec: { ...spec, template: { ...spec?.template, spec: { ...gateway, containers } } } };
}

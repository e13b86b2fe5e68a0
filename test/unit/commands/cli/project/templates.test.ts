import { parse } from 'yaml';

import { newEndpointFile, readTemplates } from '../../../../../src/commands/cli/project/templates.js';
import { VARIABLES } from '../../../../../src/gateway/config/variables.js';
import { PACKAGE_FOLDER, readVersion } from '../../../../../src/package-files.js';

const variables = Object.keys((VARIABLES.describe() as { readonly keys: object }).keys);

describe.each(['own-clickhouse', 'existing-clickhouse'] as const)('the templates of %s', (name) => {
  it('have a docker-compose.yml that sets variables of the gateway only, and an .env.example with all that it needs', async () => {
    const files = new Map((await readTemplates(name)).map(({ path, text }) => [path, text]));
    const compose = files.get('docker-compose.yml') ?? '';
    const { services } = parse(compose, { merge: true }) as {
      readonly services: Readonly<
        Record<string, { readonly image: string; readonly environment: Readonly<Record<string, unknown>> }>
      >;
    };
    expect(Object.keys(services).sort()).toEqual(
      name === 'own-clickhouse' ? ['clickhouse', 'gateway', 'migrate', 'redis'] : ['gateway', 'redis'],
    );
    expect(services['gateway']?.image).toContain(`querygate:${readVersion()}`);
    const set = Object.keys(services['gateway']?.environment ?? {});
    expect(set.filter((variable) => !variables.includes(variable))).toEqual([]);
    const required = [...compose.matchAll(/\$\{([A-Z_]+):\?/g)].map(([, variable = '']) => variable);
    const example = files.get('.env.example') ?? '';
    expect(required.filter((variable) => !example.includes(`\n${variable}=`))).toEqual([]);
    expect(files.get('README.md')).toContain(`querygate:${readVersion()}`);
  });

  it('have a docker-compose.yml that serves a keys file and tables once the lines about them are uncommented', async () => {
    const files = new Map((await readTemplates(name)).map(({ path, text }) => [path, text]));
    const uncommented = files
      .get('docker-compose.yml')
      ?.replaceAll(/#(?=API_KEYS_FILE:|SQL_PORT:|- \.\/keys:|- '127)/g, '');
    const { services } = parse(uncommented ?? '', { merge: true }) as {
      readonly services: { readonly gateway: { readonly environment: object; readonly volumes: object } };
    };
    expect(services.gateway).toMatchObject({
      environment: { API_KEYS_FILE: 'keys/keys.yaml', SQL_PORT: 8124 },
      ports: ['127.0.0.1:${GATEWAY_PORT:-8080}:8080', '127.0.0.1:8124:8124'],
      volumes: expect.arrayContaining(['./keys:/project/keys:ro']) as unknown,
    });
  });
});

describe('the templates of every project', () => {
  it('depend on what runs, and leave .env and data out of git', async () => {
    const files = new Map((await readTemplates('project')).map(({ path, text }) => [path, text]));
    expect([...files.keys()].sort()).toEqual([
      '.gitignore',
      'endpoint-settings.json',
      'package.json',
      'tsconfig.json',
    ]);
    const { dependencies } = JSON.parse(files.get('package.json') ?? '{}') as {
      readonly dependencies: object;
    };
    // The tests run in a clone, which no registry has.
    expect(dependencies).toEqual({ querygate: `file:${PACKAGE_FOLDER}` });
    expect(files.get('.gitignore')?.split('\n')).toEqual(expect.arrayContaining(['.env', '.data/']));
  });
});

describe('a new endpoint file', () => {
  it.each(['sql', 'ts'] as const)('in %s has the name, and an id of its own each time', async (form) => {
    const files = [
      await newEndpointFile('orders.by-day', form),
      await newEndpointFile('orders.by-day', form),
    ];
    const ids = files.map(({ text }) => /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(text)?.[0]);
    expect(files[0]?.path).toBe(`endpoints/orders.by-day.${form}`);
    expect(files[0]?.text).toMatch(/name: '?orders\.by-day/);
    expect(ids).not.toContain('00000000-0000-4000-8000-000000000000');
    expect(new Set(ids).size).toBe(2);
  });
});

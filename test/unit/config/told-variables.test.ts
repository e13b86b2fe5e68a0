import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

import { VARIABLES } from '../../../src/config/variables.js';

const textOf = (file: string): Promise<string> =>
  readFile(fileURLToPath(new URL(`../../../${file}`, import.meta.url)), 'utf8');

interface Variable {
  readonly type: string;
  readonly rules?: readonly { readonly name: string; readonly args?: { readonly limit?: unknown } }[];
}
const variables = (VARIABLES.describe() as { readonly keys: Readonly<Record<string, Variable>> }).keys;
const readme = await textOf('README.md');

const namesIn = (text: string): readonly string[] =>
  [...text.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => name);

describe('docker-compose.yml', () => {
  it('passes every variable on to the gateway, but for those that the README calls fixed', async () => {
    const compose = parse(await textOf('docker-compose.yml'), { merge: true }) as {
      readonly services: {
        readonly gateway: { readonly environment: Readonly<Record<string, string | number | null>> };
      };
    };
    const { environment } = compose.services.gateway;
    const isPassedOn = (name: string): boolean =>
      environment[name] === null || String(environment[name]).startsWith(`\${${name}:`);
    const fixed = namesIn(/Fixed there,[^;]*;/.exec(readme)?.[0] ?? '');
    const notPassedOn = Object.keys(variables).filter((name) => !isPassedOn(name));
    expect(notPassedOn.sort()).toEqual([...fixed].sort());
    expect(Object.keys(environment).filter((name) => !(name in variables))).toEqual([]);
  });
});

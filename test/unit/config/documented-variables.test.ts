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
  it('passes every variable to the gateway except those that the README calls fixed', async () => {
    const compose = parse(await textOf('docker-compose.yml'), { merge: true }) as {
      readonly services: {
        readonly gateway: { readonly environment: Readonly<Record<string, string | number | null>> };
      };
    };
    const { environment } = compose.services.gateway;
    const isPassedOn = (name: string): boolean =>
      environment[name] === null || String(environment[name]).startsWith(`\${${name}:`);
    const fixed = namesIn(/Fixed there,[^.]*\./.exec(readme)?.[0] ?? '');
    const notPassedOn = Object.keys(variables).filter((name) => !isPassedOn(name));
    expect(notPassedOn.sort()).toEqual([...fixed].sort());
    expect(Object.keys(environment).filter((name) => !(name in variables))).toEqual([]);
  });
});

describe('the README', () => {
  it('documents the range of every number that has one', () => {
    const documented = [...readme.matchAll(/`([A-Z_]+)` (over )?([\d.]+)\s+to\s+([\d.]*\d)/g)].map(
      ([, name = '', over, least, most]) => [name, `${over ?? ''}${least} to ${most}`] as const,
    );
    const bounded = Object.entries(variables).filter(([name]) => rangeOf(name) !== undefined);
    expect([...documented].sort()).toEqual(bounded.map(([name]) => [name, rangeOf(name)]).sort());
  });
});

describe('docs/limits.md', () => {
  it('documents the constraints of the read-only user', async () => {
    const [users, limits] = await Promise.all([
      textOf('clickhouse-schema/users.d/querygate.xml'),
      textOf('docs/limits.md'),
    ]);
    const ceilings = [...users.matchAll(/<max>(\d+)<\/max>/g)].map(([, ceiling = '']) => ceiling);
    expect(ceilings.filter((ceiling) => !new RegExp(`\\b${ceiling}\\b`).test(limits))).toEqual([]);
    expect(ceilings).toHaveLength(6);
  });
});

/** The range of a number that has a maximum; undefined for anything else. */
function rangeOf(name: string): string | undefined {
  const { type, rules = [] } = variables[name] ?? {};
  const limitOf = (rule: string): unknown => rules.find((one) => one.name === rule)?.args?.limit;
  const [least, most] = [limitOf('min'), limitOf('max')];
  if (type !== 'number' || typeof most !== 'number') return undefined;
  return typeof least === 'number' ? `${least} to ${most}` : `over 0 to ${most}`;
}

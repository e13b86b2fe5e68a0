import { parse } from 'yaml';

import { VARIABLES } from '../../../../src/gateway/config/variables.js';
import { codesIn, tableRows, textOf } from '../../../support/documentation.js';

interface Variable {
  readonly type: string;
  readonly flags?: { readonly default?: string | number };
  readonly rules?: readonly { readonly name: string; readonly args?: { readonly limit?: unknown } }[];
}
const { keys } = VARIABLES.describe() as { readonly keys: Readonly<Record<string, Variable>> };
// What has no effect is not documented.
const variables = Object.fromEntries(Object.entries(keys).filter(([name]) => name !== 'WORKERS'));
const documented = tableRows(await textOf('docs/reference/configuration.md'), /^`[A-Z_]+`$/).map(
  ([name = '', defaultValue, meaning = '']) => ({
    name: codesIn(name)[0] ?? '',
    defaultValue,
    range: /^(?:over )?[\d.]+ to [\d.]*\d/.exec(meaning)?.[0],
  }),
);

describe('docker-compose.yml', () => {
  it('passes every variable on to the gateway, except those that docs/how-to/staging-stack.md lists', async () => {
    const compose = parse(await textOf('docker-compose.yml'), { merge: true }) as {
      readonly services: {
        readonly gateway: { readonly environment: Readonly<Record<string, string | number | null>> };
      };
    };
    const { environment } = compose.services.gateway;
    const isPassedOn = (name: string): boolean =>
      environment[name] === null || String(environment[name]).includes(`\${${name}:`);
    const page = await textOf('docs/how-to/staging-stack.md');
    const setByStack = codesIn(/The stack sets[^.]*\./.exec(page)?.[0]);
    const notPassedOn = Object.keys(variables).filter((name) => !isPassedOn(name));
    expect(notPassedOn.sort()).toEqual([...setByStack].sort());
    expect(Object.keys(environment).filter((name) => !(name in variables))).toEqual([]);
  });
});

describe('docker-compose.yml, for migrate', () => {
  it('decides as the gateway whether there is a request log, so that grants include its endpoint', async () => {
    type Environment = Readonly<Record<string, string | null>>;
    const { services } = parse(await textOf('docker-compose.yml'), { merge: true }) as {
      readonly services: Readonly<Record<'gateway' | 'migrate', { readonly environment: Environment }>>;
    };
    const requestLogOf = ({ CLICKHOUSE_LOG_USER: user, REQUEST_LOG: requestLog }: Environment): object => ({
      user,
      requestLog,
    });
    expect(requestLogOf(services.migrate.environment)).toEqual({ user: 'querygate_log', requestLog: null });
    expect(requestLogOf(services.gateway.environment)).toEqual({ user: 'querygate_log', requestLog: null });
  });
});

describe('docs/reference/configuration.md', () => {
  it('lists every environment variable with its default and its range', () => {
    const expected = Object.keys(variables).map((name) => ({
      name,
      defaultValue: defaultOf(name),
      range: rangeOf(name),
    }));
    expect([...documented].sort(byName)).toEqual(expected.sort(byName));
  });
});

describe('docs/reference/limits.md', () => {
  it('lists the ceilings of the read-only user', async () => {
    const [users, limits] = await Promise.all([
      textOf('clickhouse-schema/users.d/querygate.xml'),
      textOf('docs/reference/limits.md'),
    ]);
    const ceilings = [...users.matchAll(/<max>(\d+)<\/max>/g)].map(([, ceiling = '']) => ceiling);
    expect(ceilings.filter((ceiling) => !new RegExp(`\\b${ceiling}\\b`).test(limits))).toEqual([]);
    expect(ceilings).toHaveLength(6);
  });
});

const byName = (one: { readonly name: string }, other: { readonly name: string }): number =>
  one.name < other.name ? -1 : 1;

/** The default as the table writes it. */
function defaultOf(name: string): string {
  const value = variables[name]?.flags?.default;
  if (value === undefined) return 'unset';
  return value === '' ? 'empty' : `\`${String(value)}\``;
}

/** The range of a number with two fixed bounds; undefined for anything else. */
function rangeOf(name: string): string | undefined {
  const { type, rules = [] } = variables[name] ?? {};
  const limitOf = (rule: string): unknown => rules.find((one) => one.name === rule)?.args?.limit;
  const [least, most] = [limitOf('min'), limitOf('max')];
  if (type !== 'number' || typeof most !== 'number') return undefined;
  return typeof least === 'number' ? `${least} to ${most}` : `over 0 to ${most}`;
}

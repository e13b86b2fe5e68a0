import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import * as api from '../../src/index.js';
import { ROOT } from '../support/documentation.js';
import { installPackage, linkModule, packPackage } from '../support/install-package.mjs';
import { runNode } from '../support/run-node.js';
import { makeTemporaryFolder } from '../support/temporary-folder.js';
import { openForAll } from '../support/opened.js';

const TSC = path.join(ROOT, 'node_modules/typescript/bin/tsc');
/** Of the project that `querygate init` and `new --ts` write. */
const ENDPOINT = 'endpoints/orders.by-day.ts';

/** A program that embeds a gateway. */
const PROGRAM = `
import { createGateway, type GatewayOptions, type RunningGateway } from 'querygate';

const options: GatewayOptions = { project: '.', environment: { PORT: '0', API_KEY: undefined } };
const gateway: RunningGateway = await createGateway(options);
const key: string | undefined = gateway.apiKey;
const url: string = gateway.url + (gateway.adminUrl ?? '') + (key ?? '');
await gateway.close();
export { url };
`;

const STRICT = {
  target: 'es2023',
  // Without the DOM, which takes the compiler longer than all else.
  lib: ['es2023'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  noEmit: true,
};

const COMPILED = { code: 0, output: '' };

const temporary = openForAll(makeTemporaryFolder);
let folder = '';

beforeAll(async () => {
  folder = temporary.path;
  installPackage(folder, packPackage(folder));
  const querygate = path.join(folder, 'node_modules/querygate/dist/commands/cli/querygate.js');
  for (const args of [
    ['init', folder],
    ['new', 'orders.by-day', '--ts', '--project', folder],
  ])
    expect(await runNode([querygate, ...args])).toMatchObject({ code: 0 });
  await writeFile(path.join(folder, 'program.ts'), PROGRAM);
});

/** Compiles a file of the project, and the program, as a strict project would. */
async function compile(
  file: string,
  compilerOptions: Readonly<Record<string, unknown>>,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const config = path.join(folder, `tsconfig.${Object.values(compilerOptions).flat().join('-')}.json`);
  await writeFile(
    config,
    JSON.stringify({ compilerOptions: { ...STRICT, ...compilerOptions }, files: ['program.ts', file] }),
  );
  return runNode([TSC, '--project', config]);
}

/** The examples in the declarations of the functions that the package exports, by name. */
async function examplesOf(
  dist: string,
): Promise<{ readonly examples: ReadonlyMap<string, string>; readonly without: readonly string[] }> {
  const examples = new Map<string, string>();
  const without: string[] = [];
  const exported = new Set(
    Object.entries(api).flatMap(([name, value]) => (typeof value === 'function' ? [name] : [])),
  );
  for (const file of (await readdir(dist, { recursive: true })).filter((one) => one.endsWith('.d.ts'))) {
    const text = await readFile(path.join(dist, file), 'utf8');
    const declared = /(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\n)?export declare function (\w+)/g;
    for (const [, comment = '', name = ''] of text.matchAll(declared)) {
      if (!exported.delete(name)) continue;
      const [, code] = /```ts\n([^]*?)\n[ *]*```/.exec(comment) ?? [];
      if (code === undefined) without.push(name);
      else examples.set(name, code.replaceAll(/^ *\* ?/gm, ''));
    }
  }
  return { examples, without: [...without, ...exported] };
}

const MODULES = [{ module: 'NodeNext' }, { module: 'ESNext', moduleResolution: 'Bundler' }];

describe('the types of the package', () => {
  it('compile in a strict project without the types of Node.js', async () => {
    const outcomes = await Promise.all(
      MODULES.map((options) => compile(ENDPOINT, { ...options, types: [] })),
    );
    expect(outcomes).toEqual(MODULES.map(() => COMPILED));
  });

  it('compile in a strict project with the types of Node.js', async () => {
    for (const name of ['@types/node', 'undici-types']) linkModule(folder, name);
    const outcomes = await Promise.all(
      MODULES.map((options) => compile(ENDPOINT, { ...options, types: ['node'] })),
    );
    expect(outcomes).toEqual(MODULES.map(() => COMPILED));
  });

  // With the types of Node.js, which the test before has linked.
  it('have an example of every function, and each example compiles', async () => {
    const { examples, without } = await examplesOf(path.join(folder, 'node_modules/querygate/dist'));
    expect(without).toEqual([]);
    const names = [...examples.keys()];
    expect(names).toEqual(expect.arrayContaining(['createGateway', 'defineEndpoint', 'sql']));
    const program = [
      `import { ${names.join(', ')}, type Reference } from 'querygate';`,
      "declare const p: { city: Reference<string>; site: Reference<string>; interval: Reference<'hour' | 'day'> };",
      'declare const now: Reference<string>;',
      ...[...examples].map(([name, code]) => `export async function exampleOf_${name}() {\n${code}\n}`),
    ];
    await writeFile(path.join(folder, 'examples.ts'), program.join('\n'));
    expect(await compile('examples.ts', { module: 'NodeNext', types: ['node'] })).toEqual(COMPILED);
  });

  it('reject an endpoint with a misspelt option, or with a parameter that it does not declare', async () => {
    const text = await readFile(path.join(folder, ENDPOINT), 'utf8');
    const wrong = text
      .replace('required: true', 'require: true')
      .replace('product = ${product}', 'product = ${store}');
    await writeFile(path.join(folder, 'endpoints/wrong.ts'), wrong);
    const { code, output } = await compile('endpoints/wrong.ts', { module: 'NodeNext', types: [] });
    expect(code).not.toBe(0);
    expect(output).toMatch(/endpoints\/wrong\.ts\(8,\d+\): error .*'required'/);
    expect(output).toMatch(/endpoints\/wrong\.ts\(\d+,\d+\): error .*'store'/);
  });
});

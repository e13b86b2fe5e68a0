import { Linter } from 'eslint';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createProgram } from 'typescript';
import { parser, type ConfigArray } from 'typescript-eslint';

import { growingCopies } from '../../../scripts/lint-growing-copies.mjs';

const DECLARED = 'declare const a: { x: number; y?: number }; declare const z: { z: number };';

const GROWING = ['{ ...a, b: 1 }', "{ ...a, 'b-c': 1 }", '{ ...a, ...z }', '{ ...{ x: 1 }, b: 1 }'];
const OTHERS = [
  '{ b: 1, ...a }',
  '{ ...a, x: 1 }',
  '{ ...a, y: 1 }',
  '{ ...a }',
  '{ b: 1, ...a, c: 1 }',
  '{ b: 1 }',
];

describe('the lint rule growing-copies', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'lint-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('finds each copy that gets a property that it lacks, and no other object', async () => {
    const objects = [...GROWING, ...OTHERS];
    const text = [DECLARED, ...objects.map((object) => `console.log(${object});`)].join('\n');
    const file = path.join(folder, 'objects.ts');
    await writeFile(file, text);
    const config = {
      files: ['**/*.ts'],
      languageOptions: { parser, parserOptions: { programs: [createProgram([file], {})] } },
      plugins: { querygate: { rules: { 'growing-copies': growingCopies } } },
      rules: { 'querygate/growing-copies': 'error' },
    } as ConfigArray[number];
    const messages = new Linter({ cwd: folder }).verify(text, [config] as Linter.Config[], file);
    expect(messages.map(({ ruleId, line }) => [ruleId, objects[line - 2]])).toEqual(
      GROWING.map((object) => ['querygate/growing-copies', object]),
    );
  });
});

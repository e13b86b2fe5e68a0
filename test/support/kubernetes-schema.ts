import ts from 'typescript';

import { ROOT } from './documentation.js';

/**
 * Kubernetes' own schema as types, which the package `kubernetes-types` generates from its OpenAPI document. The compiler
 * rejects a field that a type does not have, as the API server does with `fieldValidation=Strict`.
 */
const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  lib: ['lib.es5.d.ts'],
  types: [],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
};

const FILE = `${ROOT}kubernetes-manifests-under-test.ts`;

interface Typed {
  readonly apiVersion: string;
  readonly kind: string;
  readonly content: unknown;
}

/** Returns the problems of objects for Kubernetes: unknown fields, missing fields, and values of another type. */
export function problemsBySchema(manifests: readonly Typed[]): readonly string[] {
  const source = manifests
    .map(
      ({ apiVersion, kind, content }, index) =>
        `import type { ${kind} as Type${index} } from '${moduleOf(apiVersion)}';\n` +
        `export const object${index}: Type${index} = ${JSON.stringify(content, null, 1)};\n`,
    )
    .join('');
  const host = ts.createCompilerHost(OPTIONS);
  const disk = { ...host };
  host.fileExists = (file) => file === FILE || disk.fileExists(file);
  host.getSourceFile = (file, target) =>
    file === FILE ? ts.createSourceFile(file, source, target) : disk.getSourceFile(file, target);
  const program = ts.createProgram([FILE], OPTIONS, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const { line = 0 } = file && start !== undefined ? file.getLineAndCharacterOfPosition(start) : {};
    const excerpt = file?.text.split('\n')[line]?.trim() ?? '';
    return `${excerpt} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

/** `v1` is the group `core`; `policy/v1` and `networking.k8s.io/v1` are in `policy` and `networking`. */
function moduleOf(apiVersion: string): string {
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  return `kubernetes-types/${group.replace(/\..*/, '')}/${version}`;
}

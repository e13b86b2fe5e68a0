/**
 * Does what `npm run typecheck` and ESLint do, with one program for both: each would parse all files again, and find out the same types.
 * Exits with 1 where there is an error or a warning.
 */
import path from 'node:path';
import process from 'node:process';
import { ESLint } from 'eslint';
import ts from 'typescript';

const host = {
  ...ts.sys,
  onUnRecoverableConfigFileDiagnostic: (/** @type {ts.Diagnostic} */ diagnostic) => {
    throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'));
  },
};
const formatting = {
  getCanonicalFileName: (/** @type {string} */ name) => name,
  getCurrentDirectory: () => process.cwd(),
  getNewLine: () => '\n',
};

const programs = ['tsconfig.json', 'console/tsconfig.json'].map((file) => {
  const config = ts.getParsedCommandLineOfConfigFile(path.resolve(file), { noEmit: true }, host);
  if (!config) throw new Error(`${file} cannot be read`);
  return ts.createProgram(config.fileNames, config.options);
});
const problems = programs.flatMap((program) => [
  ...program.getConfigFileParsingDiagnostics(),
  ...ts.getPreEmitDiagnostics(program),
]);
process.stdout.write(ts.formatDiagnostics(problems, formatting));
console.log(`types: ${problems.length} errors after ${Math.round(process.uptime())} s`);

const eslint = new ESLint({
  overrideConfig: {
    files: ['**/*.{ts,tsx}'],
    languageOptions: { parserOptions: { programs, project: false } },
  },
});
const results = await eslint.lintFiles('.');
const found = results.reduce((sum, { errorCount, warningCount }) => sum + errorCount + warningCount, 0);
process.stdout.write(await (await eslint.loadFormatter()).format(results));
console.log(`lint: ${found} problems in ${results.length} files after ${Math.round(process.uptime())} s`);
if (problems.length + found > 0) process.exitCode = 1;

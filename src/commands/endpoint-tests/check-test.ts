import { existsSync } from 'node:fs';
import path from 'node:path';

import { undeclared } from '../../endpoint/check-definition.js';
import { adviceFor } from '../../endpoint/closest-name.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import type { FileProblem } from '../../endpoint/file-problems.js';
import { problem, type Problem } from '../../endpoint/problems.js';
import type { Endpoints } from '../../endpoint/registry.js';
import { textOfQuery } from '../../endpoint/remembered-text.js';
import { CALL_PARAMETERS, NUMBERS_PARAMETER } from '../../endpoint/reserved.js';
import type { Tables } from './tables.js';
import { problemAt, type TestCall, type TestFile } from './test-file.js';

/** What is wrong with a test file, and what its author should know. */
export interface CheckedTest {
  readonly problems: readonly FileProblem[];
  readonly warnings: readonly string[];
}

/**
 * Compares a test file with the endpoints and the tables that it names.
 *
 * @param varyingCallOf a function call in the endpoint's query whose value differs between runs; undefined without such
 */
export function checkTest(
  test: TestFile,
  endpoints: Endpoints,
  tables: Tables,
  varyingCallOf: (endpoint: Endpoint) => string | undefined,
): CheckedTest {
  const problems = [...problemsOfRows(test, tables)];
  const warnings: string[] = [];
  // Reported once: the problem is the same for each call of the file.
  if (!endpoints.find(test.endpoint) && test.calls.some(({ endpoint }) => endpoint === undefined))
    problems.push(unknownEndpoint(test, ['endpoint'], test.endpoint, endpoints));
  for (const [index, call] of test.calls.entries()) {
    const at = ['calls', String(index)];
    const endpoint = endpoints.find(call.endpoint ?? test.endpoint);
    if (endpoint) {
      for (const { path: keys, ...found } of problemsOfCall(call, endpoint, varyingCallOf(endpoint))) {
        // Reported once: the problem is the same for each call of the endpoint.
        if (keys.length === 0 && problems.some((other) => other.problem === found.problem)) continue;
        problems.push(problemAt(test, { path: [...at, ...keys], atKey: true }, found));
      }
      warnings.push(...warningsOfSecrets(test, at, call, endpoint));
    } else if (call.endpoint !== undefined) {
      problems.push(unknownEndpoint(test, [...at, 'endpoint'], call.endpoint, endpoints));
    }
  }
  return { problems, warnings };
}

function unknownEndpoint(
  test: TestFile,
  at: readonly string[],
  name: string,
  endpoints: Endpoints,
): FileProblem {
  const known = endpoints.all().map((each) => each.name);
  return problemAt(
    test,
    { path: at },
    problem('ENDPOINT_UNKNOWN', at.join('.'), name, adviceFor(name, known, 'endpoints')),
  );
}

function warningsOfSecrets(
  test: TestFile,
  at: readonly string[],
  { parameters = {}, pins = {} }: TestCall,
  endpoint: Endpoint,
): readonly string[] {
  const sent = Object.entries({ parameters, pins }).flatMap(([key, values]) =>
    Object.keys(values).map((name) => [key, name] as const),
  );
  return sent
    .filter(([, name]) => endpoint.parameters.get(name)?.secret)
    .map(([key, name]) => {
      const found = problem('SECRET_IN_TEST', [...at, key].join('.'), name);
      const {
        file = '',
        line,
        column,
        problem: sentence,
      } = problemAt(test, { path: [...at, key, name], atKey: true }, found);
      // Without the line of the file, which contains the value.
      return `${file}:${line}:${column}: ${sentence}`;
    });
}

function problemsOfRows(test: TestFile, tables: Tables): readonly FileProblem[] {
  return Object.entries(test.rows).flatMap(([table, rows]) => {
    const at = ['rows', table];
    const columns = tables.columns.get(table);
    if (!columns) {
      const known = [...tables.columns.keys()];
      const none = 'there are none: clickhouse-schema/ has no file that creates one';
      const advised = known.length === 0 ? none : adviceFor(table, known, 'tables');
      return [problemAt(test, { path: at, atKey: true }, problem('TABLE_UNKNOWN', table, advised))];
    }
    if (typeof rows === 'string') {
      const exists = existsSync(path.resolve(path.dirname(test.path), rows));
      return exists ? [] : [problemAt(test, { path: at }, problem('ROWS_FILE_MISSING', rows))];
    }
    return rows.flatMap((row, index) =>
      Object.keys(row)
        .filter((column) => !columns.includes(column))
        .map((column) => {
          const found = problem(
            'COLUMN_UNKNOWN',
            at.join('.'),
            column,
            table,
            adviceFor(column, columns, 'columns'),
          );
          return problemAt(test, { path: [...at, String(index), column], atKey: true }, found);
        }),
    );
  });
}

interface ProblemOfCall extends Problem {
  /** Keys from the call. */
  readonly path: readonly string[];
}

function problemsOfCall(
  call: TestCall,
  endpoint: Endpoint,
  varying: string | undefined,
): readonly ProblemOfCall[] {
  // A problem has no rows.
  const needsNow = call.now === undefined && call.problem === undefined && readsClock(endpoint, call);
  return [
    ...(varying === undefined ? [] : [{ path: [], ...problem('CLOCK_IN_QUERY', endpoint.name, varying) }]),
    ...(needsNow ? [{ path: [], ...problem('NOW_MISSING', endpoint.name) }] : []),
    ...problemsOfParameters(call, endpoint),
    ...problemsOfColumns(call, endpoint),
  ];
}

/** A call that expects a problem, or the name among those that are ignored, sends it on purpose. */
function problemsOfParameters(
  { parameters = {}, pins = {}, problem: expected, headers = {} }: TestCall,
  endpoint: Endpoint,
): readonly ProblemOfCall[] {
  if (expected !== undefined || Object.keys(headers).some((name) => /^x-ignored-parameters$/i.test(name)))
    return [];
  const declared = [...endpoint.parameters.keys()];
  const known = new Set<string>([...declared, ...CALL_PARAMETERS, NUMBERS_PARAMETER, 'sql']);
  const sent = [
    ...Object.keys(parameters).map((name) => ['parameters', name] as const),
    ...Object.keys(pins).map((name) => ['pins', name] as const),
  ];
  return sent
    .filter(([, name]) => !known.has(name))
    .map(([key, name]) => ({ path: [key, name], ...undeclared([key], name, declared) }));
}

function problemsOfColumns(
  { rows = [], columns = [], only = [], parameters = {} }: TestCall,
  { name, columns: declared, settings }: Endpoint,
): readonly ProblemOfCall[] {
  // SQL of a caller's own returns other columns.
  if (settings.sandboxing === 'enabled' && 'sql' in parameters) return [];
  const known = [...declared.keys()];
  const unknown = (path: readonly string[], column: string): readonly ProblemOfCall[] => {
    if (declared.has(column)) return [];
    const [key = ''] = path;
    return [{ path, ...problem('COLUMN_UNKNOWN', key, column, name, adviceFor(column, known, 'columns')) }];
  };
  return [
    ...rows.flatMap((row, index) =>
      Object.keys(row).flatMap((column) => unknown(['rows', String(index), column], column)),
    ),
    ...columns.flatMap((column) => unknown(['columns'], column)),
    ...only.flatMap((column) => unknown(['only'], column)),
  ];
}

/** Whether the rows of a call depend on the gateway's clock. */
function readsClock({ query, parameters }: Endpoint, call: TestCall): boolean {
  if (textOfQuery(query, () => true).references.has('now')) return true;
  return [...parameters].some(([name, { relativeStepMs, default: fallback }]) => {
    if (relativeStepMs === undefined) return false;
    const sent = [call.pins?.[name] ?? call.parameters?.[name] ?? ''].flat().filter((text) => text !== '');
    return (sent.length === 0 ? [fallback ?? ''] : sent).some((text) => text.startsWith('now'));
  });
}

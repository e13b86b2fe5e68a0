import type { Endpoint } from '../../endpoint/endpoint.js';
import { printable } from '../cli/text-table.js';
import type { Received } from './call-endpoint.js';
import { compareRows, isSame, type Comparison } from './compare-rows.js';
import { differenceText } from './difference-text.js';
import type { TestCall } from './test-file.js';

/** The ways in which a response is not what a call expects, each for people; empty where it is. */
export function compareResponse(call: TestCall, endpoint: Endpoint, received: Received): readonly string[] {
  if (!expectsAnything(call)) return ['it expects nothing yet: querygate test --update writes what came'];
  const ofHeaders = differencesOfHeaders(call, received);
  if (call.problem !== undefined) return [...differencesOfProblem(call.problem, received), ...ofHeaders];
  if (received.problem) return [`it got ${problemText(received)}`, ...ofHeaders];
  return [...differencesOfResult(call, endpoint, received), ...ofHeaders];
}

function differencesOfHeaders({ headers = {} }: TestCall, received: Received): readonly string[] {
  return Object.entries(headers).flatMap(([name, expected]) => {
    const came = received.headers.get(name);
    return came === expected ? [] : [different(`the header ${name}`, expected ?? ABSENT, came ?? ABSENT)];
  });
}

const ABSENT = '(absent)';

function differencesOfResult(call: TestCall, endpoint: Endpoint, received: Received): readonly string[] {
  const { columns, rows, body } = call;
  const came = received.columns?.join(', ') ?? '(none)';
  const count = received.headers.get('x-row-count') ?? '';
  return [
    ...(isCutUnseen(call, received)
      ? [`the response is cut at ${count} rows: expect that with headers: { X-Truncated: "true" }`]
      : []),
    ...(columns && columns.join(', ') !== came
      ? [different('the list of columns', columns.join(', '), came)]
      : []),
    ...(rows ? differencesOfRows(rows, call, endpoint, received) : []),
    ...(body !== undefined && body !== received.body ? [differenceOfBody(body, received.body)] : []),
  ];
}

/** Whether a call has any expectation. */
export function expectsAnything({ rows, columns, headers, body, problem }: TestCall): boolean {
  return [rows, columns, headers, body, problem].some((expected) => expected !== undefined);
}

/** How the rows of a call are compared. */
export function comparisonOf(
  { ordered = false, tolerance, only }: TestCall,
  { columns }: Endpoint,
): Comparison {
  return {
    isOrdered: ordered,
    tolerance,
    only,
    types: new Map([...columns].map(([name, { type }]) => [name, type])),
  };
}

/** Whether the result was cut and the test does not expect that, so that the test must not pass. */
function isCutUnseen({ headers = {} }: TestCall, received: Received): boolean {
  const isCut = received.headers.get('x-truncated') !== null;
  return isCut && !Object.keys(headers).some((name) => name.toLowerCase() === 'x-truncated');
}

function differencesOfRows(
  expected: NonNullable<TestCall['rows']>,
  call: TestCall,
  endpoint: Endpoint,
  { rows, headers }: Received,
): readonly string[] {
  if (!rows)
    return [`rows cannot be compared in ${headers.get('content-type') ?? 'this format'}: expect a body`];
  const how = comparisonOf(call, endpoint);
  const found = compareRows(expected, rows, how);
  return found.differences.length === 0 ? [] : [differenceText(found, how)];
}

function differencesOfProblem(
  expected: NonNullable<TestCall['problem']>,
  { status, problem: came }: Received,
): readonly string[] {
  const fields = typeof expected === 'string' ? { code: expected } : expected;
  if (!came) return [`it got ${status}, not a problem with ${JSON.stringify(fields)}`];
  return Object.entries(fields).flatMap(([name, value]) =>
    isSame(value, came[name], { type: '' })
      ? []
      : [
          different(
            `${name} of the problem`,
            JSON.stringify(value),
            name in came ? JSON.stringify(came[name]) : ABSENT,
          ),
        ],
  );
}

/** The code and the detail of a problem. */
function problemText({ status, problem: { code, detail } = {} }: Received): string {
  return typeof code === 'string' ? `${status} ${code}: ${printable(String(detail))}` : String(status);
}

function differenceOfBody(expected: string, came: string): string {
  const lines = [expected, came].map((text) => text.split('\n'));
  const [one = [], other = []] = lines;
  const at = one.findIndex((line, index) => line !== other[index]);
  const line = at === -1 ? one.length : at;
  const shown = (text: string | undefined): string =>
    text === undefined ? '(no such line)' : printable(text);
  return different(`line ${line + 1} of the body`, shown(one[line]), shown(other[line]));
}

const different = (what: string, expected: string, came: string): string =>
  `${what} differs\n- ${expected}\n+ ${came}`;

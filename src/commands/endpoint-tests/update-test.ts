import { readFile, realpath } from 'node:fs/promises';
import { isMap, isScalar, isSeq, stringify, type Pair, type YAMLMap } from 'yaml';

import { replaceFile } from '../../files/replace-file.js';
import { asRecord, isRecord } from '../../endpoint/as-record.js';
import { placeOfNode } from '../../endpoint/yaml-text.js';
import { isSame, isSameRow, type Comparison } from './compare-rows.js';
import { expectsAnything } from './compare-response.js';
import type { CallRun, RanTest } from './run-tests.js';
import type { Row, TestFile } from './test-file.js';

/** A replacement of a part of a text. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Replaces the expectations in a test file by the responses. A call without an expectation gets the rows, or the code of the problem.
 * All other characters of the file stay, and so do the lines of rows that are as expected, with their comments.
 *
 * @returns the calls that were changed
 */
export async function updateTest({ test, calls }: RanTest): Promise<ReadonlySet<CallRun>> {
  const changed = new Set(calls.filter((ran) => ran.differences.length > 0 && isWorthKeeping(ran)));
  if (!test) return changed;
  const edits: Edit[] = [];
  for (const ran of changed) {
    const call = test.document.getIn(['calls', ran.index], true);
    // The value of an alias is at another place of the file.
    if (isMap(call) && !/[*&]/.test(sourceOf(call, test).replaceAll(/"[^"]*"|'[^']*'/g, '')))
      edits.push(...editsOf(call, ran, test));
    else changed.delete(ran);
  }
  if (edits.length > 0) await replaceFile(await realpath(test.path), await edited(test, edits));
  return changed;
}

/** A failure of ClickHouse, of the set-up or of a limit is nothing to expect. */
function isWorthKeeping({ received: { status } }: CallRun): boolean {
  return status < 500 && status !== 429;
}

async function edited({ path, text }: TestFile, edits: readonly Edit[]): Promise<string> {
  const original = await readFile(path, 'utf8');
  const before = original.slice(0, original.length - text.length);
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  let result = text;
  for (const { start, end, text: replacement } of [...edits].sort((a, b) => b.start - a.start)) {
    result = result.slice(0, start) + replacement.replaceAll('\n', lineEnd) + result.slice(end);
  }
  return before + result;
}

function editsOf(call: YAMLMap, ran: CallRun, test: TestFile): readonly Edit[] {
  const came = whatCame(ran);
  const place = { call, test, comparison: ran.comparison };
  const stale = ran.received.problem ? ['rows', 'columns', 'body'] : ['problem'];
  const pairs = call.items.map((pair) => [isScalar(pair.key) ? String(pair.key.value) : '', pair] as const);
  const added = Object.entries(came).filter(([key]) => !pairs.some(([name]) => name === key));
  const edits = pairs.flatMap(([key, pair]): readonly Edit[] => {
    if (key in came) return editsOfValue(key, pair, came[key], place);
    return stale.includes(key) ? [withoutPair(pair, place)] : [];
  });
  return added.length === 0 ? edits : [...edits, ...insertion(added, place)];
}

interface Place {
  readonly comparison: Comparison;
  readonly call: YAMLMap;
  readonly test: TestFile;
}

function editsOfValue(key: string, pair: Pair, value: unknown, place: Place): readonly Edit[] {
  // Each field is compared, so that equal ones stay unchanged.
  if (isRecord(value) && isMap(pair.value)) {
    const map = pair.value;
    const inner = map.items.flatMap((item) => {
      const name = isScalar(item.key) ? String(item.key.value) : '';
      const isOther = name in value && !isSame(value[name], valueOf(item.value, place.test), { type: '' });
      return isOther ? [{ ...placeOfNode(item.value), text: flow(value[name]) }] : [];
    });
    const missing = Object.entries(value).filter(
      ([name]) => !map.items.some(({ key: of }) => isScalar(of) && of.value === name),
    );
    return missing.length === 0 ? inner : [...inner, ...insertion(missing, { ...place, call: map })];
  }
  const isBlock = key === 'rows' && !place.call.flow && Array.isArray(value) && value.length > 0;
  const range = placeOfNode(pair.value);
  // A list of lines, and a text of them, ends with its last line break.
  const lineEnd = place.test.text[range.end - 1] === '\n' ? '\n' : '';
  if (!isBlock) return [{ ...range, text: flow(value) + lineEnd }];
  const { start, end: keyEnd } = placeOfNode(pair.key);
  const lines = rowLines(value as readonly Row[], pair, columnOf(start, place.test.text), place);
  // The text after the colon is replaced, so that a list on the same line becomes one with a line per item.
  return [{ start: keyEnd + 1, end: range.end, text: lines + lineEnd }];
}

/** The lines of rows, one per row. An existing row keeps its lines. */
function rowLines(
  rows: readonly Row[],
  pair: Pair | undefined,
  column: number,
  { test, comparison }: Place,
): string {
  const items = pair && isSeq(pair.value) && !pair.value.flow ? [...pair.value.items] : [];
  const first = items[0] === undefined ? undefined : columnOf(placeOfNode(items[0]).start, test.text) - 2;
  const indent = ' '.repeat(first ?? column + 2);
  const lines = rows.map((row) => {
    const at = items.findIndex((item) => isSameRow(asRecord(valueOf(item, test)), row, comparison));
    const [item] = at === -1 ? [] : items.splice(at, 1);
    return item === undefined ? `${indent}- ${flow(row)}` : linesOf(item, test.text);
  });
  return `\n${lines.join('\n')}`;
}

/** The lines of an item, with the comments above it and behind it. */
function linesOf(item: unknown, text: string): string {
  const { start, end } = placeOfNode(item);
  let from = text.lastIndexOf('\n', start - 1) + 1;
  for (;;) {
    const above = text.lastIndexOf('\n', from - 2) + 1;
    if (from === 0 || !/^\s*#/.test(text.slice(above, from))) break;
    from = above;
  }
  const [rest = ''] = text.slice(end).split(/\r?\n/, 1);
  const lines = text.slice(from, /^\s*#/.test(rest) ? end + rest.length : end).trimEnd();
  return lines.replaceAll('\r\n', '\n');
}

/** New keys of a map: lines after its last one, or before its brace. */
function insertion(added: readonly (readonly [string, unknown])[], place: Place): readonly Edit[] {
  const { call, test } = place;
  const { start, end } = placeOfNode(call);
  if (call.flow) {
    const pairs = added.map(([key, value]) => `${key}: ${flow(value)}`).join(', ');
    const at = test.text.lastIndexOf('}', end - 1);
    const inside = test.text.slice(start + 1, at).trimEnd();
    const after = start + 1 + inside.length;
    return [{ start: after, end: at, text: `${inside === '' ? ' ' : ', '}${pairs} ` }];
  }
  const column = columnOf(start, test.text);
  const lines = added.map(([key, value]) => {
    const isBlock = key === 'rows' && Array.isArray(value) && value.length > 0;
    const written = isBlock ? rowLines(value as readonly Row[], undefined, column, place) : ` ${flow(value)}`;
    return `${' '.repeat(column)}${key}:${written}\n`;
  });
  const last = Math.max(...call.items.map(({ key, value }) => placeOfNode(value ?? key).end));
  const lineEnd = test.text[last - 1] === '\n' ? last : test.text.indexOf('\n', last) + 1;
  const isLastLine = lineEnd === 0;
  const at = isLastLine ? test.text.length : lineEnd;
  return [{ start: at, end: at, text: `${isLastLine ? '\n' : ''}${lines.join('')}` }];
}

/** A key that the call no longer has, with its line. */
function withoutPair(pair: Pair, { call, test: { text } }: Place): Edit {
  const { start } = placeOfNode(pair.key);
  const { end } = placeOfNode(pair.value ?? pair.key);
  if (call.flow) {
    const comma = /^\s*,\s*/.exec(text.slice(end));
    return { start, end: end + (comma?.[0].length ?? 0), text: '' };
  }
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const isFirst = text.slice(lineStart, start).includes('-');
  const next = text[end - 1] === '\n' ? end : text.indexOf('\n', end) + 1 || text.length;
  // The first key of an item is on the line of its hyphen, to which the next one moves.
  const more = isFirst ? (/^\s*/.exec(text.slice(next))?.[0].length ?? 0) : 0;
  return { start: isFirst ? start : lineStart, end: next + more, text: '' };
}

/** A value on one line. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (isRecord(value)) {
    const fields = Object.entries(value).map(([key, field]) => `${flow(key)}: ${flow(field)}`);
    return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
  }
  const written = stringify(value, { lineWidth: 0 }).trimEnd();
  // In a flow collection, some characters need quotes that are unnecessary on a separate line.
  const needsQuotes = typeof value === 'string' && (/[\n[\]{},#]/.test(value) || written.includes('\n'));
  return needsQuotes ? JSON.stringify(value) : written;
}

const columnOf = (offset: number, text: string): number => offset - (text.lastIndexOf('\n', offset - 1) + 1);

const sourceOf = (node: unknown, { text }: TestFile): string =>
  text.slice(placeOfNode(node).start, placeOfNode(node).end);

/** The value of a node, as comparisons use it. */
const valueOf = (node: unknown, { document }: TestFile): unknown =>
  isMap(node) || isSeq(node) || isScalar(node) ? node.toJS(document) : node;

/** The keys of a call with the values that came. */
function whatCame({ call, received }: CallRun): Readonly<Record<string, unknown>> {
  const { headers, problem } = received;
  const names = Object.keys(call.headers ?? {});
  // A cut result passes only where the test expects it.
  const isCut = !problem && headers.has('x-truncated');
  if (isCut && !names.some((name) => name.toLowerCase() === 'x-truncated')) names.push('X-Truncated');
  const ofHeaders = names.map((name) => [name, headers.get(name)] as const);
  return {
    ...(problem ? { problem: problemThatCame(call, problem) } : resultThatCame(call, received)),
    ...(names.length > 0 && { headers: Object.fromEntries(ofHeaders) }),
  };
}

/** The rows, columns and body that the call expects; of one that expects nothing, the rows, else the body. */
function resultThatCame(
  call: TestFile['calls'][number],
  { body, rows, columns }: CallRun['received'],
): object {
  const isNew = !expectsAnything(call) || call.problem !== undefined;
  const hasRows = rows !== undefined && (call.rows !== undefined || isNew);
  return {
    ...(call.columns && columns && { columns }),
    ...(hasRows && { rows: rows.map((row) => chosen(row, call)) }),
    ...((call.body !== undefined || (isNew && !rows)) && { body }),
  };
}

function chosen(row: Row, { only }: TestFile['calls'][number]): Row {
  return only ? Object.fromEntries(only.map((column) => [column, row[column]])) : row;
}

/** The expected fields of the problem, with their received values. */
function problemThatCame(
  { problem: expected }: TestFile['calls'][number],
  came: Readonly<Record<string, unknown>>,
): unknown {
  if (typeof expected !== 'object') return came['code'];
  return Object.fromEntries(Object.keys(expected).map((name) => [name, came[name]]));
}

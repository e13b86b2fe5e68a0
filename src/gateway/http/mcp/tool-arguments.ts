import { isLosslessNumber } from 'lossless-json';

import { rowCap, type Endpoint } from '../../../endpoint/endpoint.js';
import type { ParamProblem } from '../../errors.js';
import { readJsonParameters } from '../call/json-parameters.js';
import { isJsonObject } from '../call/json-text.js';
import type { SentCall } from '../call/sent-call.js';
import { CURSOR } from '../call/page-cursor.js';
import { DEFAULT_ROWS, limitsRows, MAX_ROWS } from './row-limit.js';

/** The arguments of a tool. */
export interface SentArguments extends SentCall {
  /** Maximum number of rows to return. */
  readonly maxRows: number;
}

/** The parameters that the caller's key pins; tools do not have them. */
type Pinned = ReadonlyMap<string, string> | undefined;

/** Maximum number of unknown names in an error, and maximum characters of each: a caller can send thirty thousand names. */
const MAX_UNKNOWN = 5;
const MAX_NAME = 64;

/**
 * Reads the arguments of a tool like the body of a POST, but an unknown name is a problem. A model that misspells a parameter would
 * otherwise take the rows of another call for the result.
 *
 * @param sent the arguments, with numbers as `LosslessNumber`; undefined where the call has none.
 * @param pinned parameters that the caller's key pins; they count as unknown, as in the input schema.
 */
export function readArguments(endpoint: Endpoint, sent: unknown = {}, pinned?: Pinned): SentArguments {
  if (!isJsonObject(sent)) {
    return sentArguments({ problems: [{ param: 'arguments', problem: 'must be an object' }] });
  }
  const members = new Map<string, unknown>(Object.entries(sent));
  const limit = limitsRows(endpoint)
    ? readMaxRows(endpoint, members.get(MAX_ROWS))
    : { maxRows: rowCap(endpoint) };
  const cursor = endpoint.pages && members.get(CURSOR);
  // Without either, the rows are the first ones of the result that all callers share.
  const choosesPage = isGiven(cursor) || isGiven(members.get(MAX_ROWS));
  const known = namesOf(endpoint, pinned);
  const unknown = [...members.keys()].filter((name) => !known.has(name));
  for (const name of [...unknown, CURSOR]) members.delete(name);
  const { parameters, problems } = readJsonParameters(endpoint, members);
  const ofLimit = 'problem' in limit ? [{ param: MAX_ROWS, problem: limit.problem }] : [];
  return sentArguments({
    ...(isGiven(cursor) && { query: new Map([[CURSOR, { text: textOfCursor(cursor), times: 1 }]]) }),
    parameters,
    problems: [...problems, ...problemsOfUnknown(unknown, known), ...ofLimit],
    ...('maxRows' in limit && { maxRows: limit.maxRows, ...(choosesPage && { pageRows: limit.maxRows }) }),
  });
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** The text of a cursor; empty, and so invalid, for a value that is not a text. */
const textOfCursor = (value: unknown): string => (typeof value === 'string' ? value : '');

function sentArguments(read: Partial<SentArguments>): SentArguments {
  return {
    query: new Map(),
    parameters: new Map(),
    problems: [],
    undeclared: [],
    isInTarget: false,
    preferences: {
      waitSeconds: undefined,
      timestamps: undefined,
      numbers: undefined,
      isStrict: true,
      isAsync: false,
    },
    demand: 'any',
    maxRows: 0,
    ...read,
  };
}

/** The names of the arguments of a tool. */
function namesOf(endpoint: Endpoint, pinned: Pinned): ReadonlySet<string> {
  const { parameters, settings } = endpoint;
  const free = [...parameters.keys()].filter((name) => pinned?.has(name) !== true);
  const own = [
    ...(settings.sandboxing === 'enabled' ? ['sql'] : []),
    ...(limitsRows(endpoint) ? [MAX_ROWS] : []),
    ...(endpoint.pages ? [CURSOR] : []),
  ];
  return new Set([...free, ...own]);
}

function problemsOfUnknown(unknown: readonly string[], known: ReadonlySet<string>): readonly ParamProblem[] {
  const problems = unknown.slice(0, MAX_UNKNOWN).map((name, index) => {
    const which = index === 0 ? `, which has ${[...known].join(', ')}` : '';
    return { param: shown(name), problem: `is no argument of this tool${which}` };
  });
  const more = unknown.length - problems.length;
  if (more > 0) problems.push({ param: 'arguments', problem: `has ${more} more unknown names` });
  return problems;
}

/** A name in an error: on one line, and cut to `MAX_NAME` characters. */
function shown(name: string): string {
  return JSON.stringify(name.slice(0, MAX_NAME)).slice(1, -1);
}

function readMaxRows(
  endpoint: Endpoint,
  value: unknown,
): { readonly maxRows: number } | { readonly problem: string } {
  const cap = rowCap(endpoint);
  if (value === undefined || value === null) return { maxRows: Math.min(DEFAULT_ROWS, cap) };
  const rows = isLosslessNumber(value) ? Number(value.value) : NaN;
  if (Number.isInteger(rows) && rows >= 1 && rows <= cap) return { maxRows: rows };
  return { problem: `must be an integer from 1 to ${cap}, the row cap` };
}

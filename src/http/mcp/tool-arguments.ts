import { isLosslessNumber } from 'lossless-json';

import { rowCap, type Endpoint } from '../../endpoint/endpoint.js';
import type { Problem } from '../../errors.js';
import { readJsonParameters } from '../json-parameters.js';
import { isJsonObject } from '../json-text.js';
import type { SentCall } from '../sent-call.js';
import { DEFAULT_ROWS, limitsRows, MAX_ROWS } from './row-limit.js';

/** What the arguments of a tool are. */
export interface ToolArguments {
  readonly sent: SentCall;
  /** Rows to return at most. */
  readonly maxRows: number;
}

/** Names of parameters that the caller's key pins, which its tools do not have. */
type Pinned = ReadonlyMap<string, string> | undefined;

/**
 * Reads the arguments of a tool as the body of a POST is read; but an unknown name is a problem, because a model that
 * misspells a parameter would take the rows of another call for the result.
 *
 * @param sent numbers are `LosslessNumber`; undefined where the call has none.
 * @param pinned parameters that the caller's key pins: an error does not offer them.
 */
export function readArguments(endpoint: Endpoint, sent: unknown = {}, pinned?: Pinned): ToolArguments {
  if (!isJsonObject(sent)) {
    return {
      sent: sentCall({ problems: [{ param: 'arguments', problem: 'must be an object' }] }),
      maxRows: 0,
    };
  }
  const members = new Map<string, unknown>(Object.entries(sent));
  const limit = limitsRows(endpoint)
    ? readMaxRows(endpoint, members.get(MAX_ROWS))
    : { maxRows: rowCap(endpoint) };
  if (limitsRows(endpoint)) members.delete(MAX_ROWS);
  const unknown = problemsOfUnknown(endpoint, [...members.keys()], pinned);
  for (const { param } of unknown) members.delete(param);
  const { parameters, problems } = readJsonParameters(endpoint, members);
  const ofLimit = 'problem' in limit ? [{ param: MAX_ROWS, problem: limit.problem }] : [];
  return {
    sent: sentCall({ parameters, problems: [...problems, ...unknown, ...ofLimit] }),
    maxRows: 'maxRows' in limit ? limit.maxRows : 0,
  };
}

function sentCall(read: Partial<SentCall>): SentCall {
  return { query: new Map(), parameters: new Map(), problems: [], isInTarget: false, ...read };
}

function problemsOfUnknown(endpoint: Endpoint, names: readonly string[], pinned: Pinned): readonly Problem[] {
  const { parameters, settings } = endpoint;
  const known = [...parameters.keys(), ...(settings.sandboxing === 'enabled' ? ['sql'] : [])];
  const free = known.filter((name) => pinned?.has(name) !== true);
  const all = [...free, ...(limitsRows(endpoint) ? [MAX_ROWS] : [])];
  const problem = `is no argument of this tool, which has ${all.join(', ')}`;
  return names.filter((name) => !known.includes(name)).map((param) => ({ param, problem }));
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

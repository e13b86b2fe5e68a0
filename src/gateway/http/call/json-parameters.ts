import { isLosslessNumber } from 'lossless-json';

import type { Endpoint } from '../../../endpoint/endpoint.js';
import { itemKind } from '../../../endpoint/parameters/kinds.js';
import { Failure, type ParamProblem } from '../../errors.js';
import {
  MAX_BODY_VALUE_BYTES,
  rawInBody,
  type RawParameter,
  type RawParameters,
} from '../../query/raw-parameters.js';
import { belongsInQueryString } from './undeclared-parameters.js';

/** Overhead of an item of a list in bytes: quotes and a comma in the parameter that ClickHouse gets. */
const ITEM_BYTES = 2;
/** Maximum number of items in a list, reached with empty texts. */
export const MAX_LIST_ITEMS = MAX_BODY_VALUE_BYTES / ITEM_BYTES + 1;

/** The parameters in a JSON body, and the problems of invalid ones. */
export interface JsonParameters {
  readonly parameters: RawParameters;
  readonly problems: readonly ParamProblem[];
  /** Names that the endpoint does not declare. */
  readonly undeclared: readonly string[];
}

/**
 * Reads the members of a JSON object as parameters of an endpoint. Names that belong in the query string are problems.
 *
 * @param members numbers are `LosslessNumber`.
 * @throws Failure BODY_TOO_LARGE where a value has more than 64 KiB.
 */
export function readJsonParameters(
  endpoint: Endpoint,
  members: ReadonlyMap<string, unknown>,
): JsonParameters {
  const parameters = new Map<string, RawParameter>();
  const problems: ParamProblem[] = [];
  const undeclared: string[] = [];
  for (const [param, value] of members) {
    const kind = kindOf(endpoint, param);
    if (kind === undefined && !belongsInQueryString(param)) undeclared.push(param);
    if (value === null) continue;
    if (kind !== undefined) {
      const read = readValue(kind, value);
      if ('problem' in read) problems.push({ param, problem: read.problem });
      else parameters.set(param, rawOf(param, read, kind));
    } else if (belongsInQueryString(param)) {
      problems.push({ param, problem: 'belongs in the query string, also of a POST' });
    }
  }
  return { parameters, problems, undeclared };
}

/** What a value must be. */
interface ValueKind {
  /** Name of the type of the value; of an item, where the value is a list. */
  readonly name: string;
  readonly isList: boolean;
}

/** The kind of a declared parameter, or of `sql` where callers may send it; undefined for other names. */
function kindOf({ parameters, settings }: Endpoint, param: string): ValueKind | undefined {
  const parameter = parameters.get(param);
  if (parameter) return { name: itemKind(parameter.kind), isList: parameter.isList ?? false };
  return param === 'sql' && settings.sandboxing === 'enabled' ? { name: 'string', isList: false } : undefined;
}

type Read = { readonly text: string } | { readonly items: readonly string[] };
interface Rejected {
  readonly problem: string;
}

function readValue(kind: ValueKind, value: unknown): Read | Rejected {
  if (!Array.isArray(value)) return readScalar(kind, value);
  if (!kind.isList) return { problem: 'must be one value, not an array' };
  const items: string[] = [];
  for (const item of value as readonly unknown[]) {
    const read = readScalar(kind, item);
    if ('problem' in read) return { problem: `has an item that ${read.problem}` };
    items.push(read.text);
  }
  return { items };
}

function readScalar({ name }: ValueKind, value: unknown): { readonly text: string } | Rejected {
  if (typeof value === 'string') {
    // A lone surrogate has no UTF-8 form: ClickHouse would get another character.
    return /\p{Surrogate}/u.test(value)
      ? { problem: 'is not valid Unicode: a surrogate is alone' }
      : { text: value };
  }
  if (typeof value === 'boolean') return { text: String(value) };
  if (!isLosslessNumber(value)) return { problem: 'must be a string, a number, true or false' };
  const { text, isUnsafeInteger } = readJsonNumber(value.value, name === 'integer');
  return isUnsafeInteger && name !== 'number'
    ? { problem: 'is an integer beyond 2^53, which JSON programs round: write it as a string' }
    : { text };
}

/** @throws Failure BODY_TOO_LARGE */
function rawOf(param: string, read: Read, { isList }: ValueKind): RawParameter {
  const items = 'items' in read ? read.items : isList ? read.text.split(',') : [read.text];
  const bytes = items.reduce((sum, item) => sum + Buffer.byteLength(item) + ITEM_BYTES, -ITEM_BYTES);
  if (bytes > MAX_BODY_VALUE_BYTES) {
    throw new Failure(
      'BODY_TOO_LARGE',
      `${param} has ${bytes} bytes; a value may have ${MAX_BODY_VALUE_BYTES}. Send a shorter one.`,
    );
  }
  return rawInBody('items' in read ? read.items : read.text);
}

/** Maximum number of digits in the plain form of a number; no parameter accepts more. */
const MAX_DIGITS = 400;

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

const SHORT_INTEGER = /^-?\d{1,15}$/;

/** A JSON number, read without rounding. */
interface JsonNumber {
  /** The number in plain decimal digits; with more than 400 digits, the text as sent. */
  readonly text: string;
  /** Whether the value is an integer that a double may not hold exactly: beyond 2^53. */
  readonly isUnsafeInteger: boolean;
}

/**
 * Reads a JSON number exactly: `1e3` is `1000`, and `1.50` stays `1.50`.
 *
 * @param isInteger whether to omit the fraction of an integer: `1.0` is `1`.
 */
function readJsonNumber(sent: string, isInteger: boolean): JsonNumber {
  // Fast path for nearly every item of a long list.
  if (SHORT_INTEGER.test(sent)) return { text: sent, isUnsafeInteger: false };
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(sent) ?? [];
  const shift = Number(exponent);
  if (Math.abs(shift) + whole.length + fraction.length > MAX_DIGITS) {
    return { text: sent, isUnsafeInteger: whole.length + shift > MAX_DIGITS / 2 };
  }
  const digits = whole.padStart(Math.max(0, -shift) + 1, '0') + fraction.padEnd(Math.max(0, shift), '0');
  const point = Math.max(whole.length, 1 - shift) + shift;
  const left = digits.slice(0, point).replace(/^0+(?=\d)/, '');
  const right = digits.slice(point);
  const isWhole = /^0*$/.test(right);
  const text = right === '' || (isWhole && isInteger) ? left : `${left}.${right}`;
  return { text: sign + text, isUnsafeInteger: isWhole && !Number.isSafeInteger(Number(left)) };
}

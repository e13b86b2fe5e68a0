import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

import type { LastRow } from '../../endpoint/after-last-row.js';
import { SecretValue } from '../../endpoint/parameters/secret-value.js';
import type { Value, Values } from '../../endpoint/values.js';
import type { Principal } from './principal.js';

/** The position after the last row of a page, at which the next page begins. */
export interface Position {
  /** When the parameters of the first page were read; relative times count from it. Milliseconds since 1970. */
  readonly readAt: number;
  /** The gateway's clock in the query of the first page. Milliseconds since 1970. */
  readonly now: number;
  readonly last: LastRow;
}

/** The call whose pages a cursor belongs to. */
export interface PagedCall {
  readonly endpoint: { readonly id: string; readonly digest: string };
  readonly values: Values;
  /** The row scope of the caller: its pinned parameters. */
  readonly scope: string;
}

/** A cursor whose HMAC is valid. */
export interface OpenedCursor extends Position {
  /** What differs between the call of the cursor and a given call; completes "cursor …". Undefined where nothing differs. */
  readonly problemOf: (call: PagedCall) => string | undefined;
}

/** First byte of a cursor: version of the format of the bytes after it. */
const VERSION = 1;
const TIME_BYTES = 6;
const MARK_BYTES = 6;
const MAC_BYTES = 16;
const NULL = 0xffff;

/** The problem where a cursor belongs to another call, one for each text of {@link Cursors.textsOf}. */
const BOUND_TO: readonly string[] = [
  'is of another endpoint',
  'is of another definition of this endpoint, which has changed',
  'is of a key with other pinned parameters',
  'is of other parameters: send those of the first page',
];

const TIMES_START = 1;
const MARKS_START = TIMES_START + 2 * TIME_BYTES;
const ROW_START = MARKS_START + BOUND_TO.length * MARK_BYTES;

const DAY_MS = 86_400_000;

/**
 * Makes and opens the cursors of pages: the last row of a page, bound to its call by an HMAC that every gateway of the project
 * computes alike. A cursor carries no right: a call with one needs every right that a call without it needs.
 */
export class Cursors {
  readonly #key: Buffer | undefined;

  /**
   * @param secret `LINK_SECRET`; without one, the key is derived from the definition and the caller's key
   * @param isSecret whether any endpoint declares a parameter of this name as secret
   */
  constructor(
    secret: string | undefined,
    private readonly isSecret: (name: string) => boolean = () => false,
  ) {
    if (secret !== undefined)
      this.#key = Buffer.from(hkdfSync('sha256', secret, '', 'querygate cursors', 32));
  }

  seal({ readAt, now, last }: Position, call: PagedCall, principal: Principal): string {
    const key = this.keyOf(call, principal);
    const start = Buffer.alloc(MARKS_START);
    start.writeUInt8(VERSION);
    start.writeUIntBE(readAt, TIMES_START, TIME_BYTES);
    start.writeUIntBE(now, TIMES_START + TIME_BYTES, TIME_BYTES);
    const marks = this.textsOf(call).map((text, index) => markOf(key, index, text));
    const sealed = Buffer.concat([start, ...marks, ...last.map(encoded)]);
    return Buffer.concat([sealed, macOf(key, sealed)]).toString('base64url');
  }

  /** Opens a cursor of a caller. For an invalid text returns the problem, which completes "cursor …". */
  open(
    text: string,
    call: Pick<PagedCall, 'endpoint'>,
    principal: Principal,
    nowMs: number,
  ): OpenedCursor | { readonly problem: string } {
    const bytes = Buffer.from(text, 'base64url');
    const [sealed, mac] = [bytes.subarray(0, -MAC_BYTES), bytes.subarray(-MAC_BYTES)];
    // Several texts decode to the same bytes; only the canonical one is valid.
    const isCanonical = bytes.toString('base64url') === text;
    if (!isCanonical || sealed.length < ROW_START || sealed[0] !== VERSION) return { problem: NO_CURSOR };
    const key = this.keyOf(call, principal);
    if (!timingSafeEqual(mac, macOf(key, sealed))) return { problem: this.#key ? CHANGED : CHANGED_OR_OTHER };
    const last = decoded(sealed.subarray(ROW_START));
    if (!last) return { problem: NO_CURSOR };
    const readAt = sealed.readUIntBE(TIMES_START, TIME_BYTES);
    const now = sealed.readUIntBE(TIMES_START + TIME_BYTES, TIME_BYTES);
    if (nowMs - readAt > DAY_MS) return { problem: EXPIRED };
    const problemOf = (of: PagedCall): string | undefined => {
      const differs = (text: string, index: number): boolean =>
        !markOf(key, index, text).equals(markIn(sealed, index));
      return BOUND_TO[this.textsOf(of).findIndex(differs)];
    };
    return { readAt, now, last, problemOf };
  }

  /**
   * The texts that a cursor is bound to. None has the value of a secret parameter, because each gateway has another HMAC of it.
   * Without `LINK_SECRET` none has a secret pin either: the caller can compute the key of the HMAC, and could try all values of
   * the pin. A cursor carries no right, so it need not be bound to secrets.
   */
  private textsOf({ endpoint: { id, digest }, values, scope }: PagedCall): readonly string[] {
    const isHidden = (name: string): boolean =>
      values.get(name) instanceof SecretValue || (!this.#key && this.isSecret(name));
    const shown = (pairs: Iterable<readonly [string, Value]>): string =>
      JSON.stringify([...pairs].map(([name, value]) => [name, isHidden(name) ? null : value]));
    const pins = this.#key || scope === '' ? scope : shown(JSON.parse(scope) as [string, string][]);
    return [id, digest, pins, shown(values)];
  }

  private keyOf({ endpoint }: Pick<PagedCall, 'endpoint'>, principal: Principal): Buffer {
    if (this.#key) return this.#key;
    const { name, created = '' } = principal.signedBy ?? principal;
    const identity = JSON.stringify(['querygate cursors', endpoint.digest, name, created]);
    return createHash('sha256').update(identity).digest();
  }
}

const NO_CURSOR =
  'is none that a response had: send the value of X-Next-Cursor or next_cursor of the page before';
const CHANGED = 'was changed, or made with another LINK_SECRET: begin with the first page';
const CHANGED_OR_OTHER =
  'was changed, or is of another endpoint, another definition or another key: begin with the first page';
const EXPIRED = 'is of a first page that is more than a day old: begin with the first page';

function markOf(key: Buffer, index: number, text: string): Buffer {
  return createHmac('sha256', key).update(`${index} ${text}`).digest().subarray(0, MARK_BYTES);
}

const markIn = (sealed: Buffer, index: number): Buffer =>
  sealed.subarray(MARKS_START + index * MARK_BYTES, MARKS_START + (index + 1) * MARK_BYTES);

const macOf = (key: Buffer, sealed: Buffer): Buffer =>
  createHmac('sha256', key).update('cursor ').update(sealed).digest().subarray(0, MAC_BYTES);

function encoded(value: string | null): Buffer {
  const bytes = Buffer.from(value ?? '', 'hex');
  const length = Buffer.alloc(2);
  length.writeUInt16BE(value === null ? NULL : bytes.length);
  return Buffer.concat([length, bytes]);
}

/** The values of a row; undefined where the bytes do not end with a whole value. */
function decoded(bytes: Buffer): LastRow | undefined {
  const values: (string | null)[] = [];
  let at = 0;
  while (at + 2 <= bytes.length) {
    const length = bytes.readUInt16BE(at);
    at += 2;
    values.push(length === NULL ? null : bytes.toString('hex', at, at + length));
    if (length !== NULL) at += length;
  }
  return at === bytes.length ? values : undefined;
}

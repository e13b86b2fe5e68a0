import type { Value, Values } from '../../endpoint/values.js';
import { itemKind } from '../../endpoint/parameters/kinds.js';
import { withoutZones } from '../../endpoint/type-name.js';
import { revealed } from '../../endpoint/parameters/secret-value.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import { knownFacts } from '../facts/query-facts.js';
import type { ResultColumn } from '../clickhouse/describe-columns.js';

/** Text values of a call's parameters. Each can be the time zone of a column. */
export function zonesOf(values: Values): ReadonlySet<string> {
  const texts = [...values.values()].map((value: Value) => revealed(value));
  return new Set(texts.filter((text) => typeof text === 'string'));
}

/** Values with another zone for each time zone parameter. Undefined where the endpoint has none. */
export function withOtherZones({ parameters }: Endpoint, values: Values): Values | undefined {
  const names = [...parameters].filter(([, { kind }]) => itemKind(kind) === 'timezone').map(([name]) => name);
  if (names.length === 0) return undefined;
  const other = (value: Value | undefined): string =>
    revealed(value ?? null) === OTHER_ZONES[0] ? OTHER_ZONES[1] : OTHER_ZONES[0];
  return new Map([...values, ...names.map((name) => [name, other(values.get(name))] as const)]);
}

const OTHER_ZONES = ['Pacific/Chatham', 'Asia/Kathmandu'] as const;

/** Warnings where a query changes the zone of a returned time. That has no effect: callers get the same text as without it. */
export function uselessZones(endpoint: Endpoint, described: readonly ResultColumn[]): readonly string[] {
  const called = knownFacts(endpoint)?.facts.functions ?? new Set();
  if (![...called].some((name) => /^toTimeZone$/i.test(name))) return [];
  const inZones = described.filter(({ type }) => withoutZones(type, UTC) !== withoutZones(type));
  return inZones.map(
    ({ name }) =>
      `column ${name}: toTimeZone has no effect, because times are written in UTC, whatever their zone. For the text of the local ` +
      `time write formatDateTime(${name}, '%F %T', zone), for its day toDate(${name}, zone)`,
  );
}

const UTC: ReadonlySet<string> = new Set(['UTC']);

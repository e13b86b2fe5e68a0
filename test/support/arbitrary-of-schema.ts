import fc from 'fast-check';

import type { JsonSchema } from '../../src/endpoint/json-schema.js';
import { anyText } from './any-text.js';

/** Values that break one rule of a schema, by the rule. */
export type Violations = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** Finds the schema that a reference names. */
export type Resolve = (reference: string) => JsonSchema;

/** Characters of a text of unspecified form: long ones are for a test of their own. */
const SOME = 30;

const YEARS = {
  min: new Date('1900-01-02T00:00:00Z'),
  max: new Date('2299-12-30T00:00:00Z'),
  noInvalidDate: true,
};

/** Any value that satisfies a schema of a parameter. */
export function valueOf(schema: JsonSchema, resolve: Resolve): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return valueOf(resolve(schema.$ref), resolve);
  if (schema.allOf?.[0]) return valueOf(schema.allOf[0], resolve);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((member) => valueOf(member, resolve)));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  return fc.oneof(...[schema.type ?? []].flat().map((type) => valueOfType(type, schema, resolve)));
}

function valueOfType(type: string, schema: JsonSchema, resolve: Resolve): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(valueOf(schema.items ?? {}, resolve), { minLength: 1, maxLength: 4 });
    case 'string':
      return textOf(schema);
    default:
      throw new Error(`no parameter of the shipped endpoints has the type ${type}`);
  }
}

function textOf({
  format,
  pattern = '',
  minLength = 0,
  maxLength = SOME,
  examples = [],
}: JsonSchema): fc.Arbitrary<string> {
  if (format === 'date-time') return dateTime(fc.date(YEARS));
  if (format !== undefined) throw new Error(`no parameter of the shipped endpoints has the format ${format}`);
  const matches = new RegExp(pattern, 'u');
  const any = anyText({ minLength, maxLength: Math.min(maxLength, SOME) }).filter((text) =>
    matches.test(text),
  );
  return examples.length === 0 ? any : fc.oneof(any, fc.constantFrom(...examples.map(String)));
}

/** A time as RFC 3339 has it, in several zones and precisions. */
const dateTime = (date: fc.Arbitrary<Date>): fc.Arbitrary<string> =>
  fc
    .tuple(
      date,
      fc.stringMatching(/^(\.\d{1,9})?$/),
      fc.constantFrom('Z', 'z', '+00:00', '-07:00', '+05:45', '+23:59'),
    )
    .map(([time, fraction, zone]) => time.toISOString().replace(/\.\d{3}Z$/, fraction + zone));

/** What a schema of a parameter in the query string excludes. */
export function violationsOf(schema: JsonSchema, resolve: Resolve): Violations {
  if (schema.$ref !== undefined) return violationsOf(resolve(schema.$ref), resolve);
  const member = schema.allOf?.[0] ?? schema.anyOf?.find(({ type }) => type !== 'null');
  if (member) return violationsOf(member, resolve);
  if (schema.items) return inLists(violationsOf(schema.items, resolve));
  const { enum: values, format } = schema;
  if (values) {
    // The gateway accepts some enums in any letter case.
    const listed = new Set(values.map((value) => String(value).toLowerCase()));
    return { enum: someText.filter((text) => !listed.has(text.toLowerCase())) };
  }
  return format === 'date-time' ? { format: noDateTime, years: yearOutOfRange } : textViolationsOf(schema);
}

function textViolationsOf({ pattern, minLength = 0, maxLength }: JsonSchema): Violations {
  if (maxLength === 0) return {};
  return {
    ...(pattern !== undefined && { nul: fc.tuple(someText, someText).map((texts) => texts.join('\0')) }),
    ...(minLength > 0 && { minLength: fc.constant('') }),
    ...(maxLength !== undefined && {
      maxLength: fc.nat({ max: 9 }).map((more) => 'é'.repeat(maxLength + 1 + more)),
    }),
  };
}

const inLists = (violations: Violations): Violations =>
  Object.fromEntries(
    Object.entries(violations).map(([rule, item]) => [
      rule,
      fc.tuple(fc.constant('a'), item, fc.constant('b')),
    ]),
  );

const someText = anyText({ minLength: 1, maxLength: 10 }).filter((text) => !text.includes('\0'));

/** Text of any kind, and times that no calendar has. The empty text is another matter. */
const noDateTime = fc.oneof(
  someText.filter((text) => !/^\d{4}-\d\d-\d\d/.test(text)),
  fc.constantFrom(
    '2026-02-30T00:00:00Z',
    '2026-05-17T24:00:00Z',
    '2026-05-17T10:05:60Z',
    '2026-05-17T10:05:03+24:00',
  ),
);

const yearOutOfRange = dateTime(
  fc.oneof(
    fc.date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('1899-12-30T00:00:00Z'),
      noInvalidDate: true,
    }),
    fc.date({
      min: new Date('2300-01-02T00:00:00Z'),
      max: new Date('9999-12-30T00:00:00Z'),
      noInvalidDate: true,
    }),
  ),
);

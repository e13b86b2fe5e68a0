import { parseTypeName, type TypeName } from '../../endpoint/type-name.js';
import type { Quoting, ResultColumn } from './format.js';
import { FAMILIES } from './type-families.js';

/** Significant digits that every double has. */
const EXACT_DIGITS = 15;

/** Whether JavaScript cannot hold every number of a type exactly. Of floats it can. */
export function isWideNumber({ name, args: [precision] }: TypeName): boolean {
  if (name === 'Decimal') return Number(precision) > EXACT_DIGITS;
  return /^(?:U?Int(?:64|128|256)|Interval\w+)$/.test(name);
}

/** Types whose values have types of their own: ClickHouse's settings alone decide how these are written. */
const HAVE_OWN_TYPES = /^(?:JSON|Object|Dynamic|Variant)$/;

/**
 * How the columns of a result are written where numbers are text. ClickHouse quotes either every Decimal or none: the way that leaves
 * fewer of them to convert, unless values with types of their own need the first.
 */
export function quotingOf(columns: readonly ResultColumn[]): Quoting {
  const types = columns.flatMap(({ type }) => typesIn(type));
  const isNarrow = (type: TypeName): boolean => type.name === 'Decimal' && !isWideNumber(type);
  const quotesDecimals = types.some(({ name }) => HAVE_OWN_TYPES.test(name)) || !types.some(isNarrow);
  return {
    settings: {
      output_format_json_quote_64bit_integers: 1,
      output_format_json_quote_decimals: quotesDecimals ? 1 : 0,
    },
    quotesDecimals,
  };
}

/** The types of the values of a type, wherever they are in it. */
function typesIn(text: string): readonly TypeName[] {
  const type = parseTypeName(text);
  const inner = HAVE_OWN_TYPES.test(type.name) ? undefined : FAMILIES.get(type.name)?.elements?.(type.args);
  return inner?.flatMap(typesIn) ?? [type];
}

/** A query in which the settings do not hold, because functions such as `toJSONString` obey them too. */
export function withoutQuoting(query: string): string {
  return `SELECT * FROM (\n${query}\n) SETTINGS output_format_json_quote_64bit_integers = 0, output_format_json_quote_decimals = 0`;
}

import { parseTypeName, type TypeName } from '../../endpoint/type-name.js';
import type { Quoting, ResultColumn } from './format.js';
import { FAMILIES } from './type-families.js';

/** Number of significant digits that a double holds exactly. */
const EXACT_DIGITS = 15;

/** Whether JavaScript cannot hold every number of a type exactly; false for floats. */
export function isWideNumber({ name, args: [precision] }: TypeName): boolean {
  if (name === 'Decimal') return Number(precision) > EXACT_DIGITS;
  return /^(?:U?Int(?:64|128|256)|Interval\w+)$/.test(name);
}

/** Types whose values have types of their own. ClickHouse's settings alone determine how these values are written. */
const HAVE_OWN_TYPES = /^(?:JSON|Object|Dynamic|Variant)$/;

/**
 * The quoting of a result in which wide numbers are strings. ClickHouse quotes either every Decimal or none. The choice leaves fewer
 * Decimals to convert in the query; values with types of their own cannot be converted and need quotes.
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

/** The types of the values in a type, at any depth. */
function typesIn(text: string): readonly TypeName[] {
  const type = parseTypeName(text);
  const inner = HAVE_OWN_TYPES.test(type.name) ? undefined : FAMILIES.get(type.name)?.elements?.(type.args);
  return inner?.flatMap(typesIn) ?? [type];
}

/** A query without the quoting settings, which would also change the result of functions such as `toJSONString`. */
export function withoutQuoting(query: string): string {
  return `SELECT * FROM (\n${query}\n) SETTINGS output_format_json_quote_64bit_integers = 0, output_format_json_quote_decimals = 0`;
}

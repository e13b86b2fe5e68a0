import type { Value } from './values.js';
import { SecretValue } from './parameters/secret-value.js';
import type { ParameterValue } from './parameters/parameter.js';

const LIST_OF_NUMBERS = /^Array\((?:U?Int|Float|Decimal)/;

/**
 * A value in the form in which ClickHouse's client sends it. The client quotes the items of a list, and ClickHouse reads no
 * quoted numbers, so that a list of numbers is one text.
 *
 * @param type the ClickHouse type that the value is bound as.
 */
export function boundForm(value: Value, type: string): Value {
  if (!LIST_OF_NUMBERS.test(type)) return value;
  return value instanceof SecretValue ? value.inForm(listOfNumbers) : value && listOfNumbers(value);
}

const listOfNumbers = (value: ParameterValue): string =>
  typeof value === 'string' ? value : `[${value.join(',')}]`;

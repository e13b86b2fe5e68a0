import { TYPE_SAMPLES, type TypeSample } from './sample-types.js';
import { cast, PLACES, type Places } from './type-places.js';

/** Where a number can be: by itself, and inside other types. */
export const NUMBER_PLACES: Places = {
  ...PLACES,
  lists: (value, type) => cast(`[[${cast(value, type)}], []]`, `Array(Array(${type}))`),
  // What ClickHouse writes for a vector is no JSON.
  keys: (value, type) =>
    cast(`map(${cast(value, type)}, 1)`, `Map(${type.replace('QBit', 'No key')}, UInt8)`),
  nested: (value, type) => cast(`[tuple(${cast(value, type)})]`, `Nested(v ${type})`),
};

/** A decimal with its least value, its largest one, and the two beside zero. */
function decimal(precision: number, scale: number): TypeSample {
  const largest = `${'9'.repeat(precision - scale) || '0'}${scale > 0 ? '.' : ''}${'9'.repeat(scale)}`;
  const smallest = scale > 0 ? `0.${'0'.repeat(scale - 1)}1` : '1';
  const values = [`-${largest}`, `-${smallest}`, '0', smallest, largest];
  return [`Decimal(${precision}, ${scale})`, values.map((value) => `'${value}'`)];
}

/** Decimals of which JavaScript holds every value, and others. */
export const NARROW = [decimal(1, 0), decimal(9, 9), decimal(15, 0), decimal(15, 15)];
export const WIDE = [decimal(16, 0), decimal(16, 16), decimal(38, 10), decimal(76, 30)];

/** Types whose values have types of their own. */
export const OWN_TYPES: readonly TypeSample[] = [
  [
    'Dynamic',
    ["'9007199254740993'::UInt64", '1.5::Decimal(9, 1)', '[1::Int64]', '1::Int32', 'toIntervalDay(1)'],
  ],
  ['Variant(Decimal(9, 2), String)', ['1.5::Decimal(9, 2)', "'1'"]],
  ['Variant(Int64, String)', ['1::Int64', "'1'"]],
  ['JSON', [`'{"a": 9007199254740993, "b": [1, 2.5]}'`]],
  ['JSON(a Decimal(9, 2), b UInt64, c UInt8)', [`'{"a": 1.5, "b": 1, "c": 2}'`]],
];

/** Every type, and more samples of numbers. */
export const NUMBER_SAMPLES: readonly TypeSample[] = [
  ...Object.values(TYPE_SAMPLES).flat(),
  ...[...NARROW, ...WIDE],
  ['Int64', ["'-9007199254740993'", "'9007199254740992'"]],
  ...OWN_TYPES,
];

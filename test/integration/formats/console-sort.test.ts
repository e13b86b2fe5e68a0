import { parse } from 'lossless-json';

import type { Row } from '../../../console/src/model/endpoint.js';
import { sortRows } from '../../../console/src/model/sort-rows.js';
import { useFormatQueries } from '../../support/fetch-format.js';
import type { TypeSample } from '../../support/sample-types.js';
import { cast } from '../../support/type-places.js';

/** Values whose texts have another order than they. */
const SAMPLES: readonly TypeSample[] = [
  ['UInt64', ["'18446744073709551615'", '9', '10', "'18446744073709551614'"]],
  ['Int256', ["'-10'", "'-9'", '2']],
  ['Decimal(38, 20)', ["'-1.5'", "'-1.25'", "'9'", "'10'", "'10.00000000000000000001'"]],
  ['Float64', ['1e-9', '1e300', '-2', '-10', '0.5']],
  ['IntervalDay', ['9', '10', '-1']],
  ['Bool', ['true', 'false']],
  ['Date32', ["'1900-01-01'", "'2299-12-31'", "'1969-12-31'"]],
  ["DateTime('Asia/Kathmandu')", ["'2026-05-17 00:05:03'", "'2026-05-16 23:05:03'"]],
  ["DateTime64(3, 'Europe/Berlin')", ["'2026-10-25 00:30:00.001'", "'2026-10-25 03:30:00'", "'1969-01-01'"]],
  ['Time', ["'12:00:00'", "'100:00:00'", "'-01:00:00'", "'-12:00:00'", "'999:59:59'"]],
  ['Time64(3)', ["'12:00:00.5'", "'12:00:00.25'", "'-00:00:00.5'", "'100:00:00'"]],
  ['IPv4', ["'10.0.0.9'", "'10.0.0.30'", "'10.0.0.3'", "'9.255.255.255'", "'255.255.255.255'"]],
  ['Nullable(IPv4)', ["'10.0.0.9'", "'10.0.0.30'"]],
  ['IPv6', ["'::'", "'::1'", "'2001:db8::9'", "'2001:db8::10'", "'2001:0:9::'", "'::ffff:10.0.0.9'"]],
  [
    'IPv6',
    ["'::ffff:10.0.0.10'", "'1::'", "'fe80::1:0:0:1'", "'::1.2.3.4'", "'ffff::'", "'a:b:c:d:e:f:1:2'"],
  ],
  ["Enum8('warning' = 2, 'error' = 3, 'debug' = -1)", ["'error'", "'debug'", "'warning'"]],
  ["Enum('b' = 5, 'a', '\\'', ', \\\\ =')", ["'a'", "'b'", String.raw`', \\ ='`, String.raw`'\''`]],
  ["Nullable(Enum16('z' = 1, 'y' = 2))", ["'y'", "'z'"]],
  ['Array(UInt64)', ['[9]', '[10]', '[]', '[9, 1]', "['18446744073709551615']"]],
  ['Array(Array(IPv4))', ["[['10.0.0.9']]", "[['10.0.0.30'], []]", '[[]]']],
  ['Tuple(UInt8, String)', ["(10, 'a')", "(9, 'b')", "(9, 'a')"]],
  ['Tuple(a UInt8, b Time)', ["(10, '1:00:00')", "(9, '1:00:00')"]],
  ['Map(String, UInt8)', ["map('a', 10)", "map('a', 9)", "map('a', 9, 'b', 1)", 'map()']],
  ['FixedString(2)', ["'b'", "'a'", "'aa'"]],
];

describe('a column of the console', () => {
  const { queryLines } = useFormatQueries();

  it.each(SAMPLES)('is sorted as by ClickHouse: %s %j', async (type, values) => {
    const rows = values.map((value) => `SELECT ${cast(value, type)} AS c`).join(' UNION ALL ');
    const select = `SELECT c FROM (${rows}) ORDER BY c`;
    const lines = await queryLines(select, { output_format_json_map_as_array_of_tuples: 0 });
    const sorted = lines.map((line) => parse(line) as Row);
    const columns = [{ name: 'c', type }];
    const direction = 'ascending';
    expect(sorted).toHaveLength(values.length);
    expect(sortRows(columns, sorted.toReversed(), { column: 'c', direction })).toEqual(sorted);
    // Not by the order in which they came.
    expect(sortRows(columns, sorted, { column: 'c', direction: 'descending' })).toEqual(sorted.toReversed());
  });
});

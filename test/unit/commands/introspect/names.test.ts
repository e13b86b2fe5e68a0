import { endpointName, parameterName, sqlName } from '../../../../src/commands/introspect/names.js';
import { problemOfEndpointName } from '../../../../src/endpoint/check-definition.js';

describe('names of ClickHouse', () => {
  it.each([
    ['page_views', 'page-views'],
    ['PageViews', 'pageviews'],
    ['shop.orders', 'shop.orders'],
    ['shop_._orders__', 'shop.orders'],
    ['odd table!', 'odd-table'],
  ])('%s becomes the endpoint %s', (name, expected) => {
    expect(endpointName(name)).toBe(expected);
    expect(problemOfEndpointName(expected)).toBeUndefined();
  });

  it('has no endpoint’s name where no character of it can stay', () => {
    expect(endpointName('таблица')).toBe('');
  });

  it('become parameters’ names that differ, and that neither the gateway nor a request uses', () => {
    const taken = new Set(['since']);
    const names = ['Since', 'format', 'now', 'a b', 'a-b', '1st', 'столбец'];
    expect(names.map((name) => parameterName(name, taken))).toEqual([
      'since_value',
      'format_value',
      'now_value',
      'a_b',
      'a_b_value',
      'st',
      undefined,
    ]);
  });

  it('are quoted in SQL only where they need it', () => {
    expect(['orders', 'timestamp', 'Select', 'n.a', 'a`b', '1st'].map(sqlName)).toEqual([
      'orders',
      'timestamp',
      '`Select`',
      '`n.a`',
      '`a\\`b`',
      '`1st`',
    ]);
  });
});

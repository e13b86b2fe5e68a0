import { equalTo, groupsByDay, keyEqualTo } from '../../../src/endpoint/groups-by-day.js';
import { Reference } from '../../../src/endpoint/sql.js';

const time = (name: string): Reference => new Reference(name, "DateTime64(6, 'UTC')");
const city = new Reference('city', 'String');
const NO_NAMES = ['', '1st', 'a b', 'a-b', 'a; DROP TABLE b', "a'", 'a.b', 'a)', 'é'];

describe('what becomes SQL as a name', () => {
  it.each(NO_NAMES)('is refused where it is %j, which is no identifier', (name) => {
    const given = {
      groups: { city: { type: 'Nullable(String)' } },
      range: { start: time('start'), end: time('end') },
      rollup: { table: 'days', filters: [] },
      records: { table: 'events', filters: [] },
    };
    expect(() => groupsByDay(given)).not.toThrow();
    for (const wrong of [
      { ...given, groups: { [name]: { type: 'Nullable(String)' } } },
      { ...given, rollup: { table: name, filters: [] } },
      { ...given, records: { table: name, filters: [] } },
    ]) {
      expect(() => groupsByDay(wrong)).toThrow(TypeError);
    }
    expect(() => equalTo({ [name]: city })).toThrow(TypeError);
    expect(() => keyEqualTo({ [name]: city })).toThrow(TypeError);
  });
});

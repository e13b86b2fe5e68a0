import { clockOf, inZone, instantOf, wallTime } from '../../../console/src/model/zone.js';

describe('a time in a zone', () => {
  it('has the offset of its own date, and all digits of its second', () => {
    expect(clockOf('2026-01-17T10:00:00.123456789Z', 'Europe/Berlin')).toEqual({
      ...{ date: '2026-01-17', time: '11:00:00.123456789', offset: '+01:00' },
    });
    expect(clockOf('2026-07-17T23:30:00Z', 'Europe/Berlin')).toEqual({
      ...{ date: '2026-07-18', time: '01:30:00', offset: '+02:00' },
    });
    expect(clockOf('2026-01-17T00:10:00Z', 'America/St_Johns')).toMatchObject({
      ...{ date: '2026-01-16', time: '20:40:00', offset: '-03:30' },
    });
  });

  it('is that of the gateway in UTC, and in a zone without an offset', () => {
    expect(clockOf('2026-01-17T10:00:00Z', 'UTC')).toMatchObject({ time: '10:00:00', offset: 'Z' });
    expect(clockOf('2026-01-17T10:00:00Z', 'Europe/London')).toMatchObject({
      ...{ time: '10:00:00', offset: '+00:00' },
    });
  });

  it('is a time only where it is one, with its zone', () => {
    for (const text of ['2026-01-17', '2026-01-17T10:00:00', '10:00:00', 'later']) {
      expect(clockOf(text, 'Europe/Berlin')).toBeUndefined();
    }
  });

  it('can be read as one of UTC; a zone that the browser does not know is UTC', () => {
    const at = Date.parse('2026-01-17T10:00:00Z') / 1000;
    const wall = wallTime(at, 'America/New_York');
    expect(new Date(wall * 1000).toISOString()).toBe('2026-01-17T05:00:00.000Z');
    expect(instantOf(wall, 'America/New_York')).toBe(at);
    expect(wallTime(at, 'Europe/Nowhere')).toBe(at);
  });

  it('can be before 1970, where offsets had seconds', () => {
    const ms = Date.parse('1900-06-01T12:00:00Z');
    expect(inZone(ms, 'Europe/Paris')).toEqual({ clock: '1900-06-01T12:09:21.000', offset: '+00:09:21' });
  });
});

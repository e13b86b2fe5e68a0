import { listOf, timezone } from '../../../../src/endpoint/index.js';
import { description, mistakesIn, problemOf, valueOf } from '../../../support/read-parameter.js';

describe('timezone', () => {
  const zone = timezone({ description });

  it.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['europe/berlin', 'Europe/Berlin'],
    ['AMERICA/ARGENTINA/BUENOS_AIRES', 'America/Buenos_Aires'],
    ['UTC', 'UTC'],
    ['Etc/UTC', 'UTC'],
    ['Etc/GMT+5', 'Etc/GMT+5'],
  ])('converts %j to %s', (input, value) => {
    expect(valueOf(zone, input)).toBe(value);
  });

  it('has one value for every name that Node.js has, whatever its letter case', () => {
    for (const name of Intl.supportedValuesOf('timeZone')) {
      if (name === 'America/Coyhaique') continue;
      const value = valueOf(zone, name);
      expect(valueOf(zone, name.toLowerCase())).toBe(value);
      expect(valueOf(zone, String(value))).toBe(value);
    }
  });

  it('asks Node.js once for a name that a list repeats in several letter cases', () => {
    const { DateTimeFormat } = Intl;
    let created = 0;
    Intl.DateTimeFormat = new Proxy(DateTimeFormat, {
      construct: (target, args) => {
        created += 1;
        return Reflect.construct(target, args) as object;
      },
    });
    try {
      const sent = `${'Asia/Tokyo,asia/tokyo,ASIA/TOKYO,'.repeat(100)}Asia/Tokyo`;
      expect(valueOf(listOf('timezone', { description }), sent)).toEqual(['Asia/Tokyo']);
    } finally {
      Intl.DateTimeFormat = DateTimeFormat;
    }
    expect(created).toBeLessThanOrEqual(1);
  });

  it.each(['+02:00', '-0500', 'Mars/Olympus', ' UTC', 'Europe/Berlin; DROP', 'U', 'x'.repeat(100)])(
    'rejects %j and shows examples',
    (input) => {
      expect(problemOf(zone, input)).toBe(
        'must be a time zone of the IANA database, such as Europe/Berlin or UTC',
      );
    },
  );

  it('treats the empty text as omitted, or as a problem', () => {
    expect(valueOf(zone, '')).toBeUndefined();
    expect(problemOf(timezone({ description, empty: 'problem' }), '')).toBe('must not be empty');
  });

  it('has a default that is a time zone', () => {
    expect(valueOf(timezone({ description, default: 'utc' }), undefined)).toBe('UTC');
    expect(mistakesIn(timezone({ description, default: 'Berlin' }))).toEqual([
      'default must be a time zone of the IANA database, such as Europe/Berlin or UTC',
    ]);
  });
});

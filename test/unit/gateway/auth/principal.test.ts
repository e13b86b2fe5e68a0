import { addressSet } from '../../../../src/gateway/auth/address-set.js';
import { matchesEndpoint } from '../../../../src/gateway/auth/endpoint-pattern.js';
import { parseInstant } from '../../../../src/gateway/auth/instant.js';
import { KeyUse } from '../../../../src/gateway/auth/key-use.js';
import { mayCallWithPins } from '../../../../src/gateway/auth/pinned-parameters.js';
import { allowsAddress, isActive, mayCall, type Principal } from '../../../../src/gateway/auth/principal.js';

const ENDPOINT = { id: '0f3e8a5c-1111-4222-8333-444455556666', name: 'logs.all-new' };
const PRINCIPAL: Principal = { name: 'a', mayBypassCache: false };

describe('meansEndpoint', () => {
  it.each(['logs.all-new', ENDPOINT.id, '*', 'logs.*', '*new', 'l*s.*-*w', '**', 'logs.all-new*', '*.*'])(
    'matches %s',
    (pattern) => {
      expect(matchesEndpoint(pattern, ENDPOINT)).toBe(true);
    },
  );

  it.each([
    'logs',
    'logs.al',
    'logs.all-newer',
    '0f3e*',
    'logs-*',
    'logs.all-new*w',
    '*x*',
    '',
    'logs.all.new',
    'logs.a*l-n*new-new',
  ])('does not match %j', (pattern) => {
    expect(matchesEndpoint(pattern, ENDPOINT)).toBe(false);
  });
});

describe('mayCall', () => {
  it('allows every endpoint without patterns, else only matching endpoints', () => {
    expect(mayCall(PRINCIPAL, ENDPOINT)).toBe(true);
    const limited = { ...PRINCIPAL, endpoints: ['usage.*', 'logs.*'] };
    const other = { id: 'other', name: 'log.all' };
    for (let again = 0; again < 2; again += 1) {
      expect(mayCall(limited, ENDPOINT)).toBe(true);
      expect(mayCall(limited, other)).toBe(false);
    }
    expect(mayCall({ ...PRINCIPAL, endpoints: [] }, ENDPOINT)).toBe(false);
  });
});

describe('mayCallWithPins', () => {
  it('needs the endpoint to be allowed and every fixed parameter to be declared', () => {
    const endpoint = { ...ENDPOINT, parameters: new Set(['project']) };
    expect(mayCallWithPins(PRINCIPAL, endpoint)).toBe(true);
    expect(mayCallWithPins({ ...PRINCIPAL, endpoints: ['other'] }, endpoint)).toBe(false);
    expect(mayCallWithPins({ ...PRINCIPAL, pinned: new Map([['project', 'a']]) }, endpoint)).toBe(true);
    expect(mayCallWithPins({ ...PRINCIPAL, pinned: new Map([['tenant', 'a']]) }, endpoint)).toBe(false);
  });
});

describe('isActive', () => {
  it('is true until the expiry', () => {
    expect(isActive(PRINCIPAL, Infinity)).toBe(true);
    expect(isActive({ ...PRINCIPAL, expiresAt: 1000 }, 999)).toBe(true);
    expect(isActive({ ...PRINCIPAL, expiresAt: 1000 }, 1000)).toBe(false);
  });
});

describe('allowsAddress', () => {
  const ranges = ['10.0.0.0/8', '192.0.2.7', '2001:db8::/32', 'fe80::1', '203.0.113.9/24'];
  const limited = { ...PRINCIPAL, addresses: addressSet(ranges) };

  it.each([
    '10.255.0.1',
    '192.0.2.7',
    '2001:db8:ffff::1',
    '::ffff:10.0.0.1',
    '::FFFF:a00:1',
    '0:0:0:0:0:ffff:10.0.0.1',
    'fe80::1%eth0',
    '203.0.113.200',
  ])('accepts %s', (address) => {
    expect(allowsAddress(limited, address)).toBe(true);
  });

  it.each([
    '11.0.0.1',
    '192.0.2.8',
    '2001:db9::1',
    '::ffff:11.0.0.1',
    '::ffff:b00:1',
    '::10.0.0.1',
    '203.0.114.1',
    '10.0.0',
    '010.0.0.1',
    '10.0.0.1:80',
    '',
    'localhost',
    undefined,
  ])('rejects %s', (address) => {
    expect(allowsAddress(limited, address)).toBe(false);
  });

  it('accepts any address without ranges', () => {
    expect(allowsAddress(PRINCIPAL, undefined)).toBe(true);
  });

  it.each([
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    'a',
    '',
    '::1/129',
    '::ffff:10.0.0.1',
    'fe80::1%e',
  ])('rejects the range %j', (range) => {
    expect(() => addressSet([range])).toThrow('must be an IP address or range');
  });

  it('separates all of IPv4 from all of IPv6', () => {
    expect(addressSet(['0.0.0.0/0']).allows('::1')).toBe(false);
    expect(addressSet(['0.0.0.0/0']).allows('255.0.0.1')).toBe(true);
    expect(addressSet(['::/0']).allows('2001::1')).toBe(true);
    expect(addressSet(['::/0']).allows('10.0.0.1')).toBe(false);
  });
});

describe('parseInstant', () => {
  it.each([
    ['2027-01-01', '2027-01-01T00:00:00.000Z'],
    ['2027-01-01T10:20', '2027-01-01T10:20:00.000Z'],
    ['2027-01-01 10:20:30.5', '2027-01-01T10:20:30.500Z'],
    ['2027-01-01T10:20:30+02:00', '2027-01-01T08:20:30.000Z'],
    ['2027-01-01T10:20:30-0130', '2027-01-01T11:50:30.000Z'],
    ['2028-02-29t00:00z', '2028-02-29T00:00:00.000Z'],
  ])('reads %s', (text, iso) => {
    expect(new Date(parseInstant(text) ?? NaN).toISOString()).toBe(iso);
  });

  it.each([
    '',
    '2027',
    '2027-02-29',
    '2027-13-01',
    '2027-01-01T25:00',
    'tomorrow',
    '1 Jan 2027',
    '2027-01-01Z',
  ])('rejects %j', (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });
});

describe('KeyUse', () => {
  it('reports the last use of each key, of all tokens together and of the links of each key', () => {
    let principals: readonly Principal[] = [PRINCIPAL, { ...PRINCIPAL, name: 'b' }];
    const use = new KeyUse(() => principals);
    use.record(PRINCIPAL, 1000);
    use.record(PRINCIPAL, 2000);
    for (let user = 0; user < 1000; user += 1)
      use.record({ ...PRINCIPAL, name: `jwt:${user}`, via: 'token' }, 3000);
    use.record({ ...PRINCIPAL, via: 'link', signedBy: PRINCIPAL }, 4000);
    expect([...use.all()]).toEqual([
      ['a', '1970-01-01T00:00:02.000Z'],
      ['jwt:*', '1970-01-01T00:00:03.000Z'],
      ['link:a', '1970-01-01T00:00:04.000Z'],
    ]);
    principals = [];
    expect([...use.all().keys()]).toEqual(['jwt:*']);
  });
});

import { boundForm } from '../../../src/endpoint/bound-form.js';
import { revealed, sealWith } from '../../../src/endpoint/parameters/secret-value.js';

describe('boundForm', () => {
  it.each(['Array(Int64)', 'Array(UInt8)', 'Array(Float32)', 'Array(Decimal(38, 9))', 'Array(Decimal64(2))'])(
    'writes a list for %s as one text without quotes',
    (type) => {
      expect(boundForm(['1', '-2'], type)).toBe('[1,-2]');
    },
  );

  it.each(['Array(String)', 'Array(Bool)', 'Array(UUID)', 'Array(Date32)', "Array(DateTime64(6, 'UTC'))"])(
    'leaves a list for %s to the client',
    (type) => {
      expect(boundForm(['a', 'b'], type)).toEqual(['a', 'b']);
    },
  );

  it('leaves single values and omitted ones as they are', () => {
    expect(boundForm('1', 'Int64')).toBe('1');
    expect(boundForm(null, 'Array(Int64)')).toBeNull();
  });

  it('keeps a secret list secret, with the same HMAC', () => {
    const secret = sealWith(Buffer.from('key'))(['1', '2']);
    const form = boundForm(secret, 'Array(Int64)');
    expect(revealed(form)).toBe('[1,2]');
    expect(JSON.stringify(form)).toBe(JSON.stringify(secret));
  });
});

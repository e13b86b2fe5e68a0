import { presentedKey } from '../../../../../src/gateway/http/call/credentials.js';

describe('presentedKey', () => {
  it.each([
    [{ 'x-api-key': 'k' }, 'k'],
    [{ authorization: 'Bearer k' }, 'k'],
    [{ authorization: 'bearer   k ' }, 'k'],
    [{ 'x-api-key': 'k', authorization: 'Bearer other' }, 'k'],
    [{ 'x-api-key': '', authorization: 'Bearer k' }, 'k'],
  ])('finds the key in %j', (headers, key) => {
    expect(presentedKey(headers)).toBe(key);
  });

  it.each([
    [{}],
    [{ 'x-api-key': '' }],
    [{ authorization: '' }],
    [{ authorization: 'Bearer' }],
    [{ authorization: 'Bearer ' }],
    [{ authorization: 'Bearer a b' }],
    [{ authorization: 'Basic azpr' }],
    [{ authorization: 'k' }],
    [{ authorization: 'Bearerk' }],
  ])('finds none in %j', (headers) => {
    expect(presentedKey(headers)).toBeUndefined();
  });
});

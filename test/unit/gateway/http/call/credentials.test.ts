import {
  findPrincipal,
  principalOfPresented,
  presentedKey,
} from '../../../../../src/gateway/http/call/credentials.js';
import { testCredentials } from '../../../../support/test-credentials.js';

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

describe('a key or token over 8 KiB', () => {
  it('is rejected without being hashed or verified', async () => {
    const lookups: string[] = [];
    const credentials = {
      ...testCredentials({}),
      find: (presented: string) => void lookups.push(presented),
      verify: (presented: string) => Promise.resolve(void lookups.push(presented)),
    };
    const long = 'x'.repeat(8193);
    expect(findPrincipal(credentials, long)).toBeUndefined();
    await expect(principalOfPresented(credentials, long, {})).rejects.toMatchObject({
      code: 'API_KEY_INVALID',
    });
    expect(lookups).toEqual([]);
    await expect(principalOfPresented(credentials, long.slice(1), {})).rejects.toThrow('is unknown');
    expect(lookups).toHaveLength(2);
  });
});

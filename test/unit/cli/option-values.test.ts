import { collect, httpUrl } from '../../../src/cli/option-values.js';

describe('values of options', () => {
  it('takes HTTP addresses, and no slash at their end', () => {
    expect(httpUrl('https://gateway.example/logs/')).toBe('https://gateway.example/logs');
    for (const wrong of [
      'gateway:8080',
      'ftp://x',
      'http://',
      'http://a:b@host',
      'http://host/?x',
      'http://host/#x',
    ]) {
      expect(() => httpUrl(wrong)).toThrow(/must (be|begin)/);
    }
  });

  it('collects an option that is given several times', () => {
    expect(collect('b', collect('a'))).toEqual(['a', 'b']);
  });
});

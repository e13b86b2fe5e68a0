import { collect, httpUrl } from '../../../../src/commands/cli/option-values.js';

describe('values of options', () => {
  it('httpUrl accepts HTTP URLs and removes trailing slashes', () => {
    expect(httpUrl('https://gateway.example/logs/')).toBe('https://gateway.example/logs');
    for (const wrong of [
      'gateway:8080',
      'ftp://x',
      'http://',
      'http://a:b@host',
      'http://host/?x',
      'http://host/#x',
    ]) {
      expect(() => httpUrl(wrong)).toThrow(/^The URL must/);
    }
  });

  it('collect collects the values of a repeated option', () => {
    expect(collect('b', collect('a'))).toEqual(['a', 'b']);
  });
});

import { quoteName, quoteText } from '../../../src/endpoint/quote-sql.js';

describe('quoteName', () => {
  it.each([
    ['timestamp', '`timestamp`'],
    ['a`b', '`a\\`b`'],
    ['a\\', '`a\\\\`'],
    ['a\\`b', '`a\\\\\\`b`'],
    ["it's $&", "`it's $&`"],
  ])('writes %j as %s', (name, sql) => {
    expect(quoteName(name)).toBe(sql);
  });
});

describe('quoteText', () => {
  it.each([
    ['', "''"],
    ["it's", "'it\\'s'"],
    ['a\\', "'a\\\\'"],
    ['a`b', "'a`b'"],
  ])('writes %j as %s', (text, sql) => {
    expect(quoteText(text)).toBe(sql);
  });
});

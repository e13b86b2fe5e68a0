import { excerptOf, textWithCarets } from '../../../src/endpoint/excerpt.js';

describe('carets', () => {
  it('keep their place after tabs and wide characters, and those of one line are drawn together', () => {
    expect(textWithCarets('\ta, 😀b\nc', [1, 6, 8])).toBe('     a, 😀b\n     ^   ^\n    c\n    ^');
  });

  it('stand below a place in a line that is cut around it', () => {
    const source = `first\n${'a'.repeat(200)}bcd${'e'.repeat(200)}\r\nlast`;
    const [line = '', carets] = excerptOf(source, { start: 206, end: 209 }).split('\n');
    expect(line).toBe(`    ${'a'.repeat(60)}bcd${'e'.repeat(57)}`);
    expect(carets).toBe(`    ${' '.repeat(60)}^^^`);
  });
});

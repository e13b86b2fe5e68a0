import { paint } from '../../../../src/commands/cli/style.js';

describe('paint', () => {
  const terminal = { isTTY: true };

  it.each([
    ['a terminal', { stream: terminal, environment: {} }, '\u001b[31mx\u001b[39m'],
    [
      'a terminal with an empty NO_COLOR',
      { stream: terminal, environment: { NO_COLOR: '' } },
      '\u001b[31mx\u001b[39m',
    ],
    ['a terminal with NO_COLOR', { stream: terminal, environment: { NO_COLOR: '1' } }, 'x'],
    ['a dumb terminal', { stream: terminal, environment: { TERM: 'dumb' } }, 'x'],
    ['a file', { stream: {}, environment: {} }, 'x'],
  ])('writes on %s what it can show', (_where, target, shown) => {
    expect(paint('red', 'x', target)).toBe(shown);
  });
});

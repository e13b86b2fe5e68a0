import { integer, text } from '../../../../src/endpoint/index.js';
import { description, mistakesIn } from '../../../support/read-parameter.js';

describe('the options of every kind', () => {
  it('become facts of the parameter where they are given', () => {
    const choicesFrom = { endpoint: 'cities', column: 'city' };
    const given = text({ description, deprecated: true, choicesFrom, default: 'Bonn' });
    expect(given).toMatchObject({ deprecated: true, choicesFrom, default: 'Bonn' });
    expect(text({ description, secret: true })).toMatchObject({ secret: true });
  });

  it('leave no facts where they are absent or false', () => {
    const plain = text({ description, deprecated: false, secret: false });
    for (const fact of ['deprecated', 'secret', 'choicesFrom', 'default', 'isList', 'relativeStepMs']) {
      expect(plain).not.toHaveProperty(fact);
    }
  });

  it('are all reported where several are wrong', () => {
    const wrong = { minimum: 'a', maximum: 'b', required: 'yes' } as object;
    expect(mistakesIn(integer({ description, ...wrong }))).toHaveLength(3);
  });

  it.each([undefined, null, 'text', []])('are reported where they are %j instead of an object', (options) => {
    expect(mistakesIn(text(options as never))).toEqual([
      expect.stringMatching(/^the options must be an object with description, required,/),
    ]);
  });

  it('must have a description', () => {
    expect(mistakesIn(text({} as never))).toEqual(['description is missing; it must be a sentence']);
  });
});

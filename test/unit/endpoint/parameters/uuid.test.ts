import fc from 'fast-check';

import { uuid } from '../../../../src/endpoint/index.js';
import { declareByKind } from '../../../../src/endpoint/parameters/kinds.js';
import { description, mistakesIn, problemOf, valueOf } from '../../../support/read-parameter.js';

describe('uuid', () => {
  const id = uuid({ description });

  it('has one value for every letter case', () => {
    fc.assert(
      fc.property(fc.uuid(), (value) => {
        expect(valueOf(id, value.toUpperCase())).toBe(value);
        expect(valueOf(id, value)).toBe(value);
      }),
    );
  });

  it.each(['61f0c4045cb311e7907ba6006ad3dba0', '{61f0c404-5cb3-11e7-907b-a6006ad3dba0}', 'x', ' '])(
    'rejects %j and shows an example',
    (input) => {
      expect(problemOf(id, input)).toBe('must be a UUID, such as 61f0c404-5cb3-11e7-907b-a6006ad3dba0');
    },
  );

  it('treats the empty text as omitted, or as a problem', () => {
    expect(valueOf(id, '')).toBeUndefined();
    expect(problemOf(uuid({ description, empty: 'problem' }), '')).toBe('must not be empty');
  });

  it('reports a default that is none, and a type that cannot hold it', () => {
    expect(mistakesIn(uuid({ description, default: 'none' }))).toEqual([
      'default must be a UUID, such as 61f0c404-5cb3-11e7-907b-a6006ad3dba0',
    ]);
    expect(mistakesIn(declareByKind('uuid', { description }, ['String']))).toEqual([
      'the query binds it as String; for kind uuid write UUID',
    ]);
  });
});

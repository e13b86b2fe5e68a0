import fc from 'fast-check';

import { parseSelectText, type Piece } from '../../../../../src/endpoint/sql-file/select/select-text.js';
import { anySelect, printTemplate, type Template } from '../../../../support/any-select.js';

/** Text, placeholders as they are written, and parts as lists. */
type Brief = (string | Brief)[];

function joined(nodes: Brief): Brief {
  return nodes.reduce<Brief>((all, node) => {
    const last = all.at(-1);
    if (node === '') return all;
    if (typeof node === 'string' && typeof last === 'string') return [...all.slice(0, -1), last + node];
    return [...all, node];
  }, []);
}

function ofTemplate(template: Template): Brief {
  return joined(
    template.flatMap((node): Brief => {
      if (typeof node === 'string') return [node];
      if ('part' in node) return [' ', ofTemplate([...node.part, ' '])];
      return [[node.type === undefined ? `@${node.name}` : `{${node.name}:${node.type}}`]];
    }),
  );
}

function ofPieces(pieces: readonly Piece[]): Brief {
  return joined(
    pieces.map((piece) => {
      if (piece.kind === 'text') return piece.text;
      if (piece.kind === 'optional') return ofPieces(piece.pieces);
      return [piece.type === undefined ? `@${piece.name}` : `{${piece.name}:${piece.type}}`];
    }),
  );
}

describe('parseSelectText', () => {
  it('finds the parts and placeholders of 2,000 valid SELECTs', () => {
    const property = fc.property(anySelect, (template) => {
      const { pieces, problems } = parseSelectText(printTemplate(template));
      expect(problems).toEqual([]);
      const statement = template.map((node) =>
        typeof node === 'string' ? node.replace(/^( ?);.*$/, '$1') : node,
      );
      expect(ofPieces(pieces)).toEqual(ofTemplate(statement));
    });
    fc.assert(property, { numRuns: 2000 });
  });
});

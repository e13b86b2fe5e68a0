import fc from 'fast-check';

import { parseSelectText, type Piece } from '../../../../../src/endpoint/sql-file/select/select-text.js';
import { anySelect, printTemplate, type Template } from '../../../../support/any-select.js';
import { anySqlText } from '../../../../support/any-sql.js';

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

/** The text from an offset that pieces cover with all parts, undefined where there is a gap or an overlap. */
function covered(text: string, pieces: readonly Piece[], from: number): number | undefined {
  let end: number | undefined = from;
  for (const piece of pieces) {
    if (piece.kind === 'optional') {
      if (piece.start + 2 !== end) return undefined;
      end = covered(text, piece.pieces, end) === piece.end ? piece.end : undefined;
    } else end = piece.start === end && isSame(text, piece) ? piece.end : undefined;
    if (end === undefined) return undefined;
  }
  return end;
}

function isSame(text: string, piece: Exclude<Piece, { kind: 'optional' }>): boolean {
  const source = text.slice(piece.start, piece.end);
  if (piece.kind === 'parameter') return source.includes(piece.name);
  return piece.text === source || (piece.text === ' ' && ['[[', ']]', ''].includes(source));
}

const mutation = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.constantFrom(0, 0, 1, 2, 3, 10, 40),
  inserted: fc.oneof(
    fc.constantFrom('', '[[', ']]', '[', ']', '(', ')', ',', ' AND ', ' OR ', ' BETWEEN ', ' CASE ', ' END '),
    fc.constantFrom(
      '@a',
      '{a:',
      '}',
      ';',
      ' UNION ALL ',
      ' SELECT ',
      ' FROM ',
      ' WHERE ',
      ' LIMIT 1 ',
      "'",
      '?',
    ),
    anySqlText,
  ),
});

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

  it('covers the text without gaps and never throws for 2,000 mutated SELECTs', () => {
    const property = fc.property(
      anySelect,
      fc.array(mutation, { minLength: 1, maxLength: 3 }),
      (template, all) => {
        const text = all.reduce((before, { at, removed, inserted }) => {
          const start = Math.floor(at * before.length);
          return before.slice(0, start) + inserted + before.slice(start + removed);
        }, printTemplate(template));
        const { pieces, problems } = parseSelectText(text);
        const end = covered(text, pieces, 0);
        const places = problems.filter(
          ({ start, end: until }) => 0 <= start && start <= until && until <= text.length,
        );
        expect([end === text.length || (end !== undefined && text[end] === ';'), places]).toEqual([
          true,
          problems,
        ]);
      },
    );
    fc.assert(property, { numRuns: 2000 });
  });
});

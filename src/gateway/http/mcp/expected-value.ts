/** What a validator expected, and where. */
export interface Issue {
  readonly path: readonly (string | number)[];
  /** Name of a type; absent where no single one is expected. */
  readonly expected?: string;
}

/** Values that a sentence lists. */
const MAX_ISSUES = 3;
/** A name of the protocol. Others are of the request, and may be of any length. */
const NAME = /^[\w./-]{1,50}$/;

const TYPES: ReadonlyMap<string, string> = new Map([
  ['string', 'a string'],
  ['number', 'a number'],
  ['int', 'an integer'],
  ['boolean', 'true or false'],
  ['array', 'an array'],
  ['object', 'an object'],
  ['record', 'an object'],
]);

/** What the values must be: `params.name must be a string`. */
export function expectedBy(issues: readonly Issue[]): string {
  const listed = issues.slice(0, MAX_ISSUES).map(({ path, expected = '' }) => {
    const type = TYPES.get(expected);
    return `${placeOf(path)} ${type === undefined ? 'is not valid' : `must be ${type}`}`;
  });
  return listed.join(', ');
}

function placeOf(path: Issue['path']): string {
  const names = path.map(String);
  const end = names.findIndex((name) => !NAME.test(name));
  return names.slice(0, end === -1 ? names.length : end).join('.') || 'the message';
}

import {
  NO_VERSIONS,
  overVersions,
  type DataVersions,
  type VersionedQuery,
} from '../../../../src/gateway/query/data-versions.js';
import { sampleEndpoint } from '../../../support/sample-endpoint.js';

const readOf = (scope: string): VersionedQuery => ({ endpoint: sampleEndpoint(), values: new Map(), scope });

interface Ran {
  readonly isOver: boolean;
  readonly isOfVersion?: true;
}

/** Runs a query that was not over the versions. @returns the scopes whose tables were noted as changed */
async function changedIn(
  scopes: readonly string[],
  { now, isSent = true }: { readonly now: (scope: string) => string; readonly isSent?: boolean },
): Promise<{ readonly changed: readonly string[]; readonly isOver: boolean }> {
  const changed: string[] = [];
  const versions: DataVersions = {
    ...NO_VERSIONS,
    before: ({ scope }) =>
      Promise.resolve({ version: 'old', tableFilters: '', changed: () => changed.push(scope) }),
    confirm: ({ scope }, version, { isRead }) =>
      Promise.resolve(isRead && version === now(scope) ? 0 : undefined),
  };
  const { ran, data } = await overVersions(
    versions,
    scopes.map(readOf),
    0,
    (known) => (isSent ? known : undefined),
    (over): Promise<Ran> => Promise.resolve({ isOver: over !== undefined }),
  );
  expect(data).toBeUndefined();
  return { changed, isOver: ran.isOver };
}

describe('a query that ClickHouse did not run over the versions', () => {
  const isMoved = (scope: string): string => (scope === 'moved' ? 'new' : 'old');

  it('notes the tables of those reads as changed whose version differs now', async () => {
    const { changed } = await changedIn(['quiet', 'moved', 'still'], { now: isMoved });
    expect(changed).toEqual(['moved']);
  });

  it('notes those of its one read, which came and went', async () => {
    expect((await changedIn(['quiet'], { now: isMoved })).changed).toEqual(['quiet']);
  });

  it.each([[['moved']], [['quiet', 'moved']]])(
    'notes nothing where it was too long for that: %j',
    async (scopes) => {
      expect(await changedIn(scopes, { now: isMoved, isSent: false })).toEqual({
        changed: [],
        isOver: false,
      });
    },
  );
});

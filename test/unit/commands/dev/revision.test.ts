import { Revision } from '../../../../src/commands/dev/revision.js';

const NEVER = new AbortController().signal;

describe('Revision', () => {
  it('tells all who wait for the next change', async () => {
    const revision = new Revision();
    const known = revision.text;
    const waiting = [revision.changed(known, NEVER), revision.changed(known, NEVER)];
    revision.change();
    await Promise.all(waiting);
    expect(revision.text).not.toBe(known);
  });

  it('lets nobody wait who knows an earlier one, such as that of a server before its restart', async () => {
    await new Revision().changed(new Revision().text, NEVER);
  });

  it('ends the waiting of a reader who disconnects', async () => {
    const revision = new Revision();
    const reader = new AbortController();
    const waiting = revision.changed(revision.text, reader.signal);
    reader.abort();
    await waiting;
    await revision.changed(revision.text, reader.signal);
  });
});

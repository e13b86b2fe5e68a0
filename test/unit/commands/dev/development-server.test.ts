import { PassThrough } from 'node:stream';

import { DevelopmentServer } from '../../../../src/commands/dev/development-server.js';
import { Terminal } from '../../../../src/commands/dev/terminal.js';
import type { FileProblem } from '../../../../src/endpoint/file-problems.js';
import { readConfig } from '../../../../src/gateway/config/config.js';
import { REFERENCE_WITHOUT_ENV } from '../../../support/reference-project.js';

const problemOf = (name: string, more: Partial<FileProblem> = {}): FileProblem => ({
  ...{ file: `endpoints/${name}.sql`, problem: `${name} is wrong`, code: 'KEY_UNKNOWN' },
  ...more,
});

describe('DevelopmentServer', () => {
  it('prints problems once, until they change, also while somebody writes another file', () => {
    const stream = new PassThrough({ encoding: 'utf8' });
    const config = readConfig({ PROJECT_DIR: REFERENCE_WITHOUT_ENV });
    const server = new DevelopmentServer(
      config,
      new Terminal(stream as unknown as typeof process.stdout),
      new AbortController().signal,
    );
    const printedAfter = (...problems: readonly FileProblem[]): unknown => {
      const unchanged = { added: [], changed: [], removed: [] };
      server.onReload({ problems, kept: ['one'], at: new Date(0), ok: false, ...unchanged });
      return stream.read();
    };
    const one = problemOf('one');
    const begun = problemOf('begun', { unfinished: 'half' });
    expect(printedAfter(one)).toContain('one is wrong');
    expect(printedAfter(one)).toBeNull();
    expect(printedAfter(one, begun)).toContain('waiting');
    expect(printedAfter(one, begun)).toBeNull();
    expect(server.problems()).toMatchObject([one]);
    expect(printedAfter(one, problemOf('other'))).toContain('other is wrong');
  });
});

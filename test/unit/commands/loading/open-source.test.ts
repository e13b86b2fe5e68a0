import { appendFile, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';

import {
  metered,
  openSource,
  type ByteSource,
  type SourceRequest,
} from '../../../../src/commands/loading/open-source.js';
import { InputFailure, LoadError } from '../../../../src/commands/loading/load-error.js';
import { withTemporaryFolder } from '../../../support/temporary-folder.js';
import { chunks, drain } from './streams.js';

const request = (changes: Partial<SourceRequest>): SourceRequest => ({
  source: '-',
  stdin: Readable.from([Buffer.from('from '), Buffer.from('stdin')]),
  readTwice: false,
  onCopied: () => undefined,
  ...changes,
});

async function textOf(source: ByteSource): Promise<string> {
  return Buffer.concat((await drain(source.read())).items).toString();
}

const temporaryCopies = async (): Promise<string[]> =>
  (await readdir(tmpdir())).filter((name) => name.startsWith('querygate-load-'));

describe('openSource', () => {
  it('reads a file twice, both times up to its initial size', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'lines');
      await writeFile(file, 'one');
      const source = await openSource(request({ source: file, readTwice: true }));
      expect(source.size).toBe(3);
      expect(await textOf(source)).toBe('one');
      await appendFile(file, 'more');
      expect(await textOf(source)).toBe('one');
      await source.close();
    });
  });

  it('reads standard input twice from an unlinked copy', async () => {
    let copied = 0;
    const source = await openSource(request({ readTwice: true, onCopied: (bytes) => (copied += bytes) }));
    expect([copied, source.size]).toEqual([10, 10]);
    expect(await temporaryCopies()).toEqual([]);
    expect(await textOf(source)).toBe('from stdin');
    expect(await textOf(source)).toBe('from stdin');
    await source.close();
  });

  it('leaves no copy behind when standard input fails', async () => {
    const stdin = Readable.from(chunks('begun', new Error('EIO')));
    await expect(openSource(request({ stdin, readTwice: true }))).rejects.toThrow(
      /cannot be copied to .*: EIO/,
    );
    expect(await temporaryCopies()).toEqual([]);
  });

  it.each([
    ['/nowhere/at/all', /\/nowhere\/at\/all cannot be opened: the file does not exist/],
    [tmpdir(), /is a folder/],
  ])('throws a LoadError that names the problem with %s', async (source, message) => {
    const opening = openSource(request({ source }));
    await expect(opening).rejects.toBeInstanceOf(LoadError);
    await expect(opening).rejects.toThrow(message);
  });
});

describe('metered', () => {
  it('counts the bytes that pass and wraps a read error', async () => {
    const lengths: number[] = [];
    const { items, error } = await drain(
      metered(chunks('ab', 'cde', new Error('EIO')), (length) => lengths.push(length)),
    );
    expect(Buffer.concat(items).toString()).toBe('abcde');
    expect(lengths).toEqual([2, 3]);
    expect(error).toEqual(new InputFailure('EIO'));
  });
});

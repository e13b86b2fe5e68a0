import { randomBytes } from 'node:crypto';
import { open, readFile, realpath, rename, rm } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { parseDocument, stringify } from 'yaml';

import { withFileLock } from './file-lock.js';
import { isYaml, parseKeyFile, readKeyFile, type KeyFile, type StoredKey } from './key-file.js';

/** A change to a keys' file. */
export type KeyFileEdit =
  | { readonly kind: 'add'; readonly key: StoredKey }
  /** The hash becomes the key's newer one; the one that was newest stays beside it, any older goes. */
  | { readonly kind: 'addHash'; readonly name: string; readonly hash: string }
  /** The older of two hashes goes. */
  | { readonly kind: 'dropOlderHash'; readonly name: string }
  | { readonly kind: 'remove'; readonly name: string };

/**
 * Changes a keys' file, while no other command does; readers see the old file or the new one, never a half. In YAML,
 * comments and order are kept.
 *
 * @param decide gets what is in the file (undefined where there is none) and says what to change.
 * @throws Error where the file is not as it should be, before or after; it is then left as it was.
 */
export async function editKeyFile(
  file: string,
  decide: (before: KeyFile | undefined) => KeyFileEdit,
): Promise<void> {
  // A link stays one: what it leads to is replaced.
  const place = await realpath(file).catch(() => file);
  await withFileLock(place, async () => {
    const before = await readIfThere(place);
    const edit = decide(before?.content);
    const after = edited(before?.content ?? { keys: [] }, edit);
    const text = isYaml(place) ? editedYaml(before?.text, edit) : editedJson(before?.text, edit);
    if (!isDeepStrictEqual(parseKeyFile(place, text), parseKeyFile(`${place}.json`, JSON.stringify(after)))) {
      throw new Error(`${file} is written in a way that can’t be changed here; change it by hand`);
    }
    await replaceFile(place, text);
  });
}

async function readIfThere(
  file: string,
): Promise<{ readonly text: string; readonly content: KeyFile } | undefined> {
  try {
    return { content: await readKeyFile(file), text: await readFile(file, 'utf8') };
  } catch (error) {
    const cause = (error as Error).cause as NodeJS.ErrnoException | undefined;
    if (cause?.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** What has to be in the file afterwards, however it is written. */
function edited({ keys }: KeyFile, edit: KeyFileEdit): KeyFile {
  if (edit.kind === 'add') return { keys: [...keys, edit.key] };
  if (edit.kind === 'remove') return { keys: keys.filter(({ name }) => name !== edit.name) };
  return {
    keys: keys.map((key) =>
      key.name === edit.name ? { ...key, sha256: editedHashes(key.sha256, edit) } : key,
    ),
  };
}

function editedHashes(
  hashes: readonly string[],
  edit: Extract<KeyFileEdit, { kind: 'addHash' | 'dropOlderHash' }>,
): readonly string[] {
  return edit.kind === 'addHash' ? [...hashes.slice(-1), edit.hash] : hashes.slice(-1);
}

function editedJson(text: string | undefined, edit: KeyFileEdit): string {
  const content = text === undefined ? { keys: [] } : (JSON.parse(text) as KeyFile);
  return `${JSON.stringify(edited(content, edit), undefined, 2)}\n`;
}

function editedYaml(text: string | undefined, edit: KeyFileEdit): string {
  if (text === undefined) return stringify(edited({ keys: [] }, edit), { lineWidth: 0 });
  const document = parseDocument(text);
  if (edit.kind === 'add') {
    document.addIn(['keys'], document.createNode(edit.key));
    return document.toString({ lineWidth: 0 });
  }
  const { keys } = document.toJS() as KeyFile;
  const index = keys.findIndex(({ name }) => name === edit.name);
  if (edit.kind === 'remove') document.deleteIn(['keys', index]);
  else {
    const hashes = ['keys', index, 'sha256'];
    if ((keys[index]?.sha256.length ?? 0) > 1) document.deleteIn([...hashes, 0]);
    if (edit.kind === 'addHash') document.addIn(hashes, edit.hash);
  }
  return document.toString({ lineWidth: 0 });
}

async function replaceFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    await handle
      .writeFile(text)
      .then(() => handle.sync())
      .finally(() => handle.close());
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

import { readFile, realpath } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { parseDocument, stringify } from 'yaml';

import { withFileLock } from '../../files/file-lock.js';
import { replaceFile } from '../../files/replace-file.js';
import { isYaml, parseKeyFile, readKeyFile, type KeyFile, type StoredKey } from './key-file.js';

/** A change to a keys file. */
export type KeyFileEdit =
  | { readonly kind: 'add'; readonly key: StoredKey }
  /** Adds a hash as the newest one; the previous newest stays, older ones are removed. */
  | { readonly kind: 'addHash'; readonly name: string; readonly hash: string }
  /** Removes the older of two hashes. */
  | { readonly kind: 'dropOlderHash'; readonly name: string }
  | { readonly kind: 'remove'; readonly name: string };

/**
 * Changes a keys file under a lock. A reader gets the old or the new file, never a part of one. YAML comments and order are
 * preserved.
 *
 * @param decide receives the current content (undefined if the file does not exist) and returns the change.
 * @throws Error when the file is invalid before or after the change; the file then stays unchanged.
 */
export async function editKeyFile(
  file: string,
  decide: (before: KeyFile | undefined) => KeyFileEdit,
): Promise<void> {
  // A symbolic link is preserved: its target is replaced.
  const target = await realpath(file).catch(() => file);
  await withFileLock(target, async () => {
    const before = await readIfPresent(target);
    const edit = decide(before?.content);
    const after = applyEdit(before?.content ?? { keys: [] }, edit);
    const text = isYaml(target) ? applyToYaml(before?.text, edit) : applyToJson(before?.text, edit);
    if (
      !isDeepStrictEqual(parseKeyFile(target, text), parseKeyFile(`${target}.json`, JSON.stringify(after)))
    ) {
      throw new Error(`${file} uses YAML that this command cannot edit; edit it by hand`);
    }
    await replaceFile(target, text, 0o600);
  });
}

async function readIfPresent(
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

/** The content after the change, independent of JSON or YAML. */
function applyEdit({ keys }: KeyFile, edit: KeyFileEdit): KeyFile {
  if (edit.kind === 'add') return { keys: [...keys, edit.key] };
  if (edit.kind === 'remove') return { keys: keys.filter(({ name }) => name !== edit.name) };
  return {
    keys: keys.map((key) =>
      key.name === edit.name ? { ...key, sha256: applyHashEdit(key.sha256, edit) } : key,
    ),
  };
}

function applyHashEdit(
  hashes: readonly string[],
  edit: Extract<KeyFileEdit, { kind: 'addHash' | 'dropOlderHash' }>,
): readonly string[] {
  return edit.kind === 'addHash' ? [...hashes.slice(-1), edit.hash] : hashes.slice(-1);
}

function applyToJson(text: string | undefined, edit: KeyFileEdit): string {
  const content = text === undefined ? { keys: [] } : (JSON.parse(text) as KeyFile);
  return `${JSON.stringify(applyEdit(content, edit), undefined, 2)}\n`;
}

function applyToYaml(text: string | undefined, edit: KeyFileEdit): string {
  if (text === undefined) return stringify(applyEdit({ keys: [] }, edit), { lineWidth: 0 });
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

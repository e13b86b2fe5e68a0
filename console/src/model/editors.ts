import type { FilePlace } from './development.js';

/** A way to open a file from a page. */
export interface Editor {
  readonly id: string;
  readonly title: string;
  /** The address that opens a place in the editor; absent where the path is copied instead. */
  readonly link?: (place: FilePlace) => string;
}

/** `scheme://file/PATH:LINE:COLUMN`, which VS Code defined and others took over. */
const byPath =
  (scheme: string) =>
  ({ path, line, column }: FilePlace): string =>
    [`${scheme}://file${encodedPath(path)}`, line, line && column].filter(Boolean).join(':');

export const EDITORS: readonly Editor[] = [
  { id: 'vscode', title: 'VS Code', link: byPath('vscode') },
  { id: 'cursor', title: 'Cursor', link: byPath('cursor') },
  { id: 'zed', title: 'Zed', link: byPath('zed') },
  {
    id: 'jetbrains',
    title: 'JetBrains',
    link: ({ path, line }) =>
      `idea://open?file=${encodeURIComponent(path)}${line === undefined ? '' : `&line=${line}`}`,
  },
  { id: 'copy', title: 'Copy the path' },
];

/** The editor of an id, or the first one. */
export const editorOf = (id: string | null): Editor | undefined =>
  EDITORS.find((editor) => editor.id === id) ?? EDITORS[0];

/** An encoded path that begins with a slash. A Windows path does so too, and its drive keeps the colon. */
function encodedPath(path: string): string {
  const parts = path.replaceAll('\\', '/').split('/');
  const encoded = parts.map((part) => encodeURIComponent(part).replaceAll('%3A', ':')).join('/');
  return encoded.startsWith('/') ? encoded : `/${encoded}`;
}

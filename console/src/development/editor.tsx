import { createContext, type VNode } from 'preact';
import { useContext } from 'preact/hooks';

import type { FilePlace } from '../model/development.js';
import { editorOf, EDITORS } from '../model/editors.js';
import { CopyButton } from '../parts/copy-button.js';

const STORED = 'querygate.editor';

/** The id of the editor chosen in this browser; null before a choice. */
export const storedEditor = (): string | null => localStorage.getItem(STORED);

/** The id of the editor that opens files. */
export const ChosenEditor = createContext<string | null>(null);

/** Chooses and stores the editor that opens files. */
export function EditorChoice({ onEditor }: { readonly onEditor: (id: string) => void }): VNode {
  const chosen = useContext(ChosenEditor);
  return (
    <label class="editor">
      <span class="unseen">Open files in</span>
      <select
        title="How “Open in editor” opens a file"
        value={editorOf(chosen)?.id}
        onChange={(event) => {
          localStorage.setItem(STORED, event.currentTarget.value);
          onEditor(event.currentTarget.value);
        }}
      >
        {EDITORS.map(({ id, title }) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Opens a place in the chosen editor, or copies its path. */
export function OpenInEditor({ place, name }: { readonly place: FilePlace; readonly name: string }): VNode {
  const link = editorOf(useContext(ChosenEditor))?.link;
  if (!link) return <CopyButton label="Copy the path" text={() => place.path} />;
  return (
    <a class="open" href={link(place)} aria-label={`Open in editor: ${name}`}>
      Open in editor
    </a>
  );
}

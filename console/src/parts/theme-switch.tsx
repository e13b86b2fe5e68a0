import type { VNode } from 'preact';
import { useState } from 'preact/hooks';

import { applyTheme, storedTheme, type Theme } from '../theme.js';

/** Chooses the light theme, the dark theme, or that of the system. */
export function ThemeSwitch(): VNode {
  const [theme, setTheme] = useState(storedTheme);
  const choose = (chosen: Theme): void => {
    applyTheme(chosen);
    setTheme(chosen);
  };
  return (
    <label class="theme">
      <span class="unseen">Colours</span>
      <select
        value={theme}
        onChange={(event) => {
          choose(event.currentTarget.value as Theme);
        }}
      >
        <option value="system">System</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}

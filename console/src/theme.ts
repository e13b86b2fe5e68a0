export type Theme = 'system' | 'light' | 'dark';

const STORED = 'querygate.theme';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

/** The theme that was chosen in this browser. */
export function storedTheme(): Theme {
  return THEMES.find((theme) => theme === localStorage.getItem(STORED)) ?? 'system';
}

/** Shows a theme, and keeps the choice. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') {
    delete document.documentElement.dataset['theme'];
    localStorage.removeItem(STORED);
  } else {
    document.documentElement.dataset['theme'] = theme;
    localStorage.setItem(STORED, theme);
  }
  for (const tell of listeners) tell();
}

const listeners = new Set<() => void>();

/** Calls when colours change, by choice or with the system; gives what ends that. */
export function onThemeChange(tell: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  listeners.add(tell);
  system.addEventListener('change', tell);
  return () => {
    listeners.delete(tell);
    system.removeEventListener('change', tell);
  };
}

/** A colour of the style sheet, as it is now: a canvas knows neither variables nor `light-dark()`. */
export function colour(name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

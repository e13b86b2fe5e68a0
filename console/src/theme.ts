export type Theme = 'system' | 'light' | 'dark';

const STORED = 'querygate.theme';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

/** The theme chosen in this browser. */
export function storedTheme(): Theme {
  return THEMES.find((theme) => theme === localStorage.getItem(STORED)) ?? 'system';
}

/** Shows a theme and stores the choice. */
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

/** Calls back when the colours change, by choice or with the system. Returns a function that ends the calls. */
export function onThemeChange(tell: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  listeners.add(tell);
  system.addEventListener('change', tell);
  return () => {
    listeners.delete(tell);
    system.removeEventListener('change', tell);
  };
}

/** The current value of a colour of the style sheet: a canvas supports neither variables nor `light-dark()`. */
export function colour(name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

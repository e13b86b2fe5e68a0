import { curl, googleSheets, javascript, pandas } from './code.js';
import type { SnippetRequest } from './request.js';
import { grafana, metabase, powerQuery, superset } from './tools.js';

/** A way to make the request elsewhere. */
export interface Snippet {
  readonly id: string;
  readonly title: string;
  readonly write: (request: SnippetRequest) => string;
}

export const SNIPPETS: readonly Snippet[] = [
  { id: 'curl', title: 'curl', write: curl },
  { id: 'javascript', title: 'JavaScript', write: javascript },
  { id: 'pandas', title: 'Python (pandas)', write: pandas },
  { id: 'power-query', title: 'Excel Power Query', write: powerQuery },
  { id: 'google-sheets', title: 'Google Sheets', write: googleSheets },
  { id: 'grafana', title: 'Grafana Infinity', write: grafana },
  { id: 'metabase', title: 'Metabase', write: metabase },
  { id: 'superset', title: 'Superset', write: superset },
];

export { KEY_PLACEHOLDER, type SnippetRequest } from './request.js';

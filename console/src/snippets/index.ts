import { curl, curlPost, googleSheets, javascript, pandas } from './code.js';
import type { SnippetRequest } from './request.js';
import { grafana, metabase, powerQuery, superset } from './tools.js';

/** A way to make the request elsewhere. */
export interface Snippet {
  readonly id: string;
  readonly title: string;
  readonly write: (request: SnippetRequest) => string;
  /** Whether the parameters are in a body; otherwise they are in a URL. */
  readonly sendsBody?: true;
}

export const SNIPPETS: readonly Snippet[] = [
  { id: 'curl', title: 'curl', write: curl },
  { id: 'curl-post', title: 'curl (POST)', write: curlPost, sendsBody: true },
  { id: 'javascript', title: 'JavaScript', write: javascript },
  { id: 'pandas', title: 'Python (pandas)', write: pandas },
  { id: 'power-query', title: 'Excel Power Query', write: powerQuery },
  { id: 'google-sheets', title: 'Google Sheets', write: googleSheets },
  { id: 'grafana', title: 'Grafana Infinity', write: grafana },
  { id: 'metabase', title: 'Metabase', write: metabase },
  { id: 'superset', title: 'Superset', write: superset },
];

/** The snippets that can make a request: secret and long values must be in a body. */
export const snippetsFor = ({ body }: SnippetRequest): readonly Snippet[] =>
  body ? SNIPPETS.filter(({ sendsBody }) => sendsBody) : SNIPPETS;

export {
  KEY_PLACEHOLDER,
  limitOf,
  SECRET_PLACEHOLDER,
  snippetRequest,
  type SnippetRequest,
} from './request.js';

import { curl, curlPost, googleSheets, javascript, pandas } from './code.js';
import type { SnippetRequest } from './request.js';
import { SQL } from '../model/endpoint.js';
import { grafana, powerQuery, sqlTable } from './tools.js';

/** A way to make the request elsewhere. */
export interface Snippet {
  readonly id: string;
  readonly title: string;
  readonly write: (request: SnippetRequest) => string;
  /** Whether the parameters are in a body; otherwise they are in a URL. */
  readonly sendsBody?: true;
  /** Whether it reads the endpoint as a table. */
  readonly readsTable?: true;
}

export const SNIPPETS: readonly Snippet[] = [
  { id: 'curl', title: 'curl', write: curl },
  { id: 'curl-post', title: 'curl (POST)', write: curlPost, sendsBody: true },
  { id: 'javascript', title: 'JavaScript', write: javascript },
  { id: 'pandas', title: 'Python (pandas)', write: pandas },
  { id: 'power-query', title: 'Excel Power Query', write: powerQuery },
  { id: 'google-sheets', title: 'Google Sheets', write: googleSheets },
  { id: 'grafana', title: 'Grafana Infinity', write: grafana },
  { id: 'sql', title: 'Metabase, Superset, Tableau, … (SQL)', write: sqlTable, readsTable: true },
];

/** The snippets that can make a request: secret and long values must be in a body. */
export const snippetsFor = ({ body, endpoint, values }: SnippetRequest): readonly Snippet[] => {
  const isTable = endpoint.sqlPort !== undefined && values[SQL] === undefined;
  return SNIPPETS.filter(({ sendsBody, readsTable }) => (body ? sendsBody : isTable || !readsTable));
};

export {
  KEY_PLACEHOLDER,
  limitOf,
  SECRET_PLACEHOLDER,
  snippetRequest,
  type SnippetRequest,
} from './request.js';

import { bindQuery, type BoundQuery } from '../../endpoint/bind.js';
import { rowCap, type Endpoint } from '../../endpoint/endpoint.js';
import type { EndpointRegistry } from '../../endpoint/registry.js';
import { validateParameters } from '../../execution/validate-parameters.js';
import { questionsAbout, type ScaleQuestion } from './questions.js';

/** The gateway's own limit: where there is one, ClickHouse asks its indexes before it reads and not while it does. */
const LIMITS = { max_rows_to_read: 10_000_000_000 };

/** A question's query, as the gateway sends it. */
export function bindQuestion(endpoints: EndpointRegistry, question: ScaleQuestion, now: Date): BoundQuery {
  const endpoint = endpoints.find(question.endpoint);
  if (!endpoint) throw new Error(`no endpoint ${question.endpoint}`);
  return bindQuery(endpoint.query, valuesOf(endpoint, question), new Set(), now, rowCap(endpoint) + 1);
}

function valuesOf(endpoint: Endpoint, { parameters }: ScaleQuestion): ReturnType<typeof validateParameters> {
  const raw = new Map(Object.entries(parameters).map(([name, text]) => [name, { text, times: 1 }]));
  return validateParameters(endpoint, raw);
}

/** Configuration of ClickHouse that answers each question at `/scale/NUMBER`, by its own predefined_query_handler. */
export function handlersConfig(endpoints: EndpointRegistry): string {
  const rules = questionsAbout().map((question, index) => {
    const { text, settings = {} } = bindQuestion(endpoints, question, new Date());
    const wanted = Object.entries({ ...LIMITS, ...settings }).map(([name, value]) => `${name} = ${value}`);
    return `<rule><url>/scale/${index}</url><methods>GET</methods><handler>
      <type>predefined_query_handler</type><query>${escaped(text)} SETTINGS ${wanted.join(', ')} FORMAT JSON</query></handler></rule>`;
  });
  return `<clickhouse><http_handlers>${rules.join('\n')}<defaults/></http_handlers></clickhouse>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escaped = (text: string): string => text.replaceAll(/[&<>]/g, (character) => ENTITIES[character] ?? '');

import { bindQuery, type BoundQuery } from '../../endpoint/bind.js';
import { rowCap, type Endpoint } from '../../endpoint/endpoint.js';
import type { EndpointRegistry } from '../../endpoint/registry.js';
import { validateParameters } from '../../execution/validate-parameters.js';
import { questionsAbout, type ScaleQuestion } from './questions.js';

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
    const wanted = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
    const clause = wanted.length === 0 ? '' : ` SETTINGS ${wanted.join(', ')}`;
    return `<rule><url>/scale/${index}</url><methods>GET</methods><handler>
      <type>predefined_query_handler</type><query>${escaped(text)}${clause} FORMAT JSON</query></handler></rule>`;
  });
  return `<clickhouse><http_handlers>${rules.join('\n')}<defaults/></http_handlers></clickhouse>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escaped = (text: string): string => text.replaceAll(/[&<>]/g, (character) => ENTITIES[character] ?? '');

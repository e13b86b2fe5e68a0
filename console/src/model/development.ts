import { SQL, type Endpoint, type Values } from './endpoint.js';
import { secretsOf } from './request.js';

/** What `GET /api/dev` says of a gateway that runs in development. */
export interface DevelopmentState {
  /** Changes whenever anything else here does. */
  readonly revision: string;
  /** Why files are not served. */
  readonly problems: readonly FileProblem[];
  /** What a person should do. */
  readonly notices: readonly string[];
  readonly endpoints: readonly EndpointState[];
}

/** A mistake in a file of the project. */
export interface FileProblem extends Partial<FilePlace> {
  /** Path in messages: `endpoints/visits.sql`. */
  readonly file?: string;
  readonly problem: string;
  /** The line, with carets below the mistake. */
  readonly excerpt?: string;
}

/** A place that an editor can open. */
export interface FilePlace {
  /** Absolute. */
  readonly path: string;
  /** Line, from 1. */
  readonly line?: number;
  /** Column, from 1. */
  readonly column?: number;
}

interface EndpointState {
  readonly name: string;
  /** Changes with the definition and the settings of the endpoint. */
  readonly version: string;
  /** How many of each the check found. */
  readonly faults: number;
  readonly warnings: number;
}

/** What `GET /api/dev/endpoints/NAME` says of an endpoint, for the values of one call. */
export interface DevelopmentEndpoint {
  readonly name: string;
  /** The file's name as messages have it, and its absolute path; absent for an endpoint of the gateway itself. */
  readonly file?: string;
  readonly path?: string;
  /** The SQL that ClickHouse gets. */
  readonly sql: string;
  /** The values that ClickHouse gets in addition to the SQL. */
  readonly parameters: readonly BoundValue[];
  /** Null where the endpoint was not checked. */
  readonly findings: Findings | null;
}

export interface BoundValue {
  readonly name: string;
  readonly type: string;
  readonly value: unknown;
}

/** What the check of an endpoint found; the figures are absent where its example failed. */
export interface Findings {
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
  readonly rows?: number;
  readonly rowsRead?: number;
  readonly milliseconds?: number;
  readonly tables: readonly TableRead[];
}

/** How much of a table the example reads. */
export interface TableRead {
  readonly table: string;
  readonly parts: number;
  readonly partsOf: number;
  readonly granules: number;
  readonly granulesOf: number;
  readonly rows: number;
}

/** Stands for a secret value: the SQL does not depend on it, and the value must be in no URL. */
const SECRET = 'secret';

/** The values for which the SQL is shown: those of the form, without the caller's own SQL and with no secret value. */
export function shownValues({ parameters }: Pick<Endpoint, 'parameters'>, values: Values): Values {
  const secrets = new Set(secretsOf(parameters));
  const shown = Object.entries(values).filter(([name]) => name !== SQL);
  return Object.fromEntries(shown.map(([name, value]) => [name, secrets.has(name) ? SECRET : value]));
}

/** `endpoints/visits.sql:3:5`; empty for a problem of no file. */
export const placeOf = ({ file, line, column }: FileProblem): string =>
  [file, line, column].filter((part) => part !== undefined).join(':');

/** What the check found, in a few words, by the name of each endpoint with a fault or a warning. */
export function marksOf(endpoints: readonly EndpointState[]): ReadonlyMap<string, string> {
  const texts = endpoints.map(({ name, faults, warnings }) => {
    const counts = [count(faults, 'fault'), count(warnings, 'warning')].filter((text) => text !== '');
    return [name, counts.join(', ')] as const;
  });
  return new Map(texts.filter(([, text]) => text !== ''));
}

function count(things: number, name: string): string {
  if (things === 0) return '';
  return things === 1 ? `1 ${name}` : `${things} ${name}s`;
}

import { Command } from 'commander';
import path from 'node:path';

import { deprecationNote, describeDeprecation } from '../../endpoint/deprecation.js';
import { writtenCaching } from '../../endpoint/caching.js';
import { rowCap, type Endpoint } from '../../endpoint/endpoint.js';
import { readConfig } from '../../gateway/config/config.js';
import { loadProjectEndpoints } from '../../gateway/server/project-endpoints.js';
import { EXIT_CODES_HELP } from './exit-codes.js';
import { filesByEndpoint } from './project/endpoints.js';
import { withProjectOption } from './project-option.js';
import { runCommand } from './run-command.js';
import { printable, textTable } from './text-table.js';

/** `querygate endpoints`: lists the endpoints of the project. */
export function endpointsCommand(): Command {
  return withProjectOption(new Command('endpoints'))
    .description('Lists the endpoints of the project, without ClickHouse')
    .option('--json', 'print the list as JSON')
    .addHelpText('after', HELP)
    .action((options: EndpointsOptions) => runCommand(() => runEndpoints(options)));
}

interface EndpointsOptions {
  readonly json?: boolean;
}

/** An endpoint as the list shows it. */
type ListedEndpoint = ReturnType<typeof listedEndpoint>;

/** Prints the endpoints of the project as a table or as JSON. */
async function runEndpoints({ json = false }: EndpointsOptions): Promise<void> {
  const config = readConfig(process.env);
  const endpoints = await loadProjectEndpoints(config);
  const files = await filesByEndpoint(config.project);
  const listed = endpoints.all().map((endpoint) => listedEndpoint(endpoint, files.get(endpoint.name)));
  if (json) process.stdout.write(`${JSON.stringify({ endpoints: listed }, undefined, 2)}\n`);
  else process.stdout.write(textTable([HEADINGS, ...listed.map(cellsOf)], NUMBERS));
}

function listedEndpoint(endpoint: Endpoint, file: string | undefined) {
  const { name, id, summary, settings } = endpoint;
  return {
    name,
    id,
    /** `sql`, `ts`, `mjs` or `js`. */
    form: file === undefined ? 'built-in' : path.extname(file).slice(1),
    parameters: [...endpoint.parameters].map(([parameter, { kind, required }]) => ({
      name: parameter,
      kind,
      required,
    })),
    /** Caching in the form in which an author writes it, for example as a number of seconds. */
    caching: writtenCaching(settings),
    /** Seconds; 0 for never. */
    warming: settings.warming,
    maxRows: rowCap(endpoint),
    summary,
    deprecated: describeDeprecation(endpoint),
    file,
  };
}

const HEADINGS = ['NAME', 'FORM', 'PARAMETERS', 'CACHING', 'WARMING', 'MAX ROWS', 'SUMMARY', 'FILE'];
const NUMBERS = new Set([3, 4, 5]);

function cellsOf(endpoint: ListedEndpoint): readonly string[] {
  const { name, form, parameters, caching, warming, maxRows, summary, deprecated, file = '-' } = endpoint;
  const names = parameters.map((parameter) => `${parameter.name}${parameter.required ? '*' : ''}`).join(' ');
  const cached =
    caching === 'disabled' ? '-' : typeof caching === 'object' ? 'until-changed' : String(caching);
  const warmed = warming === 0 ? '-' : String(warming);
  const shownForm = form === 'built-in' ? '-' : form;
  return [
    name,
    shownForm,
    names === '' ? '-' : names,
    cached,
    warmed,
    String(maxRows),
    printable(`${deprecationNote(deprecated)}${summary}`.replaceAll(/\s+/g, ' ')),
    file,
  ];
}

const HELP = `
A parameter with * is required. Caching and warming are seconds, as in this deployment: ENDPOINT_SETTINGS_FILE counts.

Examples:
  querygate endpoints
  querygate endpoints --project ./my-project --json
${EXIT_CODES_HELP}`;

import { FORMAT_FACTS, FORMATS, TIMES } from '../execution/representation.js';
import type { OpenApiDocument } from '../openapi/document.js';
import { openApiDocument, type OpenApiInput } from '../openapi/openapi-document.js';

const REPRESENTATIONS = FORMATS.map((name) => ({ name, mediaType: FORMAT_FACTS[name].mediaType }));

/** Describes the API as this gateway has it: with every format, and times as any caller can ask for them. */
export function describeApi(input: Omit<OpenApiInput, 'representations' | 'times'>): OpenApiDocument {
  return openApiDocument({ ...input, representations: REPRESENTATIONS, times: TIMES });
}

import { FORMAT_FACTS, FORMATS } from '../formats/representation.js';
import type { OpenApiDocument } from './openapi/document.js';
import { openApiDocument, type OpenApiInput } from './openapi/openapi-document.js';

const REPRESENTATIONS = FORMATS.map((name) => ({ name, mediaType: FORMAT_FACTS[name].mediaType }));

/** Describes this gateway's API, with every format, as an OpenAPI document. */
export function describeApi(input: Omit<OpenApiInput, 'representations'>): OpenApiDocument {
  return openApiDocument({ ...input, representations: REPRESENTATIONS });
}

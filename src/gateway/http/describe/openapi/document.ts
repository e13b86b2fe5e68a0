import type { ChoicesFrom } from '../../../../endpoint/parameters/parameter.js';
import type { JsonSchema } from '../../../../endpoint/json-schema.js';

/** The parts of an OpenAPI 3.1 document that the gateway's document uses. */

export interface RefObject {
  readonly $ref: string;
}

export interface ParameterObject {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly deprecated?: true;
  readonly 'x-choices-from'?: ChoicesFrom;
  readonly style?: 'form';
  readonly explode?: boolean;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface HeaderObject {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface MediaTypeObject {
  readonly schema?: JsonSchema;
  readonly example?: unknown;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, RefObject>>;
  readonly content?: Readonly<Record<string, MediaTypeObject>>;
}

export interface RequestBodyObject {
  readonly description?: string;
  readonly required?: boolean;
  readonly content: Readonly<Record<string, MediaTypeObject>>;
}

export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly deprecated?: boolean;
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (ParameterObject | RefObject)[];
  readonly requestBody?: RequestBodyObject;
  readonly responses: Readonly<Record<string, ResponseObject | RefObject>>;
}

export interface PathItemObject {
  readonly get: OperationObject;
  readonly post?: OperationObject;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>> & { readonly title: string; readonly version: string };
  readonly servers: readonly { readonly url: string; readonly description?: string }[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItemObject>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, object>>;
    readonly parameters: Readonly<Record<string, ParameterObject>>;
    readonly headers: Readonly<Record<string, HeaderObject>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}

/** A reference to one of the document's components. */
export function refTo(
  kind: Exclude<keyof OpenApiDocument['components'], 'securitySchemes'>,
  name: string,
): RefObject {
  return { $ref: `#/components/${kind}/${name}` };
}

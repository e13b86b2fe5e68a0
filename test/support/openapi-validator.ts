import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

import type { OpenApiDocument } from '../../src/gateway/http/describe/openapi/document.js';

const ID = 'urn:querygate:openapi';

/** Validates responses against an OpenAPI document. */
export class OpenApiValidator {
  private readonly ajv = new Ajv2020({ allErrors: true, strict: false });

  constructor(private readonly document: OpenApiDocument) {
    addFormats.default(this.ajv);
    this.ajv.addSchema({ $id: ID, ...document });
  }

  /** Returns the problems of a response to `GET path`, or POST: of its status, media type, headers and body. */
  problemsOf(
    path: string,
    response: Response,
    body: unknown,
    method: 'get' | 'post' = 'get',
  ): readonly string[] {
    const at = ['paths', path, method, 'responses', String(response.status)];
    const found = this.resolve(at);
    if (!found) return [`${path} has no response ${response.status}`];
    return [
      ...this.headerProblems(found.pointer, found.value, response.headers),
      ...this.bodyProblems(found.pointer, found.value, response, body),
    ];
  }

  /** Returns the problems of the JSON body of `POST path`. */
  problemsOfBody(path: string, body: unknown): readonly string[] {
    return this.check(`/paths/${escape(path)}/post/requestBody/content/application~1json/schema`, body);
  }

  /** Returns the problems of a value, according to a schema of the components. */
  problemsBySchema(name: string, value: unknown): readonly string[] {
    return this.check(`/components/schemas/${name}`, value);
  }

  private bodyProblems(pointer: string, value: object, response: Response, body: unknown): readonly string[] {
    const { content } = value as { content?: Record<string, unknown> };
    const mediaType = response.headers.get('content-type')?.split(';')[0] ?? '';
    if (!content) return body === undefined ? [] : ['there should be no body'];
    if (!(mediaType in content)) return [`${mediaType} is not documented`];
    return this.check(`${pointer}/content/${escape(mediaType)}/schema`, body);
  }

  private headerProblems(pointer: string, value: object, headers: Headers): readonly string[] {
    const { headers: documented = {} } = value as { headers?: Record<string, unknown> };
    return Object.keys(documented).flatMap((name) => {
      const header = this.resolve([...pointer.slice(1).split('/').map(unescape), 'headers', name]);
      if (!header) return [`the header ${name} leads nowhere`];
      const { required, schema } = header.value as { required?: boolean; schema: { type: string } };
      const sent = headers.get(name);
      if (sent === null) return required ? [`the header ${name} is missing`] : [];
      const parsed = schema.type === 'integer' ? Number(sent) : sent;
      return this.check(`${header.pointer}/schema`, parsed).map((problem) => `${name}: ${problem}`);
    });
  }

  /** Resolves a path in the document, including references, to its pointer and value. */
  private resolve(steps: readonly string[]): { pointer: string; value: object } | undefined {
    let value: unknown = this.document;
    let pointer = '';
    for (const step of steps) {
      value = (value as Record<string, unknown> | undefined)?.[step];
      pointer += `/${escape(step)}`;
      const { $ref } = (value ?? {}) as { $ref?: string };
      if ($ref !== undefined) return this.resolve($ref.slice(2).split('/').map(unescape));
    }
    return value === undefined ? undefined : { pointer, value: value as object };
  }

  private check(pointer: string, value: unknown): readonly string[] {
    const validate = this.ajv.getSchema(`${ID}#${encodeURI(pointer)}`) as ValidateFunction | undefined;
    if (!validate) return [`there is no schema at ${pointer}`];
    return validate(value) ? [] : (validate.errors ?? []).map((error) => JSON.stringify(error));
  }
}

const escape = (step: string): string => step.replaceAll('~', '~0').replaceAll('/', '~1');
const unescape = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');

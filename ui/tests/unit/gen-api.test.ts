import { expect, test } from 'vitest';
import openapi from '../../openapi.json';
import { generateOperations, generatePermissions, generateRepeatable, generateSchema } from '../../scripts/gen-api.mjs';
import operations from '../../src/lib/api/operations.ts?raw';
import permissions from '../../src/lib/api/permissions.ts?raw';
import repeatable from '../../src/lib/api/repeatable.ts?raw';
import schema from '../../src/lib/api/schema.ts?raw';

test('the checked-in types are those of openapi.json', () => {
  expect(generateSchema(openapi)).toBe(schema);
  expect(generateOperations(openapi)).toBe(operations);
  expect(generateRepeatable(openapi)).toBe(repeatable);
  expect(generatePermissions(openapi)).toBe(permissions);
});

test('every shape the document may use becomes a type', () => {
  const ref = { $ref: '#/components/schemas/Thing' };
  const doc = {
    paths: {
      '/things/{id}': {
        parameters: [{ $ref: '#/components/parameters/Id' }],
        get: {
          summary: 'One thing',
          tags: ['dashboard'],
          parameters: [{ name: 'deep-ly', in: 'query', schema: { type: 'boolean' } }],
          responses: { 404: {}, 200: { content: { 'application/json': { schema: ref } } } },
        },
        delete: { tags: ['dashboard'], responses: { 204: {} } },
        put: {
          tags: ['dashboard'],
          requestBody: { content: { 'application/json': { schema: { type: 'array', items: ref } } } },
          responses: {},
        },
        post: { tags: ['plugin'], responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Unused' } } } } } },
      },
    },
    components: {
      parameters: { Id: { name: 'id', in: 'path', required: true, schema: { type: 'string' } } },
      schemas: {
        Thing: {
          type: 'object',
          description: 'A thing\n*/ of two lines',
          required: ['kind', 'size'],
          properties: {
            kind: { type: 'string', enum: ['a', 'b'], description: 'Its kind' },
            size: { type: ['integer', 'null'] },
            'odd name': { const: 1 },
            maybe: { oneOf: [{ type: 'null' }, ref] },
            free: { type: 'object' },
            map: { type: 'object', additionalProperties: { type: 'number' } },
            any: {},
            both: { $ref: '#/components/schemas/Both' },
          },
        },
        Unused: { type: 'object' },
        Both: { allOf: [ref, { type: 'object', required: ['more'], properties: { more: { anyOf: [{ type: 'boolean' }, true] } } }] },
      },
    },
  };
  expect(generateSchema(doc)).toMatchInlineSnapshot(`
    "// Made by scripts/gen-api.mjs from openapi.json. Run \`npm run gen\` instead of editing.

    export type Both = Thing & { more: boolean | unknown };

    /**
     * A thing
     * * / of two lines
     */
    export interface Thing {
      /** Its kind */
      kind: "a" | "b";
      size: number | null;
      "odd name"?: 1;
      maybe?: null | Thing;
      free?: Record<string, unknown>;
      map?: Record<string, number>;
      any?: unknown;
      both?: Both;
    }
    "
  `);
  expect(generateOperations(doc)).toMatchInlineSnapshot(`
    "// Made by scripts/gen-api.mjs from openapi.json. Run \`npm run gen\` instead of editing.

    import type {
      Thing,
    } from './schema';

    export interface Operations {
      /** One thing */
      'GET /things/{id}': { path: { id: string }; query: { "deep-ly"?: boolean }; body: undefined; answer: Thing };
      'PUT /things/{id}': { path: { id: string }; query: {}; body: Array<Thing>; answer: undefined };
      'DELETE /things/{id}': { path: { id: string }; query: {}; body: undefined; answer: undefined };
    }
    "
  `);
});

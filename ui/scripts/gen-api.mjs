// openapi.json -> src/lib/api: the operations of the dashboard as a table in operations.ts, a type for each schema that
// they use in schema.ts, those that may be repeated in repeatable.ts, and the permissions they need in permissions.ts.
//
//     npm run gen            write the files
//
// A test compares the checked-in files with what this script makes of openapi.json.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const FITS = 130;
const TAGS = ['dashboard', 'operators'];
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const HEAD = '// Made by scripts/gen-api.mjs from openapi.json. Run `npm run gen` instead of editing.\n';

/** @typedef {Record<string, any>} Json */

/** The types that the operations use. @param {Json} doc */
export function generateSchema(doc) {
  const types = new Map();
  use(doc, operations(doc), types);
  const sorted = [...types].sort(byName).map(([, text]) => text);
  // Types of one line stand together, the others apart.
  const isLine = (/** @type {string} */ text) => text.indexOf('\n') === text.length - 1;
  const spaced = sorted.map((text, at) => (isLine(text) && isLine(sorted[at + 1] ?? '') ? text : `${text}\n`));
  return `${HEAD}\n${spaced.join('').trimEnd()}\n`;
}

/** The table of operations. @param {Json} doc */
export function generateOperations(doc) {
  const table = operations(doc);
  const named = Object.keys(doc.components?.schemas ?? {}).filter((name) => names(table, name)).map(identifier);
  const imports = named.sort().map((name) => `  ${name},\n`).join('');
  return `${HEAD}\nimport type {\n${imports}} from './schema';\n\n${table}`;
}

/**
 * Writes down every schema that a text names, and those that they name in turn.
 * @param {Json} doc @param {string} text @param {Map<string, string>} types
 */
function use(doc, text, types) {
  for (const [name, schema] of Object.entries(doc.components?.schemas ?? {})) {
    if (types.has(name) || !names(text, name)) continue;
    const written = declaration(identifier(name), schema);
    types.set(name, written);
    use(doc, written, types);
  }
}

/** Whether a text names a schema; the words of its comments are no names. @param {string} text @param {string} name */
const names = (text, name) => new RegExp(`\\b${identifier(name)}\\b`).test(text.replace(/\/\*\*.*?\*\//gs, ''));

/** @param {[string, any]} a @param {[string, any]} b */
const byName = ([a], [b]) => (a < b ? -1 : 1);

/** @param {string} name @param {Json} schema */
function declaration(name, schema) {
  const comment = describe(schema, '');
  const plain = schema.type === 'object' && schema.properties && !schema.allOf && !schema.oneOf && !schema.anyOf;
  return plain
    ? `${comment}export interface ${name} ${object(schema, '')}\n`
    : `${comment}export type ${name} = ${type(schema, '')};\n`;
}

/** @param {Json} doc */
function operations(doc) {
  const lines = [];
  for (const [path, item] of Object.entries(doc.paths ?? {}).sort(byName)) {
    for (const method of METHODS) {
      if (item[method]?.tags?.some((tag) => TAGS.includes(tag))) lines.push(operation(doc, method, path, item));
    }
  }
  return `export interface Operations {\n${lines.join('\n')}\n}\n`;
}

/** The operations that take an idempotency key, for the client to send one. @param {Json} doc */
export function generateRepeatable(doc) {
  const takes = (/** @type {Json} */ one) => one.in === 'header' && one.name === 'Idempotency-Key';
  const found = Object.entries(doc.paths ?? {}).sort(byName).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]?.tags?.some((tag) => TAGS.includes(tag)) && item[method].parameters?.some(takes)).map(
      (method) => `  '${method.toUpperCase()} ${path}',\n`,
    ),
  );
  return `${HEAD}\n/** What makes something, once for each idempotency key. */\nexport const REPEATABLE: ReadonlySet<string> = new Set([\n${found.join('')}]);\n`;
}

/** The permissions that at least one operation needs. @param {Json} doc */
export function generatePermissions(doc) {
  const found = Object.values(doc.paths ?? {}).flatMap((item) => METHODS.flatMap((method) => item[method]?.['x-permission'] ?? []));
  const lines = [...new Set(found)].sort().map((name) => `  '${name}',\n`);
  return `${HEAD}\n/** What a member has to hold for one operation or another. */\nexport const NEEDED: ReadonlySet<string> = new Set([\n${lines.join('')}]);\n`;
}

/** @param {Json} doc @param {string} method @param {string} path @param {Json} item */
function operation(doc, method, path, item) {
  const found = item[method];
  const parameters = [...(item.parameters ?? []), ...(found.parameters ?? [])].map((one) => resolve(doc, one));
  const sent = resolve(doc, found.requestBody);
  // An optional body holds nothing that is read.
  const body = sent?.required === false ? undefined : sent?.content?.['application/json']?.schema;
  const parts = [
    `path: ${bag(parameters, 'path')}`,
    `query: ${bag(parameters, 'query')}`,
    `body: ${body ? type(body, '    ') : 'undefined'}`,
    `answer: ${answer(doc, found.responses ?? {})}`,
  ];
  return `${describe(found, '  ')}  '${method.toUpperCase()} ${path}': { ${parts.join('; ')} };`;
}

/** The parameters of one place; `{}` when there are none. @param {Json[]} parameters @param {string} place */
function bag(parameters, place) {
  const found = parameters.filter((one) => one.in === place);
  if (!found.length) return '{}';
  const fields = found.map(({ name, required, schema }) => `${key(name)}${required ? '' : '?'}: ${type(schema ?? {}, '')}`);
  return `{ ${fields.join('; ')} }`;
}

/** What the first success sends; nothing for 204. @param {Json} doc @param {Json} responses */
function answer(doc, responses) {
  const status = Object.keys(responses).sort().find((code) => code.startsWith('2'));
  if (!status) return 'undefined';
  const schema = resolve(doc, responses[status])?.content?.['application/json']?.schema;
  return schema ? type(schema, '    ') : 'undefined';
}

/** @param {Json} doc @param {Json | undefined} value */
function resolve(doc, value) {
  if (!value?.$ref) return value;
  return value.$ref.slice(2).split('/').reduce((/** @type {any} */ at, /** @type {string} */ step) => at[step], doc);
}

/** @param {Json | boolean} schema @param {string} indent @returns {string} */
function type(schema, indent) {
  if (typeof schema === 'boolean') return schema ? 'unknown' : 'never';
  if (schema.$ref) return identifier(schema.$ref.split('/').at(-1));
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map((/** @type {unknown} */ value) => JSON.stringify(value)));
  if (schema.oneOf) return union(schema.oneOf.map((/** @type {Json} */ one) => type(one, indent)));
  if (schema.anyOf) return union(schema.anyOf.map((/** @type {Json} */ one) => type(one, indent)));
  if (schema.allOf) return schema.allOf.map((/** @type {Json} */ one) => type(one, indent)).join(' & ');
  if (Array.isArray(schema.type)) {
    return union(schema.type.map((/** @type {string} */ one) => type({ ...schema, type: one }, indent)));
  }
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `Array<${type(schema.items ?? {}, indent)}>`;
    case 'object':
      return object(schema, indent);
    default:
      return 'unknown';
  }
}

/** @param {Json} schema @param {string} indent */
function object(schema, indent) {
  if (!schema.properties) {
    const values = schema.additionalProperties ?? true;
    return `Record<string, ${type(values, indent)}>`;
  }
  const required = new Set(schema.required ?? []);
  const deeper = `${indent}  `;
  const fields = Object.entries(schema.properties).map(([name, value]) => {
    const optional = required.has(name) ? '' : '?';
    return `${describe(value, deeper)}${deeper}${key(name)}${optional}: ${type(value, deeper)};\n`;
  });
  const line = `{ ${fields.map((field) => field.trim().slice(0, -1)).join('; ')} }`;
  if (line.length <= FITS && !fields.some((field) => field.includes('/**'))) return line;
  return `{\n${fields.join('')}${indent}}`;
}

/** @param {string[]} members */
const union = (members) => [...new Set(members)].join(' | ');
/** @param {string} name */
const key = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
/** @param {string} name */
const identifier = (name) => name.replace(/[^\w$]/g, '_');

/** @param {Json} schema @param {string} indent */
function describe(schema, indent) {
  const text = (schema.description ?? schema.summary ?? '').replaceAll('*/', '* /').trim();
  if (!text) return '';
  const lines = text.split('\n').map((/** @type {string} */ line) => line.trim());
  return lines.length === 1
    ? `${indent}/** ${lines[0]} */\n`
    : `${indent}/**\n${lines.map((/** @type {string} */ line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const at = (/** @type {string} */ path) => new URL(`../${path}`, import.meta.url);
  const doc = JSON.parse(readFileSync(at('openapi.json'), 'utf8'));
  writeFileSync(at('src/lib/api/schema.ts'), generateSchema(doc));
  writeFileSync(at('src/lib/api/operations.ts'), generateOperations(doc));
  writeFileSync(at('src/lib/api/repeatable.ts'), generateRepeatable(doc));
  writeFileSync(at('src/lib/api/permissions.ts'), generatePermissions(doc));
}

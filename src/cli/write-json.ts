/** Writes one line of JSON, for programs: with names in snake_case, as in the API. Returns the exit code, as `writeTable`. */
export function writeJson(output: NodeJS.WritableStream, value: unknown): 0 {
  output.write(`${JSON.stringify(value, renameFields)}\n`);
  return 0;
}

function renameFields(_field: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [toSnakeCase(name), one]));
}

const toSnakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

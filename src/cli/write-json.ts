/** Writes one line of JSON, for programs. */
export function writeJson(output: NodeJS.WritableStream, value: unknown): void {
  output.write(`${JSON.stringify(value)}\n`);
}

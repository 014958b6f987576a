/** Returns the sums of some fields over rows. */
export function sumFields<Field extends string>(
  rows: ReadonlyArray<Readonly<Record<Field, number>>>,
  fields: readonly Field[],
): Record<Field, number> {
  const sums = fields.map((field) => [field, rows.reduce((sum, row) => sum + row[field], 0)] as const);
  return Object.fromEntries(sums) as Record<Field, number>;
}

/** What part of a whole is; null where there is nothing to divide by, or nobody tells. */
export function rate(part: number | null, whole: number): number | null {
  return part === null || whole === 0 ? null : part / whole;
}

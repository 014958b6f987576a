/** Returns a part as a fraction of a whole; null when the whole is 0 or a number is unknown. */
export function rate(part: number | null, whole: number): number | null {
  return part === null || whole === 0 ? null : part / whole;
}

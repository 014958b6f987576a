/** Those that turn what follows them, beyond the name. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;
/** What begins and ends bold and the like. Between two of U+034F, which nobody sees, WhatsApp reads none of them as a mark. */
const MARKS = /[*_~`]/g;

/** Returns the name of a group or a person for a line of a post: it makes no further lines, and has no formatting. */
export function plainName(name: string): string {
  return name.replaceAll(DIRECTIONS, '').replaceAll(/\s+/g, ' ').trim().replaceAll(MARKS, '\u034f$&\u034f');
}

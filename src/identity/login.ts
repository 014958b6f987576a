/**
 * Returns the form in which user names and e-mail addresses are compared. Case, width and the other ways of Unicode to write a letter
 * (NFKC) do not count, nor does space around it or how much is within it. Both are one namespace, so that either signs in (contract §3).
 * Full case folding would also make `ß` the same as `ss`, which are letters of different names.
 */
export function loginOf(nameOrEmail: string): string {
  // Space first: stored logins are of names without any, and NFKC writes a few letters with one.
  return nameOrEmail.trim().replaceAll(/\s+/g, ' ').normalize('NFKC').toLowerCase();
}

/**
 * The form in which user names and e-mail addresses are compared: case does not count, nor do the several ways Unicode has to
 * write one letter. Both are one namespace, so that either signs in (contract §3).
 */
export function loginOf(nameOrEmail: string): string {
  return nameOrEmail.normalize('NFKC').toLowerCase();
}

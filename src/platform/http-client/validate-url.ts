export interface EgressRules {
  /** Takes http:// as well as https://. */
  allowHttp: boolean;
}

/** Why a user's URL was rejected, as the rest of a sentence. */
export class BlockedAddressError extends Error {}

/** No longer address is taken. */
const LONGEST_URL = 2_000;

/** SSRF protection: returns the URL that `text` writes, without looking its name up. Throws `BlockedAddressError`. */
export function validateUrl(text: string, { allowHttp }: EgressRules): URL {
  if (text.length > LONGEST_URL) throw new BlockedAddressError(`must have at most ${LONGEST_URL} characters`);
  if (!URL.canParse(text)) throw new BlockedAddressError('must be a URL');
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:'))
    throw new BlockedAddressError(allowHttp ? 'must begin with https:// or http://' : 'must begin with https://');
  if (url.username !== '' || url.password !== '')
    throw new BlockedAddressError('must not have a user name or a password');
  if (url.hash !== '') throw new BlockedAddressError('must not have a # part');
  return url;
}

export interface EgressRules {
  /** Takes http:// as well as https://. */
  allowHttp: boolean;
}

/** What an address that a user names was refused for, as the rest of a sentence. */
export class RefusedAddress extends Error {}

/** No longer address is taken. */
const LONGEST_URL = 2_000;

/** The URL that `text` writes, without looking its name up. Throws `RefusedAddress`. */
export function judgeUrl(text: string, { allowHttp }: EgressRules): URL {
  if (text.length > LONGEST_URL) throw new RefusedAddress(`must have at most ${LONGEST_URL} characters`);
  if (!URL.canParse(text)) throw new RefusedAddress('must be a URL');
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:'))
    throw new RefusedAddress(allowHttp ? 'must begin with https:// or http://' : 'must begin with https://');
  if (url.username !== '' || url.password !== '') throw new RefusedAddress('must not have a user name or a password');
  if (url.hash !== '') throw new RefusedAddress('must not have a # part');
  return url;
}

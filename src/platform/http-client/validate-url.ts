import type { IssueCode, IssueParams } from '../errors/issues.ts';
import { describeIssue, type Issue } from '../errors/errors.ts';

export interface EgressRules {
  /** Takes http:// as well as https://. */
  allowHttp: boolean;
}

/** Why a user's URL was rejected, as the rest of a sentence. */
export class BlockedAddressError extends Error {
  readonly details: Issue;

  constructor(code: IssueCode, params?: IssueParams) {
    const details = describeIssue(code, params);
    super(details.issue);
    this.details = details;
  }
}

/** No longer address is taken. */
const LONGEST_URL = 2_000;

/** SSRF protection: returns the URL that `text` writes, without looking its name up. Throws `BlockedAddressError`. */
export function validateUrl(text: string, { allowHttp }: EgressRules): URL {
  if (text.length > LONGEST_URL) throw new BlockedAddressError('too_long', { limit: LONGEST_URL });
  if (!URL.canParse(text)) throw new BlockedAddressError('url');
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:'))
    throw new BlockedAddressError(allowHttp ? 'http_or_https' : 'https');
  if (url.username !== '' || url.password !== '') throw new BlockedAddressError('url_credentials');
  if (url.hash !== '') throw new BlockedAddressError('url_fragment');
  return url;
}

import type { Egress } from '../platform/http-client/safe-http-client.ts';
import type { Vault } from '../platform/secrets/secret-box.ts';
import type { PushKeys } from '../notifications/notices/push-keys.ts';
import { deliverNotices } from '../notifications/notices/deliver-notices.ts';
import type { WorkPoll } from '../platform/database/work-poll.ts';
import type { Shared } from './open-shared.ts';

/** Starts the delivery of notices, as the configuration allows. */
export function startNotices(
  { config: { smtpUrl, mailFrom, publicUrl, timeZone }, log, sendingDb, onLoopError }: Shared,
  deps: { workPoll: WorkPoll; egress: Egress; vault: Vault; keys: PushKeys },
) {
  return deliverNotices({
    db: sendingDb,
    log,
    ...deps,
    // Push services accept HTTPS contacts only. A service without a public HTTPS URL has no contact to give.
    contact: publicUrl?.startsWith('https:') === true ? publicUrl : 'https://campanile.invalid',
    hasMail: smtpUrl !== undefined && mailFrom !== undefined && publicUrl !== undefined,
    timeZone,
    onLoopError,
  });
}

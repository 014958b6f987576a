import type { Egress } from './egress/open-egress.ts';
import type { Vault } from './lib/vault.ts';
import type { PushKeys } from './notices/push-keys.ts';
import { deliverNotices } from './notices/tell-notices.ts';
import type { Shared } from './open-shared.ts';

/** Tells people what happens, as the configuration allows. */
export function startNotices(
  { config: { smtpUrl, mailFrom, publicUrl }, log, sendingDb, onLoopError }: Shared,
  push: { egress: Egress; vault: Vault; keys: PushKeys },
) {
  return deliverNotices({
    db: sendingDb,
    log,
    ...push,
    // Push services take no other; that of a service that is only for this machine is nobody's.
    contact: publicUrl?.startsWith('https:') === true ? publicUrl : 'https://campanile.invalid',
    hasMail: smtpUrl !== undefined && mailFrom !== undefined && publicUrl !== undefined,
    onLoopError,
  });
}

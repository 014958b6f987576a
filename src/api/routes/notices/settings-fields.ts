import { NOTICE_KINDS, type NoticeKind, type Ways } from '../../../notifications/notices/kinds.ts';
import type { SubscribeDeps } from '../../../notifications/notices/subscribe-push.ts';

export interface NoticeDeps extends SubscribeDeps {
  /** What browsers subscribe with. */
  pushPublicKey: string;
  hasMail: boolean;
}

/** How somebody is told, as the wire has it. */
export function settingsFields(
  { pushPublicKey, hasMail }: Pick<NoticeDeps, 'pushPublicKey' | 'hasMail'>,
  ways: Record<NoticeKind, Ways>,
) {
  return {
    kinds: NOTICE_KINDS.map((kind) => ({ kind, ...ways[kind] })),
    push_public_key: pushPublicKey,
    has_mail: hasMail,
  };
}

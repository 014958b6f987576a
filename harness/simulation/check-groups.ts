/** Whether groups that an account has left stop no other post, and are known to the ledger: part of the checker. */
import { isTakenBack, only, type Case } from './case.ts';
import { effectOf, hasApplied, isErased, mayApply } from './effects.ts';
import { isExpiry } from './check-times.ts';

/** A temporary failure is final after so many attempts. */
const ATTEMPTS = 8;

/** A post is given up for good only where the messaging application refused it for good, or after all attempts. */
export function failuresHaveACause(facts: Case): string[] {
  // A ledger that was put back has forgotten attempts; a post that an operator gave up had none.
  if (facts.taken) return [];
  const sends = Map.groupBy(facts.sends, (one) => one.messageId);
  return facts.final.deliveries.flatMap(({ messageId, status, campaign, error }) => {
    if (status !== 'failed' || isExpiry(error)) return [];
    const own = sends.get(messageId) ?? [];
    const isRefused = own.some(({ verdict }) => verdict === 'refused for good' || verdict === 'not a member');
    return isRefused || own.length >= ATTEMPTS
      ? []
      : [`failed without a cause: ${campaign} ${messageId} after ${own.length} attempts`];
  });
}

/** The ledger knows the groups of a list that it surely read last, or of one that it may have read after that. */
export function groupsAreTheOnesListed(facts: Case): string[] {
  return only(facts.lines, 'owner').flatMap(({ accountId, chats, further }) => {
    // What other accounts see counts, too: waysAddUp.
    if (further) return [];
    const known = facts.final.groups.filter((one) => one.accountId === accountId && chats.includes(one.chatId));
    // The user is deleted, and all data with it.
    if (known.length === 0 && isErased(facts, accountId)) return [];
    const syncs = facts.requests.filter((one) => one.operation === 'sync groups' && one.accountId === accountId);
    const sure = syncs.findLast((one) => hasApplied(facts, one));
    const open = syncs.filter((one) => mayApply(one) || isTakenBack(facts, one));
    const fromMs = Math.min(
      ...open.filter((one) => !sure || effectOf(facts, one).toMs >= sure.atMs).map(({ atMs }) => atMs),
    );
    const lists = only(facts.lines, 'listed').filter((one) => one.accountId === accountId && one.atMs >= fromMs);
    const all = chats.map((chatId) => ({ chatId, canSend: true }));
    const candidates = [...lists.map((one) => one.chats), ...(sure ? [] : [all])];
    // A group that has refused a post for good cannot be posted to until the next list.
    const refusing = new Set(
      facts.sends
        .filter(
          ({ ownerId, verdict }) => ownerId === accountId && ['refused for good', 'not a member'].includes(verdict),
        )
        .map(({ chatId }) => chatId),
    );
    const fits = (list: (typeof candidates)[number]) =>
      known.every(({ chatId, isRemoved, canSend }) => {
        const listed = list.find((one) => one.chatId === chatId);
        return isRemoved === !listed && (canSend === (listed?.canSend ?? false) || (!canSend && refusing.has(chatId)));
      });
    return candidates.some(fits) ? [] : [`other groups than listed: account ${accountId}`];
  });
}

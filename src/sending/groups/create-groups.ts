import { runCommand, type Commands, type NotAdded, type StoredGroup } from '../accounts/commands.ts';
import { lockGroupAccounts } from '../accounts/group-accounts.ts';
import { readSendWindows } from '../accounts/send-window-rules.ts';
import { findOwnAccount, type Account } from '../accounts/store.ts';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import { createOnce, type IdempotencyKey } from '../../workspaces/idempotency/once.ts';
import { QUOTAS } from '../../workspaces/quotas/quotas.ts';
import { requireLinked, type GroupDeps } from './sync-groups.ts';
import { upsertGroup, type Group } from './store.ts';
import type { AccountId } from '../../platform/database/schema.ts';
import { acceptMedia } from '../../content/media/accept-media.ts';
import { saveMedia } from '../../content/media/store.ts';

/** A group as it was created; `createdAt` is an ISO 8601 instant in UTC. */
export type CreatedGroup = Group & { createdAt: string; notAdded: NotAdded[] };

/** The commands that create a group of some kind. */
type Creation = { [K in keyof Commands]: Commands[K]['result'] extends StoredGroup ? K : never }[keyof Commands];

export interface CreationOptions {
  /** The account that creates it; the default account unless given. */
  accountId?: AccountId | undefined;
  /** A repeated request is answered as the first one was and creates nothing. */
  key?: IdempotencyKey | undefined;
}

/**
 * Has an account's session create a group of some kind, and keeps what came of it. Campaigns sent to a community go to its announcement
 * group. `input` is read once it is needed. Throws 404 for an account that is not the workspace's,
 * 409 when it is not linked, 429 when it has created as many as it may in a day, 503 when its session does not answer.
 */
export async function haveCreated<K extends Creation>(
  deps: GroupDeps,
  actor: Actor,
  kind: K,
  input: Commands[K]['input'] | (() => Promise<Commands[K]['input']>),
  { accountId, key }: CreationOptions = {},
): Promise<CreatedGroup> {
  const account = await findOwnAccount(deps.db, actor.workspaceId, accountId);
  return createOnce<StoredGroup & { notAdded?: NotAdded[] }, CreatedGroup>(deps.db, key, {
    act: async () => {
      requireLinked(account);
      return runCommand(
        deps,
        account.accountId,
        kind,
        typeof input === 'function' ? await input() : input,
        await findLimit(deps, account),
      );
    },
    record: async (trx, created) => {
      await lockGroupAccounts(trx, actor.workspaceId);
      // An account that was removed meanwhile must not become a member.
      await findOwnAccount(trx, actor.workspaceId, accountId);
      await recordAudit(trx, { ...actor, action: `${created.kind}.created`, subject: created.name });
      const { createdAt, notAdded = [] } = created;
      return { ...(await upsertGroup(trx, account, created)), createdAt, notAdded };
    },
  });
}

/** New groups of an account that warms up: new numbers that make many are banned soonest. */
const WARM_UP_PER_DAY: Readonly<Partial<Record<string, number>>> = { whatsapp: 5 };

async function findLimit({ db, quotas = QUOTAS, timeZone }: GroupDeps, { accountId, messenger }: Account) {
  const perDay = quotas.groupsPerDay[messenger];
  const ofWarmUp = WARM_UP_PER_DAY[messenger];
  if (ofWarmUp === undefined || ofWarmUp >= (perDay ?? Infinity)) return perDay === undefined ? undefined : { perDay };
  const [window] = await readSendWindows(db, [accountId], timeZone);
  if (window?.warmUpFrom) return { perDay: ofWarmUp, isOfWarmUp: true };
  return perDay === undefined ? undefined : { perDay };
}

/** Creates a channel (specification, create channel). `image` is a data URL of a picture, or null. */
export async function createChannel(
  deps: GroupDeps,
  actor: Actor,
  { name, description, image }: { name: string; description: string; image: string | null },
  options?: CreationOptions,
): Promise<CreatedGroup> {
  const picture = image === null ? null : await acceptMedia('image', image, { channelPicture: true });
  const input = async () => {
    const pictureMediaId = picture && (await saveMedia(deps.db, actor.workspaceId, picture, deps.quotas));
    return { name, description, pictureMediaId };
  };
  return haveCreated(deps, actor, 'create_channel', input, options);
}

import { runCommand } from '../accounts/commands.ts';
import { findAccountOfUser } from '../accounts/store.ts';
import { createOnce, type IdempotencyKey } from '../idempotency/once.ts';
import { acceptMedia } from '../media/accept-media.ts';
import { saveMedia } from '../media/store.ts';
import { requireLinked } from './require-linked.ts';
import { upsertGroup, type Group } from './store.ts';
import type { GroupDeps } from './sync-groups.ts';

/** A channel as it was created; `createdAt` is an ISO 8601 instant in UTC. */
export type CreatedChannel = Group & { createdAt: string };

/** Creates a channel (specification, create channel). `image` is a data URL of a JPEG, PNG or WebP, or null. */
export async function createChannel(
  deps: GroupDeps,
  userId: number,
  channel: { name: string; description: string; image: string | null },
  key?: IdempotencyKey,
): Promise<CreatedChannel> {
  const picture = channel.image === null ? null : await acceptMedia('image', channel.image, { channelPicture: true });
  const account = await findAccountOfUser(deps.db, userId);
  return createOnce(deps.db, key, {
    act: async () => {
      requireLinked(account);
      return runCommand(deps, account.accountId, 'create_channel', {
        name: channel.name,
        description: channel.description,
        pictureMediaId: picture && (await saveMedia(deps.db, userId, picture)),
      });
    },
    record: async (trx, created) => ({
      ...(await upsertGroup(trx, account.accountId, created)),
      createdAt: created.createdAt,
    }),
  });
}

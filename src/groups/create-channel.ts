import { runCommand } from '../accounts/commands.ts';
import { findAccountOfUser } from '../accounts/store.ts';
import { acceptMedia } from '../media/accept-media.ts';
import { saveMedia } from '../media/store.ts';
import { requireLinked } from './require-linked.ts';
import { upsertGroup, type Group } from './store.ts';
import type { GroupDeps } from './sync-groups.ts';

/** Creates a channel (specification, create channel). `image` is a data URL of a JPEG, PNG or WebP, or null. */
export async function createChannel(
  deps: GroupDeps,
  userId: number,
  channel: { name: string; description: string; image: string | null },
): Promise<Group & { createdAt: Date }> {
  const picture = channel.image === null ? null : await acceptMedia('image', channel.image, { channelPicture: true });
  const account = await findAccountOfUser(deps.db, userId);
  requireLinked(account);
  const created = await runCommand(deps, account.accountId, 'create_channel', {
    name: channel.name,
    description: channel.description,
    pictureMediaId: picture && (await saveMedia(deps.db, userId, picture)),
  });
  const group = await upsertGroup(deps.db, account.accountId, created);
  return { ...group, createdAt: new Date(created.createdAt) };
}

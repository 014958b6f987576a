import type { Actor } from '../../workspaces/audit/record-audit.ts';
import type { IdempotencyKey } from '../../workspaces/idempotency/once.ts';
import { acceptMedia } from '../../content/media/accept-media.ts';
import { saveMedia } from '../../content/media/store.ts';
import { haveCreated, type CreatedGroup } from './have-created.ts';
import type { GroupDeps } from './sync-groups.ts';

/** Creates a channel (specification, create channel). `image` is a data URL of a JPEG, PNG or WebP, or null. */
export async function createChannel(
  deps: GroupDeps,
  actor: Actor,
  { name, description, image }: { name: string; description: string; image: string | null },
  key?: IdempotencyKey,
): Promise<CreatedGroup> {
  const picture = image === null ? null : await acceptMedia('image', image, { channelPicture: true });
  const input = async () => {
    const pictureMediaId = picture && (await saveMedia(deps.db, actor.workspaceId, picture, deps.quotas));
    return { name, description, pictureMediaId };
  };
  return haveCreated(deps, actor, 'create_channel', input, key);
}

import type { Actor } from '../../workspaces/audit/record-audit.ts';
import { acceptMedia } from '../../content/media/accept-media.ts';
import { assertFewPixels } from '../../content/media/pictures.ts';
import { saveMedia } from '../../content/media/store.ts';
import { haveCreated, type CreatedGroup, type CreationOptions } from './have-created.ts';
import type { GroupDeps } from './sync-groups.ts';

/** Creates a channel (specification, create channel). `image` is a data URL of a JPEG, PNG or WebP, or null. */
export async function createChannel(
  deps: GroupDeps,
  actor: Actor,
  { name, description, image }: { name: string; description: string; image: string | null },
  options?: CreationOptions,
): Promise<CreatedGroup> {
  const picture = image === null ? null : await acceptMedia('image', image, { channelPicture: true });
  if (picture) await assertFewPixels('image', picture.bytes);
  const input = async () => {
    const pictureMediaId = picture && (await saveMedia(deps.db, actor.workspaceId, picture, deps.quotas));
    return { name, description, pictureMediaId };
  };
  return haveCreated(deps, actor, 'create_channel', input, options);
}

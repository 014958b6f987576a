import type { PostFile } from '../../content/post/post-extras.ts';
import type { DraftContent } from './draft-store.ts';

/** The files of a draft that takes them from the library. */
export function filesOf({ media }: DraftContent): PostFile[] {
  return (media ?? []).map(({ media_id: mediaId, caption, file_name: fileName }) => ({
    mediaId,
    ...(caption !== undefined && { caption }),
    ...(fileName !== undefined && { fileName }),
  }));
}

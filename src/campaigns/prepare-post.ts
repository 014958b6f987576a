import { invalid, type Problem } from '../lib/errors.ts';
import { acceptMedia, type AcceptedMedia } from '../media/accept-media.ts';
import { convertHtml } from '../text/html-to-whatsapp.ts';

/** What both ways of sending have in common, as it comes from outside but already of the right types and lengths. */
export interface PostInput {
  name: string;
  description: string;
  html: string;
  /** base64, with or without a data URL head. */
  image: string | null;
  groupIds: readonly number[];
  isChannelCampaign: boolean;
}

/** What the post says once it is understood. */
export interface PreparedPost {
  text: string;
  media: AcceptedMedia | null;
  /** Without repeats, in the order first given. */
  groupIds: number[];
}

/** Converts the html and recognises the media. Throws 400 with everything that is wrong with both. */
export async function preparePost(input: PostInput): Promise<PreparedPost> {
  const { text, problems } = convertHtml(input.html);
  const found: Problem[] = [...problems];
  const media = input.image === null ? null : await acceptMedia('image', input.image);
  if (found.length > 0) throw invalid(found);
  return { text, media, groupIds: [...new Set(input.groupIds)] };
}

import type { Campaign, GroupRow } from '../api/operations.ts';
import { clockTime } from '../format/time.ts';
import { useZone } from '../format/zone.tsx';
import { Section } from '../parts/page.tsx';
import { Post } from '../whatsapp/bubble.tsx';
import { Phone } from '../whatsapp/phone.tsx';
import { words } from '../words/words.ts';

/** The post as members saw it, in the first of its groups. */
export function PostSeen({ post, groups }: { post: Campaign; groups: readonly GroupRow[] }) {
  const zone = useZone();
  const [first] = groups;
  const isSent = groups.some((group) => group.sent > 0);
  const kind = first?.kind ?? 'group';
  const at = first?.first_sent_at ?? post.runs[0]?.due_at ?? post.created_at;
  return (
    <Section title={isSent ? words.campaign.asSeen : words.campaign.asWillBeSeen}>
      <Phone name={first?.group_name ?? ''} kind={kind} participants={first?.participants ?? null}>
        <Post text={post.text} media={post.media} time={clockTime(at, zone)} kind={kind} />
      </Phone>
    </Section>
  );
}

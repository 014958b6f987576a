import { Post } from '../whatsapp/bubble.tsx';
import { NoPosts, Phone } from '../whatsapp/phone.tsx';
import { t } from '../i18n/translate.ts';
import { PinnedLine, Quote } from '../whatsapp/quote.tsx';
import { isBallot, type DraftBallot } from './ballot.ts';
import { shownCard, type Card } from './card.ts';
import type { PickedGroup } from './draft.ts';
import { shownText, type Reach } from './reach.ts';

/** The post as members of the first group will see it. */
export function PhonePreview({
  groups,
  text,
  file,
  ballot,
  card = null,
  time,
  reach,
}: {
  groups: readonly PickedGroup[];
  text: string;
  file: File | null;
  ballot: DraftBallot;
  card?: Card | null;
  /** `HH:MM`, or `HH:MM:SS`. */
  time: string;
  reach: Reach;
}) {
  const [first] = groups;
  const kind = first?.kind ?? 'group';
  const media = file && { mime: file.type, size: file.size, name: file.name, file };
  return (
    <Phone name={first?.group_name ?? t('compose.anyGroup')} kind={kind} participants={first?.participants ?? null}>
      {text === '' && !media && !isBallot(ballot) ? (
        <NoPosts>{t('compose.previewHint')}</NoPosts>
      ) : (
        <>
          {reach.pinFor && <PinnedLine />}
          <Post
            text={shownText(text, reach)}
            media={media}
            card={shownCard(card, text)}
            poll={ballot.poll}
            event={ballot.event}
            time={time}
            kind={kind}
            quote={reach.replyTo && <Quote campaignId={reach.replyTo.campaign_id} />}
          />
        </>
      )}
    </Phone>
  );
}

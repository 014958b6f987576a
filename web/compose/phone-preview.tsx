import { useQuery } from '@tanstack/react-query';
import { useSeveralAccounts } from '../api/accounts.ts';
import { senderOfGroupsQuery } from '../senders/sender-queries.ts';
import { Post, SenderContext } from '../whatsapp/bubble.tsx';
import { NoPosts, Phone } from '../whatsapp/phone.tsx';
import { t } from '../i18n/translate.ts';
import { PinnedLine, Quote } from '../whatsapp/quote.tsx';
import { isBallot } from './ballot.ts';
import { shownCard } from './card.ts';
import type { Draft } from './draft.ts';
import { shownText, type Reach } from './reach.ts';
import { SteppedPreview } from './stepped-preview.tsx';

interface PhonePreviewProps {
  draft: Draft;
  text: string;
  /** Of the text. */
  language: string;
  file: File | null;
  /** `HH:MM`, or `HH:MM:SS`. */
  time: string;
  reach: Reach;
  /** Ids of groups without a value for a field of the post. */
  lacking?: readonly number[];
}

/** The post as members of the first group will see it; with fields or several languages, those of any group. */
export function PhonePreview({ lacking, language, ...shown }: PhonePreviewProps) {
  const { draft, file } = shown;
  const hasSeveral = draft.translations.length > 0 && !isBallot(draft);
  if ((!draft.withFields && !hasSeveral) || draft.groups.length === 0) return <PhoneOfFirst {...shown} />;
  return (
    <SteppedPreview
      // In another language it begins with another group.
      key={language}
      draft={draft}
      text={shown.text}
      language={language}
      hasFile={!isBallot(draft) && (file !== null || draft.files.length > 0)}
      lacking={lacking}
    >
      {(filled, text) => <PhoneOfFirst {...shown} draft={{ ...draft, ...filled }} text={text} />}
    </SteppedPreview>
  );
}

function PhoneOfFirst({ draft, text, file, time, reach }: Omit<PhonePreviewProps, 'lacking' | 'language'>) {
  const { groups, card } = draft;
  // A poll or an event comes in place of files.
  const files = isBallot(draft) ? [] : draft.files;
  const [first] = groups;
  const hasSeveral = useSeveralAccounts() !== undefined;
  const { data: senderOf } = useQuery({ ...senderOfGroupsQuery, enabled: hasSeveral });
  const kind = first?.kind ?? 'group';
  const media = file && { mime: file.type, size: file.size, name: file.name, file };
  const shown = files.map(({ mime, size, sha256, has_still, name, caption }) => ({
    mime,
    size,
    sha256,
    has_still,
    file_name: name,
    caption,
  }));
  return (
    <Phone name={first?.group_name ?? t('compose.anyGroup')} kind={kind} participants={first?.participants ?? null}>
      {text === '' && !media && files.length === 0 && !isBallot(draft) ? (
        <NoPosts>{t('compose.previewHint')}</NoPosts>
      ) : (
        <>
          {reach.pinFor && <PinnedLine />}
          <SenderContext value={senderOf?.get(first?.group_metadata_id ?? 0)}>
            <Post
              text={shownText(text, reach)}
              media={media}
              files={shown}
              card={shownCard(card, text)}
              poll={draft.poll}
              event={draft.event}
              time={time}
              kind={kind}
              quote={reach.replyTo && <Quote campaignId={reach.replyTo.campaign_id} />}
            />
          </SenderContext>
        </>
      )}
    </Phone>
  );
}

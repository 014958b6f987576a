import { useQuery } from '@tanstack/react-query';
import { campaignQuery } from '../api/queries.ts';
import { mediaName } from '../format/media-name.ts';
import { Icon } from '../parts/icons.tsx';
import { t } from '../i18n/translate.ts';
import classes from './quote.module.css';

const SHOWN_LENGTH = 120;

/** The beginning of a post that another one quotes, as its bubble shows it. */
export function QuotedPost({ text, media }: { text: string; media: { mime: string } | null }) {
  return <div className={classes.quote}>{text.slice(0, SHOWN_LENGTH) || (media ? mediaName(media.mime) : '')}</div>;
}

/** The same of the post of a campaign. */
export function Quote({ campaignId }: { campaignId: string }) {
  const quoted = useQuery(campaignQuery(campaignId));
  return quoted.data ? <QuotedPost text={quoted.data.text} media={quoted.data.media} /> : null;
}

/** The line at the top of a chat with a pinned post. */
export function PinnedLine() {
  return (
    <p className={classes.pinned}>
      <Icon name="pin" size={14} /> {t('phone.pinned')}
    </p>
  );
}

import { useQuery } from '@tanstack/react-query';
import { mediaQuery } from '../api/media.ts';
import classes from './link-card.module.css';
import { useObjectUrl } from './use-object-url.ts';

/** A link preview as a phone shows it. */
export interface ShownCard {
  url: string;
  title: string;
  description: string;
  /** A data URL. */
  image?: string | null;
  /** The service has it under its hash. */
  picture?: { sha256: string } | null;
}

/** The card above the text of a post. */
export function LinkCard({ card }: { card: ShownCard }) {
  const { url, title, description, image, picture } = card;
  return (
    <div className={classes.card}>
      {image ? <img src={image} alt="" className={classes.picture} /> : picture && <StoredPicture {...picture} />}
      <div className={classes.words}>
        <div className={classes.title}>{title}</div>
        {description !== '' && <div className={classes.description}>{description}</div>}
        <div className={classes.host}>{hostOf(url)}</div>
      </div>
    </div>
  );
}

function StoredPicture({ sha256 }: { sha256: string }) {
  const { data } = useQuery(mediaQuery(sha256));
  const show = useObjectUrl(data);
  return data ? <img ref={show} alt="" className={classes.picture} /> : null;
}

function hostOf(url: string): string {
  return URL.parse(/^https?:/i.test(url) ? url : `https://${url}`)?.hostname.replace(/^www\./, '') ?? '';
}

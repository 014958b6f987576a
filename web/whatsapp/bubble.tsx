import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createContext, useContext, type ReactNode } from 'react';
import { isCaption } from '../../src/content/text/caption.ts';
import { mediaQuery, stillQuery } from '../api/media.ts';
import { accountsQuery } from '../api/queries.ts';
import type { GroupKind } from '../api/operations.ts';
import { accountName, shownNumber } from '../format/account-name.ts';
import { fileSize } from '../format/numbers.ts';
import { Icon } from '../parts/icons.tsx';
import { isBrowserPicture, isShownAs, mediaName } from '../format/media-name.ts';
import { t } from '../i18n/translate.ts';
import classes from './bubble.module.css';
import { EventBox, PollBox, type ShownEvent, type ShownPoll } from './ballot-box.tsx';
import { LinkCard, type ShownCard } from './link-card.tsx';
import { MessageText } from './message-text.tsx';
import { useObjectUrl } from './use-object-url.ts';

export interface ShownMedia {
  mime: string;
  size: number;
  /** If known. */
  name?: string;
  /** A local file; otherwise the service has it under its hash. */
  file?: Blob;
  sha256?: string;
  /** Of a film: the service has a picture of it. */
  has_still?: boolean;
}

/** A post as members see it. */
export function Post({
  text,
  media,
  files,
  poll = null,
  event = null,
  card = null,
  time,
  kind = 'group',
  isEdited = false,
  quote = null,
}: {
  text: string;
  media: ShownMedia | null;
  /** All files of a post with several; without any, `media` counts. */
  files?: readonly ShownFile[] | undefined;
  /** In place of text and media. */
  poll?: ShownPoll | null;
  event?: ShownEvent | null;
  /** Of a link in the text; below a file phones show none. */
  card?: ShownCard | null;
  /** "09:00" */
  time: string;
  kind?: GroupKind;
  isEdited?: boolean;
  /** What it replies to. */
  quote?: ReactNode;
}) {
  const foot = { time, kind, isEdited };
  if (files && files.length > 0) return <FilesPost text={text} files={files} card={card} {...foot} />;
  if (media && text !== '' && !isCaption(text, media))
    return (
      <>
        <Bubble text="" media={media} {...foot} isEdited={false} />
        <Bubble text={text} media={null} card={card} quote={quote} {...foot} />
      </>
    );
  return (
    <Bubble text={text} media={media} card={media ? null : card} poll={poll} event={event} quote={quote} {...foot} />
  );
}

/** A file of a post with several, as the service answers it. */
export interface ShownFile {
  mime: string;
  size: number;
  sha256: string;
  has_still?: boolean;
  file_name: string | null;
  caption: string | null;
}

type Foot = Pick<Parameters<typeof Bubble>[0], 'time' | 'kind' | 'isEdited'>;

interface FilesPostProps extends Foot {
  text: string;
  files: readonly ShownFile[];
  /** Of a text that follows the files. */
  card: ShownCard | null;
}

/** Pictures and films in a group are an album; other files, and all files in a channel, follow one another. */
function FilesPost({ text, files, card, ...foot }: FilesPostProps) {
  const { messages, after } = splitText(text, files);
  const isInAlbum = ({ mime }: ShownFile) => isShownAs(mime, 'image') || isShownAs(mime, 'video');
  const album = foot.kind === 'channel' ? [] : messages.filter(({ file }) => isInAlbum(file));
  const isAlbum = album.length > 1;
  const single = isAlbum ? messages.filter((message) => !album.includes(message)) : messages;
  return (
    <>
      {isAlbum && <Album messages={album} {...foot} />}
      {single.map(({ file, caption }, index) => (
        <Bubble
          // oxlint-disable-next-line react/no-array-index-key
          key={`${file.sha256} ${index}`}
          text={caption}
          media={{
            mime: file.mime,
            size: file.size,
            sha256: file.sha256,
            ...(file.has_still && { has_still: true }),
            ...(file.file_name && { name: file.file_name }),
          }}
          {...foot}
        />
      ))}
      {after !== '' && <Bubble text={after} media={null} card={card} {...foot} />}
    </>
  );
}

interface FileMessage {
  file: ShownFile;
  caption: string;
}

/** As the service does. */
function splitText(text: string, files: readonly ShownFile[]): { messages: FileMessage[]; after: string } {
  const mayBear = isCaption(text, files[0] ?? null);
  const messages = files.map((file, index) => ({
    file,
    caption: index === 0 && mayBear ? text : (file.caption ?? ''),
  }));
  return { messages, after: mayBear ? '' : text };
}

function Album({ messages, time, kind, isEdited }: { messages: readonly FileMessage[] } & Foot) {
  return (
    <div className={classes.bubble} data-kind={kind} data-wide>
      <Sender />
      <div className={classes.album}>
        {messages.map(({ file }, index) => (
          // oxlint-disable-next-line react/no-array-index-key
          <MediaBox key={`${file.sha256} ${index}`} media={file} />
        ))}
      </div>
      {messages.map(
        ({ caption, file }, index) =>
          // oxlint-disable-next-line react/no-array-index-key
          caption !== '' && <MessageText key={`${file.sha256} ${index}`} text={caption} className={classes.text} />,
      )}
      <span className={classes.foot}>
        {isEdited && `${t('phone.edited')} `}
        {time}
      </span>
    </div>
  );
}

/** The placeholder of a post that was deleted for everyone. */
export function DeletedPost({ time, kind = 'group' }: { time: string; kind?: GroupKind }) {
  return (
    <div className={classes.bubble} data-kind={kind}>
      <p className={classes.deleted}>
        <Icon name="stopped" size={15} /> {t('phone.deleted')}
      </p>
      <span className={classes.foot}>{time}</span>
    </div>
  );
}

function Bubble({
  text,
  media,
  poll = null,
  event = null,
  card = null,
  time,
  kind,
  isEdited,
  quote = null,
}: {
  text: string;
  media: ShownMedia | null;
  poll?: ShownPoll | null;
  event?: ShownEvent | null;
  card?: ShownCard | null;
  time: string;
  kind: GroupKind;
  isEdited: boolean;
  quote?: ReactNode;
}) {
  return (
    <div className={classes.bubble} data-kind={kind} data-wide={media ? true : undefined}>
      {kind !== 'channel' && <Sender />}
      {kind !== 'channel' && quote}
      {media && <MediaBox media={media} />}
      {poll && <PollBox poll={poll} />}
      {event && <EventBox event={event} />}
      {card && <LinkCard card={card} />}
      {text !== '' && <MessageText text={text} className={classes.text} />}
      <span className={classes.foot}>
        {isEdited && `${t('phone.edited')} `}
        {time}
      </span>
    </div>
  );
}

/** The account that sends the posts within; undefined: the default one. */
export const SenderContext = createContext<number | undefined>(undefined);

/** Groups show the number of the sender; channels do not. */
function Sender() {
  const senderId = useContext(SenderContext);
  const { data: accounts = [] } = useQuery(accountsQuery);
  const sender = accounts.find(({ account_id: id, is_default: isDefault }) => (senderId ? id === senderId : isDefault));
  return sender ? <span className={classes.sender}>{shownNumber(sender) ?? accountName(sender)}</span> : null;
}

function MediaBox({ media }: { media: ShownMedia }) {
  const { file, sha256, mime, has_still: hasStill = false } = media;
  const [isImage, isVideo] = [isShownAs(mime, 'image'), isShownAs(mime, 'video')];
  const still = useQuery({ ...stillQuery(sha256 ?? ''), enabled: hasStill && !file && sha256 !== undefined });
  const stored = useQuery({ ...mediaQuery(sha256 ?? ''), enabled: isImage && !file && sha256 !== undefined });
  const shown = file ?? stored.data ?? still.data;
  const show = useObjectUrl(shown);
  if (shown && ((isImage && isBrowserPicture(mime)) || shown === still.data))
    return <img ref={show} alt={mediaName(mime)} className={classes.media} />;
  if (isImage && stored.isLoading) return <Skeleton height={180} width={260} maw="100%" className={classes.media} />;
  // A preview of an attached video, which has no captions.
  // oxlint-disable-next-line jsx-a11y/media-has-caption
  if (file && isVideo) return <video ref={show} className={classes.media} controls />;
  return (
    <div className={classes.file}>
      <Icon name={isVideo ? 'play' : 'file'} size={28} />
      <span className={classes.about}>
        <span className={classes.fileName}>{(!isVideo && media.name) || mediaName(mime)}</span>
        <span className={classes.size}>{fileSize(media.size)}</span>
      </span>
    </div>
  );
}

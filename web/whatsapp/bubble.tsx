import { useCallback } from 'react';
import type { GroupKind } from '../api/operations.ts';
import { fileSize } from '../format/numbers.ts';
import { Icon } from '../parts/icons.tsx';
import { Ticks } from '../parts/ticks.tsx';
import { words } from '../words/words.ts';
import { MessageText } from './message-text.tsx';

/** The text that goes along with a file; a longer one follows as a message of its own. */
const CAPTION_LIMIT = 1_024;

export interface ShownMedia {
  mime: string;
  size: number;
  /** Where there is one. */
  name?: string;
  file?: File;
}

/** A post as its members see it. */
export function Post({
  text,
  media,
  time,
  kind = 'group',
}: {
  text: string;
  media: ShownMedia | null;
  /** "09:00" */
  time: string;
  kind?: GroupKind;
}) {
  if (media && text.length > CAPTION_LIMIT)
    return (
      <>
        <Bubble text="" media={media} time={time} kind={kind} />
        <Bubble text={text} media={null} time={time} kind={kind} />
      </>
    );
  return <Bubble text={text} media={media} time={time} kind={kind} />;
}

function Bubble({
  text,
  media,
  time,
  kind,
}: {
  text: string;
  media: ShownMedia | null;
  time: string;
  kind: GroupKind;
}) {
  return (
    <div className={`bubble bubble-${kind}`}>
      {media && <MediaBox media={media} />}
      {text !== '' && <MessageText text={text} />}
      <span className="bubble-foot">
        {time} {kind !== 'channel' && <Ticks kind="read" />}
      </span>
    </div>
  );
}

function MediaBox({ media }: { media: ShownMedia }) {
  const show = useObjectUrl(media.file);
  if (media.file && media.mime.startsWith('image/')) return <img ref={show} alt="" className="bubble-media" />;
  // A preview of what the user has just attached; they have no captions for it.
  // oxlint-disable-next-line jsx-a11y/media-has-caption
  if (media.file && media.mime.startsWith('video/')) return <video ref={show} className="bubble-media" controls />;
  return (
    <div className="bubble-file">
      <Icon name="file" size={28} />
      <span className="clip">{media.name ?? words.media(media.mime)}</span>
      <span className="dim nowrap">{fileSize(media.size)}</span>
    </div>
  );
}

/** Gives an element the address of a file of this page, for as long as both are there. */
export function useObjectUrl(file: File | undefined) {
  return useCallback(
    (element: HTMLImageElement | HTMLVideoElement | null) => {
      if (!file || !element) return undefined;
      const url = URL.createObjectURL(file);
      element.src = url;
      return () => URL.revokeObjectURL(url);
    },
    [file],
  );
}

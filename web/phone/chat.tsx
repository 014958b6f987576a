import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { call } from '../api/call.ts';
import { CampanileError } from '../../clients/typescript/failure.ts';
import type { Group, Message } from '../api/operations.ts';
import { clockTime, dateIn, dayName, exactTime } from '../format/time.ts';
import { useZone } from '../format/zone-context.tsx';
import { Empty } from '../parts/empty.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { RowsSkeleton } from '../parts/page.tsx';
import { DeletedPost, Post } from '../whatsapp/bubble.tsx';
import { PinnedLine, QuotedPost } from '../whatsapp/quote.tsx';
import { NoPosts, Phone } from '../whatsapp/phone.tsx';
import { t } from '../i18n/translate.ts';
import classes from './chat.module.css';

const POLL_MS = 2_000;
const MAX_MESSAGES = 1_000;

/** One group on a member's phone. */
export function Chat({ group }: { group: Group }) {
  const zone = useZone();
  const end = useRef<HTMLDivElement>(null);
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['messages', group.group_metadata_id],
    queryFn: ({ signal }) => lastMessages(group.group_metadata_id, signal),
    refetchInterval: POLL_MS,
    placeholderData: keepPreviousData,
  });
  const messages = data ?? [];
  const newest = messages.at(-1)?.message_id;
  useEffect(() => {
    if (newest !== undefined) end.current?.scrollIntoView({ block: 'nearest' });
  }, [newest]);
  const isNotSandbox = error instanceof CampanileError && error.status === 404;
  if (isNotSandbox) return <Empty title={t('phone.noSandbox')}>{t('phone.noSandboxHint')}</Empty>;
  if (error) return <ErrorAlert error={error} retry={() => void refetch()} />;
  return (
    <Phone name={group.group_name} kind={group.kind} participants={group.participants}>
      {isPending && <RowsSkeleton rows={2} height={60} />}
      {!isPending && messages.length === 0 && <NoPosts>{t('phone.quiet')}</NoPosts>}
      {messages.map((message, index) => (
        <div key={message.message_id} className={classes.message}>
          {isNewDay(messages, index, zone) && <p className={classes.day}>{dayName(message.sent_at, zone)}</p>}
          <ReceivedMessage
            message={message}
            quoted={messages.find(({ message_id: id }) => id === message.quoted_message_id)}
            kind={group.kind}
            zone={zone}
          />
        </div>
      ))}
      <div ref={end} />
    </Phone>
  );
}

function ReceivedMessage({
  message,
  quoted,
  kind,
  zone,
}: {
  message: Message;
  quoted: Message | undefined;
  kind: Group['kind'];
  zone: string;
}) {
  const time = clockTime(message.sent_at, zone);
  const { recalled_at: recalledAt, corrected_at: correctedAt } = message;
  return (
    <div className={classes.post} title={titleOf(message, zone)}>
      {recalledAt ? (
        <DeletedPost time={time} kind={kind} />
      ) : (
        <>
          {message.pinned_until && <PinnedLine />}
          <Post
            text={message.text}
            media={message.media}
            files={message.files && withoutText(message.files, message.text)}
            card={message.link_preview}
            poll={message.poll ?? null}
            event={message.event ?? null}
            time={time}
            kind={kind}
            isEdited={Boolean(correctedAt)}
            quote={quoted && <QuotedPost text={quoted.text} media={quoted.media} />}
          />
        </>
      )}
    </div>
  );
}

/** The service answers the text as the caption of the first file, where it is no caption of its own. */
function withoutText(files: NonNullable<Message['files']>, text: string) {
  return files.map((file, index) => (index === 0 && file.caption === text ? { ...file, caption: null } : file));
}

function titleOf({ sent_at: sentAt, recalled_at: recalledAt, corrected_at: correctedAt }: Message, zone: string) {
  const sent = exactTime(sentAt, zone);
  if (recalledAt) return t('phone.deletedAt', { sent, at: exactTime(recalledAt, zone) });
  return correctedAt ? t('phone.editedAt', { sent, at: exactTime(correctedAt, zone) }) : sent;
}

function isNewDay(messages: readonly Message[], index: number, zone: string): boolean {
  const day = (one: Message | undefined) => (one ? dateIn(one.sent_at, zone) : undefined);
  return day(messages[index]) !== day(messages[index - 1]);
}

/** Fetches the end of a chat; pages come oldest first. */
async function lastMessages(groupId: number, signal: AbortSignal): Promise<Message[]> {
  let messages: Message[] = [];
  let cursor: string | null | undefined;
  do {
    const body = { group_metadata_id: groupId, limit: MAX_MESSAGES, cursor, with_changes: true };
    const page = await call('sandbox/list-messages', body, { signal });
    messages = [...messages, ...page.messages].slice(-MAX_MESSAGES);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return messages;
}

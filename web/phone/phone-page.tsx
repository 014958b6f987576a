import { Button, NavLink, Text } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { call } from '../api/call.ts';
import { CampanileError } from '../../client/failure.ts';
import type { Group, Message } from '../api/operations.ts';
import { groupsQuery } from '../api/queries.ts';
import { clockTime, dateIn, dayName, exactTime } from '../format/time.ts';
import { useZone } from '../format/zone.tsx';
import { Empty } from '../parts/empty.tsx';
import { Failed } from '../parts/failed.tsx';
import { Page, RowsSkeleton } from '../parts/page.tsx';
import { Post } from '../whatsapp/bubble.tsx';
import { Phone } from '../whatsapp/phone.tsx';
import { words } from '../words/words.ts';

const POLL_MS = 2_000;
const MOST_MESSAGES = 1_000;

/** What a member of a sandbox group sees on their phone. */
export default function PhonePage() {
  const found = useInfiniteQuery(groupsQuery({ kind: undefined, search: '' }));
  const groups = found.data?.pages.flatMap((page) => page.groups) ?? [];
  const [chosen, setChosen] = useState<number>();
  const group = groups.find((one) => one.group_metadata_id === chosen) ?? groups[0];
  return (
    <Page title={words.pages.phone} wide>
      <Text size="sm" c="dimmed" mb="md">
        {words.phone.lead}
      </Text>
      {found.isPending && <RowsSkeleton rows={4} />}
      {found.isError && <Failed error={found.error} retry={() => void found.refetch()} />}
      {found.isSuccess && groups.length === 0 && (
        <Empty
          title={words.groups.none}
          action={
            <Button component={Link} href="/groups">
              {words.groups.goThere}
            </Button>
          }
        >
          {words.groups.noneHint}
        </Empty>
      )}
      {group && (
        <div className="phone-page">
          <nav className="surface phone-groups" aria-label={words.pages.groups}>
            {groups.map((one) => (
              <NavLink
                key={one.group_metadata_id}
                component="button"
                active={one === group}
                aria-current={one === group ? 'true' : undefined}
                label={one.group_name}
                description={words.kinds[one.kind]}
                onClick={() => setChosen(one.group_metadata_id)}
              />
            ))}
          </nav>
          <Chat key={group.group_metadata_id} group={group} />
        </div>
      )}
    </Page>
  );
}

function Chat({ group }: { group: Group }) {
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
  const isNotSandbox = error instanceof CampanileError && error.code === 404;
  if (isNotSandbox) return <Empty title={words.phone.noSandbox}>{words.phone.noSandboxHint}</Empty>;
  if (error) return <Failed error={error} retry={() => void refetch()} />;
  return (
    <Phone name={group.group_name} kind={group.kind} participants={group.participants}>
      {isPending && <RowsSkeleton rows={2} height={60} />}
      {!isPending && messages.length === 0 && <p className="phone-hint">{words.phone.quiet}</p>}
      {messages.map((message, index) => (
        <div key={message.message_id} className="phone-message" title={exactTime(message.sent_at, zone)}>
          {isNewDay(messages, index, zone) && <p className="phone-day">{dayName(message.sent_at, zone)}</p>}
          <Post text={message.text} media={message.media} time={clockTime(message.sent_at, zone)} kind={group.kind} />
        </div>
      ))}
      <div ref={end} />
    </Phone>
  );
}

function isNewDay(messages: readonly Message[], index: number, zone: string): boolean {
  const day = (one: Message | undefined) => (one ? dateIn(one.sent_at, zone) : undefined);
  return day(messages[index]) !== day(messages[index - 1]);
}

/** They come oldest first; of a long chat only the end matters. */
async function lastMessages(groupId: number, signal: AbortSignal): Promise<Message[]> {
  let messages: Message[] = [];
  let cursor: string | null | undefined;
  do {
    const body = { group_metadata_id: groupId, limit: MOST_MESSAGES, cursor };
    const page = await call('sandbox/list-messages', body, { signal });
    messages = [...messages, ...page.messages].slice(-MOST_MESSAGES);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return messages;
}

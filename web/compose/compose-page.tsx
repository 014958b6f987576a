import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy } from 'react';
import { useLocation } from 'wouter';
import { CampanileError } from '../../client/failure.ts';
import { sessionQuery, type SignedIn } from '../api/session.ts';
import { count, fileSize } from '../format/numbers.ts';
import { clockTime } from '../format/time.ts';
import { Confirm } from '../parts/confirm.tsx';
import { useNow } from '../parts/moment.tsx';
import { tell } from '../parts/notify.ts';
import { Page } from '../parts/page.tsx';
import { words } from '../words/words.ts';
import { findProblems } from './checks.tsx';
import { ComposeLayout } from './compose-layout.tsx';
import { useDraft, type Draft } from './draft.ts';
import { CheckSection, WhenSection } from './draft-sections.tsx';
import { GroupsSection } from './groups-section.tsx';
import { sumOf } from './members-of.ts';
import { MessageSection } from './message-section.tsx';
import { PhonePreview } from './phone-preview.tsx';
import { Plan } from './plan.tsx';
import { sendDraft } from './send.ts';
import { TestPost } from './test-post.tsx';
import { useCheck } from './use-check.ts';
import { usePreview } from './use-preview.ts';

const When = lazy(() => import('./when.tsx'));

const SUGGESTED_LENGTH = 60;

export default function ComposePage() {
  const { data: session } = useQuery(sessionQuery);
  return session ? <Compose session={session} /> : null;
}

function Compose({ session }: { session: SignedIn }) {
  const { draft, file, update, attach, forget, discard } = useDraft(session.user_info.user_id, session.time_zone);
  const shown = usePreview(draft.html);
  const { preview, isSettled } = shown;
  const [isAsking, asking] = useDisclosure(false);
  const [isTried, tried] = useDisclosure(false);
  const suggestedName = suggestName(preview.text);
  const name = draft.name.trim() || suggestedName;
  const check = useCheck(draft, name);
  const problems = findProblems(draft, shown);
  const send = useSend({ draft, name, file, forget });
  const action = words.compose.action(draft.groups.length, count(draft.groups.length), draft.isScheduled);
  const ask = () => {
    tried.open();
    // What the service would refuse is said under Check; that it could not be asked just now is no reason to stop.
    if (problems.length === 0 && !isRefusal(check.error)) asking.open();
  };

  return (
    <Page title={words.pages.compose} wide actions={<Discard discard={discard} />}>
      <ComposeLayout
        sum={sumOf(draft)}
        buttons={
          <>
            <TestPost draft={draft} name={name} file={file} hasText={!shown.error && preview.length > 0} />
            <Button onClick={ask} disabled={problems.length === 0 && !(isSettled && check.isSettled)}>
              {action}
            </Button>
          </>
        }
        preview={<TimedPreview draft={draft} text={preview.text} file={file} zone={session.time_zone} />}
      >
        <MessageSection
          {...{ draft, update, file, attach, suggestedName }}
          aside={<Length length={preview.length} limit={preview.limit} />}
        />
        <GroupsSection groups={draft.groups} onChange={(groups) => update({ groups })} />
        <WhenSection draft={draft} check={check}>
          <When draft={draft} update={update} />
        </WhenSection>
        <CheckSection {...{ draft, update, problems, isTried, preview, check }} hasFile={file !== null} />
      </ComposeLayout>
      <Confirm
        opened={isAsking}
        close={asking.close}
        title={action}
        action={draft.isScheduled ? words.compose.schedule : words.compose.send}
        act={send}
      >
        <Plan draft={draft} check={check} isFull content={contentInWords(name, file)} />
      </Confirm>
    </Page>
  );
}

/** Sends the draft, forgets it, and opens the campaign that it has become. */
function useSend({ draft, name, file, forget }: { draft: Draft; name: string; file: File | null; forget: () => void }) {
  const client = useQueryClient();
  const [, go] = useLocation();
  return async () => {
    const campaignId = await sendDraft(draft, name, file);
    forget();
    void client.invalidateQueries({ queryKey: ['campaigns'] });
    tell(draft.isScheduled ? words.compose.scheduled(name) : words.compose.sending(name));
    go(`/campaigns/${campaignId}`);
  };
}

function Discard({ discard }: { discard: () => void }) {
  return (
    <Button variant="default" onClick={discard}>
      {words.compose.discard}
    </Button>
  );
}

function contentInWords(name: string, file: File | null): string[] {
  return [words.compose.says(name), ...(file ? [words.compose.withFile(file.name, fileSize(file.size))] : [])];
}

function isRefusal(error: unknown): boolean {
  return error instanceof CampanileError && error.code >= 400 && error.code < 500 && error.code !== 429;
}

function Length({ length, limit }: { length: number; limit: number }) {
  return (
    <Text size="sm" c={length > limit ? 'var(--mantine-color-error)' : 'dimmed'}>
      {words.compose.length(count(length), count(limit))}
    </Text>
  );
}

/** On its own, so that the form is not drawn anew as time goes by. */
function TimedPreview({ draft, text, file, zone }: { draft: Draft; text: string; file: File | null; zone: string }) {
  const nowMs = useNow();
  const time = draft.isScheduled ? draft.time : clockTime(new Date(nowMs), zone);
  return <PhonePreview groups={draft.groups} text={text} file={file} time={time} />;
}

/** The first words of the message, without WhatsApp's signs. */
function suggestName(text: string): string {
  const line = text.split('\n').find((one) => one.trim() !== '') ?? '';
  return line
    .replaceAll(/[*_~`\u200B]|\u034F/g, '')
    .trim()
    .slice(0, SUGGESTED_LENGTH);
}

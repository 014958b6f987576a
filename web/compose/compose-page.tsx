import { Button, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useLocation } from 'wouter';
import { CampanileError } from '../../client/failure.ts';
import { sessionQuery, type SignedIn } from '../api/session.ts';
import { count, fileSize } from '../format/numbers.ts';
import { clockTime } from '../format/time.ts';
import { Confirm } from '../parts/confirm.tsx';
import { useNow } from '../parts/moment.tsx';
import { tell } from '../parts/notify.ts';
import { Page, Section } from '../parts/page.tsx';
import { Phone } from '../whatsapp/phone.tsx';
import { Post } from '../whatsapp/bubble.tsx';
import { words } from '../words/words.ts';
import { Checks, findProblems } from './checks.tsx';
import { useDraft } from './draft.ts';
import { FILE_LIMIT_BYTES } from './file-limit.ts';
import { membersOf } from './members-of.ts';
import { PickGroups, together } from './pick-groups.tsx';
import { PickList } from './pick-list.tsx';
import { Plan } from './plan.tsx';
import { sendDraft } from './send.ts';
import { TestPost } from './test-post.tsx';
import { useCheck } from './use-check.ts';
import { usePreview } from './use-preview.ts';

const Editor = lazy(() => import('./editor.tsx'));
const MediaField = lazy(() => import('./media-field.tsx'));
const When = lazy(() => import('./when.tsx'));

const NAME_LIMIT = 200;
const SUGGESTED_LENGTH = 60;

export default function ComposePage() {
  const { data: session } = useQuery(sessionQuery);
  return session ? <Compose session={session} /> : null;
}

function Compose({ session }: { session: SignedIn }) {
  const client = useQueryClient();
  const [, go] = useLocation();
  const { draft, file, update, attach, forget, discard } = useDraft(session.user_info.user_id, session.time_zone);
  const shown = usePreview(draft.html);
  const { preview, isSettled } = shown;
  const [fileProblem, setFileProblem] = useState<string>();
  const [isAsking, asking] = useDisclosure(false);
  const [isTried, tried] = useDisclosure(false);
  const name = draft.name.trim() || suggestName(preview.text);
  const check = useCheck(draft, name);
  const problems = findProblems(draft, shown);

  const takeFile = (next: File | null) => {
    const isTooLarge = next !== null && next.size > FILE_LIMIT_BYTES;
    setFileProblem(isTooLarge ? words.compose.fileTooLarge(fileSize(FILE_LIMIT_BYTES)) : undefined);
    if (!isTooLarge) attach(next);
  };
  const leaveOut = (groupIds: readonly number[]) => {
    const ids = new Set(groupIds);
    update({ groups: draft.groups.filter((group) => !ids.has(group.group_metadata_id)) });
  };
  const send = async () => {
    const campaignId = await sendDraft(draft, name, file);
    forget();
    void client.invalidateQueries({ queryKey: ['campaigns'] });
    tell(draft.isScheduled ? words.compose.scheduled(name) : words.compose.sending(name));
    go(`/campaigns/${campaignId}`);
  };
  const ask = () => {
    tried.open();
    // What the service would refuse is said under Check; that it could not be asked just now is no reason to stop.
    if (problems.length === 0 && !isRefusal(check.error)) asking.open();
  };

  return (
    <Page
      title={words.pages.compose}
      wide
      actions={
        <Button variant="default" onClick={discard}>
          {words.compose.discard}
        </Button>
      }
    >
      <div className="compose">
        <Stack gap="md" className="compose-form">
          <Section title={words.compose.message} aside={<Length length={preview.length} limit={preview.limit} />}>
            <Stack gap="sm">
              <TextInput
                label={words.compose.name}
                description={words.compose.nameHint}
                placeholder={suggestName(preview.text)}
                maxLength={NAME_LIMIT}
                value={draft.name}
                onChange={(event) => update({ name: event.currentTarget.value })}
              />
              <Suspense fallback={<Skeleton height={220} className="late" />}>
                <Editor html={draft.html} onChange={(html) => update({ html })} onFile={takeFile} />
                <MediaField file={file} attach={takeFile} refuse={setFileProblem} />
              </Suspense>
              {fileProblem !== undefined && (
                <Text size="sm" c="var(--mantine-color-error)" role="alert">
                  {fileProblem}
                </Text>
              )}
            </Stack>
          </Section>
          <Section
            title={words.compose.groups}
            aside={<PickList onPick={(more) => update({ groups: together(draft.groups, more) })} />}
          >
            <PickGroups picked={draft.groups} onChange={(groups) => update({ groups })} />
          </Section>
          <Section title={words.compose.when}>
            <Suspense fallback={<Skeleton height={80} className="late" />}>
              <When draft={draft} update={update} />
            </Suspense>
            <Plan draft={draft} check={check} />
          </Section>
          <Section title={words.compose.check}>
            <Checks
              problems={problems}
              isTried={isTried}
              preview={preview}
              hasFile={file !== null}
              check={check}
              picked={draft.groups}
              onLeaveOut={leaveOut}
            />
          </Section>
          <div className="compose-end">
            <Text size="sm" fw={550} className="compose-sum">
              {words.compose.sum(draft.groups.length, count(draft.groups.length), count(membersOf(draft.groups)))}
            </Text>
            <TestPost draft={draft} name={name} file={file} hasText={!shown.error && preview.length > 0} />
            <Button onClick={ask} disabled={problems.length === 0 && !(isSettled && check.isSettled)}>
              {words.compose.action(draft.groups.length, count(draft.groups.length), draft.isScheduled)}
            </Button>
          </div>
        </Stack>
        <PhonePreview draft={draft} text={preview.text} file={file} zone={session.time_zone} />
      </div>
      <Confirm
        opened={isAsking}
        close={asking.close}
        title={words.compose.action(draft.groups.length, count(draft.groups.length), draft.isScheduled)}
        action={draft.isScheduled ? words.compose.schedule : words.compose.send}
        act={send}
      >
        <Plan draft={draft} check={check} isFull content={contentInWords(name, file)} />
      </Confirm>
    </Page>
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

function PhonePreview({
  draft,
  text,
  file,
  zone,
}: {
  draft: ReturnType<typeof useDraft>['draft'];
  text: string;
  file: File | null;
  zone: string;
}) {
  const nowMs = useNow();
  const [first] = draft.groups;
  const time = draft.isScheduled ? draft.time : clockTime(new Date(nowMs), zone);
  const media = file && { mime: file.type, size: file.size, name: file.name, file };
  return (
    <aside className="compose-phone" aria-label={words.compose.preview}>
      <Phone
        name={first?.group_name ?? words.compose.anyGroup}
        kind={first?.kind ?? 'group'}
        participants={first?.participants ?? null}
      >
        {text === '' && !media ? (
          <p className="phone-hint">{words.compose.previewHint}</p>
        ) : (
          <Post text={text} media={media} time={time} kind={first?.kind ?? 'group'} />
        )}
      </Phone>
    </aside>
  );
}

/** The first words of the message, without WhatsApp's signs. */
function suggestName(text: string): string {
  const line = text.split('\n').find((one) => one.trim() !== '') ?? '';
  return line
    .replaceAll(/[*_~`\u200B]|\u034F/g, '')
    .trim()
    .slice(0, SUGGESTED_LENGTH);
}

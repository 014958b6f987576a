import { Checkbox, Stack, Text, TextInput } from '@mantine/core';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { problemText } from '../format/problem.ts';
import { PartSkeleton, Section } from '../parts/page.tsx';
import { t } from '../i18n/translate.ts';
import { BallotSection } from './ballot-section.tsx';
import type { Draft } from './draft.ts';
import type { useTexts } from './languages.ts';
import type { DraftFile } from './draft-files.ts';
import { fileProblem } from './check-file.ts';
import { lazyWithRetry } from '../parts/lazy-with-retry.ts';

const MessageTexts = lazy(lazyWithRetry(() => import('./message-texts.tsx')));
const MediaField = lazy(lazyWithRetry(() => import('./media-field.tsx')));
const FilesField = lazy(lazyWithRetry(() => import('./files-field.tsx')));
const TagsField = lazy(lazyWithRetry(() => import('./tags-field.tsx')));

const NAME_LIMIT = 200;

interface MessageSectionProps {
  draft: Draft;
  update: (next: Partial<Draft>) => void;
  /** Of `useTexts`. */
  texts: Pick<ReturnType<typeof useTexts>, 'language' | 'write'>;
  file: File | null;
  /** Never called with a file that a campaign cannot take, as far as its name tells. */
  attach: (file: File | null) => void;
  /** Why the service does not take the attached file. */
  refusal?: unknown;
  suggestedName?: string;
  hasText?: boolean;
  aside?: ReactNode;
  /** What belongs to the text. */
  children?: ReactNode;
}

/** The name, text and file of the campaign. Once the text can no longer change, only the name. */
export function MessageSection({
  draft,
  update,
  texts: { language, write },
  file,
  attach,
  refusal,
  suggestedName,
  hasText = true,
  aside,
  children,
}: MessageSectionProps) {
  const [problem, setProblem] = useState<string>();
  const shown = problem ?? (refusal === undefined ? undefined : problemText(refusal));
  const takeFile = (next: File | null) => {
    const found = next === null ? undefined : fileProblem(next);
    setProblem(found);
    if (found === undefined) attach(next);
  };
  const takeFiles = (files: readonly DraftFile[]) => {
    // A post has the one file, or those of the library.
    if (file && files.length > 0) attach(null);
    update({ files });
  };
  return (
    <Section title={t('compose.message')} aside={aside}>
      <Stack gap="sm">
        <TextInput
          label={t('compose.name')}
          description={t('compose.nameHint')}
          placeholder={suggestedName}
          maxLength={NAME_LIMIT}
          value={draft.name}
          dir="auto"
          onChange={(event) => update({ name: event.currentTarget.value })}
        />
        {hasText && (
          <BallotSection ballot={draft} timeZone={draft.timeZone} update={update}>
            <Suspense fallback={<PartSkeleton height={220} />}>
              <MessageTexts {...{ draft, update, language, write }} onFile={takeFile} />
              {draft.files.length === 0 && <MediaField file={file} attach={takeFile} onReject={setProblem} />}
              <FilesField files={draft.files} change={takeFiles} />
              {children}
            </Suspense>
          </BallotSection>
        )}
        <Suspense fallback={<PartSkeleton height={80} />}>
          <TagsField tags={draft.tags} onChange={(tags) => update({ tags })} />
        </Suspense>
        {hasText && <FieldChoices draft={draft} update={update} />}
        {shown !== undefined && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {shown}
          </Text>
        )}
      </Stack>
    </Section>
  );
}

/** Whether braces are fields, and what becomes of groups without a value. Shown once there are braces. */
function FieldChoices({ draft, update }: { draft: Draft; update: (next: Partial<Draft>) => void }) {
  const { html, translations, files, poll, event, withFields, leavesOut } = draft;
  if (!withFields && !JSON.stringify([html, translations, files, poll, event]).includes('{{')) return null;
  return (
    <Stack gap={6}>
      <Checkbox
        label={t('compose.fields.fill')}
        description={t('compose.fields.fillHint', { example: '{{ city | "…" }}' })}
        checked={withFields}
        onChange={({ currentTarget }) => update({ withFields: currentTarget.checked })}
      />
      {withFields && (
        <Checkbox
          label={t('compose.fields.leaveOut')}
          checked={leavesOut}
          onChange={({ currentTarget }) => update({ leavesOut: currentTarget.checked })}
        />
      )}
    </Stack>
  );
}

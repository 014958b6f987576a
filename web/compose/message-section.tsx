import { Stack, Text, TextInput } from '@mantine/core';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { problemText } from '../format/problem.ts';
import { PartSkeleton, Section } from '../parts/page.tsx';
import { t } from '../i18n/translate.ts';
import { BallotSection } from './ballot-section.tsx';
import type { Draft } from './draft.ts';
import { fileProblem } from './check-file.ts';
import { lazyWithRetry } from '../parts/lazy-with-retry.ts';

const Editor = lazy(lazyWithRetry(() => import('./editor.tsx')));
const MediaField = lazy(lazyWithRetry(() => import('./media-field.tsx')));

const NAME_LIMIT = 200;

/** The name, text and file of the campaign. Once the text can no longer change, only the name. */
export function MessageSection({
  draft,
  update,
  file,
  attach,
  refusal,
  suggestedName,
  hasText = true,
  aside,
  children,
}: {
  draft: Pick<Draft, 'name' | 'html' | 'poll' | 'event' | 'timeZone'>;
  update: (next: Partial<Draft>) => void;
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
}) {
  const [problem, setProblem] = useState<string>();
  const shown = problem ?? (refusal === undefined ? undefined : problemText(refusal));
  const takeFile = (next: File | null) => {
    const found = next === null ? undefined : fileProblem(next);
    setProblem(found);
    if (found === undefined) attach(next);
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
              <Editor html={draft.html} onChange={(html) => update({ html })} onFile={takeFile} />
              <MediaField file={file} attach={takeFile} onReject={setProblem} />
              {children}
            </Suspense>
          </BallotSection>
        )}
        {shown !== undefined && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {shown}
          </Text>
        )}
      </Stack>
    </Section>
  );
}

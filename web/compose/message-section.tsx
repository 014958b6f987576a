import { Stack, Text, TextInput } from '@mantine/core';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { fileSize } from '../format/numbers.ts';
import { PartSkeleton, Section } from '../parts/page.tsx';
import { t } from '../i18n/translate.ts';
import { BallotSection } from './ballot-section.tsx';
import type { Draft } from './draft.ts';
import { FILE_LIMIT_BYTES } from './file-limit.ts';
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
  suggestedName,
  hasText = true,
  aside,
  children,
}: {
  draft: Pick<Draft, 'name' | 'html' | 'poll' | 'event' | 'timeZone'>;
  update: (next: Partial<Draft>) => void;
  file: File | null;
  /** Never called with a file that is too large. */
  attach: (file: File | null) => void;
  suggestedName?: string;
  hasText?: boolean;
  aside?: ReactNode;
  /** What belongs to the text. */
  children?: ReactNode;
}) {
  const [problem, setProblem] = useState<string>();
  const takeFile = (next: File | null) => {
    const isTooLarge = next !== null && next.size > FILE_LIMIT_BYTES;
    setProblem(isTooLarge ? t('compose.fileTooLarge', { limit: fileSize(FILE_LIMIT_BYTES) }) : undefined);
    if (!isTooLarge) attach(next);
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
        {problem !== undefined && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {problem}
          </Text>
        )}
      </Stack>
    </Section>
  );
}

import { Popover } from '@mantine/core';
import { RichTextEditor, useRichTextEditorContext } from '@mantine/tiptap';
import { lazy, Suspense, useState } from 'react';
import { Icon } from '../parts/icons.tsx';
import { lazyWithRetry } from '../parts/lazy-with-retry.ts';
import { PartSkeleton } from '../parts/page.tsx';
import { words } from '../words/words.ts';

const EmojiGrid = lazy(lazyWithRetry(() => import('./emoji-grid.tsx')));

/** Inserts emoji at the cursor. */
export function EmojiControl() {
  const { editor } = useRichTextEditorContext();
  const [isOpen, setOpen] = useState(false);
  const pick = (emoji: string) => {
    setOpen(false);
    editor?.chain().focus().insertContent(emoji).run();
  };
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" trapFocus shadow="md" width={328}>
      <Popover.Target>
        <RichTextEditor.Control
          aria-label={words.compose.emoji}
          title={words.compose.emoji}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="smile" size={16} />
        </RichTextEditor.Control>
      </Popover.Target>
      <Popover.Dropdown p="xs">
        <Suspense fallback={<PartSkeleton height={280} />}>
          <EmojiGrid pick={pick} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}

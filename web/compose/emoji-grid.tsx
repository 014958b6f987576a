import { ScrollArea, Text, UnstyledButton } from '@mantine/core';
import type { KeyboardEvent } from 'react';
import { words } from '../words/words.ts';
import { EMOJI, PER_ROW } from './emoji.ts';
import classes from './emoji-grid.module.css';

const STEPS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: PER_ROW, ArrowUp: -PER_ROW };

/** Frequently used emoji; the arrow keys move between them. */
export default function EmojiGrid({ pick }: { pick: (emoji: string) => void }) {
  return (
    <ScrollArea.Autosize mah={300} type="auto" offsetScrollbars viewportProps={{ tabIndex: -1 }}>
      {EMOJI.map(({ kind, all }) => (
        <div key={kind} role="group" aria-label={words.emojiKinds[kind]} className={classes.kind}>
          <Text size="xs" c="dimmed" aria-hidden="true">
            {words.emojiKinds[kind]}
          </Text>
          <div className={classes.grid}>
            {all.map((emoji, index) => (
              <UnstyledButton
                key={emoji}
                className={classes.emoji}
                // Roving tabindex: one tab stop for each kind.
                tabIndex={index === 0 ? 0 : -1}
                onClick={() => pick(emoji)}
                onKeyDown={moveFocus}
              >
                {emoji}
              </UnstyledButton>
            ))}
          </div>
        </div>
      ))}
    </ScrollArea.Autosize>
  );
}

function moveFocus(event: KeyboardEvent<HTMLButtonElement>): void {
  const step = STEPS[event.key];
  const all = [...(event.currentTarget.parentElement?.children ?? [])];
  const next = step === undefined ? undefined : all[all.indexOf(event.currentTarget) + step];
  if (!(next instanceof HTMLElement)) return;
  event.preventDefault();
  next.focus();
}

import { useEffect, useRef } from 'react';
import type { Place } from './use-edits.ts';

/** The cell that is being typed into. Enter and Tab keep the text and move on, Escape does not keep it. */
export function CellInput({
  label,
  text,
  commit,
  cancel,
}: {
  label: string;
  text: string;
  commit: (text: string, then?: Place) => void;
  cancel: () => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  useEffect(() => {
    input.current?.focus();
  }, []);
  const end = (act: () => void) => {
    isDone.current = true;
    act();
  };
  return (
    <input
      ref={input}
      aria-label={label}
      defaultValue={text}
      onFocus={({ currentTarget: { value }, currentTarget }) =>
        currentTarget.setSelectionRange(value.length, value.length)
      }
      onKeyDown={(event) => {
        const { value } = event.currentTarget;
        if (event.key === 'Escape') end(cancel);
        else if (event.key === 'Enter') end(() => commit(value, { row: 1, column: 0 }));
        else if (event.key === 'Tab') end(() => commit(value, { row: 0, column: event.shiftKey ? -1 : 1 }));
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
      onBlur={(event) => !isDone.current && commit(event.currentTarget.value)}
    />
  );
}

import { useState } from 'react';

/** Of a cell. */
export interface Place {
  row: number;
  column: number;
}

export interface Edit {
  groupId: number;
  fieldId: number;
  text: string;
}

/** Texts by group and field that are not saved yet. */
export type Edits = ReadonlyMap<string, Edit>;

export const keyOf = (groupId: number, fieldId: number) => `${groupId}:${fieldId}`;

const MOST_STEPS = 100;

/** Holds what is not saved, and the steps that led there. */
export function useEdits() {
  const [steps, setSteps] = useState<readonly Edits[]>([new Map()]);
  const edits = steps.at(-1) ?? new Map<string, Edit>();
  return {
    edits,
    canUndo: steps.length > 1,
    change(changed: readonly Edit[]) {
      if (changed.length === 0) return;
      const added = changed.map((edit) => [keyOf(edit.groupId, edit.fieldId), edit] as const);
      setSteps((before) => [...before.slice(-MOST_STEPS), new Map([...(before.at(-1) ?? []), ...added])]);
    },
    undo: () => setSteps((before) => (before.length > 1 ? before.slice(0, -1) : before)),
    clear: () => setSteps([new Map()]),
  };
}

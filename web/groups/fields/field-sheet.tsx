import { useEffect, useRef, useState, type ClipboardEvent, type KeyboardEvent, type ReactNode } from 'react';
import { t } from '../../i18n/translate.ts';
import boxClasses from '../../parts/box.module.css';
import { CellInput } from './cell-input.tsx';
import type { GroupField, SheetGroup } from './field-queries.ts';
import classes from './field-sheet.module.css';
import { readCells } from './read-cells.ts';
import { keyOf, type Edit, type Edits, type Place } from './use-edits.ts';

const MOVES: Readonly<Record<string, Place>> = {
  ArrowUp: { row: -1, column: 0 },
  ArrowDown: { row: 1, column: 0 },
  ArrowLeft: { row: 0, column: -1 },
  ArrowRight: { row: 0, column: 1 },
  Home: { row: 0, column: -Infinity },
  End: { row: 0, column: Infinity },
};

interface SheetProps {
  fields: readonly GroupField[];
  groups: readonly SheetGroup[];
  edits: Edits;
  /** Undefined: only to be read. */
  change?: (edits: readonly Edit[]) => void;
  undo: () => void;
}

/**
 * Groups and their values as a grid of the ARIA practices: one cell is in the order of the page, arrow keys move between cells, typing or
 * Enter edits one, and pasted cells of a spreadsheet fill those from there on. `wrong`: the keys of cells that could not be saved.
 */
export function FieldSheet({
  wrong,
  renderHead,
  ...sheet
}: SheetProps & { wrong: ReadonlySet<string>; renderHead: (field: GroupField) => ReactNode }) {
  const { fields, groups, edits, change } = sheet;
  const { grid, at, setAt, editing, setEditing, commit, textOf, listeners } = useGrid(sheet);
  return (
    <div className={boxClasses.table}>
      <table
        ref={grid}
        // As the ARIA practices build one.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role
        role="grid"
        aria-label={t('groupFields.sheet')}
        aria-readonly={!change}
        className={classes.sheet}
        {...listeners}
      >
        <thead>
          <tr>
            <th scope="col">{t('groupFields.group')}</th>
            {fields.map((field) => (
              <th key={field.field_id} scope="col">
                {renderHead(field)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.map((group, row) => (
            <tr key={group.group_metadata_id}>
              <th scope="row" dir="auto">
                {group.group_name}
              </th>
              {fields.map((field, column) => {
                const isHere = at.row === row && at.column === column;
                const key = keyOf(group.group_metadata_id, field.field_id);
                return (
                  <td
                    key={field.field_id}
                    tabIndex={isHere ? 0 : -1}
                    data-cell={`${row}:${column}`}
                    data-edited={edits.has(key) || undefined}
                    aria-invalid={wrong.has(key) || undefined}
                    dir="auto"
                    onFocus={() => !isHere && setAt({ row, column })}
                    onDoubleClick={() => change && setEditing(textOf(group, field))}
                  >
                    {isHere && editing !== undefined ? (
                      <CellInput
                        label={t('groupFields.cell', { group: group.group_name, field: field.name })}
                        text={editing}
                        commit={commit}
                        cancel={() => setEditing(undefined)}
                      />
                    ) : (
                      textOf(group, field)
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const clamp = (place: number, length: number) => Math.min(Math.max(place, 0), length - 1);

/** The cell that has the focus, what is being typed into it, and what keys and pasted texts do. */
function useGrid({ fields, groups, edits, change, undo }: SheetProps) {
  const [at, setAt] = useState<Place>({ row: 0, column: 0 });
  const [editing, setEditing] = useState<string>();
  const grid = useRef<HTMLTableElement>(null);
  const hasFocus = useRef(false);
  useEffect(() => {
    if (hasFocus.current && editing === undefined)
      grid.current?.querySelector<HTMLElement>(`[data-cell="${at.row}:${at.column}"]`)?.focus();
  }, [at, editing]);

  const textOf = (
    { group_metadata_id: id, fields: values = {} }: SheetGroup,
    { field_id: fieldId, name }: GroupField,
  ) => edits.get(keyOf(id, fieldId))?.text ?? values[name] ?? '';
  const editAt = ({ row, column }: Place, text: string): Edit[] => {
    const [group, field] = [groups[row], fields[column]];
    return group && field && textOf(group, field) !== text
      ? [{ groupId: group.group_metadata_id, fieldId: field.field_id, text }]
      : [];
  };
  const move = ({ row, column }: Place) =>
    setAt((from) => ({
      row: clamp(from.row + row, groups.length),
      column: clamp(from.column + column, fields.length),
    }));
  const commit = (text: string, then: Place = { row: 0, column: 0 }) => {
    change?.(editAt(at, text));
    setEditing(undefined);
    move(then);
  };
  /** Returns whether the key does something to the cell. */
  const pressKey = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean => {
    const isCommand = ctrlKey || metaKey;
    const [group, field] = [groups[at.row], fields[at.column]];
    if (!change || !group || !field) return false;
    if (isCommand && key.toLowerCase() === 'z') undo();
    else if (key === 'Enter' || key === 'F2') setEditing(textOf(group, field));
    else if (key === 'Delete' || key === 'Backspace') change(editAt(at, ''));
    else if (key.length === 1 && !isCommand && !altKey) setEditing(key);
    else return false;
    return true;
  };
  const listeners = {
    onKeyDown(event: KeyboardEvent) {
      const isInCell = (event.target as HTMLElement).dataset['cell'] !== undefined;
      if (editing !== undefined || !isInCell) return;
      const step = MOVES[event.key];
      if (step) move(step);
      else if (!pressKey(event)) return;
      event.preventDefault();
    },
    onPaste(event: ClipboardEvent) {
      if (editing !== undefined || !change) return;
      event.preventDefault();
      const rows = readCells(event.clipboardData.getData('text/plain'));
      change(
        rows.flatMap((cells, down) =>
          cells.flatMap((text, right) => editAt({ row: at.row + down, column: at.column + right }, text.trim())),
        ),
      );
    },
    onFocus: () => void (hasFocus.current = true),
    onBlur: ({ currentTarget, relatedTarget }: { currentTarget: Node; relatedTarget: EventTarget | null }) => {
      // The field of a cell goes, and the focus with it, before the cell gets it.
      hasFocus.current = editing !== undefined || currentTarget.contains(relatedTarget as Node | null);
    },
  };
  return { grid, at, setAt, editing, setEditing, commit, textOf, listeners };
}

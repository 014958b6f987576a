const FIRST_ROOM = 4_096;

/** What is known of each element of a document, by its number; see `Elements`. */
export interface Columns {
  tagIndexes: Int32Array;
  parents: Int32Array;
  inlines: Int32Array;
  states: Uint8Array;
}

// Making columns takes as long as reading a short note, so one set of them is there for the next document.
let spare: Columns | undefined;

/** Columns for a document; what stands in them is of another. */
export function takeColumns(): Columns {
  const columns = spare ?? makeColumns(FIRST_ROOM);
  spare = undefined;
  return columns;
}

/** Gives columns back that nobody will look at any more. Large ones are let go. */
export function giveBackColumns(columns: Columns): void {
  if (columns.parents.length === FIRST_ROOM) spare = columns;
}

/** The same columns with room for more. */
export function enlargeColumns(columns: Columns): Columns {
  const larger = makeColumns(columns.parents.length * 4);
  larger.tagIndexes.set(columns.tagIndexes);
  larger.parents.set(columns.parents);
  larger.inlines.set(columns.inlines);
  larger.states.set(columns.states);
  return larger;
}

function makeColumns(room: number): Columns {
  return {
    tagIndexes: new Int32Array(room),
    parents: new Int32Array(room),
    inlines: new Int32Array(room),
    states: new Uint8Array(room),
  };
}

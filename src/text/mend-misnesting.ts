import { BODY, type Elements } from './elements.ts';

// Of the HTML standard: so many inner marks are carried along.
const CARRIED_ALONG = 3;

/** What is open, and which marks open again in the next block. */
export interface Opened {
  elements: Elements;
  stack: number[];
  formatting: number[];
}

/**
 * Lets the mark at an index of the stack end though the block at another index began within it: the block moves out, what it has so
 * far stays marked, and a mark of the same kind stays open in it until the end tag is looked at again.
 */
export function mend(opened: Opened, at: number, block: number): void {
  const { elements, stack, formatting } = opened;
  const mark = stack[at] ?? BODY;
  const inside = stack[block] ?? BODY;
  // All that is in the block knows it by its number, so the number goes to the mark within and the block gets a new one.
  const moved = elements.copy(inside, BODY);
  const { outermost, kept, bookmark } = carryAlong(opened, { at, block, moved });
  elements.move(outermost, stack[at - 1] ?? BODY);
  elements.move(inside, moved);
  elements.liken(inside, mark);
  elements.close(mark);
  formatting.splice(bookmark, 0, inside);
  cutOut(formatting, formatting.indexOf(mark));
  stack.splice(at, block + 1 - at, ...kept, moved, inside);
}

/** Cuts out what stands at an index, as `splice` does, but without making a list of it. */
export function cutOut(list: number[], index: number): void {
  for (let next = index + 1; next < list.length; next++) list[next - 1] = list[next] ?? BODY;
  list.pop();
}

/** Puts copies of the marks between a mark and the block that moves out of it around that block, of the innermost few. */
function carryAlong(
  { elements, stack, formatting }: Opened,
  { at, block, moved }: { at: number; block: number; moved: number },
): { outermost: number; kept: number[]; bookmark: number } {
  const kept: number[] = [];
  let outermost = moved;
  let bookmark = formatting.indexOf(stack[at] ?? BODY);
  for (let index = block - 1; index > at; index--) {
    const element = stack[index] ?? BODY;
    const place = formatting.indexOf(element);
    elements.close(element);
    if (place >= 0 && block - index > CARRIED_ALONG) {
      cutOut(formatting, place);
      if (place < bookmark) bookmark--;
    } else if (place >= 0) {
      const copy = elements.copy(element, BODY);
      formatting[place] = copy;
      if (outermost === moved) bookmark = place + 1;
      elements.move(outermost, copy);
      outermost = copy;
      kept.unshift(copy);
    }
  }
  return { outermost, kept, bookmark };
}

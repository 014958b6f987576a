import { warningOf, type Warning, type TextWarningCode } from '../warnings.ts';

const LONGEST_LINE = 2 ** 32;

/** The warnings about a document, each once, in the order of their first cause in the document. */
export class WarningsInOrder {
  readonly #positions = new Map<TextWarningCode, number>();

  /** `line` is the number of a line of the document, `at` a position in it, in UTF-16 units. Of one position the first to be added is first. */
  add(code: TextWarningCode, line: number, at: number): void {
    const position = line * LONGEST_LINE + at;
    if (position < (this.#positions.get(code) ?? Infinity)) this.#positions.set(code, position);
  }

  list(): Warning[] {
    const inOrder = Array.from(this.#positions).sort(([, left], [, right]) => left - right);
    return inOrder.map(([code]) => warningOf(code));
  }
}

import type { TagTaker } from './scan-html.ts';
import { DEPTH_LIMIT, type HtmlSink, type Role, type WrittenTag } from './tags.ts';

/**
 * Tells a sink the tags of HTML in which each is closed where it was opened and stands where a browser leaves it: most HTML there
 * is, and quicker than going by all the rules of browsers. Gives up at the first that is not so.
 */
export class TidyTags implements TagTaker {
  readonly #sink: HtmlSink;
  readonly #opened: WrittenTag[] = [];

  constructor(sink: HtmlSink) {
    this.#sink = sink;
  }

  start(tag: WrittenTag): boolean {
    if (this.#opened.length >= DEPTH_LIMIT || !this.#fits(tag.role)) return false;
    this.#sink.open(tag.role, tag.value);
    if (tag.role !== 'break') this.#opened.push(tag);
    return true;
  }

  end({ name }: WrittenTag): boolean {
    const last = this.#opened.pop();
    if (last?.name !== name) return false;
    this.#sink.close(last.role);
    return true;
  }

  text(text: string): void {
    this.#sink.text(text);
  }

  /** Closes what is still open. */
  finish(): void {
    for (let last = this.#opened.pop(); last !== undefined; last = this.#opened.pop()) this.#sink.close(last.role);
  }

  /** Whether a browser would put a tag right here, closing nothing before it. */
  #fits(role: Role): boolean {
    const parent = this.#opened.at(-1)?.role;
    switch (role) {
      case 'paragraph':
      case 'bullets':
      case 'numbers':
        return !this.#isOpen('paragraph');
      case 'heading':
        return parent !== 'heading' && !this.#isOpen('paragraph');
      case 'item':
        return (parent === 'bullets' || parent === 'numbers') && !this.#isOpen('paragraph');
      case 'link':
        return !this.#isOpen('link');
      default:
        return true;
    }
  }

  #isOpen(role: Role): boolean {
    for (let index = this.#opened.length - 1; index >= 0; index--) if (this.#opened[index]?.role === role) return true;
    return false;
  }
}

import { BOLD, ITALIC } from './document.ts';
import { BARE, BODY, linkOf, renumber, styleOf, type Elements, type Inline } from './elements.ts';
import type { BlockStep, HtmlSink, WrittenTag } from './tags.ts';

/** What happens in a document, in order. */
type Step =
  | BlockStep
  | { kind: 'break' }
  | { kind: 'link'; element: number }
  | { kind: 'text'; element: number; text: string };

const BREAK: Step = { kind: 'break' };

/**
 * Tells a sink what happens in a document, each text in the marks and the link it ended up in: at once, or later, when no element it
 * lies in will move any more. Call `finish` at the end.
 */
export class StepTeller {
  readonly #elements: Elements;
  readonly #sink: HtmlSink;
  #shown = BARE;
  /** What the sink is not told yet. */
  #steps: Step[] = [];
  /** How many of these have been looked at for the links of their texts. */
  #looked = 0;
  /** The links among them that have no text so far. Copies of a link share its tag. */
  #empty: Set<WrittenTag> | undefined;

  constructor(elements: Elements, sink: HtmlSink) {
    this.#elements = elements;
    this.#sink = sink;
  }

  blockLater(step: BlockStep): void {
    this.#steps.push(step);
  }

  breakLater(): void {
    this.#steps.push(BREAK);
  }

  textLater(element: number, text: string): void {
    const last = this.#steps.at(-1);
    if (last?.kind === 'text' && last.element === element) last.text += text;
    else this.#steps.push({ kind: 'text', element, text });
  }

  linkLater(element: number): void {
    this.#steps.push({ kind: 'link', element });
    this.#empty ??= new Set();
    this.#empty.add(this.#elements.tag(element));
  }

  hasSteps(): boolean {
    return this.#steps.length > 0;
  }

  /** The links it is to tell later that have no text so far, by their tags; undefined without any. No element may move any more. */
  linksWithoutText(): ReadonlySet<WrittenTag> | undefined {
    if (this.#empty === undefined) return undefined;
    this.#findLinksWithText(this.#empty);
    return this.#empty.size > 0 ? this.#empty : undefined;
  }

  /** Tells what it was to tell later. No element may move any more, and no more text come to any of the links. */
  tellSteps(): void {
    if (this.#steps.length === 0) return;
    const empty = this.linksWithoutText();
    for (const step of this.#steps) {
      if (this.#sink.isFull()) break;
      switch (step.kind) {
        case 'open':
          this.#sink.open(step.tag.role, step.tag.value);
          break;
        case 'close':
          this.#sink.close(step.tag.role);
          break;
        case 'break':
          this.#sink.open('break', undefined);
          break;
        case 'link':
          // Misnesting leaves empty copies of links that have text elsewhere.
          if (empty?.has(this.#elements.tag(step.element))) this.#change(step.element);
          break;
        case 'text':
          this.text(step.element, step.text);
          break;
        default:
          step satisfies never;
      }
    }
    this.#steps = [];
    this.#looked = 0;
    this.#empty = undefined;
  }

  text(element: number, text: string): void {
    this.#change(element);
    this.#sink.text(text);
  }

  /** A mark or link in an element, with nothing but text in it. */
  wrapped(element: number, { role, value }: WrittenTag, text: string): void {
    this.#change(element);
    this.#sink.open(role, value);
    if (text !== '') this.#sink.text(text);
    this.#sink.close(role);
  }

  /** The link it is in by what it told so far; `BODY` outside of links. */
  link(): number {
    return linkOf(this.#shown);
  }

  /** To be called when elements get new numbers and there is nothing left to tell. */
  renumber(numbers: ReadonlyMap<number, number>): void {
    this.#shown = renumber(this.#shown, numbers);
  }

  finish(): void {
    this.#change(BODY);
  }

  #findLinksWithText(empty: Set<WrittenTag>): void {
    for (; this.#looked < this.#steps.length; this.#looked++) {
      const step = this.#steps[this.#looked];
      const link = step?.kind === 'text' ? linkOf(this.#elements.inline(step.element)) : BODY;
      const tag = link === BODY ? undefined : this.#elements.tag(link).link;
      if (tag !== undefined) empty.delete(tag);
    }
  }

  #change(element: number): void {
    const to = this.#elements.inline(element);
    if (to !== this.#shown) changeInline(this.#shown, to, this.#elements, this.#sink);
    this.#shown = to;
  }
}

function changeInline(from: Inline, to: Inline, elements: Elements, sink: HtmlSink): void {
  const oldLink = linkOf(from);
  const newLink = linkOf(to);
  if (oldLink !== BODY && oldLink !== newLink) sink.close('link');
  const changed = styleOf(from) ^ styleOf(to);
  if ((changed & BOLD) !== 0) changeMark('bold', (to & BOLD) !== 0, sink);
  if ((changed & ITALIC) !== 0) changeMark('italic', (to & ITALIC) !== 0, sink);
  if (newLink !== BODY && oldLink !== newLink) sink.open('link', elements.tag(newLink).value);
}

function changeMark(role: 'bold' | 'italic', isOn: boolean, sink: HtmlSink): void {
  if (isOn) sink.open(role, undefined);
  else sink.close(role);
}

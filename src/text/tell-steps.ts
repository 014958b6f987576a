import { BOLD, ITALIC } from './document.ts';
import { BARE, BODY, linkOf, styleOf, type Elements, type Inline } from './elements.ts';
import type { BlockStep, HtmlSink, WrittenTag } from './tags.ts';

/** What happens in a document, in order. */
export type Step =
  | BlockStep
  | { kind: 'break' }
  | { kind: 'link'; element: number }
  | { kind: 'text'; element: number; text: string };

/** Tells a sink the steps of a document, each text in the marks and the link it ended up in. Call `finish` at the end. */
export class StepTeller {
  readonly #elements: Elements;
  readonly #sink: HtmlSink;
  #shown = BARE;

  constructor(elements: Elements, sink: HtmlSink) {
    this.#elements = elements;
    this.#sink = sink;
  }

  /** Steps in which no element will move any more. `hasCopies` says whether some are copies of others; these are in one call. */
  tell(steps: readonly Step[], hasCopies: boolean): void {
    const linksWithText = hasCopies ? findLinksWithText(steps, this.#elements) : undefined;
    for (const step of steps) {
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
          if (!linksWithText?.has(this.#elements.tag(step.element))) this.#change(step.element);
          break;
        case 'text':
          this.text(step.element, step.text);
          break;
        default:
          step satisfies never;
      }
    }
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

  finish(): void {
    this.#change(BODY);
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

/** The links that have text, by their tags, which copies share. */
function findLinksWithText(steps: readonly Step[], elements: Elements): Set<WrittenTag> {
  const found = new Set<WrittenTag>();
  let last = BODY;
  for (const step of steps) {
    if (step.kind !== 'text') continue;
    const link = linkOf(elements.inline(step.element));
    if (link !== last) found.add(elements.tag(link));
    last = link;
  }
  return found;
}

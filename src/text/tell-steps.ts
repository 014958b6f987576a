import { BOLD, ITALIC, PLAIN, type Style } from './document.ts';
import { BODY, type Elements } from './elements.ts';
import type { Step } from './open-elements.ts';
import type { HtmlSink, WrittenTag } from './tags.ts';

/** What a text lies in beside blocks. */
interface Inline {
  style: Style;
  /** The innermost link's element; `BODY` outside of links. */
  link: number;
}

const BARE: Inline = { style: PLAIN, link: BODY };
const MARKS = [
  ['bold', BOLD],
  ['italic', ITALIC],
] as const;

/** Tells `sink` the steps of a document, each text in the marks and the link it ended up in. */
export function tellSteps(steps: readonly Step[], elements: Elements, sink: HtmlSink): void {
  const inlineOf = rememberInlines(elements);
  const isEmptyLink = rememberEmptyLinks(steps, elements, inlineOf);
  let shown = BARE;
  for (const step of steps) {
    switch (step.kind) {
      case 'open':
        sink.open(step.tag.role, step.tag.value);
        break;
      case 'close':
        sink.close(step.tag.role);
        break;
      case 'break':
        sink.open('break', undefined);
        break;
      case 'link':
        if (isEmptyLink(step.element)) shown = change(shown, inlineOf(step.element), elements, sink);
        break;
      case 'text':
        shown = change(shown, inlineOf(step.element), elements, sink);
        sink.text(step.text);
        break;
      default:
        step satisfies never;
    }
  }
  change(shown, BARE, elements, sink);
}

function change(from: Inline, to: Inline, elements: Elements, sink: HtmlSink): Inline {
  if (from === to) return to;
  if (from.link !== BODY && from.link !== to.link) sink.close('link');
  for (const [role, mark] of MARKS) {
    if ((from.style & mark) === (to.style & mark)) continue;
    if ((to.style & mark) === 0) sink.close(role);
    else sink.open(role, undefined);
  }
  if (to.link !== BODY && from.link !== to.link) sink.open('link', elements.tag(to.link).value);
  return to;
}

/** Works out each element once: those around it first, in a loop, since misnesting makes deep trees. */
function rememberInlines(elements: Elements): (element: number) => Inline {
  const known: (Inline | undefined)[] = [BARE];
  const unknown: number[] = [];
  return (element) => {
    let inline = known[element];
    for (let at = element; inline === undefined; inline = known[at]) {
      unknown.push(at);
      at = elements.parent(at);
    }
    for (let at = unknown.pop(); at !== undefined; at = unknown.pop()) {
      inline = within(inline, at, elements.tag(at));
      known[at] = inline;
    }
    return inline;
  };
}

function within(outer: Inline, element: number, { role, value }: WrittenTag): Inline {
  if (role === 'link') return value === undefined ? outer : { style: outer.style, link: element };
  const style = outer.style | (role === 'bold' ? BOLD : role === 'italic' ? ITALIC : PLAIN);
  return style === outer.style ? outer : { style, link: outer.link };
}

/** Misnesting leaves empty copies of links that have text elsewhere: only a link without any is empty. */
function rememberEmptyLinks(
  steps: readonly Step[],
  elements: Elements,
  inlineOf: (element: number) => Inline,
): (element: number) => boolean {
  const withText = new Set<WrittenTag>();
  if (steps.some(({ kind }) => kind === 'link'))
    for (const step of steps) if (step.kind === 'text') withText.add(elements.tag(inlineOf(step.element).link));
  return (element) => !withText.has(elements.tag(element));
}

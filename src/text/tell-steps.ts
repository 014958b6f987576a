import { BOLD, ITALIC, PLAIN } from './document.ts';
import { BODY, type Elements } from './elements.ts';
import type { Step } from './open-elements.ts';
import type { HtmlSink, WrittenTag } from './tags.ts';

/** What a text lies in beside blocks, in one number: its style, and above that the element of its link, `BODY` outside of links. */
type Inline = number;

const STYLE_BITS = 2;
const STYLE_MASK = BOLD | ITALIC;
const BARE: Inline = (BODY << STYLE_BITS) | PLAIN;
const UNKNOWN = -1;
const MARKS = [
  ['bold', BOLD],
  ['italic', ITALIC],
] as const;

/** Tells `sink` the steps of a document, each text in the marks and the link it ended up in. */
export function tellSteps(steps: readonly Step[], elements: Elements, sink: HtmlSink): void {
  const inlineOf = rememberInlines(elements);
  const linksWithText = findLinksWithText(steps, elements, inlineOf);
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
        // Misnesting leaves empty copies of links that have text elsewhere.
        if (linksWithText.has(elements.tag(step.element))) break;
        shown = change(shown, inlineOf(step.element), elements, sink);
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
  const links = { from: from >> STYLE_BITS, to: to >> STYLE_BITS };
  if (links.from !== BODY && links.from !== links.to) sink.close('link');
  for (const [role, mark] of MARKS) {
    if ((from & mark) === (to & mark)) continue;
    if ((to & mark) === 0) sink.close(role);
    else sink.open(role, undefined);
  }
  if (links.to !== BODY && links.from !== links.to) sink.open('link', elements.tag(links.to).value);
  return to;
}

/** Works out each element once: those around it first, in a loop, since misnesting makes deep trees. */
function rememberInlines(elements: Elements): (element: number) => Inline {
  const known = new Int32Array(elements.count).fill(UNKNOWN);
  known[BODY] = BARE;
  const unknown: number[] = [];
  return (element) => {
    let at = element;
    for (; known[at] === UNKNOWN; at = elements.parent(at)) unknown.push(at);
    let inline = known[at] ?? BARE;
    for (let inner = unknown.pop(); inner !== undefined; inner = unknown.pop()) {
      inline = within(inline, inner, elements.tag(inner));
      known[inner] = inline;
    }
    return inline;
  };
}

function within(outer: Inline, element: number, { role, value }: WrittenTag): Inline {
  switch (role) {
    case 'link':
      return value === undefined ? outer : (outer & STYLE_MASK) | (element << STYLE_BITS);
    case 'bold':
      return outer | BOLD;
    case 'italic':
      return outer | ITALIC;
    default:
      return outer;
  }
}

function findLinksWithText(
  steps: readonly Step[],
  elements: Elements,
  inlineOf: (element: number) => Inline,
): Set<WrittenTag> {
  const found = new Set<WrittenTag>();
  if (!steps.some(({ kind }) => kind === 'link')) return found;
  let last = BODY;
  for (const step of steps) {
    const link = step.kind === 'text' ? inlineOf(step.element) >> STYLE_BITS : last;
    if (link !== last) found.add(elements.tag(link));
    last = link;
  }
  return found;
}

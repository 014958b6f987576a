import { BOLD, ITALIC, PLAIN, type Style } from './document.ts';
import type { OpenElements } from './open-elements.ts';
import type { HtmlSink } from './tags.ts';

/** What a text lies in beside blocks. */
interface Inline {
  style: Style;
  link: number | undefined;
}

const BARE: Inline = { style: PLAIN, link: undefined };

/** Tells `sink` the steps of a document, each text in the marks and the link it ended up in. */
export function tellSteps(elements: OpenElements, sink: HtmlSink): void {
  const inlineOf = rememberInlines(elements);
  const linksWithText = new Set(
    elements.steps.map((step) => (step.kind === 'text' ? inlineOf(step.element).link : undefined)).map(tagOfLink),
  );
  let shown = BARE;
  const show = (next: Inline) => {
    if (next !== shown) change(shown, next, sink, elements);
    shown = next;
  };
  for (const step of elements.steps) {
    if (step.kind === 'text') {
      show(inlineOf(step.element));
      sink.text(step.text);
    } else if (step.kind === 'link') {
      // Misnesting leaves empty copies of links that have text elsewhere.
      if (!linksWithText.has(elements.tagOf(step.element))) show(inlineOf(step.element));
    } else if (step.kind === 'break') {
      sink.open('break', undefined);
    } else if (step.kind === 'open') {
      sink.open(step.tag.role, step.tag.value);
    } else {
      sink.close(step.tag.role);
    }
  }
  show(BARE);

  function tagOfLink(link: number | undefined) {
    return link === undefined ? undefined : elements.tagOf(link);
  }
}

function change(from: Inline, to: Inline, sink: HtmlSink, elements: OpenElements): void {
  if (from.link !== undefined && from.link !== to.link) sink.close('link');
  for (const [role, mark] of [
    ['bold', BOLD],
    ['italic', ITALIC],
  ] as const) {
    if ((from.style & mark) === (to.style & mark)) continue;
    if ((to.style & mark) === 0) sink.close(role);
    else sink.open(role, undefined);
  }
  if (to.link !== undefined && from.link !== to.link) sink.open('link', elements.tagOf(to.link).value);
}

/** Works out each element once: those around it first, on a stack of our own, since misnesting makes deep trees. */
function rememberInlines(elements: OpenElements): (element: number) => Inline {
  const known: (Inline | undefined)[] = [BARE];
  return (element) => {
    const unknown: number[] = [];
    let inline = known[element];
    for (let at = element; inline === undefined; inline = known[at]) {
      unknown.push(at);
      at = elements.parentOf(at);
    }
    for (let at = unknown.pop(); at !== undefined; at = unknown.pop()) {
      inline = within(inline, at, elements);
      known[at] = inline;
    }
    return inline;
  };
}

function within(outer: Inline, element: number, elements: OpenElements): Inline {
  const { role, value } = elements.tagOf(element);
  if (role === 'link') return value === undefined ? outer : { style: outer.style, link: element };
  const style = outer.style | (role === 'bold' ? BOLD : role === 'italic' ? ITALIC : PLAIN);
  return style === outer.style ? outer : { style, link: outer.link };
}

/** What the styles of foreign HTML say about the text. Only what decides what one sees, and a message can hold, is read. */
import type { Letters } from '../reading/list-markers.ts';
import { attributeOf, textOf, isElement, type ForeignElement, type ForeignNode } from './node.ts';

/** Declarations by their property, in lower case. */
type Declarations = ReadonlyMap<string, string>;

/** The declarations of a page's style sheets by selector: `p`, `.name` or `p.name`. Others are too seldom to matter. */
export type StyleSheet = ReadonlyMap<string, Declarations>;

export interface Look {
  isHidden: boolean;
  /** Whether its text is too small to be seen, within which may be larger text; undefined: no size is given. */
  isTiny: boolean | undefined;
  /** Whether it is a block, or goes on in its line, whatever its tag is by itself. */
  display: 'block' | 'inline' | undefined;
  shift: 'raised' | 'lowered' | undefined;
  isBold: boolean | undefined;
  isItalic: boolean | undefined;
  isStruck: boolean;
  /** Whether it has no margin above and below. */
  isTight: boolean;
  /** Whether line breaks of the source are line breaks. */
  keepsLines: boolean | undefined;
  letters: Letters | undefined;
  /** The kind that `list-style-type` makes of a list. */
  kind: 'bullet' | 'ordered' | undefined;
  /** Word's list, such as `l0 level2 lfo1`, or `ignore` for the marker that Word writes into the text. */
  wordList: string | undefined;
}

const NONE: Declarations = new Map();

/** Classes by which editors and builders of mails hide text, from readers of screens aside. */
const HIDDEN_CLASS =
  /(?:^|\s)(?:sr-only|visually-?hidden|screen-reader-text|preheader|mcnPreviewText|previewtext|preview-text|katex-mathml|msoDel|MsoCommentReference|MsoCommentText|msocom(?:txt|anchor|off|hide))(?:\s|$)/i;

/** Returns what styles, classes and `hidden` make of an element. */
export function readLook(element: ForeignElement, sheet: StyleSheet): Look {
  if (element.attrs.length === 0 && sheet.size === 0) return PLAIN;
  const style = attributeOf(element, 'style');
  const classes = attributeOf(element, 'class') ?? '';
  const look =
    sheet.size === 0 && style === undefined ? PLAIN : lookOf(collect(element.tagName, classes, style, sheet));
  const isHidden = HIDDEN_CLASS.test(classes) || attributeOf(element, 'hidden') !== undefined;
  return isHidden ? { ...look, isHidden } : look;
}

function collect(tag: string, classes: string, style: string | undefined, sheet: StyleSheet): Declarations {
  if (sheet.size === 0) return parseDeclarations(style ?? '');
  const names = classes.split(/\s+/).filter((name) => name !== '');
  const selectors = [tag, ...names.map((name) => `.${name}`), ...names.map((name) => `${tag}.${name}`)];
  const merged = new Map<string, string>();
  for (const declarations of [
    ...selectors.map((selector) => sheet.get(selector) ?? NONE),
    parseDeclarations(style ?? ''),
  ])
    for (const [property, value] of declarations) merged.set(property, value);
  return merged;
}

function lookOf(style: Declarations): Look {
  const of = (property: string) => style.get(property) ?? '';
  const list = of('list-style-type') || of('list-style');
  return {
    isHidden: isHidden(style),
    isTiny: isTiny(of('font-size')),
    display: /^(block|inline)$/.exec(of('display'))?.[1] as Look['display'],
    shift: SHIFTS.get(of('vertical-align')),
    isBold: weightOf(of('font-weight') || of('font')),
    isItalic: slantOf(of('font-style') || of('font')),
    isStruck: /line-through/.test(of('text-decoration') + of('text-decoration-line')),
    isTight: isTight(style),
    keepsLines: linesOf(of('white-space') || of('white-space-collapse')),
    letters: LETTERS.find(([pattern]) => pattern.test(list))?.[1],
    kind: /disc|circle|square/.test(list) ? 'bullet' : /decimal|alpha|latin|roman/.test(list) ? 'ordered' : undefined,
    wordList: style.get('mso-list'),
  };
}

const SHIFTS: ReadonlyMap<string, Look['shift']> = new Map([
  ['super', 'raised'],
  ['sub', 'lowered'],
]);

/** A size that is relative to another one says nothing. */
function isTiny(size: string): boolean | undefined {
  if (/^(?:0|1|[01]?(?:\.\d+)?(?:px|pt))$/.test(size)) return true;
  return /^(?:\d.*(?:px|pt|rem)|medium|.*(?:small|large))$/.test(size) ? false : undefined;
}

const LETTERS: ReadonlyArray<[RegExp, Letters]> = [
  [/lower-(?:alpha|latin)/, 'a'],
  [/upper-(?:alpha|latin)/, 'A'],
  [/lower-roman/, 'i'],
  [/upper-roman/, 'I'],
];

/** So far away that it is outside of any page. */
const AWAY = /^-\d{3,}/;

function isHidden(style: Declarations): boolean {
  const is = (property: string, pattern: RegExp) => pattern.test(style.get(property) ?? '');
  return (
    is('display', /^none/) ||
    is('visibility', /^(?:hidden|collapse)/) ||
    is('mso-hide', /^(?:all|screen)/) ||
    is('opacity', /^0(?:\.0+)?$/) ||
    ((is('max-height', /^0/) || is('height', /^[01](?:px)?$/)) && is('overflow', /^hidden/)) ||
    (is('position', /^absolute/) && (is('clip', /^rect\([01]/) || is('left', AWAY) || is('top', AWAY))) ||
    is('text-indent', AWAY) ||
    is('mso-element', /^comment/) ||
    is('mso-special-character', /^comment/)
  );
}

function weightOf(value: string): boolean | undefined {
  if (/\b(?:bold|bolder|[6-9]00)\b/.test(value)) return true;
  return /\b(?:normal|lighter|[1-5]00)\b/.test(value) ? false : undefined;
}

function slantOf(value: string): boolean | undefined {
  if (/\b(?:italic|oblique)\b/.test(value)) return true;
  return /\bnormal\b/.test(value) ? false : undefined;
}

function linesOf(value: string): boolean | undefined {
  if (/^(?:pre|break-spaces)/.test(value)) return true;
  return /^(?:normal|nowrap|collapse)/.test(value) ? false : undefined;
}

// Word writes 0.0001pt for zero.
const FLAT_BELOW = 0.01;

function isTight(style: Declarations): boolean {
  const sides = (style.get('margin') ?? '').split(/\s+/);
  const top = style.get('margin-top') ?? sides[0];
  const bottom = style.get('margin-bottom') ?? sides[2] ?? sides[0];
  return [top, bottom].every((margin) => Number.parseFloat(margin ?? '') < FLAT_BELOW);
}

function parseDeclarations(style: string): Declarations {
  if (style === '') return NONE;
  const declarations = new Map<string, string>();
  for (const declaration of style.split(';')) {
    const colon = declaration.indexOf(':');
    const value = declaration.slice(colon + 1).replace(/!\s*important/i, '');
    if (colon > 0) declarations.set(declaration.slice(0, colon).trim().toLowerCase(), value.trim().toLowerCase());
  }
  return declarations;
}

const SELECTOR = /^(?:[a-z][a-z0-9]*)?(?:\.[\w-]+)?$/i;

/** Returns the rules of the `style` elements in a tree, but for those of `@media` and the like. */
export function readStyleSheet(nodes: readonly ForeignNode[]): StyleSheet {
  const sheet = new Map<string, Declarations>();
  addSheets(nodes, sheet);
  return sheet;
}

function addSheets(nodes: readonly ForeignNode[], sheet: Map<string, Declarations>): void {
  for (const node of nodes) {
    if (!isElement(node)) continue;
    if (node.tagName === 'style') addRules(withoutComments(textOf(node)), sheet);
    else addSheets(node.childNodes, sheet);
  }
}

function withoutComments(css: string): string {
  const [first = '', ...others] = css.replaceAll(/<!--|-->/g, '').split('/*');
  return first + others.map((part) => part.split('*/').slice(1).join('*/')).join('');
}

function addRules(css: string, sheet: Map<string, Declarations>): void {
  let depth = 0;
  let from = 0;
  let prelude = '';
  for (const { 0: brace, index } of css.matchAll(/[{}]/g)) {
    if (brace === '{' && depth++ === 0) prelude = css.slice(from, index).trim();
    else if (brace === '}' && depth > 0 && --depth === 0 && !prelude.startsWith('@'))
      addRule(prelude, css.slice(from, index), sheet);
    if (depth <= 1) from = index + 1;
  }
}

function addRule(selectors: string, body: string, sheet: Map<string, Declarations>): void {
  const declarations = parseDeclarations(body);
  for (const written of selectors.split(',')) {
    const selector = written.trim();
    if (selector === '' || !SELECTOR.test(selector)) continue;
    const key = selector.replace(/^[a-z0-9]+/i, (tag) => tag.toLowerCase());
    sheet.set(key, new Map([...(sheet.get(key) ?? NONE), ...declarations]));
  }
}

const PLAIN: Look = lookOf(NONE);

import {
  Extension,
  getNodeType,
  InputRule,
  wrappingInputRule,
  type ExtendedRegExpMatchArray,
  type Range,
} from '@tiptap/react';
import { Fragment, Slice, type Schema } from '@tiptap/pm/model';
import { Plugin, type EditorState } from '@tiptap/pm/state';
import { Decoration, DecorationSet } from '@tiptap/pm/view';
import { MARGIN } from './line-model.ts';
import { LinesParser } from './lines-parser.ts';
import { findClosedMarker, markFor, parseMarkers, parsePlainText, TRAILING_MARKER } from './formatting-markers.ts';
import { LinesSerializer, listsApart } from './lines-serializer.ts';

const NO_TEXT = '\ufffc';
const FENCE = '```';
export interface WhatsAppOptions {
  /** Called when typed or pasted formatting was reduced to plain text. */
  onPlainText: () => void;
}

/**
 * Typing and pasting as in WhatsApp: formatting markers, and Enter for a line break. Content must be parsed by `LinesParser` and serialized
 * by `LinesSerializer`.
 */
export const WhatsAppFormatting = Extension.create<WhatsAppOptions>({
  name: 'whatsAppFormatting',
  // Runs before the extensions whose keys it overrides.
  priority: 200,
  addOptions: () => ({ onPlainText: () => undefined }),
  addGlobalAttributes: () => [{ types: ['paragraph'], attributes: { margin: MARGIN } }],

  addKeyboardShortcuts() {
    // In a list item or heading, the break stays within.
    const breakLine = () =>
      this.editor.state.selection.$from.depth === 1 && this.editor.isActive('paragraph')
        ? this.editor.commands.splitBlock()
        : false;
    return { 'Shift-Enter': breakLine, 'Mod-Enter': breakLine };
  },

  addInputRules() {
    const { onPlainText } = this.options;
    const typeOf = (name: string) => getNodeType(name, this.editor.schema);
    return [
      wrappingInputRule({ find: /^[-*•] $/, type: typeOf('bulletList') }),
      wrappingInputRule({
        find: /^(\d{1,2})\. $/,
        type: typeOf('orderedList'),
        getAttributes: (match: ExtendedRegExpMatchArray) => ({ start: Number(match[1]) }),
        joinPredicate: (match, before) => Number(before.attrs['start']) + before.childCount === Number(match[1]),
      }),
      new InputRule({
        find: /^> $/,
        handler: ({ state, range }) => {
          if (state.doc.resolve(range.from).depth > 1) return;
          state.tr.delete(range.from, range.to);
          onPlainText();
        },
      }),
      new InputRule({
        find: TRAILING_MARKER,
        handler: ({ state, range }) => applyTypedMarker(state, range, onPlainText),
      }),
    ];
  },

  addProseMirrorPlugins() {
    const { schema } = this.editor;
    const { onPlainText } = this.options;
    return [
      new Plugin({
        props: {
          clipboardSerializer: new LinesSerializer(schema),
          clipboardParser: new PasteParser(schema, onPlainText),
          clipboardTextParser: (text, context) =>
            Slice.maxOpen(Fragment.from(parsePlainText(text, schema, onPlainText, context.marks()))),
          decorations: ({ doc }) => {
            const apart = listsApart(doc.content);
            const found: Decoration[] = [];
            doc.forEach((line, at) => {
              if (apart.has(line)) found.push(Decoration.node(at, at + line.nodeSize, { 'data-gap': '' }));
            });
            return DecorationSet.create(doc, found);
          },
        },
      }),
    ];
  },
});

class PasteParser extends LinesParser {
  readonly #onPlainText: () => void;

  constructor(schema: Schema, onPlainText: () => void) {
    super(schema);
    this.#onPlainText = onPlainText;
  }

  override parseSlice(...given: Parameters<LinesParser['parseSlice']>): Slice {
    const { content } = super.parseSlice(...given);
    return Slice.maxOpen(Fragment.from(parseMarkers(content.content, this.schema, this.#onPlainText)));
  }
}

/** Applies the marker that was just typed: formats its span and removes the markers. */
function applyTypedMarker(state: EditorState, { to }: Range, onPlainText: () => void): void {
  const { tr } = state;
  const $to = state.doc.resolve(to);
  const text = $to.parent.textBetween(0, $to.parent.content.size, undefined, NO_TEXT);
  const before = text.slice(0, $to.parentOffset);
  const lineStart = before.lastIndexOf(NO_TEXT) + 1;
  const closed = findClosedMarker(before.slice(lineStart), text.slice($to.parentOffset));
  if (!closed) {
    if (before === FENCE && $to.depth === 1) closeFence(state, to, onPlainText);
    return;
  }
  const from = $to.start() + lineStart + closed.from;
  const mark = markFor(closed.style, state.schema);
  tr.delete(to - closed.length, to).delete(from, from + closed.length);
  if (!mark) return onPlainText();
  // Text typed next keeps the style from before the marker.
  const next = state.doc.nodeAt(to - 1)?.marks ?? [];
  tr.addMark(from, to - 2 * closed.length, mark).setStoredMarks(mark.removeFromSet(next));
}

/** Three backticks alone in a line may close a code block opened some lines before. */
function closeFence(state: EditorState, to: number, onPlainText: () => void): void {
  let opening: number | undefined;
  state.doc.forEach((line, at) => {
    const found = line.type.name === 'paragraph' ? line.textContent.lastIndexOf(FENCE) : -1;
    if (found >= 0 && at + line.nodeSize < to) opening = at + 1 + found;
  });
  if (opening === undefined || state.doc.textBetween(opening + FENCE.length, to - FENCE.length).trim() === '') return;
  state.tr.delete(to - FENCE.length, to).delete(opening, opening + FENCE.length);
  onPlainText();
}

/** Fills the fields of a post for one group after the other. */
import type { BuiltIn } from '../fields/field-name.ts';
import { describeFailure, type Failure } from '../../platform/errors/failures.ts';
import { fieldError, type FieldError } from '../../platform/errors/errors.ts';
import {
  findBroken,
  listPlaceholders,
  replacePlaceholders,
  writePlaceholder,
  type Placeholder,
  type TemplateText,
} from '../text/placeholders.ts';
import { plainFileName } from '../media/file-name.ts';
import { hasVisible } from '../text/boundaries.ts';
import { TEXT_LIMIT } from '../text/document.ts';
import { cleanValue, compileText, encodeInAddress, readTyped, type ValueOf } from '../text/fill-text.ts';
import { withMentionAll } from '../text/mention-all.ts';
import { namedWarning, type Warning } from '../text/warnings.ts';
import { BALLOT_LIMITS, type EventExtra, type PollExtra } from './ballot.ts';
import type { PostExtras, PostFile } from './post-extras.ts';
import { DESCRIPTION_LIMIT, TITLE_LIMIT, type StoredCard } from './stored-card.ts';
import { compileChoice } from '../text/choose-text.ts';
import { LANGUAGE_KEY, type TranslatedText, type Translation } from './translations.ts';

/** What a field of a post is in its workspace. */
export interface BoundField {
  /** Of the workspace, or */
  fieldId?: number;
  /** of the run and the group. */
  builtIn?: BuiltIn | 'language';
  /** Its values are links. */
  isLink?: true;
  /** A group without a value gets no post: a placeholder has no fallback. */
  isRequired?: true;
  /** The same for groups that get the texts in these languages; '' is the main text. */
  requiredIn?: readonly string[];
  /** As the post has it first. */
  name: string;
}

/** The text of a post with fields and the fields of the whole post, as `contents.template` stores them. */
export interface Template extends TemplateText {
  /** By folded name. */
  fields: Readonly<Record<string, BoundField>>;
  /** Groups without a value are left out of each run. Absent: their posts fail. */
  leavesOut?: true;
  /** Groups get these in place of the text, by their language. */
  translations?: readonly TranslatedText[];
  /** It has translations and no fields: braces stay. */
  isLiteral?: true;
}

/** What a request says of the fields and the languages of a post. */
export interface PostChoices {
  withFields: boolean;
  /** Groups without a value get no post. */
  leavesOut: boolean;
  translations: Translation[];
}

export function choicesOf(template: Template | null | undefined): PostChoices {
  return {
    withFields: template ? !template.isLiteral : false,
    leavesOut: template?.leavesOut ?? false,
    translations: (template?.translations ?? []).map(({ language, html }) => ({ language, html })),
  };
}

/** Returns the texts of a post by their languages; '' is the main text. */
export function listTexts(
  template: Pick<Template, 'text' | 'placeholders' | 'translations'>,
): Map<string, TemplateText> {
  const { translations = [] } = template;
  return new Map<string, TemplateText>([['', template], ...translations.map((text) => [text.language, text] as const)]);
}

/** Whether a group that gets the text in this language needs a value of the field. */
export const isRequiredIn = ({ isRequired, requiredIn }: BoundField, language: string): boolean =>
  isRequired ?? requiredIn?.includes(language) ?? false;

/** Of one group, by folded name; null: it has none. */
export type FieldValues = Readonly<Record<string, string | null>>;

export interface FilledPost {
  /** Of the text; '' is the main one. */
  language: string;
  text: string;
  extras: PostExtras;
}

/** Fills a post. Returns why it cannot be sent to a group with these values. */
export type FillPost = (values: FieldValues) => FilledPost | { failure: Failure };

/** Of file systems, in bytes, without an extension. */
const FILE_NAME_BYTES = 249;

/** What a post says beside its text, and whether it has a file: then it may have no text. */
export interface BesideText {
  extras: PostExtras;
  hasFile: boolean;
}

/** Returns the function that fills a post. */
export function compilePost(template: Template, { extras, hasFile }: BesideText): FillPost {
  const texts = new Map(Array.from(listTexts(template), ([language, text]) => [language, compileText(text)]));
  const choose = compileChoice(template.translations);
  const captions = extras.files?.map(({ caption }) => caption && compileText(readTyped(caption)));
  const fields = Object.entries(template.fields);
  return (values) => {
    const language = choose(values[LANGUAGE_KEY]);
    const said = new Map(fields.map(([key]) => [key, cleanValue(values[key] ?? '')]));
    const missing = fields.filter(([key, field]) => isRequiredIn(field, language) && !said.get(key));
    if (missing.length > 0)
      return { failure: describeFailure('value_missing', { fields: missing.map(([, { name }]) => name).join(', ') }) };
    const valueOf: ValueOf = (placeholder) => ({
      // The words of a fetched card are those of its site, in which braces are braces.
      value: said.has(placeholder.key)
        ? said.get(placeholder.key) || cleanValue(placeholder.fallback ?? '')
        : writePlaceholder(placeholder),
      isLink: template.fields[placeholder.key]?.isLink ?? false,
    });
    const text = texts.get(language)?.(valueOf) ?? '';
    const filledExtras = template.isLiteral ? extras : fillExtras(extras, captions, valueOf);
    const filled = { language, text, extras: language === '' ? filledExtras : withOwnCard(filledExtras, text) };
    const failure = findUnfit({ ...filled, hasFile });
    return failure ? { failure } : filled;
  };
}

/** The card of a link that only other texts have goes with it. */
function withOwnCard({ linkPreview, ...extras }: PostExtras, text: string): PostExtras {
  return linkPreview && text.includes(linkPreview.url) ? { ...extras, linkPreview } : extras;
}

function fillExtras(
  extras: PostExtras,
  captions: ReadonlyArray<string | undefined | ((valueOf: ValueOf) => string)> | undefined,
  valueOf: ValueOf,
): PostExtras {
  const plain = (text: string) => replacePlaceholders(text, (placeholder) => valueOf(placeholder).value);
  const inAddress = (text: string) =>
    replacePlaceholders(text, (placeholder) => encodeInAddress(valueOf(placeholder).value));
  const { poll, event, fileName, files, linkPreview } = extras;
  return {
    ...extras,
    ...(fileName !== undefined && { fileName: plainFileName(plain(fileName)) }),
    ...(poll && { poll: { ...poll, question: plain(poll.question), options: poll.options.map(plain) } }),
    ...(event && { event: fillEvent(event, plain) }),
    ...(files && {
      files: files.map((file, index) => {
        const caption = captions?.[index];
        return {
          ...file,
          ...(typeof caption === 'function' && { caption: caption(valueOf) }),
          ...(file.fileName !== undefined && { fileName: plainFileName(plain(file.fileName)) }),
        };
      }),
    }),
    ...(linkPreview && {
      linkPreview: {
        ...linkPreview,
        url: inAddress(linkPreview.url),
        title: plain(linkPreview.title).slice(0, TITLE_LIMIT).toWellFormed(),
        description: plain(linkPreview.description).slice(0, DESCRIPTION_LIMIT).toWellFormed(),
      },
    }),
  };
}

function fillEvent(event: EventExtra, plain: (text: string) => string): EventExtra {
  const { name, description, place } = event;
  return {
    ...event,
    name: plain(name),
    ...(description !== undefined && { description: plain(description) }),
    ...(place !== undefined && { place: plain(place) }),
  };
}

/** Why a filled post cannot be sent. */
function findUnfit({ text, extras, hasFile }: { text: string } & BesideText): Failure | undefined {
  const { poll, event, fileName, files = [], mentionAll } = extras;
  const names = [fileName, ...files.map((file) => file.fileName)].filter((name) => name !== undefined);
  const captions = files.map(({ caption = '' }) => caption);
  const tooLong =
    findTooLong('text', [mentionAll ? withMentionAll(text) : text], TEXT_LIMIT) ??
    findTooLong('caption', captions, TEXT_LIMIT) ??
    findTooLong('question', [poll?.question ?? ''], BALLOT_LIMITS.question) ??
    findTooLong('options', poll?.options ?? [], BALLOT_LIMITS.option) ??
    findTooLong('name', [event?.name ?? ''], BALLOT_LIMITS.name) ??
    findTooLong('description', [event?.description ?? ''], BALLOT_LIMITS.description) ??
    findTooLong('place', [event?.place ?? ''], BALLOT_LIMITS.place);
  if (tooLong) return tooLong;
  if (names.some((name) => Buffer.byteLength(name) > FILE_NAME_BYTES))
    return describeFailure('values_too_long', { field: 'file_name', limit: FILE_NAME_BYTES });
  const said = poll ? [poll.question, ...poll.options] : event ? [event.name] : [text];
  if (said.some((one) => !hasVisible(one)) && (poll ?? event ?? !hasFile)) return describeFailure('nothing_visible');
  return poll && new Set(poll.options).size < poll.options.length ? describeFailure('values_alike') : undefined;
}

function findTooLong(field: string, texts: readonly string[], limit: number): Failure | undefined {
  return texts.some((text) => text.length > limit) ? describeFailure('values_too_long', { field, limit }) : undefined;
}

/** The texts of a post in which fields can be, beside its text, by the names of requests. */
function textsOf({
  poll,
  event,
  fileName,
  files = [],
  linkPreview,
}: PostExtras): Array<[field: string, texts: string[]]> {
  return [
    ['poll', poll ? wordsOfPoll(poll) : []],
    ['event', event ? [event.name, event.description ?? '', event.place ?? ''] : []],
    ['file_name', fileName === undefined ? [] : [fileName]],
    ['media', files.flatMap(wordsOfFile)],
    ['link_preview', linkPreview ? wordsOfCard(linkPreview) : []],
  ];
}

const wordsOfPoll = ({ question, options }: PollExtra) => [question, ...options];
const wordsOfFile = ({ caption = '', fileName = '' }: PostFile) => [caption, fileName];
const wordsOfCard = ({ url, title, description }: Pick<StoredCard, 'url' | 'title' | 'description'>) => [
  url,
  title,
  description,
];

/** Whether nothing is left of a text of the post for a group that lacks each value with an empty fallback. */
export function mayBeBare(template: Template): boolean {
  const valueOf: ValueOf = ({ fallback = 'x' }) => ({ value: cleanValue(fallback), isLink: false });
  return listTexts(template)
    .values()
    .some((text) => !hasVisible(compileText(text)(valueOf)));
}

/** Returns the placeholders of the extras, in order. */
export function listFieldsOf(extras: PostExtras): Placeholder[] {
  return textsOf(extras).flatMap(([, texts]) => listPlaceholders(texts));
}

/** Returns what is wrong with the placeholders of the extras. */
export function findFieldProblems(extras: PostExtras): FieldError[] {
  return textsOf(extras).flatMap(([field, texts]) => {
    const found = texts.map(findBroken).find((broken) => broken !== undefined);
    return found === undefined ? [] : [fieldError(field, 'field_broken', { found })];
  });
}

/** Warns of what looks like a field in the extras of a post without fields. Captions have warnings of their own. */
export function warnOfFields({ files = [], ...extras }: PostExtras): Warning[] {
  const found = new Set(
    listFieldsOf({ ...extras, files: files.map((file) => ({ ...file, caption: undefined })) }).map((placeholder) =>
      JSON.stringify(writePlaceholder(placeholder)),
    ),
  );
  return found.size === 0 ? [] : [namedWarning('placeholder_left', [...found].slice(0, WARNED_AT_MOST).join(', '))];
}

const WARNED_AT_MOST = 5;

import '@mantine/tiptap/styles.layer.css';
import { Text } from '@mantine/core';
import { RichTextEditor } from '@mantine/tiptap';
import { useEditor } from '@tiptap/react';
import { useEffect, useRef, useState } from 'react';
import { t } from '../i18n/translate.ts';
import { cleanPasted } from './clean-pasted.ts';
import { EmojiControl } from './emoji-control.tsx';
import { FieldControl } from './field-control.tsx';
import { messageExtensions, messageSchema, parseMessage, serializeMessage } from './message-schema.ts';
import classes from './editor.module.css';

interface EditorProps {
  html: string;
  onChange: (html: string) => void;
  onFile: (file: File) => void;
  /** Shows fields as chips. */
  withFields: boolean;
  /** Called when a field is inserted. */
  onField: () => void;
  /** The name of the text. */
  label?: string;
  /** It takes the focus when it appears. */
  isFocused?: boolean;
}

/**
 * The message editor. Its schema knows only the tags that a campaign may have; anything else becomes plain text, and a note says so. Pasted
 * and dropped files go to `onFile`.
 */
export default function Editor({ html, onChange, onFile, withFields, onField, label, isFocused }: EditorProps) {
  const onFileRef = useRef(onFile);
  const onChangeRef = useRef(onChange);
  useEffect(() => {
    onFileRef.current = onFile;
    onChangeRef.current = onChange;
  });
  const attachFile = (transfer: DataTransfer | null) => {
    const [file] = transfer?.files ?? [];
    if (file) onFileRef.current(file);
    return file !== undefined;
  };
  const [isPlain, setPlain] = useState(false);
  const [extensions] = useState(() => messageExtensions({ onPlainText: () => setPlain(true) }));
  const [content] = useState(() => parseMessage(html));
  const lastHtml = useRef(serializeMessage(messageSchema.nodeFromJSON(content)));
  const editor = useEditor({
    extensions,
    content,
    autofocus: isFocused ?? false,
    // The other rules are for Markdown, which WhatsApp's users do not type.
    enableInputRules: ['whatsAppFormatting'],
    enablePasteRules: ['link'],
    injectCSS: false,
    immediatelyRender: true,
    shouldRerenderOnTransaction: false,
    onUpdate: ({ editor: changed }) => {
      if (changed.isEmpty) setPlain(false);
      const changedHtml = serializeMessage(changed.state.doc);
      // Skips updates without a change: the editor adds an empty line below a list by itself.
      if (changedHtml !== lastHtml.current) onChangeRef.current((lastHtml.current = changedHtml));
    },
    editorProps: {
      attributes: { role: 'textbox', 'aria-multiline': 'true', 'aria-label': label ?? t('compose.message') },
      clipboardTextSerializer: ({ content: copied }) => copied.textBetween(0, copied.size, '\n', '\n'),
      transformPastedHTML: (pasted) => cleanPasted(pasted, () => setPlain(true)),
      handlePaste: (_view, event) => attachFile(event.clipboardData),
      handleDrop: (_view, event) => attachFile(event.dataTransfer),
    },
  });
  useEffect(() => {
    // The draft was discarded elsewhere.
    if (html === '' && lastHtml.current !== '') editor.commands.clearContent();
  }, [editor, html]);

  return (
    <div>
      <RichTextEditor
        editor={editor}
        labels={labels()}
        className={`${classes.editor} ${withFields ? classes.withFields : ''}`}
        // The editor has no links to open in a new tab.
        styles={{ linkEditorExternalControl: { display: 'none' } }}
      >
        <Tools onField={onField} />
        <RichTextEditor.Content />
      </RichTextEditor>
      <Text size="xs" c="dimmed" role="status" className={classes.note}>
        {isPlain && t('compose.madePlain')}
      </Text>
    </div>
  );
}

// Words in place of signs that only editors of web pages know.
const WIDE = { w: 'auto', px: 6, fz: 'xs' } as const;
const TitleWord = () => <span>{t('editor.h2ControlLabel')}</span>;
const SubtitleWord = () => <span>{t('editor.h3ControlLabel')}</span>;
const ClearWord = () => <span>{t('editor.clear')}</span>;

function Tools({ onField }: { onField: () => void }) {
  return (
    <RichTextEditor.Toolbar>
      <RichTextEditor.ControlsGroup>
        <RichTextEditor.Bold />
        <RichTextEditor.Italic />
        <RichTextEditor.H2 icon={TitleWord} {...WIDE} />
        <RichTextEditor.H3 icon={SubtitleWord} {...WIDE} />
      </RichTextEditor.ControlsGroup>
      <RichTextEditor.ControlsGroup>
        <RichTextEditor.BulletList />
        <RichTextEditor.OrderedList />
      </RichTextEditor.ControlsGroup>
      <RichTextEditor.ControlsGroup>
        <RichTextEditor.Link />
        <RichTextEditor.Unlink />
        <EmojiControl />
        <FieldControl onInsert={onField} />
      </RichTextEditor.ControlsGroup>
      <RichTextEditor.ControlsGroup>
        <RichTextEditor.ClearFormatting icon={ClearWord} {...WIDE} />
        <RichTextEditor.Undo />
        <RichTextEditor.Redo />
      </RichTextEditor.ControlsGroup>
    </RichTextEditor.Toolbar>
  );
}

/** The editor's own names for its labels. */
function labels() {
  return {
    boldControlLabel: t('editor.boldControlLabel'),
    italicControlLabel: t('editor.italicControlLabel'),
    h2ControlLabel: t('editor.h2ControlLabel'),
    h3ControlLabel: t('editor.h3ControlLabel'),
    bulletListControlLabel: t('editor.bulletListControlLabel'),
    orderedListControlLabel: t('editor.orderedListControlLabel'),
    linkControlLabel: t('editor.linkControlLabel'),
    unlinkControlLabel: t('editor.unlinkControlLabel'),
    clearFormattingControlLabel: t('editor.clearFormattingControlLabel'),
    undoControlLabel: t('editor.undoControlLabel'),
    redoControlLabel: t('editor.redoControlLabel'),
    linkEditorInputLabel: t('editor.linkEditorInputLabel'),
    linkEditorInputPlaceholder: t('editor.linkEditorInputPlaceholder'),
    linkEditorExternalLink: t('editor.linkEditorExternalLink'),
    linkEditorInternalLink: t('editor.linkEditorInternalLink'),
    linkEditorSave: t('editor.linkEditorSave'),
  };
}

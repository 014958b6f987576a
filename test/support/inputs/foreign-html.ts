/** A shelf of HTML as other programs hand it out, each in our own words, and the text that members should see. */

export interface ForeignHtml {
  from: string;
  html: string;
  text: string;
  /** Whether it is HTML of the specification, which says the same without `on_unknown_tags: "drop"`. */
  isPlain?: true;
}

const QUILL_2 = `<p>Bring:</p><ol><li data-list="bullet"><span class="ql-ui" contenteditable="false"></span>a cup</li><li data-list="bullet"><span class="ql-ui" contenteditable="false"></span>a chair</li><li data-list="bullet" class="ql-indent-1"><span class="ql-ui" contenteditable="false"></span>a folding one</li></ol><p><br></p><p>See you</p>`;
const DOCS_P = 'dir="ltr" style="line-height:1.38;margin-top:0pt;margin-bottom:0pt;"';
const DOCS_SPAN = 'font-size:11pt;font-family:Arial,sans-serif;color:#000000;font-style:normal;white-space:pre-wrap;';
const WORD_SHEET = `<style><!--
 /* Font Definitions */
 @font-face {font-family:Aptos; panose-1:2 11 0 4;}
 p.MsoNormal, li.MsoNormal, div.MsoNormal {margin:0cm; font-size:12.0pt;}
 p.MsoListParagraph {margin-top:0cm; margin-right:0cm; margin-bottom:0cm; margin-left:36.0pt;}
 @page WordSection1 {size:612.0pt 792.0pt;}
 div.WordSection1 {page:WordSection1;}
--></style>`;
const wordItem = (level: number, marker: string, text: string) =>
  `<p class=MsoListParagraph style='margin-left:${36 * level}pt;text-indent:-18.0pt;mso-list:l0 level${level} lfo1'><![if !supportLists]><span style='font-family:Symbol'><span style='mso-list:Ignore'>${marker}<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp;&nbsp; </span></span></span><![endif]>${text}<o:p></o:p></p>\n`;
const webItem = (tag: string, level: number, text: string, start = 1) =>
  `<div class="ListContainerWrapper SCXW1 BCX0"><${tag} class="BulletListStyle1" role="list"${tag === 'ol' ? ` start="${start}"` : ''}><li data-leveltext="" data-listid="1" aria-setsize="-1" data-aria-posinset="1" data-aria-level="${level}" role="listitem" class="OutlineElement Ltr"><p class="Paragraph SCXW1" style="margin:0px"><span class="TextRun"><span class="NormalTextRun">${text}</span></span><span class="EOP">&nbsp;</span></p></li></${tag}></div>`;
const mailTable = (rows: string) =>
  `<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%"><tbody>${rows}</tbody></table>`;

export const FOREIGN_HTML: readonly ForeignHtml[] = [
  {
    from: 'Quill 2, innerHTML',
    isPlain: true,
    html: QUILL_2,
    text: 'Bring:\n\n- a cup\n- a chair\n- ◦ a folding one\n\n\nSee you',
  },
  {
    from: 'Quill 2, numbers and bullets',
    isPlain: true,
    html: '<ol><li data-list="ordered">first</li><li data-list="ordered" class="ql-indent-1">inner</li><li data-list="ordered">second</li><li data-list="bullet">a dot</li></ol>',
    text: '1. first\n- 1. inner\n2. second\n- a dot',
  },
  {
    from: 'Quill 2, a list to tick',
    isPlain: true,
    html: '<ol><li data-list="checked"><span class="ql-ui" contenteditable="false"></span>hall</li><li data-list="unchecked"><span class="ql-ui" contenteditable="false"></span>cake</li><li data-list="unchecked" class="ql-indent-1">with cream</li><li data-list="unchecked"><br></li></ol>',
    text: '- ☑ hall\n- ☐ cake\n- ◦ ☐ with cream',
  },
  {
    from: 'TipTap, a list to tick',
    html: '<ul data-type="taskList"><li data-type="taskItem" data-checked="true"><label><input type="checkbox" checked="checked"><span></span></label><div><p>hall <strong>one</strong></p></div></li><li data-type="taskItem" data-checked="false"><label><input type="checkbox"><span></span></label><div><p>cake</p></div></li><li data-type="taskItem" data-checked="false"><label><input type="checkbox"></label><div><p></p></div></li></ul><p>Rosa</p>',
    text: '- ☑ hall *one*\n- ☐ cake\n\nRosa',
  },
  {
    from: 'Google Docs, a list to tick',
    html: `<ul style="margin-top:0;margin-bottom:0;"><li dir="ltr" style="list-style-type:none;" role="checkbox" aria-checked="false" aria-level="1"><p ${DOCS_P}><span style="${DOCS_SPAN}">cake</span></p></li><li dir="ltr" style="list-style-type:none;" role="checkbox" aria-checked="true" aria-level="1"><p ${DOCS_P}><span style="${DOCS_SPAN}">hall</span></p></li></ul>`,
    text: '- ☐ cake\n- ☑ hall',
  },
  {
    from: 'a page of GitHub, a list to tick',
    html: '<ul class="contains-task-list">\n<li class="task-list-item"><input type="checkbox" class="task-list-item-checkbox" disabled> cake</li>\n<li class="task-list-item"><input type="checkbox" class="task-list-item-checkbox" disabled checked> hall</li>\n</ul><p>to <input type="text" value="x">all</p>',
    text: '- ☐ cake\n- ☑ hall\n\nto all',
  },
  {
    from: 'Quill 2, getSemanticHTML',
    isPlain: true,
    html: '<h2>Spring&nbsp;fair</h2><p>Dear&nbsp;neighbours,&nbsp;the&nbsp;<strong>spring&nbsp;fair</strong>&nbsp;is&nbsp;on&nbsp;Saturday.</p><ul><li>a&nbsp;cup</li><li>a&nbsp;chair</li></ul>',
    text: '*Spring fair*\n\nDear neighbours, the *spring fair* is on Saturday.\n\n- a cup\n- a chair',
  },
  {
    from: 'Quill 1',
    isPlain: true,
    html: '<p>Bring:</p><ul><li>a cup</li><li class="ql-indent-1">of tea</li><li>a chair</li></ul><ol><li>come</li><li>stay</li></ol>',
    text: 'Bring:\n\n- a cup\n- ◦ of tea\n- a chair\n\n1. come\n2. stay',
  },
  {
    from: 'TipTap',
    isPlain: true,
    html: '<p>Open <strong>daily</strong></p><p></p><ol start="3"><li><p>three</p></li><li><p>four</p><ul><li><p>inner</p></li></ul></li></ol>',
    text: 'Open *daily*\n\n3. three\n4. four\n- ◦ inner',
  },
  {
    from: 'ProseMirror, from the clipboard',
    html: '<p data-pm-slice="1 1 []">One <em>two</em></p><blockquote><p>said she</p></blockquote><pre><code>a = 1\nb = 2</code></pre>',
    text: 'One _two_\n\nsaid she\n\na = 1\nb = 2',
  },
  {
    from: 'CKEditor 4',
    isPlain: true,
    html: '<p>one</p>\n\n<p>&nbsp;</p>\n\n<p>two &nbsp;three</p>\n\n<h2>&nbsp;</h2>\n<ul>\n\t<li>tea</li>\n\t<li>&nbsp;</li>\n</ul>\n',
    text: 'one\n\n\ntwo \u00a0three\n\n\n- tea',
  },
  {
    from: 'CKEditor 5',
    html: '<h2>Programme</h2><figure class="table"><table><tbody><tr><th>Time</th><th>What</th></tr><tr><td>9:00</td><td>Cake</td></tr></tbody></table></figure><ol style="list-style-type:lower-latin;"><li>one</li><li>two</li></ol><p><mark class="marker-yellow">Come</mark> <s>soon</s></p>',
    text: '*Programme*\n\nTime | What\n9:00 | Cake\n\na. one\nb. two\n\nCome soon',
  },
  {
    from: 'TinyMCE',
    html: '<p><span style="font-style: italic;">soon</span> and <span style="font-weight: 600;">sure</span></p>\n<p>&nbsp;</p>\n<p style="padding-left: 40px;">in</p>',
    text: '_soon_ and *sure*\n\n\nin',
  },
  {
    from: 'Lexical',
    html: '<p class="editor-paragraph" dir="ltr"><span style="white-space: pre-wrap;">We </span><b><strong class="editor-text-bold" style="white-space: pre-wrap;">open</strong></b></p><ol class="editor-list-ol"><li value="1" class="editor-listitem"><span style="white-space: pre-wrap;">one</span></li><li value="2" class="editor-nested-listitem"><ol class="editor-list-ol"><li value="1"><span style="white-space: pre-wrap;">inner</span></li></ol></li><li value="2"><span style="white-space: pre-wrap;">two</span></li></ol>',
    text: 'We *open*\n\n1. one\n- 1. inner\n2. two',
  },
  {
    from: 'Word, desktop',
    html: `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head>${WORD_SHEET}</head><body lang=DE><div class=WordSection1><p class=MsoNormal>Dear all,<o:p></o:p></p>\n<p class=MsoNormal><o:p>&nbsp;</o:p></p>\n<p class=MsoNormal>we <b>meet</b>.<o:p></o:p></p>\n${wordItem(1, '·', 'tea')}${wordItem(2, 'o', 'green')}${wordItem(1, '·', 'cake')}</div></body></html>`,
    text: 'Dear all,\n\nwe *meet*.\n\n- tea\n- ◦ green\n- cake',
  },
  {
    from: 'Word, numbers that go on',
    html: `${wordItem(1, '4.', 'four')}${wordItem(1, '5.', 'five')}<p class=MsoNormal>Then</p>${wordItem(1, 'a)', 'letters')}`,
    text: '4. four\n5. five\n\nThen\n\na. letters',
  },
  {
    from: 'Word, tracked changes and a comment',
    html: `<p class=MsoNormal>We open at <del cite="mailto:Rosa" datetime="2026-05-01T10:00">eight</del><ins cite="mailto:Rosa">nine</ins><span class=MsoCommentReference><span style='font-size:8.0pt'><![if !supportAnnotations]><a class=msocomanchor id="_anchor_1" href="#_msocom_1">[R1]</a><![endif]></span></span>.</p><div style='mso-element:comment-list'><div style='mso-element:comment'><div id="_com_1" class=msocomtxt><p class=MsoCommentText>Really nine?</p></div></div></div>`,
    text: 'We open at nine.',
  },
  {
    from: 'Word for the web',
    html: `<div class="OutlineElement Ltr"><p class="Paragraph" style="margin:0px"><span class="TextRun"><span class="NormalTextRun">Bring:</span></span><span class="EOP">&nbsp;</span></p></div>${webItem('ul', 1, 'a cup')}${webItem('ul', 2, 'of tea')}${webItem('ul', 1, 'a chair')}`,
    text: 'Bring:\n\n- a cup\n- ◦ of tea\n- a chair',
  },
  {
    from: 'Google Docs',
    html: `<meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-1"><p ${DOCS_P}><span style="${DOCS_SPAN}font-weight:400;">Normal, </span><span style="${DOCS_SPAN}font-weight:700;">bold</span></p><br /><ul style="margin-top:0;margin-bottom:0;"><li ${DOCS_P.replace('style="', 'aria-level="1" style="list-style-type:disc;')}><p ${DOCS_P} role="presentation"><span style="${DOCS_SPAN}font-weight:400;">tea</span></p></li><ul><li dir="ltr" aria-level="2" style="list-style-type:circle;"><p ${DOCS_P} role="presentation"><span style="${DOCS_SPAN}font-style:italic;">green</span></p></li></ul></ul></b>`.replace(
      'font-style:normal;white-space:pre-wrap;font-style:italic',
      'font-style:italic',
    ),
    text: 'Normal, *bold*\n\n- tea\n- ◦ _green_',
  },
  {
    from: 'Gmail',
    html: '<div dir="ltr"><div>Dear all,</div><div>we meet on Friday.</div><div><br></div><div>Rosa</div><div class="gmail_quote"><ul><li>tea<br></li><li>cake</li></ul></div></div>',
    text: 'Dear all,\nwe meet on Friday.\n\nRosa\n\n- tea\n- cake',
  },
  {
    from: 'Outlook for the web',
    html: '<style type="text/css" style="display:none;"> P {margin-top:0;margin-bottom:0;} </style><div class="elementToProof" style="font-family: Aptos, Calibri; font-size: 12pt;">Dear all,</div><div class="elementToProof"><br></div><p>one</p><p>two</p>',
    text: 'Dear all,\n\none\ntwo',
  },
  {
    from: 'Apple Notes',
    html: '<html><head><style type="text/css">\np.p1 {margin: 0.0px 0.0px 0.0px 0.0px; font: 13.0px \'Helvetica Neue\'}\np.p2 {margin: 0.0px 0.0px 0.0px 0.0px; min-height: 15.0px}\nspan.s1 {font-weight: bold}\n</style></head><body><p class="p1"><span class="s1">Fair</span></p>\n<p class="p2"><br></p>\n<p class="p1">We open at nine.</p>\n<ul class="ul1"><li class="li1">tea</li></ul></body></html>',
    text: '*Fair*\n\nWe open at nine.\n\n- tea',
  },
  {
    from: 'Notion',
    html: '<!-- notionvc: 1 --><h3>Plan</h3><p>We <strong>open</strong></p><ul><li>tea<ul><li>green</li></ul></li></ul><ol><li>come</li></ol><hr>\n<p>Bye</p>',
    text: '*Plan*\n\nWe *open*\n\n- tea\n- ◦ green\n\n1. come\n\nBye',
  },
  {
    from: 'WhatsApp Web',
    html: '<span dir="ltr" class="_ao3e selectable-text copyable-text" style="white-space: pre-wrap;"><span>Hello <strong class="selectable-text copyable-text">all</strong> <img alt="🎉" draggable="false" src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP" class="b61 emoji wa">\nsee you</span></span>',
    text: 'Hello *all* 🎉\nsee you',
  },
  {
    from: 'ChatGPT',
    html: '<h3 data-start="0" data-end="12">Spring fair</h3>\n<p data-start="14" data-end="40">Come and <strong data-start="1" data-end="2">join</strong>:</p>\n<ul data-start="42" data-end="60">\n<li data-start="42" data-end="50">\n<p data-start="44" data-end="50">tea</p>\n</li>\n<li data-start="51" data-end="60">\n<p data-start="53" data-end="60">cake</p>\n</li>\n</ul>\n<p data-start="62" data-end="70">Run <code data-start="1">it</code></p>',
    text: '*Spring fair*\n\nCome and *join*:\n\n- tea\n- cake\n\nRun it',
  },
  {
    from: 'a builder of mails with tables',
    html: `<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">Our news in May &zwnj;&nbsp;&zwnj;&nbsp;</div>${mailTable(`<tr><td class="pad" style="padding:10px"><h1 style="margin:0;font-weight:700">Spring fair</h1></td></tr><tr><td><div style="color:#444"><p style="margin:0">Dear all,</p><p style="margin:0">&nbsp;</p><p style="margin:0">we open at nine.</p></div></td></tr><tr><td align="center"><a href="https://example.org/fair" style="font-weight:bold">Read more</a></td></tr>`)}`,
    text: '*Spring fair*\n\nDear all,\n\nwe open at nine.\n*Read more* (https://example.org/fair)',
  },
  {
    from: 'a builder of mails with a style sheet',
    html: `<head><title>May</title><style>.preview { display: none !important; } @media (max-width:600px) { .wide { display:none } } .desktop_hide, .desktop_hide table { mso-hide: all; display: none; }</style></head><body><span class="preview">Read this</span><div class="wide"><strong>Hello</strong> all</div><div class="desktop_hide">Small screens</div><img src="x.png" alt="Our logo"></body>`,
    text: '*Hello* all',
  },
  {
    from: 'a builder of mails with columns',
    html: `<!--[if mso | IE]><table><tr><td><![endif]--><div style="display:none;font-size:1px;line-height:1px;opacity:0;">Preheader</div>${mailTable(`<tr><td><p>Left one</p><p>Left two</p></td><td><p>Right</p></td></tr>`)}<div style="font-size:0;line-height:0">&#8203;</div><p>End</p><!--[if mso | IE]></td></tr></table><![endif]-->`,
    text: 'Left one\n\nLeft two\n\nRight\n\nEnd',
  },
  {
    from: 'a page for readers of screens, too',
    html: '<p>Hello <span class="sr-only">opens in a new tab</span><span hidden>draft </span><span style="display:none">internal note </span>all</p>',
    text: 'Hello all',
  },
  {
    from: 'a page with preformatted lines',
    html: '<p>Programme</p><pre>\n9:00 Cake\n10:00 Songs\n</pre><textarea>note</textarea>',
    text: 'Programme\n\n9:00 Cake\n10:00 Songs\n\nnote',
  },
  {
    from: 'a list that goes on',
    isPlain: true,
    html: '<ol start="4"><li>four</li><li value="7">seven</li><li>eight</li></ol><ol type="A"><li>letters</li></ol><ol type="i" start="3"><li>Roman</li><li>numbers</li></ol>',
    text: '4. four\n7. seven\n8. eight\n\nA. letters\n\niii. Roman\niv. numbers',
  },
  {
    from: 'any editor, real no-break spaces',
    isPlain: true,
    html: '<p>IBAN DE89&nbsp;3704, 12&nbsp;€</p><p>12&nbsp;€</p>',
    text: 'IBAN DE89\u00a03704, 12\u00a0€\n\n12\u00a0€',
  },
];

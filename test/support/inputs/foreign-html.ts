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
  {
    from: 'Quill 2, inner numbers',
    isPlain: true,
    html: '<ol><li data-list="ordered">a</li><li data-list="ordered" class="ql-indent-1">b</li><li data-list="ordered" class="ql-indent-1">c</li><li data-list="ordered">d</li></ol>',
    text: '1. a\n- 1. b\n- 2. c\n2. d',
  },
  {
    from: 'Quill 2, a block of code',
    html: '<div class="ql-code-block-container" spellcheck="false"><div class="ql-code-block">a = 1</div><div class="ql-code-block">b = 2</div></div><p>end</p>',
    text: 'a = 1\nb = 2\n\nend',
  },
  {
    from: 'Word in Chrome, comments in place of declarations',
    html: `<p class="MsoListParagraphCxSpFirst" style="text-indent:-18.0pt;mso-list:l0 level1 lfo1"><!--[if !supportLists]--><span style="font-family:Symbol;mso-fareast-font-family:Symbol"><span style="mso-list:Ignore">·<span style="font:7.0pt &quot;Times New Roman&quot;">&nbsp;&nbsp; </span></span></span><!--[endif]-->tea<o:p></o:p></p><p class="MsoListParagraphCxSpLast" style="text-indent:-18.0pt;mso-list:l0 level1 lfo1"><!--[if !supportLists]--><span style="font-family:Symbol"><span style="mso-list:Ignore">·<span style="font:7.0pt &quot;Times New Roman&quot;">&nbsp;&nbsp; </span></span></span><!--[endif]-->cake<o:p></o:p></p>`,
    text: '- tea\n- cake',
  },
  {
    from: 'Word, a filtered web page',
    html: `<p class=MsoListParagraph style='text-indent:-18.0pt'><span style='font-family:Symbol'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp;&nbsp; </span></span>tea</p><p class=MsoListParagraph style='text-indent:-18.0pt'><span style='font-family:Symbol'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp;&nbsp; </span></span>cake</p>`,
    text: '- tea\n- cake',
  },
  {
    from: 'Word, a filtered web page with numbers',
    html: `<p class=MsoListParagraph style='text-indent:-18.0pt'>3.<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span>come</p><p class=MsoListParagraph style='text-indent:-18.0pt'>4.<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span>stay</p>`,
    text: '3. come\n4. stay',
  },
  {
    from: 'Word, smart tags and broken lines',
    html: `<p class=MsoNormal>We meet in <st1:place w:st="on">Paris</st1:place>\non <span\nlang=DE>Friday</span>.<o:p></o:p></p>`,
    text: 'We meet in Paris on Friday.',
  },
  {
    from: 'Word, a footnote',
    html: `<p class=MsoNormal>We open<a style='mso-footnote-id:ftn1' href="#_ftn1" name="_ftnref1" title=""><span class=MsoFootnoteReference><![if !supportFootnotes]>[1]<![endif]></span></a>.</p>`,
    text: 'We open[1].',
  },
  {
    from: 'Word, a link as a field',
    html: `<p>See <!--[if supportFields]><span style='mso-element:field-begin'></span> HYPERLINK "https://example.org/x" <span style='mso-element:field-separator'></span><![endif]--><a href="https://example.org/x">here</a><!--[if supportFields]><span style='mso-element:field-end'></span><![endif]-->.</p>`,
    text: 'See here (https://example.org/x).',
  },
  {
    from: 'Outlook, the head of an answer',
    html: `<div style='border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm'><p class=MsoNormal><b><span lang=EN-US>From:</span></b><span lang=EN-US> Rosa<br><b>Sent:</b> Friday<o:p></o:p></span></p></div>`,
    text: '*From:* Rosa\n*Sent:* Friday',
  },
  {
    from: 'Gmail, an answer',
    html: '<div dir="ltr">Yes, please.</div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">On Fri, Rosa wrote:<br></div><blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid">Tea?</blockquote></div>',
    text: 'Yes, please.\n\nOn Fri, Rosa wrote:\nTea?',
  },
  {
    from: 'Google Docs, a list in a list',
    html: '<ol style="margin-top:0;margin-bottom:0;"><li dir="ltr" style="list-style-type:decimal;">one</li><ol style="margin-top:0"><li dir="ltr" style="list-style-type:lower-alpha;">in</li></ol><li dir="ltr" style="list-style-type:decimal;">two</li></ol>',
    text: '1. one\n- a. in\n2. two',
  },
  {
    from: 'Google Docs, a link',
    html: '<b style="font-weight:normal;"><p dir="ltr"><span style="font-weight:400">See </span><a href="https://example.org/" style="text-decoration:none;"><span style="font-weight:400;text-decoration:underline;">our page</span></a><span>.</span></p></b>',
    text: 'See our page (https://example.org/).',
  },
  {
    from: 'Google Docs, squares',
    html: '<p><span>A room of 20 m</span><span style="font-size:0.6em;vertical-align:super;">2</span><span> from 9</span><span style="vertical-align:super">30</span><span> on</span></p>',
    text: 'A room of 20 m² from 9³⁰ on',
  },
  {
    from: 'a page with powers and formulas',
    html: '<p>10<sup>2</sup> litres of H<sub>2</sub>O, the 1<sup>st</sup> time</p>',
    text: '10² litres of H₂O, the 1st time',
  },
  {
    from: 'Google Sheets',
    html: '<google-sheets-html-origin><style type="text/css"><!--td {border: 1px solid #cccccc;}br {mso-data-placement:same-cell;}--></style><table xmlns="http://www.w3.org/1999/xhtml" cellspacing="0" data-sheets-root="1"><colgroup><col width="100"/><col width="100"/></colgroup><tbody><tr style="height:21px;"><td style="overflow:hidden;padding:2px 3px">9:00</td><td>Cake</td></tr><tr><td>10:00</td><td></td></tr></tbody></table></google-sheets-html-origin>',
    text: '9:00 | Cake\n10:00',
  },
  {
    from: 'Excel',
    html: `<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head><style><!--table {mso-displayed-decimal-separator:"\\,";} td {padding-top:1px;} .xl65 {font-weight:700;}--></style></head><body><table border=0 cellpadding=0><!--StartFragment--><col width=64 span=3><tr height=20><td class=xl65 height=20>Time</td><td></td><td class=xl65>What</td></tr><tr><td>9:00</td><td></td><td>Cake</td></tr><!--EndFragment--></table></body></html>`,
    text: '*Time* | *What*\n9:00 | Cake',
  },
  {
    from: 'Slack',
    html: '<meta charset="utf-8"><span style="display: inline !important;">one</span><span class="c-mrkdwn__br" data-stringify-type="paragraph-break" style="box-sizing: inherit; display: block; height: 8px;"></span><b data-stringify-type="bold">two</b>',
    text: 'one\n*two*',
  },
  {
    from: 'a page whose spans are blocks',
    html: '<span style="display:block">one</span><span style="display:block">two</span><div style="display:inline">three</div><div style="display:inline"> four</div><a style="display:block" href="https://example.org/a">five</a><a style="display:block" href="https://example.org/b">six</a>',
    text: 'one\ntwo\nthree four\nfive (https://example.org/a)\nsix (https://example.org/b)',
  },
  {
    from: 'Teams',
    html: '<div><p>Hi <span itemtype="http://schema.skype.com/Mention" itemscope="" itemid="0">Rosa</span>&nbsp;<img itemscope="" itemtype="http://schema.skype.com/Emoji" alt="🎉" src="x" style="width:20px"></p><p>&nbsp;</p><p>see you</p></div>',
    text: 'Hi Rosa\u00a0🎉\n\n\nsee you',
  },
  {
    from: 'Mastodon',
    html: '<p>Read <a href="https://example.org/a-long-way" rel="nofollow"><span class="invisible">https://</span><span class="ellipsis">example.org/a-long</span><span class="invisible">-way</span></a></p>',
    text: 'Read https://example.org/a-long-way',
  },
  {
    from: 'Android, a text with styles',
    html: '<p dir="ltr"><b>Gr&#252;&#223;e</b> &#128512; <u>all</u><br>\nsee you</p>\n<p dir="ltr">Rosa</p>\n',
    text: '*Grüße* 😀 all\nsee you\n\nRosa',
  },
  {
    from: 'Samsung Notes',
    html: '<p dir="ltr" value="memo2" style="font-size:17sp;color:#000">one<br/></p><p dir="ltr" value="memo2"><br/></p><p dir="ltr">two</p>',
    text: 'one\n\n\ntwo',
  },
  {
    from: 'iOS Safari',
    html: '<meta charset="UTF-8"><span style="caret-color: rgb(0, 0, 0); font-family: Helvetica; display: inline !important; float: none;">one two</span><br class="Apple-interchange-newline">',
    text: 'one two',
  },
  {
    from: 'iOS Notes, dashes',
    html: '<div><ul class="Apple-dash-list"><li>tea</li><li>cake</li></ul><div><br></div></div>',
    text: '- tea\n- cake',
  },
  {
    from: 'WordPress',
    html: '<!-- wp:heading -->\n<h2 class="wp-block-heading">Fair</h2>\n<!-- /wp:heading -->\n\n<!-- wp:image {"id":7} -->\n<figure class="wp-block-image"><img src="x.jpg" alt="A cake"/><figcaption class="wp-element-caption">Our cake</figcaption></figure>\n<!-- /wp:image -->\n\n<!-- wp:paragraph -->\n<p>Come</p>\n<!-- /wp:paragraph -->',
    text: '*Fair*\n\nOur cake\n\nCome',
  },
  {
    from: 'a builder of mails, a preheader that is tiny',
    html: '<div style="font-size:1px;color:#ffffff;line-height:1px">Our news <span style="color:#fff">in May</span></div><div style="font-size:0"><p style="font-size:16px">Hello all</p></div>',
    text: 'Hello all',
  },
  {
    from: 'a builder of mails, a preheader outside the page',
    html: '<div style="position:absolute;left:-9999px">Our news</div><span style="position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)">skip</span><div style="height:0;overflow:hidden">in May</div><div style="text-indent:-9999px">Our shop</div><p>Hello all</p>',
    text: 'Hello all',
  },
  {
    from: 'a builder of mails, a button for Outlook',
    html: '<p>Hello</p><!--[if mso]><v:roundrect xmlns:v="urn:schemas-microsoft-com:vml" href="https://example.org/x"><center>Read more</center></v:roundrect><![endif]--><!--[if !mso]><!--><a href="https://example.org/x" style="display:inline-block">Read more</a><!--<![endif]-->',
    text: 'Hello\n\nRead more (https://example.org/x)',
  },
  {
    from: 'MJML',
    html: '<div style="background-color:#fff"><!--[if mso | IE]><table align="center"><tr><td><![endif]--><div style="margin:0px auto;max-width:600px;"><table role="presentation" style="width:100%;"><tbody><tr><td style="direction:ltr;font-size:0px;padding:20px 0;text-align:center;"><div class="mj-column-per-100 mj-outlook-group-fix" style="font-size:0px;text-align:left;direction:ltr;display:inline-block;"><table role="presentation"><tbody><tr><td style="font-size:0px;word-break:break-word;"><div style="font-family:Ubuntu;font-size:20px;line-height:1;">Hello all</div></td></tr><tr><td style="font-size:0px"><p style="border-top:solid 4px #F45E43;font-size:1px;margin:0px auto;width:100%;"></p></td></tr><tr><td style="font-size:0px"><div style="font-size:13px">We open at nine</div></td></tr></tbody></table></div></td></tr></tbody></table></div></div>',
    text: 'Hello all\nWe open at nine',
  },
  {
    from: 'Trix',
    html: '<div><!--block-->one<br>two<br><br>three</div><ul><li><!--block-->tea</li></ul>',
    text: 'one\ntwo\n\nthree\n\n- tea',
  },
  {
    from: 'Draft.js',
    html: '<div data-block="true" data-editor="x" data-offset-key="a-0-0"><div class="public-DraftStyleDefault-block"><span data-offset-key="a-0-0"><span data-text="true">one</span></span></div></div><ul class="public-DraftStyleDefault-ul" data-offset-key="b-0-0"><li class="public-DraftStyleDefault-unorderedListItem public-DraftStyleDefault-reset public-DraftStyleDefault-depth0 public-DraftStyleDefault-listLTR" data-block="true"><div><span>tea</span></div></li><li class="public-DraftStyleDefault-unorderedListItem public-DraftStyleDefault-depth1 public-DraftStyleDefault-listLTR"><div><span>green</span></div></li></ul>',
    text: 'one\n\n- tea\n- ◦ green',
  },
  {
    from: 'Slate',
    html: '<div data-slate-node="element"><span data-slate-node="text"><span data-slate-leaf="true"><span data-slate-string="true">one</span></span></span></div><div data-slate-node="element"><span data-slate-leaf="true"><span data-slate-zero-width="n" data-slate-length="0">\ufeff<br></span></span></div><div data-slate-node="element"><span data-slate-string="true">two</span></div>',
    text: 'one\n\ntwo',
  },
  {
    from: 'Lexical, a list to tick',
    html: '<ul class="editor-list-ul" __lexicallisttype="check"><li role="checkbox" tabindex="-1" aria-checked="true" value="1" class="editor-listitem editor-listItemChecked"><span style="white-space: pre-wrap;">hall</span></li><li role="checkbox" aria-checked="false" value="2"><span style="white-space: pre-wrap;">cake</span></li></ul>',
    text: '- ☑ hall\n- ☐ cake',
  },
  {
    from: 'Confluence, a list to tick',
    html: '<ul class="inline-task-list" data-inline-tasks-content-id="1"><li class="checked" data-inline-task-id="1">hall</li><li data-inline-task-id="2">cake</li></ul>',
    text: '- ☑ hall\n- ☐ cake',
  },
  {
    from: 'Evernote, a list to tick',
    html: '<ul style="--en-todo:true;"><li style="--en-checked:true;"><div>hall</div></li><li style="--en-checked:false;"><div>cake</div></li></ul>',
    text: '- ☑ hall\n- ☐ cake',
  },
  {
    from: 'Summernote',
    html: '<p><span style="font-weight: bolder;">Fair</span> <font color="#000000"><i>soon</i></font></p><p><b style="font-weight:bolder">all</b></p>',
    text: '*Fair* _soon_\n\n*all*',
  },
  {
    from: 'LibreOffice',
    html: '<p align="left" style="line-height: 100%; margin-bottom: 0cm">\n<font face="Liberation Serif, serif"><font size="3" style="font-size: 12pt"><b>Fair</b>\nin May</font></font></p>\n<ul>\n\t<li>\n\t<p align="left" style="margin-bottom: 0cm">tea</p></li>\n</ul>',
    text: '*Fair* in May\n\n- tea',
  },
  {
    from: 'Thunderbird',
    html: '<div class="moz-text-flowed" style="font-family: -moz-fixed; white-space: pre-wrap;">Dear all,\nwe meet.<pre class="moz-signature" cols="72">-- \nRosa</pre></div>',
    text: 'Dear all,\nwe meet.\n\n--\nRosa',
  },
  {
    from: 'OneNote',
    html: `<ol type=1 style='margin-left:.375in;unicode-bidi:embed;margin-top:0in;margin-bottom:0in;'><li value=3 style='margin-top:0;margin-bottom:0;vertical-align:middle'><span style='font-family:Calibri'>three</span></li><li style='margin-top:0'>four</li></ol><p style='margin:0in;font-family:Calibri'>&nbsp;</p><p style='margin:0in'>end</p>`,
    text: '3. three\n4. four\n\nend',
  },
  {
    from: 'ChatGPT, a formula',
    html: '<p>So <span class="katex"><span class="katex-mathml"><math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><mi>x</mi><mo>+</mo><mn>1</mn></mrow><annotation encoding="application/x-tex">x+1</annotation></semantics></math></span><span class="katex-html" aria-hidden="true"><span class="base"><span class="mord mathnormal">x</span><span class="mbin">+</span><span class="mord">1</span></span></span></span> cups</p>',
    text: 'So x+1 cups',
  },
  {
    from: 'a page with a film',
    html: '<p>Look</p><video controls src="x.mp4">Your browser does not support films.</video><audio src="x.mp3">Nor sounds.</audio><object data="x.pdf"><p>Nor this.</p></object><svg viewBox="0 0 1 1"><title>Logo</title><desc>A bell</desc><text>bell</text></svg><canvas>Nor drawings.</canvas><p>end</p>',
    text: 'Look\n\nend',
  },
  {
    from: 'Word, a filtered web page with levels',
    html: `<p class=MsoListParagraph style='text-indent:-18.0pt'><span style='font-family:Symbol'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span>tea</p><p class=MsoListParagraph style='margin-left:72.0pt;text-indent:-18.0pt'><span style='font-family:"Courier New"'>o<span style='font:7.0pt "Times New Roman"'>&nbsp; </span></span>green <b>or</b> black</p>`,
    text: '- tea\n- ◦ green *or* black',
  },
  {
    from: 'a page with quotations',
    html: '<p>She said <q>come</q>, <ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby> and Donau<wbr>dampf.</p>',
    text: 'She said “come”, 漢(kan) and Donaudampf.',
  },
  {
    from: 'a page with bold around paragraphs',
    html: '<b><p>one</p><p>two <span style="font-weight:normal">plain</span></p></b>',
    text: '*one*\n\n*two* plain',
  },
  {
    from: 'a page with loose text',
    html: '<p>one</p>two<p>three</p>four<br><br>five',
    text: 'one\n\ntwo\n\nthree\n\nfour\n\nfive',
  },
  {
    from: 'PowerPoint, lines within a paragraph',
    html: `<div style='mso-line-spacing:"90 0 0"'><span>one\u000btwo</span></div><div>three\u2028four</div>`,
    text: 'one\ntwo\nthree\nfour',
  },
  {
    from: 'a page with details',
    html: '<details><summary>More</summary><p>inside</p></details><p>end</p>',
    text: 'More\n\ninside\n\nend',
  },
  {
    from: 'Notion, a callout',
    html: '<!-- notionvc: 1 --><aside>\n💡 Bring cups\n\n</aside><ul><li>[ ] cake</li><li>[x] hall</li></ul>',
    text: '💡 Bring cups\n\n- [ ] cake\n- [x] hall',
  },
  {
    from: 'Substack',
    html: '<h3 class="header-anchor-post">Fair<div class="header-anchor-parent"><button tabindex="0" class="header-anchor" aria-label="Link" data-href="https://x"></button></div></h3><p><span>Come to </span><a href="https://example.org/f" rel="nofollow">our fair</a><span>.</span></p><div><hr></div><p></p>',
    text: '*Fair*\n\nCome to our fair (https://example.org/f).',
  },
  {
    from: 'a mail with a form',
    html: '<p>Choose:</p><select><option>tea</option><option selected>cake</option></select><p>end</p>',
    text: 'Choose:\n\ntea\ncake\n\nend',
  },
];

/** HTML of the shapes that cost the most to read and write, found by a search over repeated pieces; each of any length. */

type Shape = (length: number) => string;

const EVERY_MARK = '<b><b><b><i><i><i><em><em><em><strong><strong><strong>';

export const WORST_HTML: Readonly<Record<string, Shape>> = {
  'marks that open again in each paragraph': repeat('<p>x', `<p>${EVERY_MARK}<a href=http://x.y>`),
  'the same, without text': repeat('<p> ', `<p>${EVERY_MARK}<a href=http://x.y>`),
  'the same, in items': repeat('<li>x', `<p>${EVERY_MARK}<a href=http://x.y>`),
  'the same, and a comment at the end': repeat('<p>x', `<p>${EVERY_MARK}<a href="http://x.y">`, '<!>'),
  'the same, and a new mark now and then': repeat('<i><p>*<p><b>', `<p>${EVERY_MARK}`),
  'the same, with odd breaks and entities': repeat('<i></h1><p></ol>`</br></table><p>&lt<a>', `<p>${EVERY_MARK}`),
  'the same, with an end tag now and then': repeat('<p> <p> </b><b>', `<p>${EVERY_MARK}<a href=http://x.y>`),
  'the same, with entities that do not end': repeat('&lt<p>_', `<p>${EVERY_MARK}`),
  'links around blocks, in marks': repeat('<a href=tel:1><em>.😀<li>.<p>~~', `<p>${EVERY_MARK}`),
  'links around blocks, in a mark that never ends': repeat('<a href=tel:1><em>&ltwww.<p>😀.<p>`<p>`~', '<b>'),
  'links around paragraphs, in a mark that never ends': repeat('<a href=tel:1>*<p>`', '<b>'),
  'paragraphs that leave marks open': repeat('<p><b><i><em>'),
  'end tags of what is not open, deep down': repeat('</p>', '<span>'.repeat(95)),
  'end tags of inline elements, deep down': repeat('</i>', '<span>'.repeat(95)),
  'end tags of blocks, deep down': repeat('</h1>', '<ul>'.repeat(95)),
  'marks that end around blocks': repeat('<b><i><ul><li>x</b></i></ul>'),
  'overlapping marks': repeat('<b>x<i>y</b>z</i>'),
  'marks in the middle of words': repeat('<b>x</b>y'),
  'marks in the middle of joined letters': repeat('<b>ع</b>ن'),
  'marks around signs': repeat('<b>*</b>_'),
  'signs that would begin and end something': repeat('*a '),
  'four kinds of signs': repeat('*_~`'),
  backticks: repeat('`'),
  'paragraphs never closed': repeat('<p>x'),
  'headings never closed': repeat('<h1>x'),
  'items never closed': repeat('<li>x', '<ol>'),
  'line breaks in bold': repeat('x<br>', '<b>'),
  'links never closed': repeat('<a href=http://x.y>x '),
  'anchors never closed': repeat('<a>x'),
  'links to numbers that are told': repeat('<a href="tel:1">1 </a>'),
  'links that are told': repeat('<a href="http://x.y">x.y </a>'),
  'words in pieces': repeat('<span> a</span>'),
  'words in pieces of bold': repeat('<span> a</span>', '<b>'),
  'links to many hosts': repeat('<a href=http://ü.y>x</a> '),
  'links that look as if they led to another host': repeat('.ax<a href=http://ü.y>'),
  'one address of characters to be encoded': repeat('<(', '<a href="http://x.y/', '">x</a>'),
  'addresses beside signs': repeat('www.a*'),
  'many addresses in one word': repeat('http://a`'),
  'many addresses in one word of a line': repeat('www.a`', '<h1>'),
  'dots behind an address': repeat('.', 'www.a'),
  'attributes that do not matter': repeat(' a', '<b', '>x'),
  'rare entities': repeat('&hellip'),
  ampersands: repeat('&'),
  'white space': repeat(' ', '', 'x'),
  'no-break spaces in marks': repeat('<b>\u00a0</b><i>\u00a0</i>', '', 'x'),
  comments: repeat('<!>x'),
  'a comment that never ends': repeat('<!-', '<!--'),
  'refused: one tag many times': repeat('<td>x'),
  'refused: nested tags': repeat('<x>'),
  'refused: nested bold': repeat('<b>'),
  'refused: bad links': repeat('<a href=x>'),
};

/** Repeats `piece` between a head and a tail, up to the maximum length. */
function repeat(piece: string, head = '', tail = ''): Shape {
  return (length) => head + piece.repeat(Math.max(0, (length - head.length - tail.length) / piece.length)) + tail;
}
